// Steps of a proof that establish derived version orders.
#pragma once

#include <algorithm>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/budget.hpp"
#include "isolde/certificate.hpp"

namespace isolde::checker {

/// Numbers of derived orders that are still to be justified; the last one first.
using NeededOrders = std::priority_queue<std::uint32_t>;

/// Steps for the needed orders and all that these rest on, in the order in which they were
/// derived. `justify(number, needed)` gives the step of one, and adds what it rests on: orders
/// that were derived before it, so that each comes once.
template <typename Justify>
std::vector<RefutationStep> established(NeededOrders needed, const Justify& justify,
                                        base::Budget& budget) {
  std::vector<RefutationStep> steps;
  std::uint32_t last = 0xffffffffU;
  while (!needed.empty()) {
    const std::uint32_t number = needed.top();
    needed.pop();
    if (number == last) continue;
    ISOLDE_CHECK(number < last);
    last = number;
    steps.push_back(justify(number, needed));
    budget.spend(1024);
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

}  // namespace isolde::checker
