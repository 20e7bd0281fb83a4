// What the oracle asks at each base level, one row for each, in level_tests.cpp: which test of
// executions it is, and which second definition the oracle is held against. The rows only name
// them. Nothing is taken from the engine's rows or the verifier's.
#pragma once

#include "isolde/level.hpp"

namespace isolde::oracle {

/// Tests of a transaction in an execution (commit_tests.cpp), and what is none.
enum class Asks {
  kParentState,    ///< the parent state is a read state of all reads
  kSnapshot,       ///< some state is
  kReadStates,     ///< every read has a read state
  kCausesVisible,  ///< CAUS-VIS
  kCausalAxiom,    ///< of causes on all paths
  kAtomicAxiom,    ///< of direct causes
  kMonotonicView,  ///< of sources of earlier reads
  kForwardReads,   ///< IRC, and what precedes is seen
  kSessionTest,    ///< an execution for each session (session_tests.cpp)
  kKeyByKey,       ///< an execution for each key (brute.cpp)
  kShownOrder,     ///< an order that goes along with lists (brute.cpp)
  kOwnLevel,       ///< what each transaction states
};

/// Second definitions (second_opinion.hpp).
enum class Second {
  kGraphWithReads,  ///< no cycle, rw edges included
  kGraphOfRows,     ///< PL-2+
  kGraphCausal,     ///< no cycle without rw, and no fractured read of what leads there
  kGraphAtomic,     ///< the same, of what is read from
  kGraphMonotonic,  ///< the same, of what was read from before
  kGraph,           ///< no cycle without rw
  kSessionGraphs,
  kEvents,              ///< start and commit events
  kEventsOfOneWriter,   ///< the same, writers of a key one after the other
  kTimeline,            ///< the database's times, a snapshot of any age
  kTimelineOfSessions,  ///< the same, not older than its session
  kTimelineNow,         ///< the same, as old as the transaction
  kInterleaving,
  kPoints,
  kAxioms,
  kShownCycles,
};

struct LevelTest {
  BaseLevel base;
  Asks asks;
  Second second;
  // With Asks::kSnapshot:
  bool has_conflicts = false;  ///< W(T) is not written between the snapshot and T
  bool by_database_times = false;
  bool is_up_to_date = false;  ///< [I8]
  /// Preceding are also those that precede in time and use a common key.
  bool in_time_by_key = false;
  /// A selection that left out a row read a version that does not match.
  bool absent_rows = true;
  /// Refused inserts read what is there when the transaction commits, or when they run.
  bool refusals_count = false;
};

const LevelTest& level_test(BaseLevel base);

/// The test asks where reads come from, not only which states show their results.
inline bool asks_for_sources(BaseLevel base) {
  const Asks asks = level_test(base).asks;
  return asks == Asks::kCausesVisible || asks == Asks::kCausalAxiom ||
         asks == Asks::kAtomicAxiom || asks == Asks::kMonotonicView ||
         asks == Asks::kForwardReads;
}

}  // namespace isolde::oracle
