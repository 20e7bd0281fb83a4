// Reads recipes by toml++.
#include <algorithm>
#include <array>

#include "recipe/recipe.hpp"
#include "recipe/toml.hpp"

namespace isolde::recipe {
namespace {

using Field = std::pair<std::string_view, std::string Recipe::*>;

constexpr std::array kRequired = {
    Field{"title", &Recipe::title},       Field{"database", &Recipe::database},
    Field{"promised", &Recipe::promised}, Field{"found", &Recipe::found},
    Field{"chance", &Recipe::chance},     Field{"source", &Recipe::source}};
constexpr std::array kOptional = {Field{"remedy", &Recipe::remedy},
                                  Field{"page", &Recipe::page}, Field{"steps", &Recipe::steps},
                                  Field{"violated", &Recipe::violated},
                                  Field{"holds", &Recipe::holds}};

std::vector<std::string_view> field_names() {
  std::vector<std::string_view> names = {"run"};
  for (const Field& field : kRequired) names.push_back(field.first);
  for (const Field& field : kOptional) names.push_back(field.first);
  return names;
}

/// A string, a number or a flag as an option's value.
Result<std::string> scalar(const toml::node& node, std::string_view option) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* flag = node.as_boolean()) return std::string(flag->get() ? "true" : "false");
  return at_line(
      node, wrong_type("run." + std::string(option), "a string, a whole number or a list"));
}

Status read_options(const toml::table& run, Recipe& recipe) {
  for (const auto& [key, node] : run) {
    std::vector<std::string> values;
    const toml::array* const list = node.as_array();
    if (list == nullptr) {
      Result<std::string> value = scalar(node, key.str());
      if (!value) return value.error();
      values.push_back(std::move(value).value());
    } else {
      for (const toml::node& element : *list) {
        Result<std::string> value = scalar(element, key.str());
        if (!value) return value.error();
        values.push_back(std::move(value).value());
      }
    }
    recipe.options.emplace_back(key.str(), std::move(values));
  }
  return ok_status();
}

Status read_fields(const toml::table& table, Recipe& recipe) {
  for (const auto& [key, node] : table) {
    if (key.str() == "run") continue;
    const std::string_view name = key.str();
    const auto is_it = [name](const Field& field) { return field.first == name; };
    const auto* field = std::find_if(kRequired.begin(), kRequired.end(), is_it);
    if (field == kRequired.end()) {
      field = std::find_if(kOptional.begin(), kOptional.end(), is_it);
      if (field == kOptional.end()) {
        return at_line(node, unknown_field(name, field_names(), "recipes/README.md"));
      }
    }
    Result<std::string> text = string_in(node, name);
    if (!text) return at_line(node, text.error());
    recipe.*(field->second) = *std::move(text);
  }
  for (const auto& [name, member] : kRequired) {
    if ((recipe.*member).empty()) return missing_field(name);
  }
  if (recipe.violated.empty() == recipe.holds.empty()) {
    return toml_error("expected either violated or holds, with the name of a level");
  }
  return ok_status();
}

}  // namespace

Status can_read_recipes() { return ok_status(); }

Result<Recipe> parse_recipe(std::string_view name, std::string_view text) {
  Recipe recipe;
  recipe.name = name;
  const Result<toml::table> table = parse_toml(text);
  if (!table) return table.error();
  if (const Status read = read_fields(*table, recipe); !read) return read.error();
  const toml::table* const run = (*table)["run"].as_table();
  if (run == nullptr && table->contains("run")) {
    return at_line(*table->get("run"),
                   toml_error("run is no table; write [run], and its options below"));
  }
  if (run == nullptr) return missing_field("the table [run]");
  if (const Status read = read_options(*run, recipe); !read) return read.error();
  return recipe;
}

}  // namespace isolde::recipe
