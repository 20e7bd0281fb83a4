// Which transactions a page shows when the history is too large to show all of it: those of the
// violation, and what lies around them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "isolde/history.hpp"

namespace isolde::report {

/// Histories with at most so many transactions are shown as a whole.
inline constexpr std::size_t kWholeTxns = 2000;
/// Of larger ones so many are shown.
inline constexpr std::size_t kWindowTxns = 1000;

/// Ascending, each once: all of them, or else all of `focus`, and with these `kWindowTxns` at
/// most. Preferred are, in this order: the next ones before and after each of the focus in its
/// session; the ones nearest in time that use one of `keys`; the ones nearest in time. Without
/// times the order of the input stands for them. COST: O(n log n) in the history.
std::vector<TxnId> choose_window(const History& history, std::span<const TxnId> focus,
                                 std::span<const KeyId> keys);

/// All transactions in the order of their starts; one without a start follows the one before it
/// in the input. COST: O(n log n).
std::vector<TxnId> in_time_order(const History& history);

}  // namespace isolde::report
