// What one level's proof does for the others: closes those that it proves, and tells which
// attempts have become useless.
#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "check/closure.hpp"
#include "check/pipeline.hpp"
#include "history/base_levels.hpp"
#include "level/level_traits.hpp"
#include "level/transfer.hpp"

namespace isolde::checker {

void Pipeline::close_open_levels() {
  const bool any_open =
      std::any_of(report_.levels.begin(), report_.levels.end(),
                  [](const LevelReport& level) { return level.verdict == Verdict::kUnknown; });
  if (!any_open || report_.levels.size() == 1) return;
  say("comparing levels");
  share_again();
  checker::close_by_implication(report_, has_observed_);
}

void Pipeline::close(std::size_t i, Verdict verdict, std::size_t proof) {
  ISOLDE_CHECK(open_[i]);
  open_[i] = false;
  report_.levels[i].verdict = verdict;
  report_.levels[i].proof = proof;
  report_.levels[i].reason.clear();
}

bool Pipeline::chains_bind(const LevelInfo& level) const {
  return level.session_order || (level.real_time && report_.sessions_respect_time);
}

bool Pipeline::stricter_form_fails(const LevelInfo& level) const {
  return std::any_of(report_.levels.begin(), report_.levels.end(),
                     [&](const LevelReport& other) {
                       const LevelInfo& row = info(other.level);
                       return row.base == level.base && other.level != level.level &&
                              other.verdict == Verdict::kViolated;
                     });
}

bool Pipeline::session_form_fails(const LevelInfo& level) const {
  return std::any_of(report_.levels.begin(), report_.levels.end(),
                     [&](const LevelReport& other) {
                       const LevelInfo& row = info(other.level);
                       return row.base == level.base && row.session_order && !row.real_time &&
                              other.verdict == Verdict::kViolated;
                     });
}

void Pipeline::settle(std::size_t i, Proof proof) {
  if (!has_right_results(info(report_.levels[i].level), proof)) {
    return shares_->stop(i, "an aggregate is not explained by the executions that were found");
  }
  report_.proofs.push_back(std::move(proof));
  const std::size_t at = report_.proofs.size() - 1;
  const LevelInfo& proved = info(report_.levels[i].level);
  if (proves_holding(report_.proofs[at])) {
    close(i, Verdict::kHolds, at);
    if (std::holds_alternative<Witness>(report_.proofs[at])) share_witness(proved, at);
    if (std::holds_alternative<SessionWitness>(report_.proofs[at])) {
      share_executions(proved, at);
    }
  } else {
    close(i, Verdict::kViolated, at);
    if (std::holds_alternative<Refutation>(report_.proofs[at])) share_refutation(proved, at);
  }
}

void Pipeline::share_witness(const LevelInfo& proved, std::size_t at) {
  std::optional<std::size_t> commits;  // position of the proof without snapshots
  for (std::size_t other = 0; other < report_.levels.size(); ++other) {
    const LevelInfo& level = info(report_.levels[other].level);
    const bool implied =
        implies_there(proved.level, level.level, report_.sessions_respect_time, report_.rows) ||
        (proved.base == BaseLevel::kCausal && level.base == BaseLevel::kSequential);
    if (!open_[other] || is_about_other_reads(other) || !implied) continue;
    const auto& witness = std::get<Witness>(report_.proofs[at]);
    // An order tested read by read tells no sources, for which the test of views then takes the
    // latest ones. The level follows all the same (close_open_levels()).
    const bool needs_sources = values_repeat_ && witness.sources.empty() &&
                               tests_each_read(proved.base) && !tests_each_read(level.base) &&
                               traits(level.base).views != Views::kNone;
    if (needs_sources) continue;
    const checker::Fit fit = checker::fit(witness, proved, level);
    if (fit == checker::Fit::kNone) continue;
    if (has_results_) {
      // Sources that explain an aggregate here need not do so there.
      Proof own = fit == checker::Fit::kAsIs ? witness : checker::commits_only(witness);
      if (!has_right_results(level, own)) continue;
      report_.proofs.push_back(std::move(own));
      close(other, Verdict::kHolds, report_.proofs.size() - 1);
      continue;
    }
    if (fit == checker::Fit::kCommitsOnly && !commits) {
      report_.proofs.emplace_back(checker::commits_only(witness));
      commits = report_.proofs.size() - 1;
    }
    close(other, Verdict::kHolds, fit == checker::Fit::kAsIs ? at : *commits);
  }
}

void Pipeline::share_executions(const LevelInfo& proved, std::size_t at) {
  std::optional<std::size_t> one;  // position of the proof with one execution
  for (std::size_t other = 0; other < report_.levels.size(); ++other) {
    const LevelInfo& level = info(report_.levels[other].level);
    if (!open_[other] || is_about_other_reads(other)) continue;
    if (!implies_there(proved.level, level.level, report_.sessions_respect_time,
                       report_.rows)) {
      continue;
    }
    const bool apart = explains_sessions_apart(level.base);
    if (!apart && !one) {
      const auto& executions = std::get<SessionWitness>(report_.proofs[at]).executions;
      report_.proofs.emplace_back(Witness{1, executions.front().order});
      one = report_.proofs.size() - 1;
    }
    close(other, Verdict::kHolds, apart ? at : *one);
  }
}

bool Pipeline::is_about_other_reads(std::size_t i) const {
  return report_.rows.left_out && disregards_left_out_rows(info(report_.levels[i].level).base);
}

void Pipeline::share_refutation(const LevelInfo& proved, std::size_t at) {
  for (std::size_t other = 0; other < report_.levels.size(); ++other) {
    if (!open_[other] || is_about_other_reads(other)) continue;
    const auto& refutation = std::get<Refutation>(report_.proofs[at]);
    std::optional<Refutation> adapted =
        checker::transfer(history_, refutation, proved, info(report_.levels[other].level),
                          options_.clock_error_ns);
    if (!adapted) continue;
    const bool same = *adapted == refutation;
    if (!same) report_.proofs.emplace_back(std::move(*adapted));
    close(other, Verdict::kViolated, same ? at : report_.proofs.size() - 1);
  }
}

void Pipeline::share_again() {
  for (std::size_t i = 0; i < report_.levels.size(); ++i) {
    open_[i] = report_.levels[i].verdict == Verdict::kUnknown;
  }
  for (std::size_t i = 0; i < report_.levels.size(); ++i) {
    const LevelReport& level = report_.levels[i];
    if (open_[i] || level.verdict == Verdict::kNotApplicable) continue;
    if (is_about_other_reads(i)) continue;
    const Proof& proof = report_.proofs[level.proof];
    const LevelInfo& proved = info(level.level);
    if (std::holds_alternative<Witness>(proof)) {
      share_witness(proved, level.proof);
    } else if (std::holds_alternative<SessionWitness>(proof)) {
      share_executions(proved, level.proof);
    } else if (std::holds_alternative<Refutation>(proof)) {
      share_refutation(proved, level.proof);
    }
  }
}

}  // namespace isolde::checker
