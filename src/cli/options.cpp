#include "cli/options.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>
#include <thread>

#include "base/duration.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "cli/files.hpp"
#include "cli/outputs.hpp"
#include "history/certificate.hpp"
#include "history/level_names.hpp"
#include "io/reader.hpp"

namespace isolde::cli {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array kSizes = {Unit{"", 1}, Unit{"K", 0x1p10}, Unit{"M", 0x1p20},
                               Unit{"G", 0x1p30}, Unit{"T", 0x1p40}};

/// A number that is not negative, directly followed by a unit. Negative when malformed.
double parse_amount(std::string_view text, std::span<const Unit> units) {
  double amount = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, amount);
  if (error != std::errc() || !std::isfinite(amount) || amount < 0) return -1;
  const std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
  for (const Unit& unit : units) {
    if (suffix == unit.name) return amount * unit.factor;
  }
  return -1;
}

/// Takes durations; the option gets their nanoseconds with this exponent.
CLI::Validator duration_as(const std::string& exponent, std::int64_t least, std::int64_t most) {
  return CLI::Validator(
      [=](std::string& text) -> std::string {
        const Result<std::int64_t> parsed = base::duration_between(text, least, most);
        if (!parsed) return parsed.error().message;
        text = std::to_string(*parsed) + exponent;  // exact
        return {};
      },
      "");
}

bool means_something(std::string_view text) {
  return text == "++" || (text.size() > 1 && text.front() == '[' && text.back() == ']');
}

/// Of two to write. Others than plain files, such as /dev/null, may be written twice.
bool is_same_file(const std::string& one, const std::string& other) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::file_status status = fs::status(one, ignored);
  if (one == "-" || (fs::exists(status) && !fs::is_regular_file(status))) return false;
  return fs::path(one).lexically_normal() == fs::path(other).lexically_normal() ||
         fs::equivalent(one, other, ignored);
}

}  // namespace

std::vector<std::string> guarded_arguments(int argc, char** argv) {
  std::vector<std::string> arguments(argv, argv + argc);
  for (std::string& argument : arguments) {
    if (means_something(argument)) argument.insert(0, "./");
  }
  return arguments;
}

std::string given_path(const std::string& path) {
  return path.starts_with("./") && means_something(path.substr(2)) ? path.substr(2) : path;
}

CLI::Validator seconds_text(double least, double most) {
  const auto nanoseconds = [](double seconds) { return std::llround(seconds * 1e9); };
  return duration_as("e-9", nanoseconds(least), nanoseconds(most));
}

CLI::Option* add_duration(CLI::App& app, const std::string& name, std::int64_t& nanoseconds,
                          const std::string& help, std::int64_t most) {
  return app.add_option(name, nanoseconds, help)
      ->type_name("DURATION")
      ->transform(duration_as("", 0, most));
}

CLI::Option* add_clock_error(CLI::App& app, std::int64_t& nanoseconds,
                             const std::string& help) {
  return add_duration(app, "--clock-error", nanoseconds, help, kMaxClockErrorNs);
}

CLI::Option* add_takes_effect_within(CLI::App& app, std::int64_t& nanoseconds) {
  return add_duration(app, "--takes-effect-within", nanoseconds,
                      "A transaction of unknown outcome takes effect within that time of the "
                      "last one that is recorded of it, or never: it is forgotten once nobody "
                      "can read from it any more. No verdict rests on it; where it is wrong, "
                      "the level is unknown");
}

CLI::Option* add_trust_versions(CLI::App& app, bool& trusts, const std::string& help) {
  return app.add_flag("--trust-versions", trusts, help);
}

CLI::Validator available(const Status& can) {
  const std::string problem = can ? std::string() : can.error().message;
  return CLI::Validator([problem](std::string&) { return problem; }, "");
}

namespace {

/// Of a type: as people know it.
std::string number_name(std::uint64_t number) {
  if (number == std::numeric_limits<std::uint64_t>::max()) return "2^64 - 1";
  if (number == std::numeric_limits<std::uint32_t>::max()) return "2^32 - 1";
  return std::to_string(number);
}

template <typename Number>
bool reads_as(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end;
}

}  // namespace

CLI::Option* whole_number(CLI::Option* option, std::uint64_t least, std::uint64_t most) {
  const std::string range = number_name(least) + " to " + number_name(most);
  const bool is_own = most < std::numeric_limits<std::uint32_t>::max();  // not of a type
  const auto read = [=](std::string& text) -> std::string {
    std::uint64_t number = 0;
    if (!reads_as(text, number) || number < least || number > most) {
      return "'" + text + "' is not a whole number from " + range;
    }
    text = std::to_string(number);  // the parser takes 010 for 8
    return {};
  };
  return option->type_name("N")->transform(CLI::Validator(read, is_own ? range : ""));
}

CLI::Option* any_number(CLI::Option* option) {
  const auto read = [](std::string& text) -> std::string {
    double number = 0;
    if (reads_as(text, number) && std::isfinite(number)) return {};
    return "'" + text + "' is not a number; write for example 0.25";
  };
  return option->type_name("P")->check(CLI::Validator(read, ""));
}

Result<std::uint64_t> parse_size(std::string_view text) {
  const double amount = parse_amount(text, kSizes);
  if (amount < 0 || amount > 9e18) {
    return Error{ErrorCode::kUsage,
                 "'" + std::string(text) + "' is not a size; write for example 512M or 2G"};
  }
  return static_cast<std::uint64_t>(std::ceil(amount));  // 0 alone means no limit
}

std::string unknown_name(std::string_view what, std::string_view name,
                         const std::vector<std::string_view>& names) {
  std::string text = "unknown " + std::string(what) + " '" + std::string(name) + "'" +
                     base::did_you_mean(base::plain_name(name), names) +
                     "; the known names are ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

Result<std::vector<Level>> parse_levels(const std::vector<std::string>& names) {
  std::vector<Level> levels;
  for (const std::string& list : names) {
    std::size_t begin = 0;
    while (begin <= list.size()) {
      const std::size_t end = std::min(list.find(',', begin), list.size());
      const std::string name = list.substr(begin, end - begin);
      const Result<Level> level = history::level_named(name);
      if (!level) return level.error();
      levels.push_back(*level);
      begin = end + 1;
    }
  }
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  return levels;
}

Status check_output(const std::string& output, const std::string& input) {
  std::error_code ignored;
  if (!std::filesystem::equivalent(output, input, ignored)) return ok_status();
  return Error{ErrorCode::kUsage, output +
                                      " is what is read, which is never overwritten; "
                                      "choose another file to write"};
}

Status check_values(const CLI::App& command) {
  for (const CLI::Option* const option : command.get_options()) {
    const std::string name = option->get_name();
    if (!name.starts_with("--") || option->get_type_size() == 0) continue;
    if (std::ranges::count(option->results(), std::string()) == 0) continue;
    return usage_error(name + " has an empty value; give one, or leave the option out");
  }
  return ok_status();
}

std::vector<const CLI::Option*> added_by(const CLI::App& app,
                                         const std::function<void()>& add) {
  const std::size_t before = app.get_options().size();
  add();
  const std::vector<const CLI::Option*> all = app.get_options();
  return {all.begin() + static_cast<std::ptrdiff_t>(before), all.end()};
}

std::string given_of(const std::vector<const CLI::Option*>& options) {
  std::vector<std::string> given;
  for (const CLI::Option* const option : options) {
    if (option->count() > 0) given.push_back(option->get_name());
  }
  return given.empty() ? std::string() : base::joined(given, "and");
}

Status check_needs(const CLI::App& command) {
  struct Row {
    std::string_view option;
    std::vector<std::string_view> needs;  // one of these
    std::string_view why;
  };
  static const std::vector<Row> kRows = {
      {"--token-file", {"--listen"}, "is for what is served; give --listen PORT"},
      {"--tls-cert", {"--listen"}, "is for what is served; give --listen PORT"},
      {"--tls-key", {"--listen"}, "is for what is served; give --listen PORT"},
      {"--linger", {"--listen"}, "is for what is served; give --listen PORT"},
      {"--archive-file-size", {"--archive"}, "is for the archive; give --archive DIR"},
      {"--archive-keep-size", {"--archive"}, "is for the archive; give --archive DIR"},
      {"--archive-keep-age", {"--archive"}, "is for the archive; give --archive DIR"},
      {"--consume",
       {"--checkpoint"},
       "deletes what a checkpoint has passed; give --checkpoint FILE"},
      {"--bundle", {"--stream"}, "is for what is read part by part; give --stream"},
      {"--takes-effect-within",
       {"--stream"},
       "is for what is read part by part; give --stream"},
      {"--set", {"kind"}, "is for a server; say of which kind"},
      {"--step-wait", {"--steps", "--recipe", "history"}, "is for steps; give --steps FILE"},
      {"--for", {"--script"}, "is for the script; give --script FILE"},
      {"--to", {"--out", "out"}, "is for the file that is written; give --out FILE"},
      {"--attempts",
       {"--db", "--db-env", "--db-file", "--server"},
       "is for playing on a database; give --db DSN or --server KIND"},
  };
  for (const Row& row : kRows) {
    const CLI::Option* const option = command.get_option_no_throw(std::string(row.option));
    if (option == nullptr || option->count() == 0) continue;
    bool has_any = false;
    bool is_met = false;
    for (const std::string_view name : row.needs) {
      const CLI::Option* const need = command.get_option_no_throw(std::string(name));
      has_any = has_any || need != nullptr;
      is_met = is_met || (need != nullptr && need->count() > 0);
    }
    if (!has_any || is_met) continue;
    return usage_error(std::string(row.option) + " " + std::string(row.why));
  }
  return ok_status();
}

Status check_outputs(const CLI::App& command) {
  constexpr std::array<std::string_view, 7> kInputs = {
      "history", "in", "source", "certificate", "--recipe", "--steps", "--db-file"};
  std::vector<std::string> inputs;
  for (const CLI::Option* const option : command.get_options()) {
    if (std::ranges::count(kInputs, option->get_name()) == 0) continue;
    for (const std::string& file : option->results()) inputs.push_back(given_path(file));
  }
  return check_outputs(command, inputs);
}

Status check_outputs(const CLI::App& command, const std::vector<std::string>& inputs) {
  constexpr std::array<std::string_view, 4> kOutputs = {"out", "--out", "--bundle", "--script"};
  const auto is_output = [&](std::string_view name) {
    return std::ranges::count(kOutputs, name) > 0 ||
           std::ranges::any_of(all_forms(), [&](const explain::Form* form) {
             return form->place == explain::Form::Place::kFile &&
                    name == "--" + std::string(form->name);
           });
  };
  std::vector<std::string> outputs;
  for (const CLI::Option* const option : command.get_options()) {
    // Of several levels it is only the beginning of a name.
    if (option->get_name() == "--certificate" && option->count() > 0) {
      std::error_code ignored;
      const std::string path = option->results().front();
      const Status can = check_place(path);
      if (!can && !std::filesystem::exists(path, ignored)) return can;
    }
    if (!is_output(option->get_name())) continue;
    for (const std::string& output : option->results()) {
      const bool is_history = option->get_name() == "out" || option->get_name() == "--out";
      if (const Status can = check_place(output); !is_history && !can) return can;
      for (const std::string& input : inputs) {
        if (const Status other = check_output(output, input); !other) return other;
      }
      if (std::ranges::any_of(outputs,
                              [&](const auto& o) { return is_same_file(o, output); })) {
        return Error{ErrorCode::kUsage,
                     output + " is written twice; choose another file for one of them"};
      }
      outputs.push_back(output);
    }
  }
  return ok_status();
}

void add_force(CLI::App& app, bool& force) {
  app.add_flag(
         "--force", force,
         "Replace a file at --out. Never one that is read, a folder, a link, a device, or a "
         "history whose recorder is still at work or has died")
      ->needs("--out");
}

void add_force_whole(CLI::App& app, const std::string& output, bool& force) {
  app.add_flag("--force", force,
               "Replace a file at " + output +
                   ". Never one that is read, a folder, or a history whose recorder is still "
                   "at work or has died")
      ->needs(output);
}

void add_format(CLI::App& app, std::string& format) {
  std::string help = "Format of the history; without it the format is detected. One of";
  for (const io::Format* known : io::formats()) {
    help += (help.back() == 'f' ? " " : ", ") + std::string(known->name);
  }
  app.add_option("--format", format, help)->type_name("F");
}

CLI::Option* size_option(CLI::Option* option) {
  return option->type_name("SIZE")->check(CLI::Validator(
      [](std::string& text) {
        const Result<std::uint64_t> size = parse_size(text);
        return size ? std::string() : size.error().message;
      },
      ""));
}

void LimitOptions::add_to(CLI::App& app) {
  app.add_option("--timeout", timeout_seconds,
                 "Stop after this time for each history, loading included; levels still "
                 "undecided are reported as unknown. 0: no limit")
      ->type_name("DURATION")
      ->transform(seconds_text(0, 1e9));
  size_option(app.add_option(
      "--memory", memory,
      "Stop when this much memory is in use, for example 512M or 2G. Without it 70 % of "
      "what the machine or its control group has. 0: no limit"));
}

std::uint64_t default_memory_bytes() { return base::available_bytes() / 10 * 7; }

Result<std::uint64_t> LimitOptions::memory_bytes() const {
  if (memory.empty()) return default_memory_bytes();
  return parse_size(memory);
}

void ThreadsOption::add_to(CLI::App& app) {
  whole_number(
      app.add_option(
          "--threads", threads,
          "Use at most this many threads, for loading and the simpler levels; never changes "
          "a result. Default: the number of cores, at most 8"),
      1, base::kMostThreads);
}

unsigned ThreadsOption::count() const {
  const unsigned cores = std::max(std::thread::hardware_concurrency(), 1U);
  return threads == 0 ? base::default_threads() : std::min(threads, cores);
}

void ProgressOption::add_to(CLI::App& app) {
  option = app.add_flag("--progress,!--no-progress", progress,
                        "Show or do not show on stderr what is going on; shown by default when "
                        "stderr is a terminal");
}

bool ProgressOption::enabled() const {
  return option != nullptr && option->count() > 0 ? progress : isatty(STDERR_FILENO) == 1;
}

}  // namespace isolde::cli
