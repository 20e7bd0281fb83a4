// What keys may have held before all transactions, where the history does not tell.
#pragma once

#include <cstdint>
#include <vector>

#include "isolde/history.hpp"

namespace isolde::stream {

/// For each key with `is_open` what those reads of the round show that may be of the initial
/// version and of nobody in the round: the value of the read that ended first, committed ones
/// before others. Null: that was nothing, or no read shows any. Empty: null for all. Any choice
/// would do that leads to an order; this is the one that does where there is one value. COST: a
/// look at each operation, and a logarithmic one at those of open keys.
std::vector<Value> initial_contents(const History& round, const std::vector<bool>& is_open,
                                    std::int64_t clock_error_ns);

/// By operation: a read that may be of the initial version, whatever that holds. No committed
/// transaction that wrote the key had ended before the reader started, and the reader did not
/// write it before. COST: as above.
std::vector<bool> may_be_initial(const History& history, std::int64_t clock_error_ns);

}  // namespace isolde::stream
