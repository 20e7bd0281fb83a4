// A recipe in place of the options of `isolde run`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/cli11.hpp"
#include "explain/report_model.hpp"
#include "isolde/status.hpp"
#include "recipe/recipe.hpp"

namespace isolde::cli {

class RecipeArgument {
 public:
  /// --recipe. The parser keeps references into this object.
  void add_to(CLI::App& app);
  bool given() const { return !name_.empty(); }

  /// Finds the recipe and gives the parser its options as if they had been typed, before those
  /// that were. Of these, such as can be given once win; with --db, what is for a private
  /// server is left out. ERRORS: as recipe::find_recipe(); kBadInput for options that do not
  /// exist.
  Status apply();

  /// After apply().
  const recipe::Recipe& recipe() const { return *recipe_; }
  /// What was to be seen, and whether it was, one line.
  std::string outcome(std::span<const explain::LevelOutcome> levels) const;

 private:
  CLI::App* app_ = nullptr;
  std::string name_;
  std::optional<recipe::Recipe> recipe_;
  std::vector<std::string> left_out_;  // settings of its server, when there is another
};

/// The recipe for people.
std::string recipe_text(const recipe::Recipe& recipe);

}  // namespace isolde::cli
