#include "check/pipeline.hpp"

#include <algorithm>
#include <utility>

#include "base/memory_guard.hpp"
#include "level/level_traits.hpp"
#include "linear/linear.hpp"
#include "weak/timed.hpp"

namespace isolde::checker {

Pipeline::Pipeline(const History& history, const CheckOptions& options, base::Budget& budget)
    : history_(history),
      options_(options),
      budget_(budget),
      verdicts_(history, options, leaves_out_rows(history), budget),
      stages_(history, Extract::kWhole, options, verdicts_, budget) {}

CheckReport Pipeline::run() {
  const bool fits = base::fits_memory([&] {
    decide_levels();
    verdicts_.try_set_aside_again([&](std::size_t i) {
      is_told_by_key(verdicts_.row(i).level) ? decide_linear(i) : decide_items(i);
    });
  });
  stages_.release_all();
  return verdicts_.finish(fits);
}

void Pipeline::decide_levels() {
  verdicts_.leave_out_timed(why_not_timed(history_), Verdict::kNotApplicable);
  stages_.decide_contradictions();
  // Where rows were left out, an order of all transactions is found sooner, and tells of each
  // key.
  if (!verdicts_.rows().left_out) decide_linear();
  decide_repeatable_read();
  decide_rows_when_needed();
  if (verdicts_.rows().left_out) decide_linear();
  decide_results_when_needed();
  stages_.find_impossible_result();
  stages_.decide();
}

void Pipeline::decide_linear() {
  for (std::size_t i = 0; i < verdicts_.size(); ++i) {
    if (!verdicts_.is_open(i) || !is_told_by_key(verdicts_.row(i).level)) continue;
    verdicts_.run_share(i, [&] { decide_linear(i); });
    verdicts_.set_aside(i);
  }
}

void Pipeline::decide_linear(std::size_t i) {
  const LevelInfo& level = verdicts_.row(i);
  verdicts_.say("deciding", level);
  LinearAnswer answer = checker::decide_linear(
      history_, options_.clock_error_ns,
      [this](const History& key) { return check_key(key, options_, budget_); }, budget_);
  verdicts_.count_included(answer.included);
  if (!answer.proof) return verdicts_.leave_undecided(i, answer.reason);
  if (!verdicts_.has_right_results(level, *answer.proof)) return settle_impossible_or_leave(i);
  verdicts_.settle(i, std::move(*answer.proof));
}

void Pipeline::decide_repeatable_read() {
  for (std::size_t i = 0; i < verdicts_.size(); ++i) {
    if (!verdicts_.is_open(i) || !verdicts_.is_about_other_reads(i)) continue;
    verdicts_.run_share(i, [&] { decide_items(i); });
    verdicts_.set_aside(i);
  }
}

}  // namespace isolde::checker
