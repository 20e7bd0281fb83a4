// The table names for each level the next weaker ones, as docs/LEVELS.md draws them; what
// implies what is a path. The engine works from bases and switches instead
// (history/level.cpp); tests hold the two, and the oracle, against each other.
#include "certify/implication.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "certify/current_reads.hpp"
#include "certify/replay.hpp"

namespace isolde::certify {
namespace {

using enum Level;
using Step = std::pair<Level, Level>;  // stronger, weaker

constexpr auto kSteps = std::to_array<Step>({
    {kStrictSerializable, kPerKeyStrictSerializable},
    {kStrictSerializable, kStrongSnapshotIsolation},
    {kPerKeyStrictSerializable, kSerializable},
    {kPerKeyStrictSerializable, kLinearizable},
    {kStrongSessionSerializable, kSerializable},
    {kStrongSessionSerializable, kStrongSessionSnapshotIsolation},
    {kStrongSessionSerializable, kMixed},
    {kSerializable, kRepeatableRead},
    {kSerializable, kSnapshotIsolation},
    {kCommitOrderedStrongSnapshotIsolation, kAnsiSnapshotIsolation},
    {kPrefixConsistentSnapshotIsolation, kAnsiSnapshotIsolation},
    {kPrefixConsistentSnapshotIsolation, kStrongSessionSnapshotIsolation},
    {kAnsiSnapshotIsolation, kSnapshotIsolation},
    {kStrongSnapshotIsolation, kSnapshotIsolation},
    {kStrongSnapshotIsolation, kStrongParallelSnapshotIsolation},
    {kStrongSnapshotIsolation, kStrongPrefixConsistency},
    {kStrongSessionSnapshotIsolation, kSnapshotIsolation},
    {kStrongSessionSnapshotIsolation, kStrongSessionParallelSnapshotIsolation},
    {kStrongSessionSnapshotIsolation, kStrongSessionPrefixConsistency},
    {kSnapshotIsolation, kParallelSnapshotIsolation},
    {kSnapshotIsolation, kPrefixConsistency},
    {kStrongParallelSnapshotIsolation, kParallelSnapshotIsolation},
    {kStrongParallelSnapshotIsolation, kStrongReadAtomic},
    {kStrongSessionParallelSnapshotIsolation, kParallelSnapshotIsolation},
    {kStrongSessionParallelSnapshotIsolation, kTransactionalCausal},
    {kParallelSnapshotIsolation, kReadAtomic},
    {kStrongPrefixConsistency, kPrefixConsistency},
    {kStrongPrefixConsistency, kStrongReadAtomic},
    {kStrongSessionPrefixConsistency, kPrefixConsistency},
    {kStrongSessionPrefixConsistency, kSequential},
    {kStrongSessionPrefixConsistency, kTransactionalCausal},
    {kPrefixConsistency, kReadAtomic},
    {kSequential, kCausal},
    {kSequential, kStrongSessionMonotonicAtomicView},
    {kStrongTransactionalCausal, kTransactionalCausal},
    {kStrongTransactionalCausal, kStrongReadAtomic},
    {kTransactionalCausal, kStrongSessionReadAtomic},
    {kCausal, kStrongSessionReadCommitted},
    {kCausal, kMonotonicReads},
    {kCausal, kReadYourWrites},
    {kStrongReadAtomic, kReadAtomic},
    {kStrongReadAtomic, kStrongMonotonicAtomicView},
    {kStrongSessionReadAtomic, kReadAtomic},
    {kStrongSessionReadAtomic, kStrongSessionMonotonicAtomicView},
    {kReadAtomic, kMonotonicAtomicView},
    {kStrongMonotonicAtomicView, kMonotonicAtomicView},
    {kStrongMonotonicAtomicView, kStrongReadCommitted},
    {kStrongSessionMonotonicAtomicView, kMonotonicAtomicView},
    {kStrongSessionMonotonicAtomicView, kStrongSessionReadCommitted},
    {kMonotonicAtomicView, kReadCommitted},
    {kStrongReadCommitted, kReadCommitted},
    {kStrongReadCommitted, kStrongReadUncommitted},
    {kStrongSessionReadCommitted, kWritesFollowReads},
    {kStrongSessionReadCommitted, kMonotonicWrites},
    {kStrongSessionReadCommitted, kStrongSessionReadUncommitted},
    {kReadCommitted, kReadUncommitted},
    {kWritesFollowReads, kReadCommitted},
    {kStrongReadUncommitted, kReadUncommitted},
    {kStrongSessionReadUncommitted, kReadUncommitted},
    {kStrongMixed, kMixed},
});

// Where each session's transactions follow one another in real time, what binds real time
// binds session order.
constexpr auto kTimedSteps = std::to_array<Step>({
    {kStrictSerializable, kStrongSessionSerializable},
    {kStrictSerializable, kStrongMixed},
    {kStrongSnapshotIsolation, kStrongSessionSnapshotIsolation},
    {kStrongParallelSnapshotIsolation, kStrongSessionParallelSnapshotIsolation},
    {kStrongParallelSnapshotIsolation, kStrongTransactionalCausal},
    {kStrongPrefixConsistency, kStrongSessionPrefixConsistency},
    {kStrongPrefixConsistency, kStrongTransactionalCausal},
    {kStrongReadAtomic, kStrongSessionReadAtomic},
    {kStrongMonotonicAtomicView, kStrongSessionMonotonicAtomicView},
    {kStrongReadCommitted, kStrongSessionReadCommitted},
    {kStrongReadUncommitted, kStrongSessionReadUncommitted},
});

// Not where rows are deleted: there a transaction may write a row again without having seen
// that it was deleted.
constexpr auto kWithoutDeletions = std::to_array<Step>({
    {kStrongParallelSnapshotIsolation, kLinearizable},
    {kStrongSessionParallelSnapshotIsolation, kCausal},
});

// Where inserts were refused, no step leads from a level that disregards them to one at which
// they count. These need none.
constexpr auto kPastSuchSteps = std::to_array<Step>({
    {kStrictSerializable, kStrongReadCommitted},
    {kStrongSessionSerializable, kStrongSessionReadCommitted},
    {kRepeatableRead, kReadCommitted},
    {kStrongSessionReadCommitted, kReadCommitted},
    {kStrongMonotonicAtomicView, kStrongReadUncommitted},
    {kStrongSessionMonotonicAtomicView, kWritesFollowReads},
    {kStrongSessionMonotonicAtomicView, kMonotonicWrites},
    {kStrongSessionMonotonicAtomicView, kStrongSessionReadUncommitted},
    {kMonotonicAtomicView, kReadUncommitted},
    {kCausal, kWritesFollowReads},
    {kCausal, kMonotonicWrites},
    {kCausal, kStrongSessionReadUncommitted},
    {kWritesFollowReads, kReadUncommitted},
});

// Where selections left out rows, repeatable read alone disregards them.
constexpr Step kWithoutRows = {kRepeatableRead, kReadCommitted};
constexpr Step kWithRows = {kRepeatableRead, kReadAtomic};

/// Each transaction of a session that may have taken effect had ended when the next one began.
bool do_sessions_follow_time(const History& history, std::int64_t clock_error_ns) {
  const std::vector<bool> possible = possible_txns(history, true);
  for (std::size_t s = 0; s < history.session_count(); ++s) {
    TxnId last;
    for (const TxnId txn : history.session_txns(SessionId::at(s))) {
      if (!possible[txn.raw()]) continue;
      if (last.is_some() && !ended_before(history, last, txn, clock_error_ns)) return false;
      last = txn;
    }
  }
  return true;
}

RowFacts facts_of_rows(const History& history) {
  RowFacts facts;
  facts.refused = history.has_refused_inserts();
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    for (const Op& op : history.ops(TxnId::at(i))) {
      facts.left_out = facts.left_out || op.kind == OpKind::kReadAbsent;
      facts.deleted = facts.deleted || op.is_delete();
    }
  }
  return facts;
}

}  // namespace

bool is_weaker(Level stronger, Level weaker, bool sessions_follow_time, RowFacts rows) {
  std::vector<Level> reached = {stronger};
  const auto go = [&](const Step& step, Level from) {
    const bool asks_more = reads_what_is_current(info(step.second).base) &&
                           !reads_what_is_current(info(step.first).base);
    if (rows.refused && asks_more) return;
    const bool is_new = std::find(reached.begin(), reached.end(), step.second) == reached.end();
    if (step.first == from && is_new) reached.push_back(step.second);
  };
  for (std::size_t at = 0; at < reached.size(); ++at) {
    const Level from = reached[at];
    for (const Step& step : kSteps) go(step, from);
    for (const Step& step : kPastSuchSteps) go(step, from);
    for (const Step& step : kTimedSteps) {
      if (sessions_follow_time) go(step, from);
    }
    go(rows.left_out ? kWithoutRows : kWithRows, from);
    for (const Step& step : kWithoutDeletions) {
      if (!rows.deleted) go(step, from);
    }
  }
  ISOLDE_ASSERT(reached.size() <= all_levels().size());  // each level once
  return std::find(reached.begin(), reached.end(), weaker) != reached.end();
}

Objection check_implication(const History& history, Level stronger, Level weaker,
                            std::int64_t clock_error_ns) {
  const RowFacts rows = facts_of_rows(history);
  if (is_weaker(stronger, weaker, false, rows)) return kNoObjection;
  const std::string names =
      std::string(info(stronger).name) + " does not imply " + std::string(info(weaker).name);
  if (!is_weaker(stronger, weaker, true, rows)) return names;
  if (do_sessions_follow_time(history, clock_error_ns)) return kNoObjection;
  return names + " where transactions of one session overlap";
}

}  // namespace isolde::certify
