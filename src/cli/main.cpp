// The command line: subcommands, and the border where whatever went wrong becomes one line and
// an exit code.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/command_texts.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/version.hpp"

namespace isolde::cli {
namespace {

using Commands = std::vector<std::pair<CLI::App*, std::unique_ptr<Command>>>;

Commands add_commands(CLI::App& app) {
  Commands commands;
  for (const auto make :
       {make_check_command, make_compare_command, make_verify_command, make_explain_command,
        make_minimize_command, make_replay_command, make_run_command, make_gen_command,
        make_convert_command, make_stats_command, make_levels_command, make_workloads_command,
        make_schedules_command, make_databases_command, make_survey_command,
        make_recipes_command, make_server_command, make_manual_command, make_help_command}) {
    std::unique_ptr<Command> command = make();
    CLI::App* parser = command->add_to(app);
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
std::optional<Error> unknown_command(const Commands& commands, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return std::nullopt;
  std::vector<std::string_view> names;
  for (const auto& [parser, command] : commands) {
    if (parser->get_name() == argv[1]) return std::nullopt;
    names.push_back(parser->get_name());
  }
  if (argv[1] == std::string_view("demo")) {
    return Error{ErrorCode::kUsage,
                 "unknown command 'demo'; the demonstration is ./dev demo in a tree of the "
                 "sources, and isolde --help lists the commands"};
  }
  return Error{ErrorCode::kUsage, unknown_name("command", argv[1], names)};
}

/// The first argument that is an option of none of these; else empty.
std::string unknown_option(const std::vector<const CLI::App*>& parsers,
                           const std::vector<std::string>& arguments,
                           std::vector<std::string>& known) {
  for (const CLI::App* parser : parsers) {
    for (const CLI::Option* option : parser->get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
  }
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    if (!argument.starts_with("--")) continue;
    std::string name = argument.substr(0, argument.find('='));
    if (std::ranges::find(known, name) == known.end()) return name;
  }
  return {};
}

/// CLI11 names what it did not expect backwards, values of unknown options among it.
Error unexpected(const CLI::App& app, const std::vector<std::string>& arguments,
                 const std::string& said) {
  std::vector<const CLI::App*> parsers = {&app};
  for (std::size_t at = 0; at < parsers.size(); ++at) {
    for (const CLI::App* each : parsers[at]->get_subcommands()) parsers.push_back(each);
  }
  std::vector<std::string> known;
  const std::string name = unknown_option(parsers, arguments, known);
  if (name.empty()) return {ErrorCode::kUsage, said + " (see isolde --help)"};
  std::string command;
  for (const CLI::App* each : parsers)
    command += (command.empty() ? "" : " ") + each->get_name();
  const std::vector<std::string_view> names(known.begin(), known.end());
  return {ErrorCode::kUsage, "unknown option '" + name + "'" + base::did_you_mean(name, names) +
                                 "; see " + command + " --help"};
}

ExitCode run(int argc, char** argv) {
  handle_file_signals();
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
  const Commands commands = add_commands(app);
  app.footer(std::string(kFirstSteps) + "\n" + exit_codes);
  if (const auto error = unknown_command(commands, argc, argv)) return report(*error);
  const std::vector<std::string> arguments = guarded_arguments(argc, argv);
  try {
    std::vector<const char*> texts;
    for (const std::string& argument : arguments) texts.push_back(argument.c_str());
    app.parse(argc, texts.data());
  } catch (const CLI::ExtrasError& error) {
    return report(unexpected(app, arguments, error.what()));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      app.exit(error);
      return finish_output(ExitCode::kSuccess);
    }
    return report({ErrorCode::kUsage, std::string(error.what()) + " (see isolde --help)"});
  }
  for (const auto& [parser, command] : commands) {
    if (!parser->parsed()) continue;
    if (const Status safe = check_outputs(*parser); !safe) return report(safe.error());
    return finish_output(run_guarded(*command));
  }
  return ExitCode::kUsage;
}

}  // namespace
}  // namespace isolde::cli

int main(int argc, char** argv) { return static_cast<int>(isolde::cli::run(argc, argv)); }
