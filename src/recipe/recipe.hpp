// Recipes: findings about databases as data files, to be repeated with one command. What each
// says is in recipes/README.md; those of that folder are part of the program.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isolde/status.hpp"

namespace isolde::recipe {

struct Recipe {
  std::string name;      ///< of the file, without .toml
  std::string title;     ///< one line
  std::string database;  ///< which versions, one line
  std::string promised;  ///< what its makers say, one line
  std::string found;     ///< what was seen instead, one line
  std::string chance;    ///< how often it shows, and how long that takes
  std::string source;    ///< who saw it first
  std::string remedy;    ///< what to do about it; may be empty
  std::string page;      ///< where all of it is told; may be empty
  std::string violated;  ///< the level that shall be violated, or else
  std::string holds;     ///< the one that shall hold
  std::string steps;     ///< scripted steps (replay/steps.hpp); empty: a workload
  /// Options of `isolde run`, without dashes, and their values, in the order of the file.
  std::vector<std::pair<std::string, std::vector<std::string>>> options;
};

/// ERRORS: kUsage where this build lacks what reads TOML.
Status can_read_recipes();

/// ERRORS: kBadInput, naming the line where TOML does not parse, and what is missing or
/// unknown; as can_read_recipes().
Result<Recipe> parse_recipe(std::string_view name, std::string_view text);

/// Names and texts of those in this program, by name.
std::span<const std::pair<std::string_view, std::string_view>> built_in();

/// A built-in recipe by its name, or any by the path of its file, which ends in .toml.
/// ERRORS: kUsage, listing the names; kEnvironment; as parse_recipe().
Result<Recipe> find_recipe(const std::string& name_or_file);

}  // namespace isolde::recipe
