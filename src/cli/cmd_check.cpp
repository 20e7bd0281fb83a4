// isolde check: one history after the other.
#include <CLI/CLI.hpp>

#include "cli/checking.hpp"
#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"

namespace isolde::cli {
namespace {

class CheckCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& app) override;
  ExitCode run() override;

 private:
  Status find_histories();

  CLI::App* parser_ = nullptr;
  std::vector<std::string> files_;
  std::string format_;
  Checking checking_;
  std::uint64_t seed_ = 0;
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
  return sub;
}

/// In place of folders that are no histories the files in them, which nothing may overwrite
/// either.
Status CheckCommand::find_histories() {
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

ExitCode CheckCommand::run() {
  if (const Status ready = checking_.prepare(); !ready) return report(ready.error());
  if (const Status safe = find_histories(); !safe) return report(safe.error());
  checking_.set_several(files_.size() > 1);
  ExitCode code = ExitCode::kSuccess;
  bool first = true;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    Result<Outcome> checked = checking_.check_next(files_[i], format_);
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
