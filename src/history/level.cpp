#include "isolde/level.hpp"

#include <array>

#include "base/assert.hpp"

namespace isolde {
namespace {

constexpr std::array<LevelInfo, 8> kLevels = {{
    {Level::kStrictSerializable, "strict-serializable", "sser", BaseLevel::kSerializable, false,
     true,
     "one transaction after the other, and never before one that had ended when it started"},
    {Level::kStrongSessionSerializable, "strong-session-serializable", "ssser",
     BaseLevel::kSerializable, true, false,
     "one transaction after the other, each session in its own order"},
    {Level::kSerializable, "serializable", "ser", BaseLevel::kSerializable, false, false,
     "equal to running the transactions one after the other in some order"},
    {Level::kStrongSnapshotIsolation, "strong-snapshot-isolation", "strong-si",
     BaseLevel::kSnapshotIsolation, false, true,
     "snapshot isolation where a snapshot holds everything that had ended when it was taken"},
    {Level::kStrongSessionSnapshotIsolation, "strong-session-snapshot-isolation", "sssi",
     BaseLevel::kSnapshotIsolation, true, false,
     "snapshot isolation where a session's snapshots hold its own earlier transactions"},
    {Level::kSnapshotIsolation, "snapshot-isolation", "si", BaseLevel::kSnapshotIsolation,
     false, false,
     "each transaction reads one snapshot, and no two that overlap write the same key"},
    {Level::kStrongSessionMonotonicAtomicView, "strong-session-monotonic-atomic-view", "ssmav",
     BaseLevel::kMonotonicAtomicView, true, false,
     "once a transaction has seen part of another, its later reads see all of it"},
    {Level::kReadCommitted, "read-committed", "rc", BaseLevel::kReadCommitted, false, false,
     "only final values of committed transactions are read, and not in a circle"},
}};

constexpr bool table_is_in_enum_order() {
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    if (static_cast<std::size_t>(kLevels[i].level) != i) return false;
  }
  return true;
}
static_assert(table_is_in_enum_order());

}  // namespace

std::span<const LevelInfo> all_levels() { return kLevels; }

const LevelInfo& info(Level level) {
  const auto row = static_cast<std::size_t>(level);
  ISOLDE_CHECK(row < kLevels.size());
  return kLevels[row];
}

std::optional<Level> find_level(std::string_view name) {
  for (const LevelInfo& row : kLevels) {
    if (name == row.name || (!row.alias.empty() && name == row.alias)) return row.level;
  }
  return std::nullopt;
}

bool implies(Level stronger, Level weaker, bool sessions_respect_time) {
  const LevelInfo& strong = info(stronger);
  const LevelInfo& weak = info(weaker);
  // The base levels form a chain.
  if (static_cast<int>(strong.base) > static_cast<int>(weak.base)) return false;
  if (weak.real_time && !strong.real_time) return false;
  return !weak.session_order || strong.session_order ||
         (strong.real_time && sessions_respect_time);
}

}  // namespace isolde
