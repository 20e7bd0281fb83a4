// What the oracle's commit tests say of one given order, for tiny histories.
#pragma once

#include <functional>
#include <vector>

#include "isolde/history.hpp"
#include "isolde/level.hpp"

namespace isolde::certify::test {

/// True for the levels that acceptable() knows: they ask for one execution of all transactions,
/// and for no times but those of the clients.
bool asks_for_one_execution(const LevelInfo& level);

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
