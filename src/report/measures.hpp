// What a history did over time, in a few dozen intervals: outcomes, latencies, how many
// transactions were under way, and which keys were used most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "isolde/history.hpp"

namespace isolde::report {

/// A transaction belongs to the interval in which it ended.
struct Interval {
  std::uint64_t committed = 0;
  std::uint64_t aborted = 0;
  std::uint64_t indeterminate = 0;
  /// From start to end of those that committed, in nanoseconds; kNoTime when there are none.
  std::int64_t median_ns = kNoTime;
  std::int64_t p95_ns = kNoTime;
  std::int64_t max_ns = kNoTime;
  double open = 0;  ///< under way at once, on average
};

struct KeyHeat {
  KeyId key;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::vector<std::uint64_t> uses;  ///< in each interval
};

struct Measures {
  /// Intervals are of time; otherwise of transactions in the order of the input, also where
  /// times only tell an order.
  bool timed = false;
  std::uint64_t length = 0;  ///< of an interval: nanoseconds or transactions
  std::int64_t origin = 0;   ///< timed: where the first interval begins
  std::size_t left_out = 0;  ///< transactions without both times, where others have them
  std::vector<Interval> intervals;
  std::vector<KeyHeat> keys;  ///< most used first
  std::size_t keys_total = 0;

  /// The interval of a transaction that ends at `end`, or of the transaction with that number.
  /// REQUIRES: not before the origin.
  std::size_t interval_of(std::uint64_t offset) const;
};

inline constexpr std::size_t kIntervalsMin = 12;
inline constexpr std::size_t kIntervalsMax = 60;
inline constexpr std::size_t kHotKeys = 12;

/// `marked` are among the keys in any case. COST: linear in the history, but for the median and
/// the like (linear on average).
Measures measure(const History& history, std::span<const KeyId> marked);

}  // namespace isolde::report
