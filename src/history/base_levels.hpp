// What base levels have in common, for those that decide, prove and explain.
#pragma once

#include "isolde/level.hpp"

namespace isolde {
namespace history {

/// What a base's row in levels.def says of it.
struct BaseFacts {
  bool is_mixable = false;
  bool counts_refused_inserts = false;
  bool goes_by_database_times = false;
  bool explains_sessions_apart = false;
  bool sees_operations = false;  ///< without explaining sessions apart
  bool disregards_left_out_rows = false;
  bool real_time_by_key = false;
  bool sees_all_committed = false;
};

const BaseFacts& facts(BaseLevel base);

}  // namespace history

/// Levels that transactions of a mixed history may run at: those whose axioms assume one commit
/// order for all, from read committed to serializability.
inline bool is_mixable(BaseLevel base) { return history::facts(base).is_mixable; }

/// A refused insert is a read of some row: reads are of what is committed when they happen, or
/// when the transaction commits. At mixed levels those of some transactions are. At the others,
/// whose reads may be of an older state, it is disregarded (docs/LEVELS.md).
inline bool counts_refused_inserts(BaseLevel base) {
  return history::facts(base).counts_refused_inserts;
}

/// The forms of snapshot isolation defined by the database's own times.
inline bool goes_by_database_times(BaseLevel base) {
  return history::facts(base).goes_by_database_times;
}

/// Causal consistency and the four session guarantees: each session may have its own execution.
inline bool explains_sessions_apart(BaseLevel base) {
  return history::facts(base).explains_sessions_apart;
}

/// Levels that see a session's operations one by one: lists may show parts of transactions.
inline bool sees_operations(BaseLevel base) {
  return history::facts(base).sees_operations || explains_sessions_apart(base);
}

/// That a selection left out a row says no more than that a row which matched at the start had
/// been replaced: repeatable read, in all its forms.
inline bool disregards_left_out_rows(BaseLevel base) {
  return history::facts(base).disregards_left_out_rows;
}

/// Real time binds transactions that use a common key, and no others.
inline bool binds_real_time_by_key(BaseLevel base) {
  return history::facts(base).real_time_by_key;
}

/// By the database's times, a snapshot holds all that had committed when it was taken.
inline bool sees_all_committed(BaseLevel base) {
  return history::facts(base).sees_all_committed;
}

/// One transaction after the other, its commit at once after its reads: serializability and
/// repeatable read in all their forms.
bool is_serial(BaseLevel base);

/// All reads of a transaction come from one state: serializability, snapshot isolation and
/// prefix consistency in all their forms.
bool reads_one_state(BaseLevel base);

/// Two reads of a key by one transaction agree, its own writes aside.
bool reads_repeatably(BaseLevel base);

/// Two transactions may not both replace the same version of a key.
bool forbids_lost_updates(BaseLevel base);

}  // namespace isolde
