#include "check/order_theory.hpp"

namespace isolde::checker {

/// What is decided is in the graph, so there never is a conflict at this point.
solver::Theory::Final OrderTheory::final_check(std::vector<std::vector<solver::Lit>>&) {
  broken_.clear();
  check_.find_broken([&](NodeId node) { return order_.position(node); }, broken_, budget_);
  if (broken_.empty()) return Final::kModel;
  for (const BrokenPair& pair : broken_) add_pair(pair.first, pair.second);
  return Final::kMore;
}

}  // namespace isolde::checker
