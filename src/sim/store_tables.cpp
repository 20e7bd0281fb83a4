// The tables of the store: its levels, its staleness, its faults.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "history/level_names.hpp"
#include "sim/store.hpp"

namespace isolde::sim {
namespace {

constexpr std::uint8_t bit(StoreLevel level) {
  return static_cast<std::uint8_t>(1U << static_cast<unsigned>(level));
}

constexpr std::uint8_t kSerializableOnes =
    bit(StoreLevel::kStrictSerializable) | bit(StoreLevel::kSerializable);
constexpr std::uint8_t kSnapshotOnes = kSerializableOnes | bit(StoreLevel::kSnapshotIsolation);
constexpr std::uint8_t kAllLevels = kSnapshotOnes | bit(StoreLevel::kReadCommitted);

constexpr std::array<StoreLevelInfo, 4> kStoreLevels = {{
    {StoreLevel::kStrictSerializable, "strict-serializable",
     "optimistic: a commit succeeds when everything read is still the latest"},
    {StoreLevel::kSerializable, "serializable", "serializable snapshot isolation"},
    {StoreLevel::kSnapshotIsolation, "snapshot-isolation",
     "reads of one snapshot, the first committer of a key wins"},
    {StoreLevel::kReadCommitted, "read-committed", "each read takes the latest commit"},
}};

constexpr std::array<StalenessInfo, 3> kStalenesses = {{
    {Staleness::kFresh, "fresh", "snapshots hold every earlier commit"},
    {Staleness::kSession, "session",
     "snapshots may miss recent commits, but none that the session knows of"},
    {Staleness::kAny, "any", "snapshots may miss recent commits"},
}};

constexpr std::array<FaultInfo, 19> kFaults = {{
    {Fault::kNone, "none", "the store keeps its level", std::nullopt, kAllLevels},
    {Fault::kLostUpdate, "lost-update",
     "a commit overwrites a version that its transaction should have seen and did not",
     Level::kSnapshotIsolation, kSnapshotOnes},
    {Fault::kAbortedRead, "aborted-read",
     "others read the writes of a transaction in progress that will abort",
     Level::kReadCommitted, kAllLevels},
    {Fault::kIntermediateRead, "intermediate-read",
     "a transaction writes a key twice, and in between others read its first write",
     Level::kReadCommitted, kAllLevels},
    {Fault::kFracturedRead, "fractured-read",
     "half of a transaction's writes become visible some commits after the others",
     Level::kStrongSessionMonotonicAtomicView, kAllLevels},
    {Fault::kWriteSkew, "write-skew",
     "a transaction commits as under snapshot isolation, whatever it missed",
     Level::kSerializable, kSerializableOnes},
    {Fault::kStaleRead, "stale-read",
     "a transaction gets an old snapshot (never older than what its session has seen)",
     Level::kStrongSnapshotIsolation, kSnapshotOnes},
    {Fault::kLongFork, "long-fork",
     "sessions with odd and even numbers see each other's commits late, for a while",
     Level::kSnapshotIsolation, kSnapshotOnes},
    {Fault::kThinAirRead, "thin-air-read", "a read returns a value that nobody ever writes",
     Level::kReadCommitted, kAllLevels},
    {Fault::kFutureRead, "future-read",
     "a read returns what its own transaction will write later", Level::kReadCommitted,
     kAllLevels},
    {Fault::kNotMyLastWrite, "not-my-last-write",
     "a transaction that has written a key twice reads its first write", Level::kReadCommitted,
     kAllLevels},
    {Fault::kNotMyOwnWrite, "not-my-own-write",
     "a transaction reads a key that it has written and sees the version before",
     Level::kReadCommitted, kAllLevels},
    {Fault::kNonRepeatableRead, "non-repeatable-read",
     "a transaction reads a key once more and sees a later version", Level::kSnapshotIsolation,
     kSnapshotOnes},
    {Fault::kSessionViolation, "session-violation",
     "a transaction gets a snapshot older than what its session has done and seen",
     Level::kStrongSessionSnapshotIsolation, kSnapshotOnes},
    {Fault::kNonMonotonicRead, "non-monotonic-read",
     "a transaction that has seen one write of another misses a second one of it",
     Level::kStrongSessionMonotonicAtomicView, kAllLevels},
    {Fault::kCausalityViolation, "causality-violation",
     "a commit is seen late by half of the sessions, and what builds on it in time",
     Level::kSnapshotIsolation, kSnapshotOnes},
    {Fault::kReadSkew, "read-skew",
     "each read of a transaction takes the latest version instead of its snapshot's",
     Level::kSnapshotIsolation, kSnapshotOnes},
    {Fault::kDirtyWrite, "dirty-write",
     "the appends of two transactions to two lists end up in opposite orders",
     Level::kReadCommitted, kAllLevels},
    {Fault::kCircularFlow, "circular-flow",
     "others read the writes of a transaction in progress, and it reads theirs",
     Level::kReadCommitted, kAllLevels},
}};

template <typename Row, std::size_t kCount>
const Row* find_row(const std::array<Row, kCount>& rows, std::string_view name) {
  const auto* const row = std::ranges::find(rows, name, &Row::name);
  return row == rows.end() ? nullptr : row;
}

template <typename Row, std::size_t kCount>
std::vector<std::string_view> names_of(const std::array<Row, kCount>& rows) {
  std::vector<std::string_view> names;
  for (const Row& row : rows) names.push_back(row.name);
  return names;
}

template <typename Row, std::size_t kCount>
Error unknown_name(const std::array<Row, kCount>& rows, std::string_view what,
                   std::string_view name) {
  const std::vector<std::string_view> names = names_of(rows);
  std::string list;
  for (const std::string_view each : names) {
    list += (list.empty() ? "" : ", ") + std::string(each);
  }
  return Error{ErrorCode::kUsage, "no " + std::string(what) + " '" + std::string(name) + "'" +
                                      base::did_you_mean(base::plain_name(name), names) +
                                      "; use " + list};
}

}  // namespace

std::span<const StoreLevelInfo> all_store_levels() { return kStoreLevels; }
std::span<const StalenessInfo> all_stalenesses() { return kStalenesses; }
std::span<const FaultInfo> all_faults() { return kFaults; }

const StoreLevelInfo& info(StoreLevel level) {
  return kStoreLevels[static_cast<std::size_t>(level)];
}
const StalenessInfo& info(Staleness staleness) {
  return kStalenesses[static_cast<std::size_t>(staleness)];
}
const FaultInfo& info(Fault fault) { return kFaults[static_cast<std::size_t>(fault)]; }

Result<StoreLevel> parse_store_level(std::string_view name) {
  const auto meant = history::meant_name(name, names_of(kStoreLevels));
  const StoreLevelInfo* const row = find_row(kStoreLevels, meant.value_or(name));
  if (row == nullptr) return unknown_name(kStoreLevels, "store level", name);
  return row->level;
}

Result<Staleness> parse_staleness(std::string_view name) {
  const StalenessInfo* const row = find_row(kStalenesses, name);
  if (row == nullptr) return unknown_name(kStalenesses, "staleness", name);
  return row->staleness;
}

Result<Fault> parse_fault(std::string_view name) {
  const FaultInfo* const row = find_row(kFaults, name);
  if (row == nullptr) return unknown_name(kFaults, "fault", name);
  return row->fault;
}

Level guaranteed_level(StoreLevel level, Staleness staleness) {
  switch (level) {
    case StoreLevel::kStrictSerializable:
      return Level::kStrictSerializable;
    case StoreLevel::kSerializable:
      if (staleness == Staleness::kFresh) return Level::kStrictSerializable;
      return staleness == Staleness::kSession ? Level::kStrongSessionSerializable
                                              : Level::kSerializable;
    case StoreLevel::kSnapshotIsolation:
      if (staleness == Staleness::kFresh) return Level::kStrongSnapshotIsolation;
      return staleness == Staleness::kSession ? Level::kStrongSessionSnapshotIsolation
                                              : Level::kSnapshotIsolation;
    case StoreLevel::kReadCommitted:
      break;
  }
  return staleness == Staleness::kAny ? Level::kReadCommitted
                                      : Level::kStrongSessionMonotonicAtomicView;
}

}  // namespace isolde::sim
