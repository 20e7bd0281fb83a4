// What every subcommand is: options that it adds to the parser and a run that ends in an exit
// code. One file for each subcommand; main.cpp puts them together.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "cli/cli11.hpp"
#include "isolde/status.hpp"

namespace isolde::cli {

enum class ExitCode : int {
  kSuccess = 0,      ///< every requested level holds, or the work is done
  kViolated = 1,     ///< a requested level is violated, or a certificate proves nothing
  kUnknown = 2,      ///< a limit was reached, or the input does not determine the answer
  kUsage = 3,        ///< usage error or bad input
  kEnvironment = 4,  ///< environment or internal error
};

/// The one to return for several histories: 4 > 3 > 1 > 2 > 0.
ExitCode worse(ExitCode a, ExitCode b);

ExitCode exit_code(const Error& error);

/// What an error says, on one line: in the program's words, without passwords.
std::string told(const Error& error);

/// Prints "isolde: <message>" to stderr as one line and returns the exit code of the error.
ExitCode report(const Error& error);

/// Writes to standard output, at once. Failures are kept and reported by finish_output().
void print(const std::string& text);
/// kEnvironment with a message when something could not be written, else `code`.
ExitCode finish_output(ExitCode code);

using base::fixed;
using base::padded;
using base::plural;
using base::wrapped;

/// True when stdout is a terminal that wants colours (NO_COLOR is not set).
bool wants_colour();

class Command {
 public:
  virtual ~Command() = default;
  /// Adds the subcommand. The parser keeps references into this object.
  virtual CLI::App* add_to(CLI::App& app) = 0;
  /// Where a required option is missing: what else is wrong, and worth more words.
  virtual Status also_missing() const { return ok_status(); }
  virtual ExitCode run() = 0;
};

std::unique_ptr<Command> make_check_command();
std::unique_ptr<Command> make_compare_command();
std::unique_ptr<Command> make_verify_command();
std::unique_ptr<Command> make_explain_command();
std::unique_ptr<Command> make_minimize_command();
std::unique_ptr<Command> make_replay_command();
std::unique_ptr<Command> make_run_command();
std::unique_ptr<Command> make_gen_command();
std::unique_ptr<Command> make_convert_command();
std::unique_ptr<Command> make_stats_command();
std::unique_ptr<Command> make_watch_command();
std::unique_ptr<Command> make_publish_command();
std::unique_ptr<Command> make_levels_command();
std::unique_ptr<Command> make_workloads_command();
std::unique_ptr<Command> make_databases_command();
std::unique_ptr<Command> make_recipes_command();
std::unique_ptr<Command> make_schedules_command();
std::unique_ptr<Command> make_server_command();
std::unique_ptr<Command> make_survey_command();
std::unique_ptr<Command> make_manual_command();
std::unique_ptr<Command> make_help_command();

}  // namespace isolde::cli
