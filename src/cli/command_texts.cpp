#include "cli/command_texts.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "db/driver.hpp"
#include "gen/workload.hpp"
#include "io/reader.hpp"
#include "isolde/level.hpp"
#include "recipe/recipe.hpp"
#include "schedule/coo.hpp"
#include "server/server.hpp"
#include "sim/simulate.hpp"

namespace isolde::cli {
namespace {

template <typename Row>
std::string_view name_of(const Row& row) {
  return row.name;
}
template <typename Row>
std::string_view name_of(const Row* row) {
  return row->name;
}

template <typename Rows>
std::vector<std::string> names_in(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(name_of(row));
  return names;
}

std::vector<std::string> database_names(std::string_view suffix) {
  std::vector<std::string> names;
  for (const db::DatabaseInfo* row : db::all_databases()) {
    names.push_back(std::string(row->name) += suffix);
  }
  return names;
}

std::vector<std::string> recipe_names() {
  std::vector<std::string> names;
  for (const auto& row : recipe::built_in()) names.emplace_back(row.first);
  return names;
}

std::vector<std::string> schedule_names() {
  std::vector<std::string> names;
  for (const schedule::Schedule& row : schedule::all_schedules()) names.push_back(row.name);
  return names;
}

/// Which values there are, by the name of the option or argument, or of its value.
struct Row {
  std::string_view name;
  Choices (*choices)();
};
constexpr std::array kRows = {
    Row{"--to",
        [] {
          return Choices{"forms", {"native", "native-binary"}};
        }},
    Row{"--fault",
        [] {
          return Choices{"faults", names_in(sim::all_faults())};
        }},
    Row{"--staleness",
        [] {
          return Choices{"stalenesses", names_in(sim::all_stalenesses())};
        }},
    Row{"--recipe",
        [] {
          return Choices{"recipes", recipe_names(), true};
        }},
    Row{"recipe",
        [] {
          return Choices{"recipes", recipe_names(), true};
        }},
    Row{"schedule",
        [] {
          return Choices{"schedules", schedule_names()};
        }},
    Row{"database",
        [] {
          return Choices{"databases", database_names("")};
        }},
    Row{"form",
        [] {
          return Choices{"shells", {"man", "bash", "zsh", "fish"}};
        }},
    Row{"DATABASE",
        [] {
          return Choices{"databases", database_names("")};
        }},
    Row{"DSN",
        [] {
          return Choices{"sources", database_names(":")};
        }},
    Row{"KIND",
        [] {
          return Choices{"kinds", names_in(server::all_kinds())};
        }},
    Row{"F",
        [] {
          return Choices{"formats", names_in(io::formats())};
        }},
    Row{"L",
        [] {
          return Choices{"levels", names_in(all_levels())};
        }},
    Row{"L[,L..]",
        [] {
          return Choices{"levels", names_in(all_levels())};
        }},
    Row{"LEVEL",
        [] {
          return Choices{"levels", names_in(all_levels())};
        }},
    Row{"W",
        [] {
          return Choices{"workloads", names_in(gen::all_workloads())};
        }},
    Row{"CERTIFICATE",
        [] {
          return Choices{"files", {}, true};
        }},
    Row{"DIR",
        [] {
          return Choices{"files", {}, true};
        }},
    Row{"FILE",
        [] {
          return Choices{"files", {}, true};
        }},
    Row{"HISTORY",
        [] {
          return Choices{"files", {}, true};
        }},
    Row{"IN",
        [] {
          return Choices{"files", {}, true};
        }},
    Row{"OUT",
        [] {
          return Choices{"files", {}, true};
        }},
};

Choices choices_of(const OptionText& option) {
  const std::array<std::string_view, 2> keys = {option.names.back(), option.value};
  for (const std::string_view key : keys) {
    const auto* row = std::ranges::find(kRows, key, &Row::name);
    if (row != kRows.end()) return row->choices();
  }
  return {};
}

/// As in help, but without what its checks say of themselves.
std::string value_name(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return {};
  const std::string name = option.get_type_name();
  return name.substr(0, name.find(':'));
}

OptionText option_text(const CLI::Option& option) {
  OptionText text;
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  if (text.names.empty()) text.names.push_back(option.get_name());
  text.value = value_name(option);
  text.help = option.get_description();
  text.otherwise = option.get_default_str();
  for (const CLI::Option* const other : option.get_excludes()) {
    text.excludes.push_back(other->get_name());
  }
  std::ranges::sort(text.excludes);
  text.is_required = option.get_required();
  text.is_repeated = option.get_expected_max() > 1;
  text.choices = choices_of(text);
  return text;
}

void add(const CLI::App& app, const std::string& path, std::vector<CommandText>& out) {
  CommandText command{path, app.get_description(), app.get_footer(), {}, {}, {}};
  for (const CLI::Option* const option : app.get_options()) {
    if (option->get_group().empty()) continue;
    (option->nonpositional() ? command.options : command.arguments)
        .push_back(option_text(*option));
  }
  const auto all = [](const CLI::App*) { return true; };
  const std::vector<const CLI::App*> subcommands = app.get_subcommands(all);
  for (const CLI::App* const sub : subcommands) command.subcommands.push_back(sub->get_name());
  out.push_back(std::move(command));
  for (const CLI::App* const sub : subcommands) {
    add(*sub, path.empty() ? sub->get_name() : path + " " + sub->get_name(), out);
  }
}

/// Which lists what, by the name of its values in kRows.
struct Lister {
  std::string_view command;
  std::string_view values;
};
constexpr std::array kListers = {
    Lister{"levels", "L"},       Lister{"databases", "DATABASE"}, Lister{"workloads", "W"},
    Lister{"recipes", "recipe"}, Lister{"schedules", "schedule"}, Lister{"server", "KIND"}};

/// With names that are the one asked for, or that have it in them.
std::vector<std::string> listers_of(std::string_view name, bool whole) {
  std::vector<std::string> commands;
  for (const Lister& lister : kListers) {
    const auto* const row = std::ranges::find(kRows, lister.values, &Row::name);
    for (const std::string& word : row->choices().words) {
      const bool fits = whole ? word == name : word.find(name) != std::string::npos;
      if (!fits) continue;
      commands.push_back("isolde " + std::string(lister.command) + " " + word);
    }
  }
  return commands;
}

}  // namespace

std::vector<std::string> commands_about(std::string_view name) {
  constexpr std::size_t kShortest = 3;
  constexpr std::size_t kMost = 3;
  std::error_code ignored;
  if (std::filesystem::exists(name, ignored)) {
    return {"isolde check " + base::shell_word(base::printable_path(std::string(name)))};
  }
  const std::string plain = base::plain_name(name);
  const std::optional<Level> level = find_level(plain);
  std::vector<std::string> commands = listers_of(level ? info(*level).name : plain, true);
  if (commands.empty() && plain.size() >= kShortest) commands = listers_of(plain, false);
  const auto size = [](const std::string& command) { return command.size(); };
  std::ranges::stable_sort(commands, {}, size);  // as did_you_mean()
  if (commands.size() > kMost) commands.resize(kMost);
  return commands;
}

std::vector<CommandText> command_texts(const CLI::App& app) {
  std::vector<CommandText> commands;
  add(app, {}, commands);
  // The names of the commands are known only here.
  for (CommandText& command : commands) {
    for (OptionText& argument : command.arguments) {
      if (argument.value == "COMMAND") {
        argument.choices = {"subcommands", commands.front().subcommands, false};
      }
    }
  }
  return commands;
}

}  // namespace isolde::cli
