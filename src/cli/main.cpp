// The command line: subcommands, and the border where whatever went wrong becomes one line and
// an exit code.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/command_texts.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/refusal.hpp"
#include "cli/version.hpp"

namespace isolde::cli {
namespace {

using Commands = std::vector<std::pair<CLI::App*, std::unique_ptr<Command>>>;

struct CommandRow {
  std::string_view name;
  std::unique_ptr<Command> (*make)();
  bool tells_of_all = false;
};
/// In the order of the help.
constexpr std::array kCommands = {CommandRow{"check", make_check_command},
                                  CommandRow{"watch", make_watch_command},
                                  CommandRow{"publish", make_publish_command},
                                  CommandRow{"compare", make_compare_command},
                                  CommandRow{"verify", make_verify_command},
                                  CommandRow{"explain", make_explain_command},
                                  CommandRow{"minimize", make_minimize_command},
                                  CommandRow{"replay", make_replay_command},
                                  CommandRow{"run", make_run_command},
                                  CommandRow{"gen", make_gen_command},
                                  CommandRow{"convert", make_convert_command},
                                  CommandRow{"stats", make_stats_command},
                                  CommandRow{"levels", make_levels_command},
                                  CommandRow{"workloads", make_workloads_command},
                                  CommandRow{"schedules", make_schedules_command},
                                  CommandRow{"databases", make_databases_command},
                                  CommandRow{"survey", make_survey_command},
                                  CommandRow{"recipes", make_recipes_command},
                                  CommandRow{"server", make_server_command},
                                  CommandRow{"manual", make_manual_command, true},
                                  CommandRow{"help", make_help_command, true}};

/// The one that is asked for; all of them, where none is or it tells of all. The options of all
/// are most of what the program does before it begins.
Commands add_commands(CLI::App& app, std::string_view wanted) {
  const auto* const asked = std::ranges::find(kCommands, wanted, &CommandRow::name);
  const bool all = asked == kCommands.end() || asked->tells_of_all;
  Commands commands;
  for (const CommandRow& row : kCommands) {
    if (!all && row.name != wanted) continue;
    std::unique_ptr<Command> command = row.make();
    CLI::App* parser = command->add_to(app);
    ISOLDE_CHECK(parser->get_name() == row.name);
    commands.emplace_back(parser, std::move(command));
  }
  return commands;
}

ExitCode run_guarded(Command& command) {
  try {
    return command.run();
  } catch (const std::bad_alloc&) {
    return report({ErrorCode::kLimit, "out of memory; the answer is unknown"});
  } catch (const std::exception& error) {
    return report({ErrorCode::kInternal, std::string("internal error: ") + error.what()});
  }
}

/// The first word is no option and no command: CLI11 would only say that a command is missing.
std::optional<Error> unknown_command(std::string_view first) {
  if (first.starts_with('-')) return std::nullopt;
  std::vector<std::string_view> names;
  for (const CommandRow& row : kCommands) {
    if (row.name == first) return std::nullopt;
    names.push_back(row.name);
  }
  if (first == "demo") {
    return Error{ErrorCode::kUsage,
                 "unknown command 'demo'; the demonstration is ./dev demo in a tree of the "
                 "sources, and isolde --help lists the commands"};
  }
  const std::vector<std::string> about = commands_about(first);
  if (base::did_you_mean(first, names).empty() && !about.empty()) {
    return usage_error("unknown command '" + std::string(first) + "' (did you mean " +
                       base::joined(about, "or") + "?); isolde --help lists the commands");
  }
  return usage_error(unknown_name("command", first, names));
}

/// What is missing, in the words of the command where it has more of them.
Error missing(const CLI::App& app, const Commands& commands, const CLI::Error& error,
              const std::vector<std::string>& arguments) {
  for (const auto& [parser, command] : commands) {
    if (!parser->parsed() || app.remaining_size(true) > 0) continue;
    if (const Status also = command->also_missing(); !also) return with_help(app, also.error());
  }
  return refusal(app, error, arguments);
}

/// `databases try` is a command within one.
const CLI::App& innermost(const CLI::App& command) {
  const std::vector<const CLI::App*> inner = command.get_subcommands({});
  const auto parsed =
      std::ranges::find_if(inner, [](const CLI::App* app) { return app->parsed(); });
  return parsed == inner.end() ? command : **parsed;
}

ExitCode run(int argc, char** argv) {
  handle_other_signals();
  CLI::App app("Isolde tells which transaction-isolation level a history shows, and proves it.",
               "isolde");
  app.set_version_flag("--version", version_text,
                       "Print the version, and what this build has and lacks");
  app.set_help_flag("-h,--help", "Print this help");
  app.require_subcommand(1);
  const std::string exit_codes =
      "Exit codes: 0 holds or done, 1 violated, 2 unknown, 3 usage error or bad input,\n"
      "4 environment or internal error. `isolde COMMAND --help` tells more.";
  app.footer(exit_codes);  // of the commands, too, as they are added
  const std::string_view first = argc < 2 ? "" : argv[1];
  const Commands commands = add_commands(app, first);
  app.footer(std::string(kFirstSteps) + "\n" + exit_codes);
  if (argc > 1) {
    if (const auto error = unknown_command(first)) return report(*error);
  }
  const std::vector<std::string> arguments = guarded_arguments(argc, argv);
  try {
    std::vector<const char*> texts;
    for (const std::string& argument : arguments) texts.push_back(argument.c_str());
    app.parse(argc, texts.data());
  } catch (const CLI::RequiredError& error) {
    return report(missing(app, commands, error, arguments));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      app.exit(error);
      return finish_output(ExitCode::kSuccess);
    }
    return report(refusal(app, error, arguments));
  }
  for (const auto& [parser, command] : commands) {
    if (!parser->parsed()) continue;
    if (const Status full = check_values(*parser); !full) return report(full.error());
    const Status fits = check_needs(innermost(*parser));
    if (!fits) return report(fits.error());
    if (const Status safe = check_outputs(*parser); !safe) return report(safe.error());
    return finish_output(run_guarded(*command));
  }
  return ExitCode::kUsage;
}

}  // namespace
}  // namespace isolde::cli

int main(int argc, char** argv) {
  const isolde::cli::ExitCode code = isolde::cli::run(argc, argv);
  isolde::cli::end_as_without_reader();
  return static_cast<int>(code);
}
