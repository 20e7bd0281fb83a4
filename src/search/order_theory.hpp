// OrderTheory: the theory of the levels whose event graph holds all dependencies. Its final
// check asks whether the current order breaks a read; if so, the pair of writers around it must
// be decided.
#pragma once

#include <optional>
#include <vector>

#include "search/edge_theory.hpp"
#include "search/order_check.hpp"

namespace isolde::checker {

class OrderTheory : public EdgeTheory {
 public:
  /// As for EdgeTheory.
  OrderTheory(EventGraph& events, const prune::Derivation& derived,
              const std::vector<NodeId>& order, base::Budget& budget)
      : EdgeTheory(events, derived, order, budget), check_(events) {}

  Final final_check(std::vector<std::vector<solver::Lit>>& conflicts) override;
  /// Where a row may have been inserted again, an order may be wrong that violates no edge.
  bool needs(solver::Var var) const override {
    return seen_.has_deletions() || !is_settled(order_of(prefer(var)));
  }

 protected:
  void on_move(NodeId node) override { check_.touch(node); }

  /// Notes what the current order gets wrong; true when that is nothing.
  virtual bool look();
  /// Requests what is to be decided besides the broken pairs; false when nothing is left.
  virtual bool ask_for_more() { return false; }

  /// The current order satisfies all edges that the version order would add.
  virtual bool is_settled(const VersionOrder& order) const;

  /// Visits those who delete the key, but the two.
  template <typename Visit>
  void for_deleters(const BrokenPair& pair, const Visit& visit) const {
    for (const WriteId write : seen_.writes_of(pair.key)) {
      const TxnId txn = seen_.writer(write);
      if (seen_.is_dead(write) && txn != pair.first && txn != pair.second) visit(txn);
    }
  }

  OrderCheck check_;
  std::vector<BrokenPair> broken_;

 private:
  bool ask_for_deletions(const BrokenPair& pair);
  std::optional<LabelledEdge> replacement(const BrokenPair& pair);
  Final replace_live_versions(std::vector<std::vector<solver::Lit>>& conflicts);
};

}  // namespace isolde::checker
