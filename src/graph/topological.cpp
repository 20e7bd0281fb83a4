#include "graph/topological.hpp"

#include <algorithm>
#include <queue>

#include "base/assert.hpp"

namespace isolde::graph {

namespace {

/// `for_each_target(node, visit)` calls visit(target) for each edge that leaves the node.
template <typename ForEachTarget>
std::vector<NodeId> ordered(std::span<const std::uint32_t> priority, base::Budget& budget,
                            const ForEachTarget& for_each_target) {
  const std::size_t count = priority.size();
  std::vector<std::uint32_t> missing(count, 0);
  for (std::size_t node = 0; node < count; ++node) {
    for_each_target(NodeId::at(node), [&](NodeId target) { ++missing[target.raw()]; });
  }
  // A min-heap on (priority, node) packed into one word.
  using Entry = std::uint64_t;
  std::vector<Entry> heap;
  const auto push = [&](std::size_t node) {
    heap.push_back((std::uint64_t{priority[node]} << 32) | node);
    std::push_heap(heap.begin(), heap.end(), std::greater<>());
  };
  for (std::size_t node = 0; node < count; ++node) {
    if (missing[node] == 0) push(node);
  }
  std::vector<NodeId> order;
  order.reserve(count);
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    const NodeId node(static_cast<std::uint32_t>(heap.back()));
    heap.pop_back();
    order.push_back(node);
    if (!budget.spend(8)) break;
    for_each_target(node, [&](NodeId target) {
      if (--missing[target.raw()] == 0) push(target.raw());
    });
  }
  ISOLDE_ASSERT(order.size() <= count);  // each node becomes ready once
  return order;
}

template <typename Visit>
void for_each_target_in(const Digraph& graph, NodeId node, const Visit& visit) {
  graph.out_edges(node, [&](NodeId target, EdgeId) {
    visit(target);
    return true;
  });
}

}  // namespace

std::vector<NodeId> topological_order(const Digraph& graph,
                                      std::span<const std::uint32_t> priority,
                                      base::Budget& budget) {
  ISOLDE_CHECK(priority.size() == graph.node_count());
  return ordered(priority, budget, [&](NodeId node, const auto& visit) {
    for_each_target_in(graph, node, visit);
  });
}

std::vector<NodeId> topological_order(const Digraph& graph, const base::Csr<NodeId>& added,
                                      std::span<const std::uint32_t> priority,
                                      base::Budget& budget) {
  ISOLDE_CHECK(priority.size() == graph.node_count());
  ISOLDE_CHECK(added.row_count() == graph.node_count());
  return ordered(priority, budget, [&](NodeId node, const auto& visit) {
    for_each_target_in(graph, node, visit);
    for (const NodeId target : added.row(node.raw())) visit(target);
  });
}

namespace {
constexpr std::uint32_t kUnplaced = 0xffffffffU;
}

IncrementalOrder::IncrementalOrder(const Digraph& graph, std::span<const NodeId> order)
    : graph_(&graph), position_(graph.node_count(), kUnplaced), marked_(graph.node_count(), 0) {
  ISOLDE_CHECK(order.size() == graph.node_count());
  for (std::size_t i = 0; i < order.size(); ++i) {
    ISOLDE_INVARIANT(position_[order[i].raw()] == kUnplaced);  // I1
    position_[order[i].raw()] = static_cast<std::uint32_t>(i);
  }
}

std::vector<NodeId> IncrementalOrder::order() const {
  std::vector<NodeId> nodes(position_.size());
  for (std::size_t node = 0; node < position_.size(); ++node) {
    nodes[position_[node]] = NodeId::at(node);
  }
  return nodes;
}

bool IncrementalOrder::insert(NodeId from, NodeId to) {
  if (from == to) return false;
  const std::uint32_t lowest = position(to);
  if (position(from) < lowest) return true;
  const bool acyclic = collect_forward(to, from);
  if (acyclic) collect_backward(from, lowest);
  work_ += forward_.size() + backward_.size();
  for (const NodeId node : forward_) marked_[node.raw()] = 0;
  for (const NodeId node : backward_) marked_[node.raw()] = 0;
  if (acyclic) reorder();
  ISOLDE_INVARIANT(!acyclic || position(from) < position(to));
  forward_.clear();
  backward_.clear();
  return acyclic;
}

/// Nodes that `start` reaches without passing `stop` in the order; false when one is `stop`.
bool IncrementalOrder::collect_forward(NodeId start, NodeId stop) {
  const std::uint32_t highest = position(stop);
  marked_[start.raw()] = 1;
  forward_.push_back(start);
  for (std::size_t next = 0; next < forward_.size(); ++next) {
    const bool clean = graph_->out_edges(forward_[next], [&](NodeId target, EdgeId) {
      if (target == stop) return false;
      if (marked_[target.raw()] == 0 && position(target) < highest) {
        marked_[target.raw()] = 1;
        forward_.push_back(target);
      }
      return true;
    });
    if (!clean) return false;
  }
  return true;
}

void IncrementalOrder::collect_backward(NodeId start, std::uint32_t lowest) {
  ISOLDE_INVARIANT(marked_[start.raw()] == 0);  // else the edge's head reaches its tail
  marked_[start.raw()] = 1;
  backward_.push_back(start);
  for (std::size_t next = 0; next < backward_.size(); ++next) {
    graph_->in_edges(backward_[next], [&](NodeId source, EdgeId) {
      if (marked_[source.raw()] == 0 && position(source) > lowest) {
        marked_[source.raw()] = 1;
        backward_.push_back(source);
      }
      return true;
    });
  }
}

/// Puts what reaches the new edge's tail before what its head reaches, reusing the places of
/// the two sets.
void IncrementalOrder::reorder() {
  const auto by_position = [&](NodeId a, NodeId b) { return position(a) < position(b); };
  std::sort(backward_.begin(), backward_.end(), by_position);
  std::sort(forward_.begin(), forward_.end(), by_position);
  places_.clear();
  for (const NodeId node : backward_) places_.push_back(position(node));
  for (const NodeId node : forward_) places_.push_back(position(node));
  std::sort(places_.begin(), places_.end());
  std::size_t place = 0;
  for (const auto* set : {&backward_, &forward_}) {
    for (const NodeId node : *set) {
      position_[node.raw()] = places_[place++];
      moved_.push_back(node);
    }
  }
}

}  // namespace isolde::graph
