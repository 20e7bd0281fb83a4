// The levels evaluated literally, for tiny histories: the definitions of Crooks 2019 (states,
// read states, commit tests I2, I5, I9) and the axiom of Biswas and Enea for monotonic atomic
// view, on one given order of transactions. Nothing here is clever, and no code is shared with
// the verifier.
#pragma once

#include <functional>
#include <vector>

#include "isolde/history.hpp"
#include "isolde/level.hpp"

namespace isolde::certify::test {

/// True when the transactions in `order`, committing in that order, satisfy the level. Says
/// nothing about which transactions must be in it.
bool acceptable(const History& history, const LevelInfo& level, std::int64_t clock_error_ns,
                const std::vector<TxnId>& order);

/// Calls `visit` with every acceptable order of the committed transactions and any of the
/// indeterminate ones. COST: factorial.
void each_acceptable_order(const History& history, const LevelInfo& level,
                           std::int64_t clock_error_ns,
                           const std::function<void(const std::vector<TxnId>&)>& visit);

}  // namespace isolde::certify::test
