// Shortest paths and cycles, for explanations: used on conflicts and violations only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/assert.hpp"
#include "graph/digraph.hpp"

namespace isolde::graph {

/// Reusable search state for shortest paths in one graph.
class PathFinder {
 public:
  explicit PathFinder(const Digraph& graph) : graph_(&graph) {}

  struct Step {
    NodeId node;
    EdgeId edge;  ///< the edge that leads from this node to the next; none = base edge
  };

  /// A path from `from` to `to` of least total cost, at least one edge long; `from` == `to`
  /// asks for a cycle. `cost(from, to, edge)` is at most kCostMax, or kForbidden. The result
  /// lists every node but the last; empty when there is no path. COST: O(n + m) by Dial's
  /// bucket queue (Dial: Algorithm 360, CACM 12, 1969).
  template <typename Cost>
  std::vector<Step> shortest(NodeId from, NodeId to, const Cost& cost) {
    prepare();
    const auto relax = [&](NodeId node, std::uint32_t so_far) {
      graph_->out_edges(node, [&](NodeId target, EdgeId edge) {
        ++edges_;
        const std::uint32_t price = cost(node, target, edge);
        if (price == kForbidden) return true;
        ISOLDE_ASSERT(price <= kCostMax);
        State& state = states_[target.raw()];
        if (state.stamp == stamp_ && state.distance <= so_far + price) return true;
        state = {stamp_, so_far + price, node, edge};
        buckets_[(so_far + price) % kBuckets].push_back(target);
        ++waiting_;
        return true;
      });
    };
    relax(from, 0);
    for (std::uint32_t distance = 0; waiting_ > 0; ++distance) {
      std::vector<NodeId>& bucket = buckets_[distance % kBuckets];
      while (!bucket.empty()) {
        const NodeId node = bucket.back();
        bucket.pop_back();
        --waiting_;
        ++work_;
        if (states_[node.raw()].distance != distance) continue;
        if (node == to) return trace(from, to);
        relax(node, distance);
      }
    }
    return {};
  }

  static constexpr std::uint32_t kForbidden = 0xffffffffU;
  static constexpr std::uint32_t kCostMax = 31;
  /// Cost of the path found last.
  std::uint32_t distance(NodeId to) const {
    ISOLDE_ASSERT(states_[to.raw()].stamp == stamp_);
    return states_[to.raw()].distance;
  }
  /// Nodes taken from the queue so far, a deterministic measure of work.
  std::uint64_t work() const { return work_; }
  /// Edges looked at so far: where nodes have many, these are the work.
  std::uint64_t edges() const { return edges_; }

 private:
  struct State {
    std::uint32_t stamp = 0;
    std::uint32_t distance = 0;
    NodeId parent;
    EdgeId edge;
  };

  void prepare() {
    if (states_.empty()) states_.resize(graph_->node_count());
    ISOLDE_ASSERT(states_.size() == graph_->node_count());
    for (std::vector<NodeId>& bucket : buckets_) bucket.clear();
    waiting_ = 0;
    ++stamp_;
  }

  std::vector<Step> trace(NodeId from, NodeId to) const {
    std::vector<Step> path;
    NodeId at = to;
    do {
      const State& state = states_[at.raw()];
      ISOLDE_INVARIANT(state.stamp == stamp_);  // else an earlier search left it
      path.push_back({state.parent, state.edge});
      at = state.parent;
    } while (at != from);
    return {path.rbegin(), path.rend()};
  }

  const Digraph* graph_;
  static constexpr std::uint32_t kBuckets = kCostMax + 1;

  std::vector<State> states_;
  std::vector<NodeId> buckets_[kBuckets];
  std::size_t waiting_ = 0;
  std::uint64_t work_ = 0;
  std::uint64_t edges_ = 0;
  std::uint32_t stamp_ = 0;
};

/// Whether each step's edge leads to the node of the next one, and the last to that of the
/// first, as far as extra edges tell. COST: linear in the steps.
inline bool is_closed(const Digraph& graph, std::span<const PathFinder::Step> cycle) {
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const EdgeId edge = cycle[i].edge;
    const NodeId next = cycle[(i + 1) % cycle.size()].node;
    if (edge.is_some() && (graph.from(edge) != cycle[i].node || graph.to(edge) != next)) {
      return false;
    }
  }
  return true;
}

/// Strongly connected components (Tarjan 1972, iterative): component number of each node. Nodes
/// of one component share a number; numbers are in reverse topological order.
std::vector<std::uint32_t> strong_components(const Digraph& graph);

}  // namespace isolde::graph
