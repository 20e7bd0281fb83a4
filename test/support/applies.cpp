#include "support/applies.hpp"

namespace isolde::support {

bool applies(Level level, const History& history) {
  const LevelInfo& row = info(level);
  switch (row.base) {
    case BaseLevel::kCommitOrderedSnapshot:
    case BaseLevel::kPrefixSnapshot:
    case BaseLevel::kAnsiSnapshot:
      return history.has_database_times();
    default:
      return !row.real_time || history.has_times();
  }
}

}  // namespace isolde::support
