// What one level's proof does for the others: closes those that it proves, and tells which
// attempts have become useless.
#include "check/verdicts.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "base/memory_guard.hpp"
#include "check/asked_levels.hpp"
#include "check/closure.hpp"
#include "check/cut_off.hpp"
#include "check/right_results.hpp"
#include "history/base_levels.hpp"
#include "infer/event_graph.hpp"
#include "level/transfer.hpp"

namespace isolde::checker {
namespace {

/// Every transaction that may have taken effect counts. Which ones did is known late, and never
/// for certain where values repeat; the verifier requires the same.
bool sessions_respect_time(const History& history, std::int64_t clock_error_ns) {
  for (std::size_t s = 0; s < history.session_count(); ++s) {
    TxnId last;
    for (const TxnId txn : history.session_txns(SessionId::at(s))) {
      if (history.status(txn) == TxnStatus::kAborted) continue;
      if (last.is_some() && !infer::ended_before(history, last, txn, clock_error_ns)) {
        return false;
      }
      last = txn;
    }
  }
  return true;
}

}  // namespace

bool leaves_out_rows(const History& history) {
  if (!history.has_selections()) return false;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    for (const Selection& selection : history.selections(TxnId::at(t))) {
      if (selection.absents > 0) return true;
    }
  }
  return false;
}

CheckReport begun_report(const History& history, bool leaves_out_rows,
                         std::int64_t clock_error_ns) {
  CheckReport report;
  report.rows = {leaves_out_rows, history.origin().rows_are_deleted,
                 history.has_refused_inserts()};
  report.sessions_respect_time = sessions_respect_time(history, clock_error_ns);
  return report;
}

Verdicts::Verdicts(const History& history, const CheckOptions& options, bool leaves_out_rows,
                   base::Budget& budget)
    : history_(history),
      options_(options),
      budget_(budget),
      report_(begun_report(history, leaves_out_rows, options.clock_error_ns)),
      has_results_(has_aggregates_with_results(history)) {
  report_.levels = undecided_levels(history_, options_);
  for (const LevelReport& level : report_.levels) {
    open_.push_back(level.verdict == Verdict::kUnknown);
  }
  shares_.emplace(report_.levels, open_, history_.op_count(), budget_);
}

CheckReport Verdicts::finish(bool fits) {
  if (!fits) leave_open(budget_.memory_reason());
  open_what_may_be_missing(history_, report_);
  // This copies proofs, which may be large. If it fails, the verdicts so far stay valid.
  base::fits_memory([&] { close_open_levels(); });
  return std::move(report_);
}

bool Verdicts::any_open() const { return std::ranges::find(open_, true) != open_.end(); }

bool Verdicts::implies(Level stronger, Level weaker) const {
  return implies_there(stronger, weaker, report_.sessions_respect_time, report_.rows);
}

bool Verdicts::chains_bind(const LevelInfo& level) const {
  return level.session_order || (level.real_time && report_.sessions_respect_time);
}

bool Verdicts::stricter_form_fails(const LevelInfo& level) const {
  return std::any_of(report_.levels.begin(), report_.levels.end(),
                     [&](const LevelReport& other) {
                       const LevelInfo& row = info(other.level);
                       return row.base == level.base && other.level != level.level &&
                              other.verdict == Verdict::kViolated;
                     });
}

bool Verdicts::session_form_fails(const LevelInfo& level) const {
  return std::any_of(report_.levels.begin(), report_.levels.end(),
                     [&](const LevelReport& other) {
                       const LevelInfo& row = info(other.level);
                       return row.base == level.base && row.session_order && !row.real_time &&
                              other.verdict == Verdict::kViolated;
                     });
}

bool Verdicts::is_about_other_reads(std::size_t i) const {
  return report_.rows.left_out && disregards_left_out_rows(row(i).base);
}

void Verdicts::note_observed(std::uint64_t included) {
  report_.statistics.included_txns = included;
  has_observed_ = true;
}

void Verdicts::count_included(std::uint64_t included) {
  std::uint64_t& known = report_.statistics.included_txns;
  if (!has_observed_) known = std::max(known, included);
}

void Verdicts::say(std::string_view text) const {
  if (options_.progress) options_.progress(text);
}

void Verdicts::say(std::string_view stage, const LevelInfo& level) const {
  if (options_.progress) options_.progress(std::string(stage) + " " + std::string(level.name));
}

void Verdicts::leave_out_timed(const std::string& reason, Verdict verdict) {
  if (reason.empty()) return;
  for (std::size_t i = 0; i < size(); ++i) {
    LevelReport& level = report_.levels[i];
    if (!open_[i] || !goes_by_database_times(info(level.level).base)) continue;
    level.verdict = verdict;
    level.reason = reason;
    open_[i] = false;
  }
}

void Verdicts::leave_undecided(std::size_t i, std::string reason) {
  report_.levels[i].reason = std::move(reason);
  if (!budget_.exhausted()) open_[i] = false;
}

void Verdicts::leave_open(const std::string& reason) {
  for (std::size_t i = 0; i < size(); ++i) {
    if (!open_[i]) continue;
    report_.levels[i].reason = shares_->has_stopped(i) ? shares_->reason(i) : reason;
  }
}

void Verdicts::set_aside(std::size_t i) {
  if (!open_[i]) return;
  open_[i] = false;
  if (shares_->has_stopped(i)) report_.levels[i].reason = shares_->reason(i);
  set_aside_.push_back(i);
}

bool Verdicts::may_work(std::size_t i) const {
  return open_[i] && !shares_->has_stopped(i) && !budget_.exhausted();
}

bool Verdicts::has_right_results(const LevelInfo& level, Proof& proof) const {
  return !has_results_ || checker::has_right_results(history_, level, proof, budget_);
}

std::size_t Verdicts::add(Proof proof) {
  report_.proofs.push_back(std::move(proof));
  return report_.proofs.size() - 1;
}

void Verdicts::close(std::size_t i, Verdict verdict, std::size_t proof) {
  ISOLDE_CHECK(open_[i]);
  open_[i] = false;
  report_.levels[i].verdict = verdict;
  report_.levels[i].proof = proof;
  report_.levels[i].reason.clear();
}

void Verdicts::settle(std::size_t i, Proof proof) {
  const LevelInfo& proved = row(i);
  if (!has_right_results(proved, proof)) {
    return stop(i, "an aggregate is not explained by the executions that were found");
  }
  const bool holds = proves_holding(proof);
  const std::size_t at = add(std::move(proof));
  close(i, holds ? Verdict::kHolds : Verdict::kViolated, at);
  share(proved, at);
}

void Verdicts::share(const LevelInfo& proved, std::size_t at) {
  const Proof& proof = report_.proofs[at];
  if (std::holds_alternative<Witness>(proof)) {
    share_witness(proved, at);
  } else if (std::holds_alternative<SessionWitness>(proof)) {
    share_executions(proved, at);
  } else if (std::holds_alternative<Refutation>(proof)) {
    share_refutation(proved, at);
  }
}

void Verdicts::share_witness(const LevelInfo& proved, std::size_t at) {
  std::optional<std::size_t> commits;  // position of the proof without snapshots
  for (std::size_t other = 0; other < size(); ++other) {
    const LevelInfo& level = row(other);
    const bool implied =
        implies(proved.level, level.level) ||
        (proved.base == BaseLevel::kCausal && level.base == BaseLevel::kSequential);
    if (!open_[other] || is_about_other_reads(other) || !implied) continue;
    const auto& witness = std::get<Witness>(report_.proofs[at]);
    // An order tested read by read tells no sources, for which the test of views then takes the
    // latest ones. The level follows all the same (close_open_levels()).
    const bool needs_sources = values_repeat_ && witness.sources.empty() &&
                               tests_each_read(proved.base) && !tests_each_read(level.base) &&
                               traits(level.base).views != Views::kNone;
    if (needs_sources) continue;
    const Fit fit = checker::fit(witness, proved, level);
    if (fit == Fit::kNone) continue;
    if (has_results_) {
      // Sources that explain an aggregate here need not do so there.
      Proof own = fit == Fit::kAsIs ? witness : commits_only(witness);
      if (!has_right_results(level, own)) continue;
      close(other, Verdict::kHolds, add(std::move(own)));
      continue;
    }
    if (fit == Fit::kCommitsOnly && !commits) {
      commits = add(commits_only(witness));
    }
    close(other, Verdict::kHolds, fit == Fit::kAsIs ? at : *commits);
  }
}

void Verdicts::share_executions(const LevelInfo& proved, std::size_t at) {
  std::optional<std::size_t> one;  // position of the proof with one execution
  for (std::size_t other = 0; other < size(); ++other) {
    const LevelInfo& level = row(other);
    if (!open_[other] || is_about_other_reads(other)) continue;
    if (!implies(proved.level, level.level)) continue;
    const bool apart = explains_sessions_apart(level.base);
    if (!apart && !one) {
      const auto& executions = std::get<SessionWitness>(report_.proofs[at]).executions;
      one = add(Witness{1, executions.front().order});
    }
    close(other, Verdict::kHolds, apart ? at : *one);
  }
}

void Verdicts::share_refutation(const LevelInfo& proved, std::size_t at) {
  for (std::size_t other = 0; other < size(); ++other) {
    if (!open_[other] || is_about_other_reads(other)) continue;
    const auto& refutation = std::get<Refutation>(report_.proofs[at]);
    std::optional<Refutation> adapted =
        transfer(history_, refutation, proved, row(other), options_.clock_error_ns);
    if (!adapted) continue;
    const bool same = *adapted == refutation;
    close(other, Verdict::kViolated, same ? at : add(std::move(*adapted)));
  }
}

void Verdicts::share_again() {
  for (std::size_t i = 0; i < size(); ++i) {
    open_[i] = report_.levels[i].verdict == Verdict::kUnknown;
  }
  for (std::size_t i = 0; i < size(); ++i) {
    const bool is_proved = !open_[i] && report_.levels[i].verdict != Verdict::kNotApplicable;
    if (is_proved && !is_about_other_reads(i)) share(row(i), report_.levels[i].proof);
  }
}

void Verdicts::close_open_levels() {
  const bool any_open =
      std::any_of(report_.levels.begin(), report_.levels.end(),
                  [](const LevelReport& level) { return level.verdict == Verdict::kUnknown; });
  if (!any_open || size() == 1) return;
  say("comparing levels");
  share_again();
  close_by_implication(report_, has_observed_);
}

}  // namespace isolde::checker
