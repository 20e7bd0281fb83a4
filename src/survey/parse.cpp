// Reads scenarios by toml++.
#include <algorithm>
#include <array>

#include "recipe/toml.hpp"
#include "survey/scenario.hpp"

namespace isolde::survey {
namespace {

using Text = std::pair<std::string_view, std::string Scenario::*>;
using List = std::pair<std::string_view, std::vector<std::string> Scenario::*>;

constexpr std::array kTexts = {Text{"column", &Scenario::column},
                               Text{"title", &Scenario::title}, Text{"plain", &Scenario::plain},
                               Text{"about", &Scenario::about},
                               Text{"steps", &Scenario::steps}};
constexpr std::array kLists = {List{"anomalies", &Scenario::anomalies},
                               List{"must_commit", &Scenario::must_commit}};

using recipe::missing_field;
using recipe::wrong_type;

std::vector<std::string_view> field_names() {
  std::vector<std::string_view> names = {"order", "forbidden_by"};
  for (const Text& field : kTexts) names.push_back(field.first);
  for (const List& field : kLists) names.push_back(field.first);
  return names;
}

Status read_list(const toml::node& node, std::string_view name,
                 std::vector<std::string>& list) {
  const toml::array* const array = node.as_array();
  if (array == nullptr) return wrong_type(name, "a list of strings");
  for (const toml::node& element : *array) {
    if (!element.is_string()) return wrong_type(name, "a list of strings");
    list.push_back(element.as_string()->get());
  }
  return ok_status();
}

Status read_levels(const toml::node& node, std::vector<Level>& levels) {
  std::vector<std::string> names;
  if (const Status read = read_list(node, "forbidden_by", names); !read) return read.error();
  for (const std::string& name : names) {
    const std::optional<Level> level = find_level(name);
    if (!level) return recipe::toml_error("forbidden_by: there is no level '" + name + "'");
    levels.push_back(*level);
  }
  return ok_status();
}

Status read_field(std::string_view name, const toml::node& node, Scenario& scenario) {
  if (name == "order") {
    if (!node.is_integer()) return wrong_type("order", "a whole number");
    scenario.order = node.as_integer()->get();
    return ok_status();
  }
  if (name == "forbidden_by") return read_levels(node, scenario.forbidden_by);
  const auto is_it = [name](const auto& field) { return field.first == name; };
  if (const auto* list = std::ranges::find_if(kLists, is_it); list != kLists.end()) {
    return read_list(node, name, scenario.*(list->second));
  }
  const auto* field = std::ranges::find_if(kTexts, is_it);
  if (field == kTexts.end())
    return recipe::unknown_field(name, field_names(), "CONTRIBUTING.md");
  Result<std::string> text = recipe::string_in(node, name);
  if (!text) return text.error();
  scenario.*(field->second) = *std::move(text);
  return ok_status();
}

}  // namespace

Status can_read_scenarios() { return ok_status(); }

Result<Scenario> parse_scenario(std::string_view name, std::string_view text) {
  Scenario scenario;
  scenario.name = name;
  const Result<toml::table> table = recipe::parse_toml(text);
  if (!table) return table.error();
  for (const auto& [key, node] : *table) {
    const Status read = read_field(key.str(), node, scenario);
    if (!read) return recipe::at_line(node, read.error());
  }
  for (const auto& [field, member] : kTexts) {
    if ((scenario.*member).empty()) return missing_field(field);
  }
  if (!table->contains("order")) return missing_field("order");
  if (scenario.forbidden_by.empty()) return missing_field("forbidden_by");
  if (scenario.anomalies.empty()) return missing_field("anomalies");
  return scenario;
}

}  // namespace isolde::survey
