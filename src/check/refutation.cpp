#include "check/refutation.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "graph/short_cycle.hpp"

namespace isolde::checker {

using graph::EdgeId;
using graph::PathFinder;
using infer::Observations;
using infer::WriteId;

namespace {

/// The first two readers of the version that write the key themselves.
std::optional<std::pair<TxnId, TxnId>> two_overwriters(const Observations& seen,
                                                       WriteId version, KeyId key) {
  TxnId first;
  for (const TxnId reader : seen.readers(version, key)) {
    if (seen.find_write(reader, key).is_none()) continue;
    if (first.is_some()) return std::pair{first, reader};
    first = reader;
  }
  return std::nullopt;
}

/// Whichever of the two comes second had its read overwritten in between.
Refutation lost_update(TxnId a, TxnId b, KeyId key, TxnId version) {
  const auto half = [&](TxnId first, TxnId second) {
    RefutationStep step;
    step.cycle = {{first, second, EdgeKind::kVersionOrder, key, TxnId::none()},
                  {second, first, EdgeKind::kAntiDependency, key, version}};
    return step;
  };
  Refutation refutation;
  refutation.steps.push_back(half(a, b));
  refutation.steps.back().clause = {{b, a}};
  refutation.steps.push_back(half(b, a));
  return refutation;
}

/// Reading cost of an edge: free inside a transaction and along auxiliary nodes, dear when it
/// needs a justification of its own.
std::uint32_t price(const EventGraph& events, EdgeId edge, NodeId from, NodeId to) {
  if (edge.is_some()) return 12;
  if (!events.is_txn(to)) return events.is_txn(from) ? 1 : 0;
  if (!events.is_txn(from)) return 0;
  return events.txn(from) == events.txn(to) ? 0 : 1;
}

}  // namespace

std::optional<Refutation> find_lost_update(const Observations& seen) {
  for (std::size_t k = 0; k < seen.history().key_count(); ++k) {
    const KeyId key = KeyId::at(k);
    if (const auto pair = two_overwriters(seen, WriteId::none(), key)) {
      return lost_update(pair->first, pair->second, key, TxnId::none());
    }
    for (const WriteId version : seen.writes_of(key)) {
      if (seen.readers(version).size() < 2) continue;
      if (const auto pair = two_overwriters(seen, version, key)) {
        return lost_update(pair->first, pair->second, key, seen.writer(version));
      }
    }
  }
  return std::nullopt;
}

std::vector<PathFinder::Step> find_short_cycle(const EventGraph& events, base::Budget& budget) {
  return graph::short_cycle(
      events.graph(), [&](NodeId node) { return events.is_txn(node); },
      [&](NodeId from, NodeId to, EdgeId edge) { return price(events, edge, from, to); },
      budget);
}

std::vector<Edge> RefutationBuilder::name(const Path& cycle) const {
  return events_.name_cycle(cycle, [&](EdgeId edge) {
    const graph::Digraph& graph = events_.graph();
    return events_.name_order_edge(graph.from(edge), graph.to(edge),
                                   derived_[graph.tag(edge)].order);
  });
}

void RefutationBuilder::note(const Path& cycle, NeededOrders& needed) const {
  for (const PathFinder::Step& step : cycle) {
    if (step.edge.is_some()) needed.push(events_.graph().tag(step.edge));
  }
}

/// By the cycle that the opposite of the derived order would close (rules S1 and S2).
RefutationStep RefutationBuilder::justify(const prune::DerivedOrder& derived,
                                          NeededOrders& needed) {
  const VersionOrder reversed{derived.order.after, derived.order.before};
  const NodeId start = derived.reader.is_some() ? events_.commit(reversed.after)
                                                : events_.overwrite(reversed.after);
  const NodeId end = derived.reader.is_some() ? events_.reads_at(derived.reader)
                                              : events_.commit(reversed.before);
  Path cycle = paths_.shortest(start, end, [&](NodeId from, NodeId to, EdgeId edge) {
    const bool exists = edge.is_none() || edge.raw() < derived.edge_limit;
    return exists ? price(events_, edge, from, to) : PathFinder::kForbidden;
  });
  ISOLDE_CHECK(!cycle.empty());
  note(cycle, needed);
  // The path starts and ends in events of the pair or the reader; naming it needs a closed
  // path, so the opposite's edge goes in between for a moment.
  graph::Digraph& graph = events_.graph();
  const EdgeId opposite = graph.add(end, start, 0);
  cycle.push_back({end, opposite});
  RefutationStep step;
  step.clause = {derived.order};
  step.cycle = events_.name_cycle(cycle, [&](EdgeId edge) {
    const VersionOrder order = edge == opposite ? reversed : derived_[graph.tag(edge)].order;
    return events_.name_order_edge(graph.from(edge), graph.to(edge), order);
  });
  graph.pop_to(graph.extra_count() - 1);
  return step;
}

std::vector<RefutationStep> RefutationBuilder::establish(NeededOrders needed) {
  return established(
      std::move(needed),
      [&](std::uint32_t tag, NeededOrders& more) { return justify(derived_[tag], more); },
      budget_);
}

Refutation RefutationBuilder::from_cycle() {
  const Path cycle = find_short_cycle(events_, budget_);
  NeededOrders needed;
  note(cycle, needed);
  RefutationStep last;
  last.cycle = name(cycle);
  Refutation refutation;
  refutation.steps = establish(std::move(needed));
  refutation.steps.push_back(std::move(last));
  return refutation;
}

Refutation RefutationBuilder::from_conflicts(const solver::Solver& solver,
                                             const PairTheory& theory) {
  const std::vector<solver::ProofStep> core = solver.core();
  NeededOrders needed;
  for (const solver::ProofStep& step : core) {
    if (!step.from.empty()) continue;
    const PairTheory::Lemma& lemma = theory.lemmas()[step.theory_index];
    for (const std::uint32_t tag : lemma.established) needed.push(tag);
  }
  Refutation refutation;
  refutation.steps = establish(std::move(needed));
  const auto offset = static_cast<std::uint32_t>(refutation.steps.size());
  for (const solver::ProofStep& step : core) {
    RefutationStep out;
    for (const solver::Lit lit : step.clause) out.clause.push_back(theory.order_of(lit));
    if (step.from.empty()) {
      out.cycle = theory.lemmas()[step.theory_index].cycle;
    } else {
      for (const solver::ProofId id : step.from) out.from.push_back(offset + id.raw());
    }
    refutation.steps.push_back(std::move(out));
  }
  return refutation;
}

}  // namespace isolde::checker
