// Goal: recipes are read whole or refused with a reason; those of the program can be played.
#include "recipe/recipe.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "isolde/level.hpp"
#include "replay/steps.hpp"

namespace isolde::recipe {
namespace {

constexpr std::string_view kWhole =
    "title = 't'\ndatabase = 'd'\npromised = 'p'\nfound = 'f'\nchance = 'c'\nsource = 's'\n"
    "violated = 'serializable'\n[run]\nserver = 'postgres'\nset = ['a=1', 'b=2']\ntxns = 500\n";

std::string message(std::string_view text) {
  const Result<Recipe> recipe = parse_recipe("x", text);
  EXPECT_FALSE(recipe.ok());
  if (recipe) return {};
  EXPECT_EQ(recipe.error().code, ErrorCode::kBadInput);
  return recipe.error().message;
}

TEST(Recipe, IsReadWhole) {
  const Result<Recipe> recipe = parse_recipe("x", kWhole);
  ASSERT_TRUE(recipe.ok()) << recipe.error().message;
  EXPECT_EQ(recipe->name, "x");
  EXPECT_EQ(recipe->title, "t");
  EXPECT_EQ(recipe->violated, "serializable");
  EXPECT_EQ(recipe->holds, "");
  const std::vector<std::pair<std::string, std::vector<std::string>>> options = {
      {"server", {"postgres"}}, {"set", {"a=1", "b=2"}}, {"txns", {"500"}}};
  EXPECT_EQ(recipe->options, options);
}

TEST(Recipe, SaysWhatIsWrong) {
  const std::string whole(kWhole);
  const std::string expected =
      R"(; a line is NAME = "TEXT", NAME = 5, NAME = ["TEXT"] or [TABLE])";
  EXPECT_EQ(message("\ntitle = \n"),
            "line 2, column 9: this is no TOML: expected value, saw '\\n'" + expected);
  EXPECT_EQ(message("title = x").find("line 1, column 9: this is no TOML: could not"), 0);
  EXPECT_EQ(message("title = 't'"), "database is missing");
  EXPECT_EQ(message("name = 't'\n" + whole),
            "line 1: 'name' is unknown; see recipes/README.md");
  EXPECT_EQ(message("Titel = 't'\n" + whole),
            "line 1: 'Titel' is unknown (did you mean title?); see recipes/README.md");
  EXPECT_EQ(message("run = 't'\n" + whole.substr(0, whole.find("[run]"))),
            "line 1: run is no table; write [run], and its options below");
  EXPECT_EQ(message("steps = 1\n" + whole), "line 1: steps: expected a string");
  EXPECT_EQ(message(whole.substr(0, whole.find("[run]"))), "the table [run] is missing");
  EXPECT_EQ(message(whole + "keys = 1.5\n"),
            "line 12: run.keys: expected a string, a whole number or a list");
  EXPECT_EQ(message(whole + "keys = [[1]]\n"),
            "line 12: run.keys: expected a string, a whole number or a list");
  EXPECT_EQ(message("holds = 'serializable'\n" + whole),
            "expected either violated or holds, with the name of a level");
}

TEST(Recipe, OfTheProgramCanBePlayed) {
  ASSERT_FALSE(built_in().empty());
  for (const auto& [name, text] : built_in()) {
    const Result<Recipe> recipe = find_recipe(std::string(name));
    ASSERT_TRUE(recipe.ok()) << name << ": " << recipe.error().message;
    const std::string& level = recipe->violated.empty() ? recipe->holds : recipe->violated;
    EXPECT_TRUE(find_level(level).has_value()) << name << ": " << level;
    const bool says_what = std::ranges::any_of(
        recipe->options, [](const auto& option) { return option.first == "workload"; });
    EXPECT_NE(says_what, !recipe->steps.empty()) << name;
    if (recipe->steps.empty()) continue;
    const Result<replay::Steps> steps = replay::parse_steps(recipe->steps);
    EXPECT_TRUE(steps.ok()) << name << ": " << steps.error().message;
  }
}

TEST(Recipe, IsFoundByNameOrFile) {
  const Result<Recipe> unknown = find_recipe("nothing");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, ErrorCode::kUsage);
  const Result<Recipe> missing = find_recipe("/nowhere/x.toml");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kEnvironment);
}

}  // namespace
}  // namespace isolde::recipe
