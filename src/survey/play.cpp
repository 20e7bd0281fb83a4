#include "survey/play.hpp"

#include <algorithm>
#include <fstream>
#include <utility>

#include "api/checking.hpp"
#include "certify/verify.hpp"
#include "db/dsn.hpp"
#include "explain/narrate.hpp"
#include "explain/scenario.hpp"
#include "io/reader.hpp"
#include "isolde/recorder.hpp"
#include "replay/numbering.hpp"
#include "replay/steps.hpp"
#include "replay/transcript.hpp"

namespace isolde::survey {
namespace {

/// Each with three times the waiting time of the one before.
constexpr int kAttempts = 3;

/// One play, in tables that are made for it and then removed.
class Attempt {
 public:
  Attempt(const Scenario& scenario, const Stage& stage, const replay::Steps& steps)
      : scenario_(scenario),
        stage_(stage),
        steps_(steps),
        numbering_(steps.history, replay::Numbering::Sessions::kNames) {}

  /// ERRORS: as replay::play().
  Status play(const std::filesystem::path& file, std::chrono::nanoseconds step_wait) {
    const Result<std::unique_ptr<db::Database>> database = stage_.open(scenario_.has_index);
    if (!database) return database.error();
    const Status made = (*database)->create(numbering_.registers(), numbering_.lists());
    if (!made) return made.error();
    const Status played = perform(**database, file, step_wait);
    const Status removed = (*database)->destroy();
    return played ? removed : played;
  }

  Play what() const { return {numbering_, steps_.steps, results_, steps_.statements}; }
  std::string transcript() const {
    return replay::transcript(numbering_, steps_.steps, results_,
                              {.was = "expected", .statements = steps_.statements});
  }

 private:
  Status perform(db::Database& database, const std::filesystem::path& file,
                 std::chrono::nanoseconds step_wait) {
    std::error_code ignored;
    std::filesystem::remove(file, ignored);  // of an earlier attempt
    RecorderOptions options;
    options.about = {
        {"database", stage_.version},
        {"source",
         scenario_.has_index ? db::with_parameter(stage_.source, "index=1") : stage_.source},
        {"isolation", stage_.isolation},
        {"workload", "steps of " + scenario_.name}};
    options.deletes = steps_.deletes || !steps_.computed.empty() || database.locks_reads();
    const Result<std::unique_ptr<Recorder>> recorder = Recorder::open(file.string(), options);
    if (!recorder) return recorder.error();
    replay::PlayOptions how;
    how.step_wait = step_wait;
    how.statements = steps_.statements;
    how.conditions = &steps_.conditions;
    how.computed = &steps_.computed;
    Result<std::vector<replay::StepResult>> results =
        replay::play(database, numbering_, steps_.steps, **recorder, how);
    const Status closed = (*recorder)->close();
    if (!results) return results.error();
    results_ = std::move(results).value();
    return closed;
  }

  const Scenario& scenario_;
  const Stage& stage_;
  const replay::Steps& steps_;
  const replay::Numbering numbering_;
  std::vector<replay::StepResult> results_;
};

/// What the history of the cell says of all levels, and of the scenario's in particular, with
/// the proofs. It is so short that nobody who interrupts the survey waits for it.
Result<Judgement> judge(const Scenario& scenario, const Stage& stage, Findings& findings,
                        Cell& cell) {
  constexpr double kSeconds = 10;
  base::Budget budget(kSeconds, 0);
  const Result<History> history = io::read_history(cell.history.string(), "native", budget);
  if (!history) return history.error();
  api::Settings settings;
  settings.min_committed = 0;  // whom the database aborted shows something, too
  api::Checked checked = api::check(*history, settings, budget);
  const Status added = add_history(checked, stage, scenario.column, cell.history, findings);
  if (!added) return added.error();
  std::vector<Level> proved = scenario.forbidden_by;
  if (stage.promised) proved.push_back(*stage.promised);
  Result<std::vector<ProofFile>> proofs = write_proofs(checked, proved, cell.history);
  if (!proofs) return proofs.error();
  cell.proofs = std::move(proofs).value();
  Judgement judgement{Verdict::kHolds, "", {}};
  for (const Level level : scenario.forbidden_by) {
    const auto report = std::ranges::find(checked.report.levels, level, &LevelReport::level);
    if (report->verdict == Verdict::kHolds) continue;
    if (report->verdict != Verdict::kViolated) {
      if (!judgement.violation) judgement = {report->verdict, report->reason, {}};
      continue;
    }
    Result<Violation> violation = verified(checked, level);
    if (!violation) return violation.error();
    const bool is_it = is_of(scenario, *violation);
    if (is_it || !judgement.violation) {
      judgement = {Verdict::kViolated, "", std::move(violation).value()};
    }
    if (is_it) break;
  }
  return judgement;
}

Status write_steps(const Scenario& scenario, const std::filesystem::path& path) {
  std::ofstream file(path, std::ios::binary);
  file << "# " << scenario.column << ", " << scenario.title << ".\n# " << scenario.about << "\n"
       << scenario.steps.substr(scenario.steps.find_first_not_of('\n'));
  file.close();
  if (file) return ok_status();
  return Error{ErrorCode::kEnvironment, path.string() + ": cannot write"};
}

}  // namespace

Status add_history(api::Checked& checked, const Stage& stage, const std::string& where,
                   const std::filesystem::path& file, Findings& findings) {
  findings.add(checked.model);
  if (!stage.promised || findings.breach) return ok_status();
  const auto report =
      std::ranges::find(checked.report.levels, *stage.promised, &LevelReport::level);
  if (report->verdict != Verdict::kViolated) return ok_status();
  const Result<Violation> violation = verified(checked, *stage.promised);
  if (!violation) return violation.error();
  findings.breach =
      Breach{where, violation->statement, file, violation->level, violation->anomaly};
  return ok_status();
}

Result<Violation> verified(api::Checked& checked, Level level) {
  const auto report = std::ranges::find(checked.report.levels, level, &LevelReport::level);
  const api::LentCertificate certificate(checked, *report);
  const certify::VerifyResult result = certify::verify(*checked.history, *certificate);
  if (!result.proves) {
    return Error{ErrorCode::kInternal,
                 "the proof of the violation does not verify: " + result.reason};
  }
  const explain::Scenario scenario = explain::make_scenario(*checked.history, *certificate);
  return Violation{level, std::string(scenario.anomaly.name), explain::label(scenario.anomaly),
                   scenario.statement, explain::narrate(*checked.history, scenario, {})};
}

Result<Cell> play(const Scenario& scenario, const Stage& stage, Findings& findings,
                  base::Budget& budget) {
  Result<replay::Steps> steps = replay::parse_steps(scenario.steps);
  if (!steps) {
    return Error{ErrorCode::kInternal, scenario.name + ".toml: " + steps.error().message};
  }
  Attempt attempt(scenario, stage, *steps);
  Cell cell;
  const bool uses_lists = !attempt.what().numbering.lists().empty();
  const std::string no_lists = db::why_no_lists(stage.info, stage.isolation);
  if (uses_lists && !no_lists.empty()) {
    cell.finding.how = "it needs lists, which " + no_lists;
    return cell;
  }
  if (!steps->conditions.empty() && !stage.info.capabilities.rows) {
    cell.finding.how =
        "it selects rows by conditions, which " + db::called(stage.info) + " cannot do";
    return cell;
  }
  if (!steps->computed.empty() && !stage.info.capabilities.computes) {
    cell.finding.how =
        "it has aggregates, which " + std::string(stage.info.name) + " cannot compute";
    return cell;
  }
  cell.history = stage.folder / (scenario.name + ".jsonl");
  cell.steps = stage.folder / (scenario.name + ".steps");
  if (const Status written = write_steps(scenario, cell.steps); !written) {
    return written.error();
  }
  std::chrono::nanoseconds step_wait = stage.step_wait;
  for (int i = 0; i < kAttempts; ++i, step_wait *= 3) {
    const Status played = attempt.play(cell.history, step_wait);
    if (!played) return played.error();
    if (!unexplained_wait(attempt.what()) || !budget.look()) break;
  }
  const Result<Judgement> judgement = judge(scenario, stage, findings, cell);
  if (!judgement) return judgement.error();
  cell.finding = find(scenario, attempt.what(), *judgement, stage.info.deadlock, stage.is_alone,
                      stage.promised);
  cell.violation = judgement->violation;
  cell.transcript = attempt.transcript();
  return cell;
}

}  // namespace isolde::survey
