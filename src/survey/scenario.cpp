#include "survey/scenario.hpp"

#include <algorithm>

namespace isolde::survey {

Result<std::vector<Scenario>> all_scenarios() {
  if (const Status can = can_read_scenarios(); !can) return can.error();
  std::vector<Scenario> scenarios;
  for (const auto& [name, text] : built_in()) {
    Result<Scenario> scenario = parse_scenario(name, text);
    if (!scenario) {
      return Error{ErrorCode::kInternal,
                   std::string(name) + ".toml: " + scenario.error().message};
    }
    scenarios.push_back(std::move(scenario).value());
  }
  std::ranges::stable_sort(scenarios, {}, &Scenario::order);
  return scenarios;
}

}  // namespace isolde::survey
