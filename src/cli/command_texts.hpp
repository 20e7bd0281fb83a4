// What the parser knows of commands and their options, as data: for the manual page and for
// scripts by which shells complete commands.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cli11.hpp"

namespace isolde::cli {

/// What a value may be.
struct Choices {
  std::string_view name;           ///< "levels", "formats"; empty: not known beforehand
  std::vector<std::string> words;  ///< all of them, unless it is a file
  bool is_file = false;            ///< a file will do, too
};

struct OptionText {
  std::vector<std::string> names;  ///< with dashes; of an argument without: its one name
  std::string value;               ///< how help calls it; empty: the option takes none
  std::string help;
  std::string otherwise;              ///< the default; empty: there is none
  std::vector<std::string> excludes;  ///< names of options that it does not go with
  bool is_required = false;
  bool is_repeated = false;
  Choices choices;  ///< of the value
};

struct CommandText {
  std::string path;  ///< "check", "databases try"; empty: the program itself
  std::string summary;
  std::string footer;
  std::vector<OptionText> options;
  std::vector<OptionText> arguments;
  std::vector<std::string> subcommands;  ///< last words of their paths
};

/// Where to begin, which comes first in the footer of the program.
inline constexpr std::string_view kFirstSteps =
    "New here? Ten minutes: docs/tutorial.md, in /usr/share/doc/isolde where a package "
    "brought\n"
    "the program. First: isolde check HISTORY, with one from demo/ there; or\n"
    "isolde run --db sqlite:test.db --workload bank --out history.jsonl\n";

/// The program first, then its commands, each before its own subcommands.
std::vector<CommandText> command_texts(const CLI::App& app);

/// Commands that tell of what has this name, or has it as a part, at most three:
/// "isolde levels snapshot-isolation" for snapshot. The name of a file: isolde check FILE.
std::vector<std::string> commands_about(std::string_view name);

/// For man(1).
std::string man_page(std::span<const CommandText> commands);

std::string bash_completion(std::span<const CommandText> commands);
std::string zsh_completion(std::span<const CommandText> commands);
std::string fish_completion(std::span<const CommandText> commands);

}  // namespace isolde::cli
