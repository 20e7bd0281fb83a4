// Simulation: an order for histories without times.
#pragma once

#include <cstdint>
#include <vector>

#include "base/budget.hpp"
#include "infer/observations.hpp"

namespace isolde::checker {

/// When the transaction started or ended; where only the other is known, that one; without
/// times its place in the session, scaled so that all sessions run at the same pace.
std::int64_t moment_of(const History& history, TxnId txn, bool at_end);

/// Runs the included transactions one after the other: next comes one whose reads still find
/// their versions current and whose writes overwrite no version with pending readers. Sessions
/// keep their order, even where it does not bind, and run at the same pace. Incomplete when
/// read-from and session order have a cycle or the budget ran out. COST: O((n + m) log n).
std::vector<TxnId> simulate(const infer::Observations& seen, base::Budget& budget);

}  // namespace isolde::checker
