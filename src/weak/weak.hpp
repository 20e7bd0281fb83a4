// Levels that leave version orders open except as list reads show, from read uncommitted to
// transactional causal consistency. Each is decided in polynomial time by one acyclicity check.
#pragma once

#include <optional>

#include "base/budget.hpp"
#include "history/certificate.hpp"
#include "infer/observations.hpp"
#include "isolde/level.hpp"

namespace isolde::checker {

/// A witness or a refutation. REQUIRES: a level with Method::kViews; the observations have no
/// finding and no ambiguity; where the level forbids them, no non-repeatable read. None when
/// the budget ran out. COST for n operations in s sessions: linear for read committed;
/// monotonic atomic view and read atomic add, for each transaction and each one it read from,
/// the smaller of what the first read and what the second wrote (n^1.5 at worst: Moldrup &
/// Pavlogiannis, PLDI 2025); transactional causal O(n s) time and 4 s bytes a transaction. The
/// result does not depend on the number of threads.
std::optional<Proof> decide_weak(const infer::Observations& seen, const LevelInfo& level,
                                 std::int64_t clock_error_ns, base::Budget& budget,
                                 unsigned threads = 1);

/// The same for the read-uncommitted levels, for any reads. Only the order in which list reads
/// show appends of committed transactions counts. COST: linear in operations and list elements,
/// with real time O(n log n).
std::optional<Proof> decide_uncommitted(const infer::Observations& seen, const LevelInfo& level,
                                        std::int64_t clock_error_ns, base::Budget& budget);

}  // namespace isolde::checker
