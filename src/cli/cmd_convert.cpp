// isolde convert: read a history in any known format, write it in one of our own; or follow a
// text that still grows, for isolde watch.

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "base/budget.hpp"
#include "base/memory_guard.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "io/group_recording.hpp"
#include "io/inflight_watch.hpp"
#include "io/reader.hpp"
#include "io/writer.hpp"

namespace isolde::cli {
namespace {

class ConvertCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& app) override {
    CLI::App* sub = app.add_subcommand("convert", "Write a history in another format");
    sub->add_option("--to", to_, "native (JSON Lines) or native-binary")
        ->required()
        ->type_name("F");
    sub->add_option("in", in_, "History to read; - is standard input")
        ->required()
        ->type_name("IN");
    sub->add_option(
           "out", out_,
           "File to write, a new one unless --force is given; - is standard output; .gz "
           "and .zst compress")
        ->required()
        ->type_name("OUT");
    add_force_whole(*sub, "out", force_);
    sub->add_flag(
        "--follow", follow_,
        "Write what a text in the native format gets, while it gets it, in groups for "
        "isolde watch --follow, until the text says that it ends, its recorder has "
        "died or the program is interrupted; needs --to native-binary, and memory "
        "that does not grow");
    add_format(*sub, format_);
    limits_.add_to(*sub);
    return sub;
  }

  ExitCode run() override {
    if (follow_) return follow();
    if (const Status free = check_whole_history(out_, force_); !free) {
      return report(free.error());
    }
    const Result<std::uint64_t> bytes = limits_.memory_bytes();
    if (!bytes) return report(bytes.error());
    base::Budget budget(limits_.timeout_seconds, *bytes);
    const InterruptGuard guard(budget);
    const base::MemoryGuard memory(budget);
    const Result<History> history = io::read_history(in_, format_, budget);
    if (!history) return report(history.error());
    const Status written = io::write_history(*history, to_, out_);
    return written ? ExitCode::kSuccess : report(written.error());
  }

 private:
  ExitCode follow();
  Status check_what_follows() const;
  Status follow_text(base::Budget& budget) const;

  std::string to_;
  std::string in_;
  std::string out_;
  bool force_ = false;
  bool follow_ = false;
  std::string format_;
  LimitOptions limits_;
};

constexpr std::chrono::milliseconds kPeriod{250};
constexpr std::chrono::milliseconds kLook{25};  // for an interruption

/// False where it is over: interrupted, or the time is up.
bool pause(base::Budget& budget) {
  for (std::chrono::milliseconds left = kPeriod; left > kLook && budget.look(); left -= kLook) {
    std::this_thread::sleep_for(kLook);
  }
  return budget.look();
}

void tell(const std::string& line) { std::fprintf(stderr, "isolde: %s\n", line.c_str()); }

Status ConvertCommand::check_what_follows() const {
  if (to_ != "native-binary") {
    return usage_error("--follow writes groups; give --to native-binary");
  }
  if (!format_.empty() && format_ != "native") {
    return usage_error("--follow reads the native format; leave --format out");
  }
  if (in_ == "-" || out_ == "-") {
    return usage_error("--follow needs two files; - is none");
  }
  for (const char* packed : {".gz", ".zst"}) {
    if (in_.ends_with(packed) || out_.ends_with(packed)) {
      return usage_error("--follow reads and writes files that are not compressed");
    }
  }
  return ok_status();
}

ExitCode ConvertCommand::follow() {
  if (const Status fits = check_what_follows(); !fits) return report(fits.error());
  const Result<std::uint64_t> bytes = limits_.memory_bytes();
  if (!bytes) return report(bytes.error());
  base::Budget budget(limits_.timeout_seconds, *bytes);
  const InterruptGuard guard(budget);
  const base::MemoryGuard memory(budget);
  const Status followed = follow_text(budget);
  return followed ? ExitCode::kSuccess : report(followed.error());
}

/// The program that records may begin later than this one.
Status ConvertCommand::follow_text(base::Budget& budget) const {
  if (Status free = make_way(out_, force_); !free) return free;
  std::error_code error;
  bool is_there = std::filesystem::exists(in_, error);
  if (!is_there) tell(in_ + ": is not there yet; waiting for it");
  while (!is_there && pause(budget)) is_there = std::filesystem::exists(in_, error);
  if (!is_there) {
    return Error{ErrorCode::kLimit,
                 in_ + ": " + budget.reason() + "; it was not there by then"};
  }

  Result<io::InflightWatch> watch = io::InflightWatch::open(in_);
  Result<std::unique_ptr<io::GroupFollower>> groups =
      io::follow_text(in_, out_, watch ? std::optional(std::move(*watch)) : std::nullopt);
  if (!groups) return groups.error();
  io::GroupFollower& follower = **groups;
  bool goes_on = true;
  while (goes_on && !follower.has_end()) {
    // Asked first: a recorder that is dead then has written all that it ever will.
    const bool has_died = follower.has_recorder() && !follower.is_recorder_at_work();
    if (Status taken = follower.take_new(); !taken) {
      if (std::filesystem::is_empty(out_, error)) std::filesystem::remove(out_, error);
      return taken;
    }
    goes_on = !has_died && !follower.has_end() && pause(budget);
  }
  if (Status finished = follower.finish(); !finished) return finished;
  if (budget.exhausted() && !follower.has_end()) {
    return Error{ErrorCode::kLimit, in_ + ": " + budget.reason() + "; " + out_ +
                                        " has what was there by then, and is cut off"};
  }
  if (!follower.has_end()) {
    tell(in_ + ": its recorder has ended early, and transactions are missing; " + out_ +
         " is cut off");
  } else if (follower.taken_from_folder() > 0) {
    tell(in_ + ": its recorder has ended early; " +
         base::plural(follower.taken_from_folder(), "transaction") +
         " taken from its folder of what was under way");
  }
  return ok_status();
}

}  // namespace

std::unique_ptr<Command> make_convert_command() { return std::make_unique<ConvertCommand>(); }

}  // namespace isolde::cli
