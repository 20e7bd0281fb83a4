// From what the stages leave behind to a refutation that the verifier can follow. Derived
// orders are justified only when a proof needs them: the path that forced one is looked for
// again among the edges that existed then.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "check/established.hpp"
#include "check/pair_theory.hpp"
#include "graph/paths.hpp"
#include "infer/event_graph.hpp"
#include "isolde/certificate.hpp"
#include "prune/saturation.hpp"
#include "solver/solver.hpp"

namespace isolde::checker {

/// Two transactions that read the same version of a key and both write it (lost update), if
/// any. Refutes serializability and snapshot isolation in all variants. COST: linear.
std::optional<Refutation> find_lost_update(const infer::Observations& seen);

/// A closed path that is short and rests on few extra edges: the best found within a fixed
/// amount of work. REQUIRES: the graph has a cycle.
std::vector<graph::PathFinder::Step> find_short_cycle(const EventGraph& events,
                                                      base::Budget& budget);

class RefutationBuilder {
 public:
  /// `derived` are the orders behind the graph's extra edges, by tag.
  RefutationBuilder(EventGraph& events, const std::vector<prune::DerivedOrder>& derived,
                    base::Budget& budget)
      : events_(events), derived_(derived), budget_(budget), paths_(events.graph()) {}

  /// REQUIRES: the graph has a cycle.
  Refutation from_cycle();

  /// REQUIRES: `solver` answered kUnsat with `theory`.
  Refutation from_conflicts(const solver::Solver& solver, const PairTheory& theory);

 private:
  using Path = std::vector<graph::PathFinder::Step>;

  RefutationStep justify(const prune::DerivedOrder& derived, NeededOrders& needed);
  std::vector<Edge> name(const Path& cycle) const;
  void note(const Path& cycle, NeededOrders& needed) const;
  std::vector<RefutationStep> establish(NeededOrders needed);

  EventGraph& events_;
  const std::vector<prune::DerivedOrder>& derived_;
  base::Budget& budget_;
  graph::PathFinder paths_;
};

}  // namespace isolde::checker
