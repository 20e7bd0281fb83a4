#include "check/refutation.hpp"

#include <algorithm>
#include <queue>

#include "base/assert.hpp"

namespace isolde::checker {

using graph::EdgeId;
using graph::PathFinder;
using infer::Observations;
using infer::WriteId;

namespace {

/// Work on shortening cycles, in nodes visited; beyond it the best found so far is good enough.
constexpr std::uint64_t kShorteningWork = 4'000'000;

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
  PathFinder paths(events.graph());
  const std::vector<std::uint32_t> component = graph::strong_components(events.graph());
  std::vector<std::uint32_t> size(component.size(), 0);
  for (const std::uint32_t number : component) ++size[number];
  std::vector<PathFinder::Step> best;
  std::uint32_t best_cost = PathFinder::kForbidden;
  for (std::size_t node = 0; node < component.size(); ++node) {
    if (size[component[node]] < 2 || !events.is_txn(NodeId::at(node))) continue;
    if (!best.empty() && (paths.work() > kShorteningWork || !budget.spend(256))) break;
    auto cycle = paths.shortest(
        NodeId::at(node), NodeId::at(node), [&](NodeId from, NodeId to, EdgeId edge) {
          return component[to.raw()] == component[node] ? price(events, edge, from, to)
                                                        : PathFinder::kForbidden;
        });
    if (cycle.empty()) continue;
    const std::uint32_t cost = paths.distance(NodeId::at(node));
    if (cost >= best_cost) continue;
    best_cost = cost;
    best = std::move(cycle);
  }
  ISOLDE_CHECK(!best.empty());
  return best;
}

std::vector<Edge> RefutationBuilder::name(const Path& cycle) const {
  return events_.name_cycle(cycle, [&](EdgeId edge) {
    const graph::Digraph& graph = events_.graph();
    return events_.name_order_edge(graph.from(edge), graph.to(edge),
                                   derived_[graph.tag(edge)].order);
  });
}

void RefutationBuilder::collect(const Path& cycle, std::vector<std::uint32_t>& tags) const {
  for (const PathFinder::Step& step : cycle) {
    if (step.edge.is_some()) tags.push_back(events_.graph().tag(step.edge));
  }
}

/// The cycle that the opposite of the derived order would close (rules S1 and S2).
RefutationBuilder::Path RefutationBuilder::justify(const prune::DerivedOrder& derived) {
  const auto [before, after] = derived.order;
  const NodeId start =
      derived.reader.is_some() ? events_.commit(before) : events_.overwrite(before);
  const NodeId end =
      derived.reader.is_some() ? events_.reads_at(derived.reader) : events_.commit(after);
  Path path = paths_.shortest(start, end, [&](NodeId from, NodeId to, EdgeId edge) {
    const bool exists = edge.is_none() || edge.raw() < derived.edge_limit;
    return exists ? price(events_, edge, from, to) : PathFinder::kForbidden;
  });
  ISOLDE_CHECK(!path.empty());
  return path;
}

std::vector<RefutationStep> RefutationBuilder::establish(
    const std::vector<std::uint32_t>& tags) {
  // Justifications rest on orders derived earlier only, so working downwards meets each once.
  std::priority_queue<std::uint32_t> work(tags.begin(), tags.end());
  std::vector<RefutationStep> steps;
  std::uint32_t last = 0xffffffffU;
  while (!work.empty()) {
    const std::uint32_t tag = work.top();
    work.pop();
    if (tag == last) continue;
    ISOLDE_CHECK(tag < last);
    last = tag;
    const prune::DerivedOrder& derived = derived_[tag];
    const TxnId before = derived.order.before;
    const TxnId after = derived.order.after;
    const Path path = justify(derived);
    RefutationStep step;
    step.clause = {derived.order};
    // The path starts and ends in events of the pair or the reader; naming it needs a closed
    // path, so the assumed edge goes in between as an extra edge.
    const NodeId from =
        derived.reader.is_some() ? events_.reads_at(derived.reader) : events_.commit(after);
    const NodeId to =
        derived.reader.is_some() ? events_.commit(before) : events_.overwrite(before);
    graph::Digraph& graph = events_.graph();
    const EdgeId assumed = graph.add(from, to, 0);
    Path cycle = path;
    cycle.push_back({from, assumed});
    step.cycle = events_.name_cycle(cycle, [&](EdgeId edge) {
      const VersionOrder order =
          edge == assumed ? VersionOrder{after, before} : derived_[graph.tag(edge)].order;
      return events_.name_order_edge(graph.from(edge), graph.to(edge), order);
    });
    graph.pop_to(graph.extra_count() - 1);
    std::vector<std::uint32_t> needed;
    collect(path, needed);
    for (const std::uint32_t each : needed) work.push(each);
    steps.push_back(std::move(step));
    budget_.spend(1024);
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

Refutation RefutationBuilder::from_cycle() {
  const Path cycle = find_short_cycle(events_, budget_);
  std::vector<std::uint32_t> tags;
  collect(cycle, tags);
  RefutationStep last;
  last.cycle = name(cycle);
  Refutation refutation;
  refutation.steps = establish(tags);
  refutation.steps.push_back(std::move(last));
  return refutation;
}

Refutation RefutationBuilder::from_conflicts(const solver::Solver& solver,
                                             const PairTheory& theory) {
  const std::vector<solver::ProofStep> core = solver.core();
  std::vector<std::uint32_t> tags;
  for (const solver::ProofStep& step : core) {
    if (!step.from.empty()) continue;
    const PairTheory::Lemma& lemma = theory.lemmas()[step.theory_index];
    tags.insert(tags.end(), lemma.established.begin(), lemma.established.end());
  }
  Refutation refutation;
  refutation.steps = establish(tags);
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
