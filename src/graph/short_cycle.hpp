// A short cycle of a graph that has one, for explanations.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/budget.hpp"
#include "graph/paths.hpp"

namespace isolde::graph {

/// Nodes that searches for a cycle visit; beyond it the best found so far is good enough.
inline constexpr std::uint64_t kShortCycleWork = 4'000'000;
/// Edges that they look at. Sixteen for each node: where nodes have thousands, as at the levels
/// whose edges are what each transaction saw, this is the limit.
inline constexpr std::uint64_t kShortCycleEdges = 16 * kShortCycleWork;

/// Edges lie side by side, and most are passed over at once.
inline constexpr std::uint64_t kEdgesPerTick = 4;

/// The cheapest cycle through one of the nodes with `starts(node)` that a bounded search finds;
/// costs as for PathFinder. REQUIRES: there is a cycle with such a node. COST: O(n + m) and
/// kShortCycleWork, in units of PathFinder::work(), and kShortCycleEdges after the first cycle.
template <typename Starts, typename Cost>
std::vector<PathFinder::Step> short_cycle(const Digraph& graph, const Starts& starts,
                                          const Cost& cost, base::Budget& budget) {
  PathFinder paths(graph);
  const std::vector<std::uint32_t> component = strong_components(graph);
  std::vector<std::uint32_t> size(component.size(), 0);
  for (const std::uint32_t number : component) ++size[number];
  std::vector<PathFinder::Step> best;
  std::uint32_t best_cost = PathFinder::kForbidden;
  for (std::size_t i = 0; i < component.size(); ++i) {
    const NodeId node = NodeId::at(i);
    if (size[component[i]] < 2 || !starts(node)) continue;
    const bool is_long = paths.work() > kShortCycleWork || paths.edges() > kShortCycleEdges;
    if (!best.empty() && (is_long || budget.exhausted())) break;
    const std::uint64_t before = paths.edges();
    auto cycle = paths.shortest(node, node, [&](NodeId from, NodeId to, EdgeId edge) {
      return component[to.raw()] == component[i] ? cost(from, to, edge)
                                                 : PathFinder::kForbidden;
    });
    budget.spend(256 + (paths.edges() - before) / kEdgesPerTick);
    if (cycle.empty() || paths.distance(node) >= best_cost) continue;
    best_cost = paths.distance(node);
    best = std::move(cycle);
  }
  ISOLDE_CHECK(!best.empty());
  ISOLDE_INVARIANT(is_closed(graph, best));
  return best;
}

}  // namespace isolde::graph
