// PairTheory: version orders as literals, of histories whose reads have known sources. The
// levels' final checks create pairs lazily.
#pragma once

#include <cstdint>
#include <vector>

#include "search/edge_theory.hpp"

namespace isolde::checker {

/// Invariants: P1 the solver's variables are the pairs; P2 an extra edge is there because its
/// tag's order is established or assigned.
class PairTheory : public EdgeTheory {
 public:
  void connect(solver::Solver& solver) { solver_ = &solver; }

  bool assign(solver::Lit lit, std::vector<solver::Lit>& conflict) final;
  void backtrack(std::size_t count) final;
  solver::Lit prefer(solver::Var var) const final;

  VersionOrder order_of(solver::Lit lit) const;
  std::vector<NodeId> order() const { return order_.order(); }
  /// final_check() has stopped because all orders that matter are decided and the order of
  /// events is still no witness.
  bool is_stuck() const { return is_stuck_; }

 protected:
  /// `established` are the orders behind the extra edges already in the graph, by tag.
  /// `order` is a topological order of the graph. All references must outlive this object.
  PairTheory(EventGraph& events, std::vector<VersionOrder> established,
             const std::vector<NodeId>& order, base::Budget& budget);

  /// The node has changed its place in the order.
  virtual void on_move(NodeId) {}

  /// The current order satisfies all edges that the preferred value would add.
  bool is_settled(solver::Var var) const;

  /// Tags of extra edges: below first_choice() positions in the established orders, then, below
  /// end_of_choices(), literals.
  std::uint32_t first_choice() const { return static_cast<std::uint32_t>(established_.size()); }
  std::uint32_t end_of_choices() const {
    return first_choice() + static_cast<std::uint32_t>(pairs_.size() * 2);
  }
  std::uint32_t tag_of(solver::Lit lit) const { return first_choice() + lit.code(); }
  /// REQUIRES: tag < end_of_choices().
  VersionOrder order_of_tag(std::uint32_t tag) const;

  /// Adds edges that make writers see live versions which they replace, where the decided
  /// orders say so. Final::kMore after a conflict or a request, kModel after new edges, else
  /// kStopped.
  Final replace_live_versions(const std::vector<BrokenPair>& broken,
                              std::vector<std::vector<solver::Lit>>& conflicts);

  std::vector<VersionOrder> established_;
  bool is_stuck_ = false;

 private:
  LabelledEdge label_of(graph::EdgeId edge) const final;
  std::uint32_t price(graph::EdgeId edge) const final;
  void on_new_order(VersionOrder pair) final;

  /// Tags of the edges of replacements, from here on.
  static constexpr std::uint32_t kReplaces = 0x80000000U;

  std::vector<LabelledEdge> replaces_;    // by tag
  std::vector<VersionOrder> pairs_;       // by variable: the positive literal
  std::vector<std::size_t> edge_counts_;  // by assignment: extra edges before it
};

}  // namespace isolde::checker
