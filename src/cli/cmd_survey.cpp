// isolde survey: all isolation settings of a database against scripted interleavings, as a
// table.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>

#include "base/duration.hpp"
#include "base/memory_guard.hpp"
#include "cli/command.hpp"
#include "cli/database_options.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "report/survey_page.hpp"
#include "survey/survey.hpp"

namespace isolde::cli {
namespace {

namespace fs = std::filesystem;

class SurveyCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& app) override;
  ExitCode run() override;

 private:
  Status prepare();
  Result<std::vector<db::IsolationInfo>> settings(base::Budget& budget) const;
  Status check_sessions(base::Budget& budget) const;
  Status survey(base::Budget& budget);
  ExitCode tell();

  DatabaseArguments target_;
  std::int64_t step_wait_ns_ = 400'000'000;
  double load_seconds_ = 1;
  std::uint64_t seed_ = 0;
  bool json_ = false;
  std::string html_;
  std::string keep_;
  std::string pages_;
  double timeout_seconds_ = 0;
  ProgressOption progress_;
  std::optional<TemporaryFolder> folder_;  // of histories that nobody keeps
  survey::Options options_;
  survey::Survey survey_;
};

CLI::App* SurveyCommand::add_to(CLI::App& app) {
  CLI::App* sub = app.add_subcommand(
      "survey",
      "Show which anomalies each isolation setting of a database lets happen, as a table");
  target_.add_to(*sub);
  sub->add_option("--load", load_seconds_,
                  "Time of each random workload at each setting; 0: scenarios only")
      ->type_name("DURATION")
      ->default_str("1s")
      ->transform(seconds_text(0, 1e6));
  whole_number(sub->add_option("--seed", seed_, "Seed of the random load"))
      ->capture_default_str();
  add_duration(*sub, "--step-wait", step_wait_ns_,
               "A step that takes longer waits for another session, so others go on")
      ->default_str(base::duration_text(step_wait_ns_));
  sub->add_flag("--json", json_,
                "Print one JSON object in place of the text (docs/report.schema.json, its "
                "definition survey)");
  sub->add_option(
         "--html", html_,
         "Write the survey as a page to open in a browser, with the transcript of each "
         "scenario; - is standard output")
      ->type_name("FILE");
  sub->add_option(
         "--pages", pages_,
         "Write a page with the table and one for each of its cells, linked both ways, "
         "to this new or empty folder, with what --keep keeps")
      ->type_name("DIR");
  sub->add_option(
         "--keep", keep_,
         "Keep each history with its steps and proofs in this new or empty folder, and tell "
         "how to check and to play them again")
      ->type_name("DIR");
  sub->add_option("--timeout", timeout_seconds_,
                  "Stop after this time; what was not played by then is left out. 0: no limit")
      ->type_name("DURATION")
      ->transform(seconds_text(0, 1e9));
  progress_.add_to(*sub);
  sub->footer(
      "All isolation settings of the database are surveyed, with --isolation that one only. A "
      "cell of\nthe table says: occurs, with a proof; blocked, deadlock, aborted or clean, how "
      "the "
      "anomaly was\nprevented; unknown, that the play shows nothing. docs/survey.md tells "
      "more.\n"
      "Exit codes: 0 surveyed, 1 a promise is broken, 2 something was not played or not "
      "decided, "
      "3 usage\nerror, 4 environment or internal error.");
  return sub;
}

Status SurveyCommand::prepare() {
  if (const Status can = survey::can_read_scenarios(); !can) return can.error();
  if (const Status given = target_.check(); !given) return given.error();
  if (json_ && html_ == "-") {
    return usage_error("--json and --html - cannot share standard output; give --html a file");
  }
  options_.step_wait = std::chrono::nanoseconds(step_wait_ns_);
  options_.load_seconds = load_seconds_;
  options_.seed = seed_;
  if (!pages_.empty() && !keep_.empty()) {
    return usage_error("--pages keeps the histories beside the pages; leave --keep away");
  }
  const std::string& folder = pages_.empty() ? keep_ : pages_;
  if (folder.empty()) {
    folder_.emplace();
    if (const Status made = folder_->make(); !made) return made.error();
    options_.folder = folder_->path();
    return ok_status();
  }
  std::error_code error;
  if (fs::exists(folder, error) &&
      !(fs::is_directory(folder, error) && fs::is_empty(folder, error))) {
    return usage_error((pages_.empty() ? "--keep " : "--pages ") + folder +
                       ": expected a new or an empty folder");
  }
  options_.folder = folder;
  return ok_status();
}

/// Those of the database, or the one that was asked for.
Result<std::vector<db::IsolationInfo>> SurveyCommand::settings(base::Budget& budget) const {
  const db::DatabaseInfo& row = target_.info();
  if (!row.capabilities.transactions) {
    return usage_error("the scenarios have transactions, and " + std::string(row.name) +
                       " has none");
  }
  std::vector<db::IsolationInfo> settings;
  for (const db::IsolationInfo& isolation : row.isolations) {
    if (!target_.is_isolation_given() || isolation.name == target_.isolation()) {
      settings.push_back(isolation);
    }
  }
  if (!settings.empty()) return settings;
  // Who knows the names says what is wrong with this one.
  const Result<std::unique_ptr<db::Database>> opened = target_.open(budget);
  return opened ? usage_error("there is no isolation to survey") : opened.error();
}

/// Any session of a scenario may write.
Status SurveyCommand::check_sessions(base::Budget& budget) const {
  const Result<std::unique_ptr<db::Database>> opened = target_.open(budget);
  if (!opened || !(*opened)->only_reads(1)) return ok_status();
  return usage_error(
      "the scenarios write in every session, and replicas take no writes; survey "
      "the primary alone");
}

Status SurveyCommand::survey(base::Budget& budget) {
  if (const Status launched = target_.launch(budget); !launched) return launched.error();
  if (const Status found = target_.find(budget); !found) return found.error();
  const Result<std::vector<db::IsolationInfo>> rows = settings(budget);
  if (!rows) return rows.error();
  if (const Status possible = check_sessions(budget); !possible) return possible;
  options_.is_alone = target_.has_server() && target_.cluster()->nodes().size() == 1;
  Progress progress(progress_.enabled());
  const survey::Target target{target_.info(), target_.display(),
                              [&](std::string_view isolation, bool with_index) {
                                return target_.open_at(isolation, with_index, budget);
                              },
                              target_.can_add_index()};
  return survey::run_survey(
      target, *rows, options_, budget,
      [&progress](std::string_view work) { progress.show(work); }, survey_);
}

ExitCode SurveyCommand::tell() {
  const survey::Commands commands{!keep_.empty() || !pages_.empty(), target_.command_words()};
  ExitCode code = survey_.is_complete() ? ExitCode::kSuccess : ExitCode::kUnknown;
  const std::string json = survey::to_json(survey_, commands);
  if (html_ != "-") print(json_ ? json + "\n" : survey::to_text(survey_, commands));
  if (!html_.empty()) {
    const Status written = write_text(html_, report::survey_page(json));
    if (!written) code = worse(code, report(written.error()));
  }
  if (!pages_.empty()) {
    for (const survey::Page& page : survey::to_pages(survey_, commands)) {
      const Status written =
          write_text((fs::path(pages_) / page.name).string(), report::survey_page(page.json));
      if (written) continue;
      code = worse(code, report(written.error()));
      break;
    }
  }
  return survey_.breaks_promise() ? ExitCode::kViolated : code;
}

ExitCode SurveyCommand::run() {
  if (const Status ready = prepare(); !ready) return report(ready.error());
  base::Budget budget(timeout_seconds_, default_memory_bytes());
  Status done = ok_status();
  {
    const InterruptGuard guard(budget);
    done = survey(budget);
    target_.shut_down();
  }
  // Whoever reads what is printed may stop reading, which ends the program.
  folder_.reset();
  ExitCode trouble = done ? ExitCode::kSuccess : report(done.error());
  if (survey_.settings.empty() || survey_.settings.front().cells.empty()) {
    if (done) trouble = report({ErrorCode::kLimit, "nothing was played: " + budget.reason()});
    return trouble;
  }
  const ExitCode verdict = tell();
  return verdict == ExitCode::kViolated ? verdict : worse(verdict, trouble);
}

}  // namespace

std::unique_ptr<Command> make_survey_command() { return std::make_unique<SurveyCommand>(); }

}  // namespace isolde::cli
