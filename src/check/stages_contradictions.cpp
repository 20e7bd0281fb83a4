// Two reads of a transaction that tell a row in part, and that no version of it explains
// together, decide all levels at which its reads of a key agree, before anything is searched.
#include <cstdint>
#include <optional>

#include "base/ways.hpp"
#include "check/stages.hpp"
#include "history/base_levels.hpp"
#include "infer/contradictions.hpp"
#include "level/level_traits.hpp"

namespace isolde::checker {
namespace {

// Work for finding them, besides what is linear with a small factor; the search finds the rest.
constexpr std::uint64_t kMost = 1'000'000;
constexpr std::uint64_t kMostPerOp = 60;

bool all_have_ended(const History& history) {
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    if (history.status(TxnId::at(t)) == TxnStatus::kIndeterminate) return false;
  }
  return true;
}

}  // namespace

void Stages::decide_contradictions() {
  // Rows have been looked at with the whole.
  const bool is_reduced = extract_ == Extract::kFewRows || extract_ == Extract::kOpenRows;
  if (is_reduced || !base::ways().find_contradictions) return;
  bool any = false;
  bool of_items = false;
  verdicts_.for_each_open([&](std::size_t i) {
    const BaseLevel base = verdicts_.row(i).base;
    any = any || reads_repeatably(base) || is_mixed(verdicts_.row(i).level);
    of_items = of_items || disregards_left_out_rows(base);
  });
  if (!any) return;
  infer::Contradictions found;
  {
    const base::Budget::Allowance allowance(budget_, kMost + kMostPerOp * history_.op_count());
    found = infer::find_contradictions(history_, of_items, budget_);
  }
  if (!found.first) return;
  // Whether those by the database's times apply depends on which transactions took effect.
  const bool timed_apply = all_have_ended(history_);
  const auto decide = [&](const Finding& finding, bool is_of_items) {
    verdicts_.decide_all(finding, [&](Level level) {
      BaseLevel base = info(level).base;
      if (disregards_left_out_rows(base) != is_of_items) return false;
      if (is_mixed(level)) base = info(*history_.stated_level(finding.txn)).base;
      return reads_repeatably(base) && (timed_apply || !goes_by_database_times(base));
    });
  };
  decide(*found.first, false);
  if (found.first_of_items) decide(*found.first_of_items, true);
}

}  // namespace isolde::checker
