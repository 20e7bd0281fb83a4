#include "support/applies.hpp"

#include "history/base_levels.hpp"

namespace isolde::support {

static bool all_state_mixable_levels(const History& history) {
  bool any = false;
  bool any_repeatable = false;
  bool any_in_part = false;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    if (history.status(txn) == TxnStatus::kAborted) continue;
    any = true;
    const std::optional<Level> level = history.stated_level(txn);
    if (!level || !is_mixable(info(*level).base) || info(*level).real_time) return false;
    any_repeatable = any_repeatable || disregards_left_out_rows(info(*level).base);
    any_in_part = any_in_part || !history.selections(txn).empty();
    const bool reads_now = counts_refused_inserts(info(*level).base);
    for (const Op& op : history.ops(txn)) {
      const bool counts =
          reads_now && history.is_refused_insert(op) && !history.is_list(op.key);
      any_in_part = any_in_part || op.is_partial() || counts;
    }
  }
  return any && !(any_repeatable && any_in_part);
}

bool applies(Level level, const History& history) {
  const LevelInfo& row = info(level);
  if (goes_by_database_times(row.base)) return history.has_database_times();
  if (needs_times(row) && !history.has_times()) return false;
  return row.base != BaseLevel::kMixed || all_state_mixable_levels(history);
}

}  // namespace isolde::support
