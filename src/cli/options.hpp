// Options that several subcommands share, and the units that their values are written in:
// names, ranges, defaults and help texts stand here once.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cli11.hpp"
#include "isolde/level.hpp"
#include "isolde/status.hpp"

namespace isolde::cli {

/// For an option that counts seconds: takes durations between the two.
CLI::Validator seconds_text(double least, double most);

/// An option for a duration of nanoseconds, at most `most` of them.
/// Those options of the command that `add` adds.
std::vector<const CLI::Option*> added_by(const CLI::App& app, const std::function<void()>& add);
/// Those of them that were given, as "--json and --svg"; empty: none.
std::string given_of(const std::vector<const CLI::Option*>& options);

/// Options that mean nothing without others, of all commands. ERRORS: kUsage.
Status check_needs(const CLI::App& command);

CLI::Option* add_duration(CLI::App& app, const std::string& name, std::int64_t& nanoseconds,
                          const std::string& help,
                          std::int64_t most = std::numeric_limits<std::int64_t>::max());
/// --clock-error: at most what a certificate may assume.
CLI::Option* add_clock_error(CLI::App& app, std::int64_t& nanoseconds, const std::string& help);

/// --takes-effect-within; kNoTime where it is not given.
CLI::Option* add_takes_effect_within(CLI::App& app, std::int64_t& nanoseconds);

/// --trust-versions.
CLI::Option* add_trust_versions(CLI::App& app, bool& trusts, const std::string& help);

/// For an option that some builds lack: refuses any value where there is an error.
CLI::Validator available(const Status& can);

/// The option takes a whole number between the two, in decimal digits. The parser alone takes
/// signs and more digits than fit for some large number, and 010 for 8.
CLI::Option* whole_number(CLI::Option* option, std::uint64_t least = 0,
                          std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

/// The option takes any number that is finite, most often a share.
CLI::Option* any_number(CLI::Option* option);

/// "4096", "512K", "512M", "2G" as bytes, in powers of 1024. ERRORS: kUsage.
Result<std::uint64_t> parse_size(std::string_view text);

/// The option takes such a size.
CLI::Option* size_option(CLI::Option* option);

/// Names or aliases, each argument possibly several separated by commas; without repetition, in
/// the order of all_levels(). ERRORS: kUsage, listing the names.
Result<std::vector<Level>> parse_levels(const std::vector<std::string>& names);

/// "unknown form 'd' (did you mean a?); the known names are a, b and c".
std::string unknown_name(std::string_view what, std::string_view name,
                         const std::vector<std::string_view>& names);

/// The arguments as CLI11 may have them. It takes "[a,b]" for a and b where an option has
/// several values, and "++" for the end of a command. In front of these comes "./", which names
/// the same file; given_path() takes it away.
std::vector<std::string> guarded_arguments(int argc, char** argv);
std::string given_path(const std::string& path);

/// No option has an empty value, as where a script's variable is not set: it would count as an
/// option that is not there. ERRORS: kUsage.
Status check_values(const CLI::App& command);

/// A file to write is not the one that is read, whatever it is called. ERRORS: kUsage.
Status check_output(const std::string& output, const std::string& input);
/// The same for what the command was given, and no file is written twice; not for certificates,
/// whose names depend on levels.
Status check_outputs(const CLI::App& command);
/// The same for these inputs.
Status check_outputs(const CLI::App& command, const std::vector<std::string>& inputs);

/// --force, for what a recorder writes. REQUIRES: the command has --out.
void add_force(CLI::App& app, bool& force);
/// --force, where a history is written as a whole. REQUIRES: the command has this option or
/// argument.
void add_force_whole(CLI::App& app, const std::string& output, bool& force);

/// --format F, for reading.
void add_format(CLI::App& app, std::string& format);

/// What commands may use that have no --memory, and others without it.
std::uint64_t default_memory_bytes();

/// --timeout S and --memory SIZE.
struct LimitOptions {
  double timeout_seconds = 0;
  std::string memory;  ///< empty: not given

  void add_to(CLI::App& app);
  /// 0: no limit. ERRORS: kUsage.
  Result<std::uint64_t> memory_bytes() const;
};

/// --threads N.
struct ThreadsOption {
  unsigned threads = 0;  ///< 0: not given

  void add_to(CLI::App& app);
  /// At most as many as there are cores, because more only wait for each other.
  unsigned count() const;
};

/// --progress and --no-progress.
struct ProgressOption {
  bool progress = false;
  CLI::Option* option = nullptr;

  void add_to(CLI::App& app);
  /// What was asked for; without that, whether stderr is a terminal.
  bool enabled() const;
};

}  // namespace isolde::cli
