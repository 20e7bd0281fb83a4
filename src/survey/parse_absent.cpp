// In place of parse.cpp, where toml++ is not there at build time.
#include "recipe/toml_absent.hpp"
#include "survey/scenario.hpp"

namespace isolde::survey {

Status can_read_scenarios() { return recipe::without_toml("the scenarios of a survey"); }

Result<Scenario> parse_scenario(std::string_view, std::string_view) {
  return can_read_scenarios().error();
}

}  // namespace isolde::survey
