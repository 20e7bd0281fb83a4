// A budget that runs out at a chosen moment, to see what is said when work is cut short.
#pragma once

#include <cstdint>

#include "base/budget.hpp"

namespace isolde::infer::test {

/// How many ticks a Budget lets go by between two looks.
inline std::uint64_t ticks_per_look() {
  static const std::uint64_t count = [] {
    base::Budget probe;
    probe.cancel();
    std::uint64_t ticks = 1;
    while (probe.spend(1)) ++ticks;
    return ticks;
  }();
  return count;
}

/// The budget will be found cancelled when `ticks` and one more have been spent.
/// REQUIRES: ticks < ticks_per_look().
inline void cancel_after(std::uint64_t ticks, base::Budget& budget) {
  budget.cancel();
  budget.spend(ticks_per_look() - 1 - ticks);
}

}  // namespace isolde::infer::test
