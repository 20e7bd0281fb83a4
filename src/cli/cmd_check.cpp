// isolde check: one history after the other.
#include <CLI/CLI.hpp>

#include "cli/checking.hpp"
#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/stream_check.hpp"

namespace isolde::cli {
namespace {

class CheckCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& app) override;
  ExitCode run() override;

 private:
  Status find_histories();
  Status check_stream_outputs() const;
  Result<Outcome> check_next(std::size_t at);

  CLI::App* parser_ = nullptr;
  std::vector<std::string> files_;
  std::string format_;
  Checking checking_;
  std::uint64_t seed_ = 0;
  bool stream_ = false;
  std::string bundle_;
  std::int64_t takes_effect_within_ns_ = kNoTime;
};

CLI::App* CheckCommand::add_to(CLI::App& app) {
  CLI::App* sub = app.add_subcommand(
      "check", "Tell which isolation levels a history satisfies, and explain violations");
  parser_ = sub;
  sub->add_option("history", files_,
                  "Files; or folders, which are histories themselves in some formats, and else "
                  "hold files, each of which is checked, or a run that Jepsen stored. - is "
                  "standard input")
      ->required()
      ->type_name("HISTORY");
  add_format(*sub, format_);
  checking_.add_to(*sub);
  whole_number(sub->add_option(
      "--seed", seed_, "Accepted for scripts; the search makes no random choices so far"));
  sub->add_flag(
      "--stream", stream_,
      "Read native-binary part by part, in memory that does not grow with the history; a "
      "folder of such files (*.isob) is one history. Without --level the promised level is "
      "decided, and strict-serializable where no promise is known. Levels that need the whole "
      "history are unknown");
  sub->add_option("--bundle", bundle_,
                  "With --stream, write the transactions of a violation, as a history of their "
                  "own, which its certificate is about; with several histories to "
                  "FILE.<n>.jsonl")
      ->type_name("FILE");
  add_takes_effect_within(*sub, takes_effect_within_ns_);
  return sub;
}

/// Nothing that is written is read, in folders neither.
Status CheckCommand::check_stream_outputs() const {
  for (const CLI::Option* const option : parser_->get_options()) {
    if (option->get_type_name() != "FILE") continue;
    for (const std::string& path : option->results()) {
      if (const Status safe = check_stream_output(path, files_); !safe) return safe;
    }
  }
  return check_outputs(*parser_, files_);
}

/// In place of folders that are no histories the files in them, which nothing may overwrite
/// either.
Status CheckCommand::find_histories() {
  if (stream_) {
    for (std::string& file : files_) file = given_path(file);
    return check_stream_outputs();
  }
  std::vector<std::string> found;
  for (const std::string& file : files_) {
    const std::string path = given_path(file);
    if (was_interrupted()) {
      found.push_back(path);
      continue;
    }
    Result<std::vector<std::string>> histories = checking_.find(path, format_);
    // Whoever reads it tells what is wrong with it.
    if (!histories) {
      found.push_back(path);
    } else {
      found.insert(found.end(), histories->begin(), histories->end());
    }
  }
  files_ = std::move(found);
  return check_outputs(*parser_, files_);
}

Result<Outcome> CheckCommand::check_next(std::size_t at) {
  return stream_ ? checking_.check_stream(files_[at], at + 1, bundle_)
                 : checking_.check_next(files_[at], format_);
}

ExitCode CheckCommand::run() {
  if (const Status ready = checking_.prepare(); !ready) return report(ready.error());
  if (stream_) {
    const Status fits = checking_.set_stream(format_, bundle_, takes_effect_within_ns_);
    if (!fits) return report(fits.error());
  }
  if (const Status safe = find_histories(); !safe) return report(safe.error());
  checking_.set_several(files_.size() > 1);
  ExitCode code = ExitCode::kSuccess;
  bool first = true;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    Result<Outcome> checked = check_next(i);
    if (!checked) {
      code = worse(code, checking_.report_failure(files_[i], checked.error()));
      continue;
    }
    Outcome& outcome = *checked;
    std::string printed(first || !checking_.prints_text() ? "" : "\n");
    code = worse(code, checking_.tell_all(outcome, i + 1, printed));
    print(printed);
    first = false;
    code = worse(code, checking_.verdict_code(outcome.model()));
  }
  return checking_.finish(code);
}

}  // namespace

std::unique_ptr<Command> make_check_command() { return std::make_unique<CheckCommand>(); }

}  // namespace isolde::cli
