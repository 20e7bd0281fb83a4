// What keys may have held before all transactions, where the history does not tell.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isolde/history.hpp"
#include "stream/boundary.hpp"

namespace isolde::stream {

/// For each key with `is_open` what those reads of the round show that may be of the initial
/// version and of nobody in the round: the value of the read that ended first, committed ones
/// before others. Null: that was nothing, or no read shows any. Empty: null for all. Any choice
/// would do that leads to an order; this is the one that does where there is one value. COST: a
/// look at each operation, and a logarithmic one at those of open keys.
std::vector<Value> initial_contents(const History& round, const std::vector<bool>& is_open,
                                    std::int64_t clock_error_ns);

/// What a list begins with, behind which the round goes on.
struct ListFront {
  bool must_fit = false;  ///< a list that does not begin so is one that nobody can have read
  bool is_told = false;   ///< by a read; else nothing begins so
  std::vector<Value> elements;
};

/// For each list with `is_open` what it held at the start and, behind it, what is settled of
/// it, of which `settled` has length and hash: those elements of the read as above that nobody
/// in the round has appended. Empty: there is none. COST: a look at each operation, and a
/// logarithmic one at each element that was read of such a list.
std::vector<ListFront> list_fronts(const History& round, const std::vector<bool>& is_open,
                                   std::span<const ListPrefix> settled,
                                   std::int64_t clock_error_ns);

/// By operation: a read that may be of the initial version, whatever that holds. No committed
/// transaction that wrote the key had ended before the reader started, and the reader did not
/// write it before. COST: as above.
std::vector<bool> may_be_initial(const History& history, std::int64_t clock_error_ns);

}  // namespace isolde::stream
