#include "search/order_theory.hpp"

#include "base/assert.hpp"

namespace isolde::checker {

/// All decisions are in the graph, so no conflict can occur here, but where rows are deleted.
solver::Theory::Final OrderTheory::final_check(
    std::vector<std::vector<solver::Lit>>& conflicts) {
  broken_.clear();
  check_.find_broken([&](NodeId node) { return order_.position(node); }, broken_, budget_);
  if (budget_.exhausted()) return Final::kStopped;
  if (broken_.empty()) return Final::kModel;
  bool any = false;
  for (const BrokenPair& pair : broken_) any = ask_for_order(pair.first, pair.second) || any;
  if (any) return Final::kMore;
  // Where a row may have been inserted again, the edges of an order do not say all.
  ISOLDE_CHECK(events_.observations().has_deletions());
  const Final found = replace_live_versions(broken_, conflicts);
  if (found == Final::kModel) return final_check(conflicts);
  is_stuck_ = found == Final::kStopped;
  return found;
}

}  // namespace isolde::checker
