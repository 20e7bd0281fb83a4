#include "survey/scenario.hpp"

#include <algorithm>
#include <utility>

#include "replay/steps.hpp"

namespace isolde::survey {
namespace {

Scenario indexed(Scenario scenario) {
  scenario.name += "-index";
  scenario.column += " index";
  scenario.title.insert(std::min(scenario.title.find(':'), scenario.title.size()),
                        " with an index");
  scenario.about += " The values have an index (--param index=1).";
  scenario.has_index = true;
  return scenario;
}

}  // namespace

Result<std::vector<Scenario>> all_scenarios(bool with_indexes) {
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
  if (!with_indexes) return scenarios;
  std::vector<Scenario> all;
  for (Scenario& scenario : scenarios) {
    const Result<replay::Steps> steps = replay::parse_steps(scenario.steps);
    if (!steps) {
      return Error{ErrorCode::kInternal, scenario.name + ".toml: " + steps.error().message};
    }
    all.push_back(std::move(scenario));
    if (!steps->conditions.empty()) all.push_back(indexed(all.back()));
  }
  return all;
}

}  // namespace isolde::survey
