#include "support/applies.hpp"

namespace isolde::support {

static bool all_state_mixable_levels(const History& history) {
  bool any = false;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    if (history.status(TxnId::at(t)) == TxnStatus::kAborted) continue;
    any = true;
    const std::optional<Level> level = history.stated_level(TxnId::at(t));
    if (!level || !is_mixable(info(*level).base) || info(*level).real_time) return false;
    if (info(*level).base == BaseLevel::kRepeatableRead && !history.predicates().empty())
      return false;
  }
  return any;
}

bool applies(Level level, const History& history) {
  const LevelInfo& row = info(level);
  switch (row.base) {
    case BaseLevel::kCommitOrderedSnapshot:
    case BaseLevel::kPrefixSnapshot:
    case BaseLevel::kAnsiSnapshot:
      return history.has_database_times();
    case BaseLevel::kMixed:
      return (!row.real_time || history.has_times()) && all_state_mixable_levels(history);
    default:
      return !needs_times(row) || history.has_times();
  }
}

}  // namespace isolde::support
