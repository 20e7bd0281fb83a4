// PairTheory: version orders as literals that must keep the event graph acyclic.
//
// A variable stands for a pair of transactions that write a common key: if true, the first
// precedes the second in every version order; if false, the reverse. Assigning it inserts the
// edges of that choice into the event graph; a cycle is a conflict, explained by a closed path
// that rests on few decided choices. The levels' final checks create pairs lazily: only
// when the current order of events, which satisfies all decisions so far, is no witness because
// of them.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/budget.hpp"
#include "graph/paths.hpp"
#include "graph/topological.hpp"
#include "infer/event_graph.hpp"
#include "refute/established.hpp"
#include "solver/solver.hpp"
#include "solver/theory.hpp"

namespace isolde::checker {

using infer::EventGraph;
using infer::NodeId;

/// Invariants: P1 the order of events agrees with every edge of the graph; P2 the solver's
/// variables are the pairs; P3 an extra edge is there because its tag's order is established or
/// assigned.
class PairTheory : public solver::Theory {
 public:
  void connect(solver::Solver& solver) { solver_ = &solver; }

  bool assign(solver::Lit lit, std::vector<solver::Lit>& conflict) final;
  void backtrack(std::size_t count) final;
  solver::Lit prefer(solver::Var var) const final;

  VersionOrder order_of(solver::Lit lit) const;
  /// In the order in which conflicts were reported; their facts are established orders.
  const std::vector<Lemma>& lemmas() const { return lemmas_; }
  std::vector<NodeId> order() const { return order_.order(); }

 protected:
  /// `established` are the orders behind the extra edges already in the graph, by tag.
  /// `order` is a topological order of the graph. All references must outlive this object.
  PairTheory(EventGraph& events, std::vector<VersionOrder> established,
             const std::vector<NodeId>& order, base::Budget& budget);

  /// The node has changed its place in the order.
  virtual void on_move(NodeId) {}

  /// Creates the pair's variable, or requests the existing one; false when it is decided.
  bool add_pair(TxnId a, TxnId b);
  /// The current order satisfies all edges that the preferred value would add.
  bool is_settled(solver::Var var) const;
  /// The literal for this order, if the pair has a variable.
  std::optional<solver::Lit> find_literal(VersionOrder order) const;

  /// Tags of extra edges: below first_choice() positions in the established orders, then, below
  /// end_of_choices(), literals.
  std::uint32_t first_choice() const { return static_cast<std::uint32_t>(established_.size()); }
  std::uint32_t end_of_choices() const {
    return first_choice() + static_cast<std::uint32_t>(pairs_.size() * 2);
  }
  std::uint32_t tag_of(solver::Lit lit) const { return first_choice() + lit.code(); }
  /// REQUIRES: tag < end_of_choices().
  VersionOrder order_of_tag(std::uint32_t tag) const;

  EventGraph& events_;
  base::Budget& budget_;
  solver::Solver* solver_ = nullptr;
  std::vector<VersionOrder> established_;
  graph::IncrementalOrder order_;
  graph::PathFinder paths_;
  std::vector<Lemma> lemmas_;

 private:
  bool insert(NodeId from, NodeId to, solver::Lit lit, std::vector<solver::Lit>& conflict);
  void explain(NodeId from, NodeId to, solver::Lit lit, std::vector<solver::Lit>& conflict);

  std::vector<VersionOrder> pairs_;  // by variable: the positive literal
  std::unordered_map<std::uint64_t, solver::Var> pair_index_;
  std::vector<std::size_t> edge_counts_;  // by assignment: extra edges before it
};

}  // namespace isolde::checker
