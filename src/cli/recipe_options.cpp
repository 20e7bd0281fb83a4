#include "cli/recipe_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/refusal.hpp"
#include "isolde/level.hpp"

namespace isolde::cli {
namespace {

/// What only a private server takes.
bool is_for_server(std::string_view option) { return option == "server" || option == "set"; }

bool takes_several(const CLI::Option& option) { return option.get_items_expected_max() > 1; }

const explain::LevelOutcome* find(std::span<const explain::LevelOutcome> levels,
                                  std::string_view name) {
  const auto found = std::find_if(
      levels.begin(), levels.end(),
      [&](const explain::LevelOutcome& outcome) { return info(outcome.level).name == name; });
  return found == levels.end() ? nullptr : &*found;
}

std::string meant_instead(const CLI::App& app, std::string_view name) {
  std::vector<std::string> known;
  for (const CLI::Option* const option : app.get_options()) {
    for (const std::string& each : option->get_lnames()) known.push_back(each);
  }
  const std::vector<std::string_view> names(known.begin(), known.end());
  return base::did_you_mean(base::plain_name(name), names);
}

/// Recipes have whole names, which do not change their meaning.
std::string level_meant(const std::string& name) {
  const std::optional<Level> level = find_level(name);
  return level ? " (did you mean " + std::string(info(*level).name) + "?)" : std::string();
}

std::string paragraph(std::string_view head, const std::string& text) {
  if (text.empty()) return "";
  constexpr std::size_t kHead = 10;
  std::string out = wrapped(std::string(kHead - 1, '-') + " " + text, kHead);
  return out.replace(2, kHead, padded(head, kHead));
}

}  // namespace

void RecipeArgument::add_to(CLI::App& app) {
  app_ = &app;
  app.add_option(
         "--recipe", name_,
         "Repeat a finding: the options are those of the recipe, see isolde recipes, or "
         "of a file of this kind; options that are given here change it")
      ->type_name("NAME")
      ->check(available(recipe::can_read_recipes()));
}

Status RecipeArgument::apply() {
  Result<recipe::Recipe> found = recipe::find_recipe(name_);
  if (!found) return found.error();
  recipe_ = std::move(found).value();
  const std::string& level = recipe_->violated.empty() ? recipe_->holds : recipe_->violated;
  const auto has_name = [&level](const LevelInfo& row) { return row.name == level; };
  if (!std::ranges::any_of(all_levels(), has_name)) {
    return Error{ErrorCode::kBadInput, name_ + ": '" + level + "' is no level" +
                                           level_meant(level) + "; see isolde levels"};
  }
  const bool has_database = app_->get_option("--db")->count() > 0;
  for (const auto& [name, values] : recipe_->options) {
    if (has_database && is_for_server(name)) {
      if (name == "set") left_out_ = values;
      continue;
    }
    CLI::Option* const option = app_->get_option_no_throw("--" + name);
    if (option == nullptr || name == "recipe" || name == "steps") {
      return Error{ErrorCode::kBadInput, name_ + ": run." + name + " is no option of a recipe" +
                                             meant_instead(*app_, name) +
                                             "; see isolde run --help"};
    }
    const std::vector<std::string> given = option->results();
    if (!given.empty() && !takes_several(*option)) continue;
    option->clear();
    for (const std::string& value : values) option->add_result(value);
    for (const std::string& value : given) option->add_result(value);
    try {
      option->run_callback();
    } catch (const CLI::Error& error) {
      return Error{ErrorCode::kBadInput, name_ + ": " + refused_words(*app_, error)};
    }
  }
  return ok_status();
}

std::string RecipeArgument::outcome(std::span<const explain::LevelOutcome> levels) const {
  const std::string head = "Recipe " + recipe_->name + ": ";
  const bool violated = !recipe_->violated.empty();
  const std::string& name = violated ? recipe_->violated : recipe_->holds;
  const std::string wanted = name + (violated ? " is violated" : " holds");
  const explain::LevelOutcome* const level = find(levels, name);
  if (level == nullptr) return head + "expected that " + wanted + ", which was not checked";
  if (level->verdict == (violated ? Verdict::kViolated : Verdict::kHolds)) {
    return head + wanted + ", as expected";
  }
  std::string text =
      head + "expected that " + wanted + " (" + recipe_->chance + "); this time it is " +
      std::string(level->verdict == Verdict::kHolds ? "kept" : isolde::name(level->verdict));
  if (left_out_.empty()) return text;
  text += ". With --db these settings of its server are up to you:";
  for (const std::string& setting : left_out_) text += " " + setting;
  return text;
}

std::string recipe_text(const recipe::Recipe& recipe) {
  std::string text = recipe.name + ": " + recipe.title + "\n\n";
  text += paragraph("Database", recipe.database);
  text += paragraph("Promised", recipe.promised);
  text += paragraph("Found", recipe.found);
  text += paragraph("Chance", recipe.chance);
  text += paragraph("Remedy", recipe.remedy);
  text += paragraph("Source", recipe.source);
  text += paragraph("Page", recipe.page);
  text += "\n  isolde run --recipe " + recipe.name + "\n";
  text += "\nwhich is isolde run";
  for (const auto& [name, values] : recipe.options) {
    for (const std::string& value : values) text += " --" + name + " " + value;
  }
  if (recipe.steps.empty()) return text + "\n";
  text += " with these steps:\n\n";
  std::string_view rest = recipe.steps;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (end > 0) text += "  " + std::string(rest.substr(0, end));
    text += "\n";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return text;
}

}  // namespace isolde::cli
