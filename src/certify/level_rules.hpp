// What each base level asks of an execution, in the verifier's own words: one row for each
// base, in level_rules.cpp. Nothing else in src/certify/ says what a base means, and nothing
// here is taken from the engine's rows (isolde/levels.def); docs/LEVELS.md has the definitions.
// Threads: every function may be called from any. COST: constant.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "isolde/level.hpp"

namespace isolde::certify {

/// What an execution is tested by.
enum class Test : std::uint8_t {
  kStates,     ///< all reads of a transaction come from one state
  kPreceding,  ///< no read misses what precedes its reader
  kSources,    ///< each read comes from an earlier commit; `views` says what else
  kLists,      ///< the order that lists show, and nothing of what is read
  kSessions,   ///< session tests: `session`
  kKeys,       ///< each key by itself
  kStated,     ///< what each transaction states
};

/// With Test::kSources, what a read may not miss; each includes those before it.
enum class Views : std::uint8_t {
  kNone,
  kMonotonic,  ///< writes of whom an earlier step has read from
  kAtomic,     ///< writes of whom any read is from, and of what binds before the reader
  kCausal,     ///< writes of all that leads to the reader by such steps
};

/// With Test::kSessions: `from` of a session's earlier transaction precedes `to` of a later
/// one.
struct SessionRules {
  enum class From : std::uint8_t { kCommit, kCommitOfUpdate, kRead };
  enum class To : std::uint8_t { kAll, kCommitOfUpdate };
  /// Whose reads are events of the execution.
  enum class Events : std::uint8_t { kNone, kOwn, kAll };

  From from = From::kCommit;
  To to = To::kAll;
  bool own_only = false;  ///< in no other session than the one that the execution is for
  bool all_reads = true;  ///< reads of all sessions return states, and not only its own
  Events events = Events::kOwn;
  bool chained = true;      ///< the reads of a transaction follow each other
  bool is_for_all = false;  ///< one execution for all sessions
};

/// By the database's own times.
enum class Clock : std::uint8_t {
  kNone,
  kNotAfter,  ///< commits in their order, and no snapshot holds what committed after the start
  kExactly,   ///< and each holds all that committed before
};

struct LevelRules {
  Test test = Test::kSources;
  /// With Test::kStates: the state is the one at the commit.
  bool at_commit = false;
  /// With Test::kStates: between snapshot and commit nobody commits a write of the same key.
  bool keeps_writers_apart = false;
  Clock clock = Clock::kNone;
  Views views = Views::kNone;
  SessionRules session = {};
  bool real_time_by_key = false;  ///< real time binds those that use a common key
  /// It counts that a selection left out a row. Where it does not, a row that matched at the
  /// start must have been replaced by one that did not before the selection, and no more.
  bool absent_rows = true;
  bool current_reads = false;  ///< refused inserts count: each is a read of some row
  bool may_be_stated = false;  ///< by transactions of a mixed history

  bool is_mixed() const { return test == Test::kStated; }
  bool is_by_sessions() const { return test == Test::kSessions; }
  /// Each session may have an execution of its own.
  bool is_apart() const { return is_by_sessions() && !session.is_for_all; }
  bool is_of_one_state() const { return test == Test::kStates; }
  /// All reads come from one state, after which the transaction may commit late.
  bool has_snapshot() const { return is_of_one_state() && !at_commit; }
  /// Two reads of a key agree, own writes aside.
  bool repeats() const {
    return is_of_one_state() || test == Test::kPreceding || test == Test::kKeys ||
           views >= Views::kAtomic;
  }
  /// Two transactions may not both replace the same version.
  bool loses_no_update() const {
    return at_commit || keeps_writers_apart || test == Test::kPreceding || test == Test::kKeys;
  }
};

/// REQUIRES: the base is one of the table's.
const LevelRules& rules(BaseLevel base);
inline const LevelRules& rules(const LevelInfo& level) { return rules(level.base); }

/// What a form of the base implies, of those forms of other bases at which no more binds.
struct WeakerBases {
  std::initializer_list<BaseLevel> always;
  /// Where no rows are deleted: who writes a row again need not have seen that it was deleted.
  std::initializer_list<BaseLevel> without_deletions = {};
  /// Where selections left out no rows.
  std::initializer_list<BaseLevel> with_all_rows = {};
};

const WeakerBases& weaker_bases(BaseLevel base);

}  // namespace isolde::certify
