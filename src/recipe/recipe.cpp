#include "recipe/recipe.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace isolde::recipe {

Result<Recipe> find_recipe(const std::string& name_or_file) {
  if (const Status can = can_read_recipes(); !can) return can.error();
  std::vector<std::string_view> names;
  for (const auto& [name, text] : built_in()) {
    if (name == name_or_file) return parse_recipe(name, text);
    names.push_back(name);
  }
  const std::filesystem::path path(name_or_file);
  if (path.extension() != ".toml") {
    return Error{ErrorCode::kUsage,
                 "no recipe '" + name_or_file + "'" + base::did_you_mean(name_or_file, names) +
                     "; isolde recipes lists them; a file of your own must end in .toml"};
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return Error{ErrorCode::kEnvironment,
                 name_or_file + ": cannot read: " + std::strerror(errno)};
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  Result<Recipe> recipe = parse_recipe(path.stem().string(), text);
  if (!recipe) {
    return Error{ErrorCode::kBadInput, name_or_file + ": " + recipe.error().message};
  }
  return recipe;
}

}  // namespace isolde::recipe
