// EdgeTheory: what the theories of the search share. An assignment adds edges to the event
// graph, which must stay acyclic; a cycle is a conflict, explained by the closed path that
// rests on the fewest decided choices. The order of two writers is a variable: if true, the
// first precedes the second in every version order; if false, the reverse. A final check
// creates it when the current order of events, which satisfies all decisions so far, is no
// witness because of it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/budget.hpp"
#include "graph/paths.hpp"
#include "graph/topological.hpp"
#include "infer/event_graph.hpp"
#include "refute/established.hpp"
#include "search/order_check.hpp"
#include "solver/solver.hpp"
#include "solver/theory.hpp"

namespace isolde::checker {

using infer::EventGraph;
using infer::NodeId;

/// Appends the literal unless it is present already, or none.
void add_once(std::vector<solver::Lit>& lits, solver::Lit lit);

/// A dependency and what it rests on: literals, derived facts, or neither.
struct LabelledEdge {
  static constexpr std::uint32_t kNoFact = 0xffffffffU;

  Edge edge;
  std::array<solver::Lit, 2> lits;
  std::array<std::uint32_t, 2> facts = {kNoFact, kNoFact};
  std::uint32_t replaces = kNoFact;  ///< further literals: EdgeTheory::replacements_
};

/// Invariant: the order of events agrees with every edge of the graph.
class EdgeTheory : public solver::Theory {
 public:
  /// These explain the theory's clauses, in the order in which they were reported.
  const std::vector<Lemma>& lemmas() const { return lemmas_; }

 protected:
  /// `order` is a topological order of the graph. All references must outlive this object.
  EdgeTheory(EventGraph& events, const std::vector<NodeId>& order, base::Budget& budget);

  /// REQUIRES: an extra edge of the graph.
  virtual LabelledEdge label_of(graph::EdgeId edge) const = 0;
  /// What an explanation pays for such an edge; others cost 1.
  virtual std::uint32_t price(graph::EdgeId edge) const = 0;
  /// The next variable, which ask_for_order() has created, means this order when it is true.
  virtual void on_new_order(VersionOrder pair) = 0;

  /// The edge would close a cycle: adds a lemma, and the literals that the cycle rests on to
  /// the conflict. REQUIRES: the order of events refused the edge.
  void explain(NodeId from, NodeId to, const LabelledEdge& closing,
               std::vector<solver::Lit>& conflict);

  /// Requests the orders that say of each deletion of the key where it is; false when all are
  /// decided.
  bool ask_for_deletions(const BrokenPair& pair);
  /// The edge that makes the second writer see the first one's version, which it replaces, with
  /// the orders that say so; none where the version is dead, or a deletion may not have taken
  /// effect. REQUIRES: all these orders are decided, and nothing is between the two now.
  std::optional<LabelledEdge> replacement(const BrokenPair& pair);

  /// Creates the variable for the order of the two, or requests the existing one; false when it
  /// is decided.
  bool ask_for_order(TxnId a, TxnId b);
  /// The literal for this order, if it has a variable.
  std::optional<solver::Lit> find_literal(VersionOrder order) const;
  /// The value of the variable that the current order of events suggests.
  solver::Lit prefer_order(solver::Var var, VersionOrder pair) const;

  EventGraph& events_;
  base::Budget& budget_;
  solver::Solver* solver_ = nullptr;
  graph::IncrementalOrder order_;
  graph::PathFinder paths_;
  std::vector<Lemma> lemmas_;

 private:
  template <typename Visit>
  void for_deleters(const BrokenPair& pair, const Visit& visit) const;

  std::vector<std::vector<solver::Lit>> replacements_;
  std::unordered_map<std::uint64_t, solver::Var> order_vars_;  // by packed pair, lower first
};

}  // namespace isolde::checker
