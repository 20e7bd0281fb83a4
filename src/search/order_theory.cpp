#include "search/order_theory.hpp"

#include "base/assert.hpp"

namespace isolde::checker {

/// All decisions are in the graph, so no conflict can occur here.
solver::Theory::Final OrderTheory::final_check(std::vector<std::vector<solver::Lit>>&) {
  broken_.clear();
  check_.find_broken([&](NodeId node) { return order_.position(node); }, broken_, budget_);
  if (budget_.exhausted()) return Final::kStopped;
  if (broken_.empty()) return Final::kModel;
  bool any = false;
  for (const BrokenPair& pair : broken_) any = ask_for_order(pair.first, pair.second) || any;
  ISOLDE_CHECK(any);
  return Final::kMore;
}

}  // namespace isolde::checker
