// Turns the results of the stages into a refutation that the verifier can follow. Derived facts
// are justified only when a proof needs them: the path that forced one is searched again among
// the edges that existed then. A cycle through a read whose source was derived assumes that
// source in a step of its own; the next step removes it from the clause.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "graph/paths.hpp"
#include "history/certificate.hpp"
#include "infer/event_graph.hpp"
#include "prune/saturation.hpp"
#include "refute/derived_edges.hpp"
#include "refute/established.hpp"
#include "solver/solver.hpp"

namespace isolde::checker {

using infer::EventGraph;
using infer::NodeId;

/// Two transactions that read the same version of a key and both write it (lost update), if
/// any. Refutes serializability and snapshot isolation in all variants. `may_insert_again`: not
/// where one of them may have written a deleted row without having seen that it was deleted,
/// which only serializability forbids. COST: linear.
std::optional<Refutation> find_lost_update(const infer::Observations& seen,
                                           bool may_insert_again);

/// Shows that no order explains a non-repeatable read where anti-dependencies count: whichever
/// version comes second, the transaction missed it, and read it.
Refutation refute_read(const infer::Observations& seen, const Finding& non_repeatable);

/// A short closed path that rests on few extra edges: the best found within a fixed amount of
/// work. REQUIRES: the graph has a cycle.
std::vector<graph::PathFinder::Step> find_short_cycle(const EventGraph& events,
                                                      base::Budget& budget);

class RefutationBuilder {
 public:
  using AddLiteral = std::function<void(solver::Lit, RefutationStep&)>;

  /// `derived` explains the graph's extra edges up to its `edge_count`, by tag.
  RefutationBuilder(EventGraph& events, const prune::Derivation& derived, base::Budget& budget)
      : events_(events), derived_(derived), budget_(budget), paths_(events.graph()) {}

  /// REQUIRES: the graph has a cycle.
  Refutation from_cycle();

  /// REQUIRES: derived.without_source is a read.
  Refutation from_missing_source();

  /// REQUIRES: `solver` answered kUnsat. `lemmas` explain the clauses of its theory;
  /// `add_literal` adds a literal's statement to a step's clause.
  Refutation from_conflicts(const solver::Solver& solver, const std::vector<Lemma>& lemmas,
                            const AddLiteral& add_literal);

 private:
  using Path = std::vector<graph::PathFinder::Step>;

  /// A clause, and the ends of the edge that it denies: that edge would close a cycle with some
  /// path back.
  struct Denial {
    RefutationStep step;
    DerivedEdge closing;
    NodeId from;
    NodeId to;
  };

  Justification justify(std::uint32_t number, NeededFacts& needed);
  Denial deny_order(VersionOrder order, TxnId reader) const;
  Denial deny_source(const prune::Fact& fact) const;
  void add_denial(Denial denial, std::uint32_t edge_limit, Justification& out,
                  NeededFacts& needed);
  void add_step(RefutationStep step, const std::vector<std::uint32_t>& facts,
                Justification& out, NeededFacts& needed) const;
  std::vector<Edge> name(const Path& cycle, const Denial* denial,
                         std::vector<std::uint32_t>& facts) const;
  std::vector<std::uint32_t> facts_of_input(const RefutationStep& step);
  const std::vector<std::uint32_t>& exclusions(std::uint32_t read);
  Claim claim(std::uint32_t read, infer::WriteId source, bool denied) const;
  Established establish(NeededFacts needed);
  Refutation conclude(Justification last, NeededFacts needed);

  EventGraph& events_;
  const prune::Derivation& derived_;
  base::Budget& budget_;
  graph::PathFinder paths_;
  std::vector<std::vector<std::uint32_t>> exclusions_;  // by open read: facts
};

}  // namespace isolde::checker
