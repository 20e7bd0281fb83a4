#include "support/applies.hpp"

namespace isolde::support {

static bool all_state_mixable_levels(const History& history) {
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    if (history.status(TxnId::at(t)) == TxnStatus::kAborted) continue;
    const std::optional<Level> level = history.stated_level(TxnId::at(t));
    if (!level || !is_mixable(info(*level).base) || info(*level).real_time) return false;
  }
  return history.has_stated_levels();
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
      return !row.real_time || history.has_times();
  }
}

}  // namespace isolde::support
