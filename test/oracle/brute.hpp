// The ground truth: decides isolation levels by enumerating executions and evaluating the
// definitions word by word: the commit and session tests of Crooks 2019 ("A client-centric
// approach to transactional datastores", chapters 3 and 4) and the axioms of Biswas and Enea
// (OOPSLA 2019). Slow and obvious on purpose; for histories of a few transactions.
//
//   effects        what a transaction reads and writes
//   execution      orders of transactions and their states
//   commit_tests   levels that ask for one execution
//   session_tests  levels that ask for one in each session
//   brute          which transactions are included; the search; read-uncommitted, linearizable
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "isolde/history.hpp"
#include "isolde/level.hpp"
#include "oracle/execution.hpp"

namespace isolde::oracle {

/// Executions that together show that the level holds; none when it is violated. Where the
/// level asks for one execution, that one. At read-your-writes, monotonic-reads,
/// monotonic-writes, writes-follow-reads and causal one for each session of the history, each
/// of the same transactions. At linearizable one for each key, of transactions that use it. A
/// session's and a key's number is its position in the result. All committed transactions are
/// included and some of the indeterminate ones (at read-uncommitted none, at linearizable some
/// for each key). REQUIRES: at most 8 transactions that are not aborted, and not one of the
/// levels by the database's own times. A real-time level of a history without times asks for
/// nothing more than without real time; see applies() in support/applies.hpp.
std::optional<std::vector<std::vector<TxnId>>> brute_force_executions(
    const History& history, Level level, std::int64_t clock_error_ns);

/// The first of these, for levels that ask for one execution. For the others only whether it is
/// there has a meaning.
std::optional<std::vector<TxnId>> brute_force_execution(const History& history, Level level,
                                                        std::int64_t clock_error_ns);

/// Whether the history satisfies the level.
bool brute_force_holds(const History& history, Level level, std::int64_t clock_error_ns);

}  // namespace isolde::oracle
