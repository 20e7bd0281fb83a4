#include "cli/scripted_run.hpp"

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/duration.hpp"
#include "cli/files.hpp"
#include "cli/options.hpp"
#include "replay/transcript.hpp"
#include "replay/wording.hpp"
#include "run/reason.hpp"

namespace isolde::cli {
namespace {

/// What came of one step, into the sums.
void count(const replay::Step& step, const replay::StepResult& result,
           run::RunStatistics& sums) {
  using Kind = replay::Step::Kind;
  using State = replay::StepResult::State;
  sums.rolled_back += result.tries;
  switch (result.state) {
    case State::kDone:
      sums.committed += step.kind == Kind::kCommit ? 1 : 0;
      sums.rolled_back += step.kind == Kind::kRollback ? 1 : 0;
      return;
    case State::kAborted:
      ++sums.aborted;
      break;
    case State::kUnknown:
      ++sums.unknown;
      break;
    case State::kSkipped:
      return;
  }
  sums.reasons.add(result.message);
}

}  // namespace

bool is_file_of_steps(const std::string& path) {
  std::error_code error;
  // What comes through a pipe can be read once only.
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string begin(std::size_t{1} << 16, '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(file.gcount()));
  return replay::begins_like_steps(begin);
}

void ScriptedRun::add_to(CLI::App& app) {
  app.add_option(
         "--steps", file_,
         "Play the steps of this file instead of a workload; isolde replay --help tells "
         "what steps there are")
      ->type_name("FILE")
      ->excludes("--workload");
  add_duration(app, "--step-wait", step_wait_ns_,
               "--steps: a step that takes longer waits for another session, so others go on")
      ->default_str(base::duration_text(step_wait_ns_));
}

void ScriptedRun::set(std::string name, std::string text) {
  name_ = std::move(name);
  text_ = std::move(text);
}

void ScriptedRun::set_file(std::string file, std::optional<std::int64_t> step_wait_ns) {
  file_ = std::move(file);
  if (step_wait_ns) step_wait_ns_ = *step_wait_ns;
}

std::string ScriptedRun::name() const {
  return file_.empty() ? name_ : std::filesystem::path(file_).filename().string();
}

Status ScriptedRun::load() {
  if (!file_.empty()) {
    Result<std::string> text = read_text(file_);
    if (!text) return text.error();
    text_ = std::move(text).value();
  }
  Result<replay::Steps> steps = replay::parse_steps(text_);
  if (!steps) {
    const std::string where = file_.empty() ? name_ : file_;
    return Error{steps.error().code, where + ": " + steps.error().message};
  }
  steps_ = std::move(steps).value();
  options_.step_wait = std::chrono::nanoseconds(step_wait_ns_);
  options_.statements = steps_->statements;
  numbering_.emplace(steps_->history, replay::Numbering::Sessions::kNames);
  return ok_status();
}

Status ScriptedRun::check_fits(const db::DatabaseInfo& database, std::string_view isolation,
                               bool has_server) const {
  const std::string who = db::called(database);
  if (steps_->crashes && !has_server) {
    return Error{ErrorCode::kUsage,
                 name() + " crashes servers; only those that --server has started may be"};
  }
  const std::string no_lists = db::why_no_lists(database, isolation);
  if (!numbering_->lists().empty() && !no_lists.empty()) {
    return Error{ErrorCode::kUsage, name() + " uses lists, which " + no_lists};
  }
  const bool uses_rows = steps_->deletes || !steps_->conditions.empty();
  if (uses_rows && !database.capabilities.rows) {
    return Error{ErrorCode::kUsage,
                 name() + " selects or deletes rows, which " + who + " cannot do"};
  }
  if (!steps_->computed.empty() && !database.capabilities.computes) {
    return Error{ErrorCode::kUsage,
                 name() + " has aggregates over conditions, which " + who + " cannot do"};
  }
  if (steps_->has_sql && !database.capabilities.sql) {
    return Error{ErrorCode::kUsage,
                 name() + " has statements of SQL, which " + who + " does not understand"};
  }
  if (database.capabilities.transactions) return ok_status();
  return Error{ErrorCode::kUsage, name() + " has transactions, and " + who + " has none"};
}

Status ScriptedRun::create(db::Database& database) const {
  return database.create(numbering_->registers(), numbering_->lists());
}

Result<run::RunStatistics> ScriptedRun::play(db::Database& database, Recorder& recorder,
                                             std::function<Status()> crash) {
  options_.crash = std::move(crash);
  options_.conditions = &steps_->conditions;
  options_.computed = &steps_->computed;
  const auto begin = std::chrono::steady_clock::now();
  Result<std::vector<replay::StepResult>> results =
      replay::play(database, *numbering_, steps_->steps, recorder, options_);
  if (!results) return results.error();
  results_ = std::move(results).value();
  run::RunStatistics sums;
  sums.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (std::size_t i = 0; i < results_.size(); ++i) count(steps_->steps[i], results_[i], sums);
  sums.stopped = what_never_came();
  return sums;
}

/// Who plays steps wants to see what follows on a value. Where it never came, nothing follows.
std::string ScriptedRun::what_never_came() const {
  using State = replay::StepResult::State;
  const replay::Wording wording(*numbering_, replay::Notation::kNames);
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const replay::Step& step = steps_->steps[i];
    const replay::StepResult& result = results_[i];
    if (step.pace != replay::Step::Pace::kUntil || result.state == State::kDone) continue;
    return "step " + std::to_string(i + 1) + ", " + wording.step(step, steps_->statements) +
           ", never came true: " +
           (result.state == State::kSkipped ? "its transaction was over" : result.message);
  }
  return "";
}

std::string ScriptedRun::text() const {
  return replay::transcript(*numbering_, steps_->steps, results_,
                            {.was = "expected", .statements = steps_->statements});
}

}  // namespace isolde::cli
