#include "survey/cell.hpp"

#include <algorithm>
#include <array>

#include "base/printable.hpp"
#include "replay/wording.hpp"

namespace isolde::survey {
namespace {

using replay::Step;
using replay::StepResult;
using State = StepResult::State;

struct OutcomeRow {
  Outcome outcome;
  std::string_view name;
  std::string_view meaning;
};
constexpr std::array kOutcomes = {
    OutcomeRow{Outcome::kOccurs, "occurs", "the anomaly happened; its proof is verified"},
    OutcomeRow{Outcome::kOther, "other",
               "another anomaly happened that violates the same level; its proof is verified"},
    OutcomeRow{Outcome::kDeadlock, "deadlock",
               "prevented: the database aborted a transaction to resolve a deadlock"},
    OutcomeRow{Outcome::kAborted, "aborted", "prevented: the database aborted a transaction"},
    OutcomeRow{Outcome::kBlocked, "blocked",
               "prevented: a step waited until another session's transaction had ended"},
    OutcomeRow{
        Outcome::kConsistent, "clean",
        "prevented: no step waited, none was refused, and the reads show no such anomaly"},
    OutcomeRow{Outcome::kNotPlayed, "unknown", "the play shows nothing"},
};

const OutcomeRow& row_of(Outcome outcome) {
  return *std::ranges::find(kOutcomes, outcome, &OutcomeRow::outcome);
}

std::size_t session_of(const Play& play, std::size_t step) {
  return play.numbering.history().session_of(play.steps[step].txn).raw();
}

/// "step 5, B: w(x, 2)".
std::string step_text(const Play& play, std::size_t step) {
  const replay::Wording wording(play.numbering, replay::Notation::kNames);
  return "step " + std::to_string(step + 1) + ", " +
         play.numbering.session(play.steps[step].txn) + ": " +
         wording.step(play.steps[step], play.statements);
}

bool ends_transaction(const Play& play, std::size_t step) {
  if (play.results[step].state == State::kAborted) return true;
  const Step::Kind kind = play.steps[step].kind;
  return play.results[step].state == State::kDone &&
         (kind == Step::Kind::kCommit || kind == Step::Kind::kRollback);
}

/// The end of another session's transaction after which the step, which took long, was done.
std::optional<std::size_t> released_by(const Play& play, std::size_t step) {
  const std::size_t last = std::min(play.results[step].done_at, play.steps.size() - 1);
  for (std::size_t other = step + 1; other <= last; ++other) {
    if (session_of(play, other) != session_of(play, step) && ends_transaction(play, other)) {
      return other;
    }
  }
  return std::nullopt;
}

template <typename Predicate>
std::optional<std::size_t> first_step(const Play& play, Predicate is_it) {
  for (std::size_t i = 0; i < play.results.size(); ++i) {
    if (is_it(play.results[i])) return i;
  }
  return std::nullopt;
}

bool is_over(const StepResult& result) {
  return result.state == State::kAborted || result.state == State::kUnknown;
}

std::string wait_text(const Play& play, std::size_t step) {
  const std::optional<std::size_t> end = released_by(play, step);
  return step_text(play, step) + ", waited" + (end ? " for " + step_text(play, *end) : "");
}

Finding aborted(const Play& play, std::size_t step, const db::DeadlockWords& deadlock,
                bool is_alone) {
  const StepResult& result = play.results[step];
  const std::string message = base::printable_line(result.message);
  const bool is_resolved = is_deadlock(deadlock, is_alone, result.message);
  const std::string what = result.waited ? wait_text(play, step) + ", and was refused"
                                         : step_text(play, step) + ", was refused";
  return {is_resolved ? Outcome::kDeadlock : Outcome::kAborted, what + ": " + message, message};
}

/// Why the play shows nothing, whatever the history's verdict; empty: it does show something.
std::string why_nothing(const Scenario& scenario, const Play& play) {
  const auto lost = first_step(play, [](const StepResult& result) {
    return result.state == State::kUnknown || result.is_disconnected;
  });
  if (lost) {
    return step_text(play, *lost) +
           ", has no answer that counts: " + base::printable_line(play.results[*lost].message);
  }
  for (std::size_t i = 0; i < play.steps.size(); ++i) {
    const std::string session = play.numbering.session(play.steps[i].txn);
    if (std::ranges::find(scenario.must_commit, session) == scenario.must_commit.end()) {
      continue;
    }
    if (play.results[i].state == State::kDone) continue;
    return step_text(play, i) + ", was to bring the evidence and did not: " +
           base::printable_line(play.results[i].message);
  }
  return {};
}

}  // namespace

std::string_view name(Outcome outcome) { return row_of(outcome).name; }
std::string_view meaning(Outcome outcome) { return row_of(outcome).meaning; }

bool is_prevented(Outcome outcome) {
  return outcome == Outcome::kDeadlock || outcome == Outcome::kAborted ||
         outcome == Outcome::kBlocked || outcome == Outcome::kConsistent;
}

bool is_of(const Scenario& scenario, const Violation& violation) {
  return std::ranges::find(scenario.anomalies, violation.anomaly) != scenario.anomalies.end();
}

bool is_deadlock(const db::DeadlockWords& deadlock, bool is_alone, std::string_view message) {
  return !deadlock.words.empty() && (!deadlock.only_alone || is_alone) &&
         message.find(deadlock.words) != std::string_view::npos;
}

std::optional<std::size_t> unexplained_wait(const Play& play) {
  for (std::size_t i = 0; i < play.results.size(); ++i) {
    const bool is_refused = is_over(play.results[i]);
    if (play.results[i].waited && !is_refused && !released_by(play, i)) return i;
  }
  return std::nullopt;
}

Finding find(const Scenario& scenario, const Play& play, const Judgement& judgement,
             const db::DeadlockWords& deadlock, bool is_alone, std::optional<Level> promised) {
  if (judgement.violation) {
    const bool is_it = is_of(scenario, *judgement.violation);
    const Level level = judgement.violation->level;
    const bool is_promised = promised && implies(*promised, level, false);
    return {is_it ? Outcome::kOccurs : Outcome::kOther,
            judgement.violation->statement + " (violates " + std::string(info(level).name) +
                ", which the setting " + (is_promised ? "promises)" : "does not promise)"),
            ""};
  }
  if (judgement.verdict != Verdict::kHolds) {
    return {Outcome::kNotPlayed, "not decided: " + judgement.reason, ""};
  }
  if (std::string why = why_nothing(scenario, play); !why.empty()) {
    return {Outcome::kNotPlayed, std::move(why), ""};
  }
  if (const auto step = first_step(play, is_over)) {
    return aborted(play, *step, deadlock, is_alone);
  }
  if (const auto step =
          first_step(play, [](const StepResult& result) { return result.waited; })) {
    return {Outcome::kBlocked, wait_text(play, *step), ""};
  }
  return {Outcome::kConsistent, "every step went through, and the reads show no such anomaly",
          ""};
}

}  // namespace isolde::survey
