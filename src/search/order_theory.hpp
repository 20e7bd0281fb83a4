// OrderTheory: the theory of the levels whose event graph holds all dependencies. Its final
// check asks whether the current order breaks a read; if so, the pair of writers around it must
// be decided.
#pragma once

#include <vector>

#include "search/order_check.hpp"
#include "search/pair_theory.hpp"

namespace isolde::checker {

class OrderTheory final : public PairTheory {
 public:
  /// As for PairTheory.
  OrderTheory(EventGraph& events, std::vector<VersionOrder> established,
              const std::vector<NodeId>& order, base::Budget& budget)
      : PairTheory(events, std::move(established), order, budget), check_(events) {}

  Final final_check(std::vector<std::vector<solver::Lit>>& conflicts) override;
  /// Where a row may have been inserted again, an order may be wrong that violates no edge.
  bool needs(solver::Var var) const override {
    return events_.observations().has_deletions() || !is_settled(var);
  }

 private:
  void on_move(NodeId node) override { check_.touch(node); }

  OrderCheck check_;
  std::vector<BrokenPair> broken_;
};

}  // namespace isolde::checker
