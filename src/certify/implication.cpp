// The tables name for each base the next weaker ones, as docs/LEVELS.md draws them; what
// implies what is a path, and a step from one form to another follows from what binds in both.
// The engine's table is another one (isolde/levels.def); tests hold the two, and the oracle,
// against each other.
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

using enum BaseLevel;

/// From a form of one base to those of another at which no more binds.
struct Step {
  BaseLevel stronger;
  BaseLevel weaker;
};

constexpr auto kSteps = std::to_array<Step>({
    {kPerKeyStrict, kSerializable},
    {kSerializable, kRepeatableRead},
    {kSerializable, kSnapshotIsolation},
    {kSerializable, kMixed},
    {kCommitOrderedSnapshot, kAnsiSnapshot},
    {kPrefixSnapshot, kAnsiSnapshot},
    {kPrefixSnapshot, kSnapshotIsolation},  // with sessions, which are no form of ANSI's
    {kAnsiSnapshot, kSnapshotIsolation},
    {kSnapshotIsolation, kParallelSnapshot},
    {kSnapshotIsolation, kPrefixConsistency},
    {kParallelSnapshot, kTransactionalCausal},
    {kParallelSnapshot, kReadAtomic},
    {kPrefixConsistency, kSequential},
    {kPrefixConsistency, kTransactionalCausal},
    {kPrefixConsistency, kReadAtomic},
    {kSequential, kCausal},
    {kSequential, kMonotonicAtomicView},
    {kTransactionalCausal, kReadAtomic},
    {kCausal, kReadCommitted},
    {kCausal, kMonotonicReads},
    {kCausal, kReadYourWrites},
    {kReadAtomic, kMonotonicAtomicView},
    {kMonotonicAtomicView, kReadCommitted},
    {kReadCommitted, kWritesFollowReads},
    {kReadCommitted, kMonotonicWrites},
    {kReadCommitted, kReadUncommitted},
});

// Not where rows are deleted: there a transaction may write a row again without having seen
// that it was deleted.
constexpr auto kWithoutDeletions = std::to_array<Step>({
    {kParallelSnapshot, kLinearizable},
    {kParallelSnapshot, kCausal},
});

// Where inserts were refused, no step leads from a level that disregards them to one at which
// they count. These need none.
constexpr auto kPastSuchSteps = std::to_array<Step>({
    {kSerializable, kReadCommitted},
    {kRepeatableRead, kReadCommitted},
    {kMonotonicAtomicView, kWritesFollowReads},
    {kMonotonicAtomicView, kMonotonicWrites},
    {kMonotonicAtomicView, kReadUncommitted},
    {kCausal, kWritesFollowReads},
    {kCausal, kMonotonicWrites},
    {kCausal, kReadUncommitted},
});

// Where selections left out rows, repeatable read alone disregards them.
constexpr Step kWithoutRows = {kRepeatableRead, kReadCommitted};
constexpr Step kWithRows = {kRepeatableRead, kReadAtomic};

// Where what binds in the one is not what binds in the other: real time for each key by itself,
// and an execution that need not keep the order of the sessions whose reads it explains.
constexpr auto kStepsOfLevels = std::to_array<std::pair<Level, Level>>({
    {Level::kStrictSerializable, Level::kPerKeyStrictSerializable},
    {Level::kPerKeyStrictSerializable, Level::kLinearizable},
    {Level::kWritesFollowReads, Level::kReadCommitted},
    {Level::kWritesFollowReads, Level::kReadUncommitted},
});

/// Where each session's transactions follow one another in real time, what binds real time
/// binds session order.
bool binds_no_more(const LevelInfo& weaker, const LevelInfo& stronger,
                   bool sessions_follow_time) {
  if (weaker.real_time && !stronger.real_time) return false;
  return !weaker.session_order || stronger.session_order ||
         (stronger.real_time && sessions_follow_time);
}

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
  const auto go = [&](Level from, Level to) {
    const bool asks_more =
        reads_what_is_current(info(to).base) && !reads_what_is_current(info(from).base);
    if (rows.refused && asks_more) return;
    const bool is_new = std::find(reached.begin(), reached.end(), to) == reached.end();
    if (is_new) reached.push_back(to);
  };
  const auto go_along = [&](const Step& step, Level from) {
    if (info(from).base != step.stronger) return;
    for (const LevelInfo& to : all_levels()) {
      if (to.base != step.weaker) continue;
      if (binds_no_more(to, info(from), sessions_follow_time)) go(from, to.level);
    }
  };
  for (std::size_t at = 0; at < reached.size(); ++at) {
    const Level from = reached[at];
    go_along({info(from).base, info(from).base}, from);
    for (const Step& step : kSteps) go_along(step, from);
    for (const Step& step : kPastSuchSteps) go_along(step, from);
    go_along(rows.left_out ? kWithoutRows : kWithRows, from);
    for (const Step& step : kWithoutDeletions) {
      if (!rows.deleted) go_along(step, from);
    }
    for (const auto& [one, other] : kStepsOfLevels) {
      if (one == from) go(from, other);
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
