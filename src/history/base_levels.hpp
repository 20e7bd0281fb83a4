// What base levels have in common, for those that decide, prove and explain.
#pragma once

#include "isolde/level.hpp"

namespace isolde {

/// All reads of a transaction come from one state: serializability, snapshot isolation and
/// prefix consistency in all their forms.
bool reads_one_state(BaseLevel base);

/// Causal consistency and the four session guarantees: each session may have its own execution.
bool explains_sessions_apart(BaseLevel base);

/// The forms of snapshot isolation defined by the database's own times.
bool goes_by_database_times(BaseLevel base);

/// Levels that transactions of a mixed history may run at: those whose axioms assume one commit
/// order for all, from read committed to serializability.
bool is_mixable(BaseLevel base);

/// Two reads of a key by one transaction agree, its own writes aside.
bool reads_repeatably(BaseLevel base);

/// A refused insert is a read of some row: reads are of what is committed when they happen, or
/// when the transaction commits. At mixed levels those of some transactions are. At the others,
/// whose reads may be of an older state, it is disregarded (docs/LEVELS.md).
bool counts_refused_inserts(BaseLevel base);

/// Two transactions may not both replace the same version of a key.
bool forbids_lost_updates(BaseLevel base);

}  // namespace isolde
