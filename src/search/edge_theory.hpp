// EdgeTheory: what the theories of the search share. An assignment adds edges to the event
// graph, which must stay acyclic; a cycle is a conflict, explained by the closed path that
// rests on the fewest decided choices. The order of two writers is a variable: if true, the
// first precedes the second in every version order; if false, the reverse. A final check
// creates it when the current order of events, which satisfies all decisions so far, is no
// witness because of it. Other kinds of variables are left to the theory that has them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/budget.hpp"
#include "graph/paths.hpp"
#include "graph/topological.hpp"
#include "history/verdicts.hpp"
#include "infer/event_graph.hpp"
#include "prune/saturation.hpp"
#include "refute/established.hpp"
#include "solver/solver.hpp"
#include "solver/theory.hpp"

namespace isolde::checker {

using infer::EventGraph;
using infer::NodeId;
using infer::Observations;
using infer::WriteId;

/// Appends the literal unless it is present already, or none.
void add_once(std::vector<solver::Lit>& lits, solver::Lit lit);

/// A dependency and what it rests on: literals, derived facts, or neither.
struct LabelledEdge {
  static constexpr std::uint32_t kNoFact = prune::Derivation::kNone;

  Edge edge;
  std::array<solver::Lit, 2> lits;
  std::array<std::uint32_t, 2> facts = {kNoFact, kNoFact};
  std::uint32_t replaces = kNoFact;  ///< further literals: EdgeTheory::replacements_
};

/// Invariants: E1 the order of events agrees with every edge of the graph; E2 each variable of
/// the solver has a meaning; E3 an extra edge is there because a derived fact, an order or a
/// label says so, by its tag; labels_ shrinks with the trail.
class EdgeTheory : public solver::Theory {
 public:
  /// REQUIRES: called once. When the theory is stopped() then, or the budget has run out,
  /// nothing more may be called.
  virtual void connect(solver::Solver& solver) { solver_ = &solver; }

  bool assign(solver::Lit lit, std::vector<solver::Lit>& conflict) final;
  void backtrack(std::size_t count) override;
  solver::Lit prefer(solver::Var var) const override;

  /// REQUIRES: the literal is about an order.
  VersionOrder order_of(solver::Lit lit) const;

  /// After a model.
  virtual Witness witness() const;
  /// REQUIRES: the solver has found that there is no model.
  Refutation refutation() const;

  /// These explain the theory's clauses, in the order in which they were reported.
  const std::vector<Lemma>& lemmas() const { return lemmas_; }
  /// Not empty: why the answer stays unknown.
  const std::string& stopped() const { return stopped_; }

 protected:
  /// What a variable says when it is true.
  struct Meaning {
    enum class Kind : std::uint8_t {
      kOrder,   ///< `first` precedes `second`
      kSource,  ///< the open read, by `first`, came from `source`, by `second`
      kEffect,  ///< `first` took effect
    };
    Kind kind = Kind::kOrder;
    TxnId first;
    TxnId second;
    std::uint32_t read = 0;
    WriteId source;
  };

  /// `order` is a topological order of the graph, whose extra edges are those of `derived`. All
  /// references must outlive this object.
  EdgeTheory(EventGraph& events, const prune::Derivation& derived,
             const std::vector<NodeId>& order, base::Budget& budget);

  /// Adds what the literal says to the step's clause.
  virtual void state(solver::Lit lit, RefutationStep& step) const;
  /// Adds the edges of the literal; false after a conflict.
  virtual bool apply(solver::Lit lit, std::vector<solver::Lit>& conflict);
  /// The node has changed its place in the order.
  virtual void on_move(NodeId) {}
  /// Adds what must be true for the cycle's transactions to count.
  virtual void add_effects(const std::vector<Edge>&, std::vector<solver::Lit>&) const {}

  /// Creates the variable. REQUIRES: as Solver::new_var().
  solver::Var make(const Meaning& meaning, bool wanted = true);

  /// Adds the edges of the order, with the readers that are certain; false after a conflict.
  bool add_order(const VersionOrder& order, solver::Lit lit,
                 std::vector<solver::Lit>& conflict);
  /// Adds the edge unless it would close a cycle.
  bool try_insert(NodeId from, NodeId to, const LabelledEdge& label);
  /// The same; false after a conflict.
  bool insert(NodeId from, NodeId to, const LabelledEdge& label,
              std::vector<solver::Lit>& conflict);
  /// Reports the moves of the edges inserted since the last call.
  void report_moves();

  /// No choice is needed to know it: the second transaction read from the first, or lists show
  /// it.
  bool is_direct(VersionOrder order) const;
  /// What an explanation pays for an extra edge; others cost 1.
  std::uint32_t price(graph::EdgeId edge) const;

  /// Creates the variable for the order of the two, or requests the existing one; false when it
  /// is decided.
  bool ask_for_order(TxnId a, TxnId b);
  /// The literal for this order, if it has a variable.
  std::optional<solver::Lit> find_literal(VersionOrder order) const;

  /// Tags of extra edges: below first_choice() numbers of derived facts; then, below
  /// end_of_choices(), literals of orders; from kLabelled on labels.
  std::uint32_t first_choice() const {
    return static_cast<std::uint32_t>(derived_.facts.size());
  }
  std::uint32_t end_of_choices() const {
    return first_choice() + static_cast<std::uint32_t>(meanings_.size() * 2);
  }

  static constexpr std::uint32_t kDerivedPrice = 4;
  static constexpr std::uint32_t kChoicePrice = 16;

  EventGraph& events_;
  const prune::Derivation& derived_;
  const Observations& seen_;
  base::Budget& budget_;
  solver::Solver* solver_ = nullptr;
  graph::IncrementalOrder order_;
  graph::PathFinder paths_;
  std::vector<Lemma> lemmas_;
  std::vector<Meaning> meanings_;                       // by variable
  std::vector<std::vector<solver::Lit>> replacements_;  // see LabelledEdge
  std::string stopped_;

  struct Mark {
    solver::Lit lit;
    std::uint32_t labels;  ///< before it
    std::size_t edges;     ///< extra edges before it
  };
  std::vector<Mark> trail_;  // by assignment

 private:
  static constexpr std::uint32_t kLabelled = 0x80000000U;

  void explain(NodeId from, NodeId to, const LabelledEdge& closing,
               std::vector<solver::Lit>& conflict);
  LabelledEdge label_of(graph::EdgeId edge) const;

  std::vector<LabelledEdge> labels_;                           // by tag
  std::unordered_map<std::uint64_t, solver::Var> order_vars_;  // by packed pair, lower first
};

}  // namespace isolde::checker
