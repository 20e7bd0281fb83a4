// isolde recipes [NAME]: findings about databases that `isolde run --recipe` repeats.
#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/command.hpp"
#include "cli/recipe_options.hpp"

namespace isolde::cli {
namespace {

class RecipesCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& app) override {
    CLI::App* sub = app.add_subcommand(
        "recipes", "List the findings about databases that run --recipe repeats, or show one");
    sub->add_option("recipe", name_, "Name of a recipe, or a file")->type_name("NAME");
    return sub;
  }

  ExitCode run() override {
    if (const Status can = recipe::can_read_recipes(); !can) return report(can.error());
    if (!name_.empty()) {
      const Result<recipe::Recipe> recipe = recipe::find_recipe(name_);
      if (!recipe) return report(recipe.error());
      print(recipe_text(*recipe));
      return ExitCode::kSuccess;
    }
    std::size_t width = 0;
    for (const auto& row : recipe::built_in()) width = std::max(width, row.first.size());
    for (const auto& [name, text] : recipe::built_in()) {
      const Result<recipe::Recipe> recipe = recipe::parse_recipe(name, text);
      if (!recipe)
        return report(
            {ErrorCode::kInternal, std::string(name) + ": " + recipe.error().message});
      print(padded(name, width + 2) + recipe->title + "\n");
    }
    return ExitCode::kSuccess;
  }

 private:
  std::string name_;
};

}  // namespace

std::unique_ptr<Command> make_recipes_command() { return std::make_unique<RecipesCommand>(); }

}  // namespace isolde::cli
