// OrderTheory: version orders as literals, the event graph as what they must keep acyclic.
//
// A variable stands for a pair of transactions that write a common key: true, the first
// precedes the second in every version order, false, the other way round. Assigning it inserts
// the edges of that choice into the event graph; a cycle is a conflict, explained by the
// shortest closed path in terms of undecided choices. Pairs are made lazily: only when the
// present order of events, which satisfies everything decided so far, breaks a read between
// them.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/budget.hpp"
#include "check/order_check.hpp"
#include "graph/paths.hpp"
#include "graph/topological.hpp"
#include "infer/event_graph.hpp"
#include "solver/solver.hpp"
#include "solver/theory.hpp"

namespace isolde::checker {

class OrderTheory final : public solver::Theory {
 public:
  /// A theory clause: the cycle, and for its extra edges whose tag is below the number of
  /// established orders, those tags.
  struct Lemma {
    std::vector<Edge> cycle;
    std::vector<std::uint32_t> established;
  };

  /// `established` are the orders behind the extra edges already in the graph, by tag.
  /// `order` is a topological order of the graph. All references must outlive this object.
  OrderTheory(EventGraph& events, std::vector<VersionOrder> established,
              const std::vector<NodeId>& order, base::Budget& budget);

  void connect(solver::Solver& solver) { solver_ = &solver; }

  bool assign(solver::Lit lit, std::vector<solver::Lit>& conflict) override;
  void backtrack(std::size_t count) override;
  Final final_check() override;
  solver::Lit prefer(solver::Var var) const override;

  VersionOrder order_of(solver::Lit lit) const;
  /// In the order in which conflicts were reported.
  const std::vector<Lemma>& lemmas() const { return lemmas_; }
  std::vector<NodeId> order() const { return order_.order(); }

 private:
  std::uint32_t tag_of(solver::Lit lit) const {
    return static_cast<std::uint32_t>(established_.size()) + lit.code();
  }
  bool insert(NodeId from, NodeId to, solver::Lit lit, std::vector<solver::Lit>& conflict);
  void explain(NodeId from, NodeId to, solver::Lit lit, std::vector<solver::Lit>& conflict);
  void add_pair(const BrokenPair& pair);

  EventGraph& events_;
  base::Budget& budget_;
  solver::Solver* solver_ = nullptr;
  std::vector<VersionOrder> established_;
  std::vector<VersionOrder> pairs_;  // by variable: the positive literal
  std::unordered_map<std::uint64_t, solver::Var> pair_index_;
  std::vector<std::size_t> edge_counts_;  // by assignment: extra edges before it
  graph::IncrementalOrder order_;
  graph::PathFinder paths_;
  OrderCheck check_;
  std::vector<BrokenPair> broken_;
  std::vector<Lemma> lemmas_;
};

}  // namespace isolde::checker
