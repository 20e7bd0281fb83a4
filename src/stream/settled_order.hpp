// SettledOrder: how much of a round's order becomes part of the order of the whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "history/certificate.hpp"
#include "isolde/history.hpp"

namespace isolde::stream {

/// As a time before which something ended: nothing more will come.
inline constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

struct SettledOrder {
  /// So many entries of the witness's order, from the beginning on.
  std::size_t count = 0;
  /// By transaction: its snapshot is among them, and its commit is not. Empty where the order
  /// mentions each once.
  std::vector<bool> begun;
};

/// The longest beginning of the order in which each transaction ended before that time, or was
/// read from by one that did, directly or through others; and in which those that commit behind
/// it are known to have committed. COST: linear in the round.
SettledOrder settled_order(const History& round, const Witness& witness, std::int64_t before);

}  // namespace isolde::stream
