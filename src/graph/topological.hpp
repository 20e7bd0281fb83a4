// Topological orders: computed once (Kahn 1962, with priorities), and kept up to date under
// edge insertion (Pearce & Kelly: A Dynamic Topological Sort Algorithm for Directed Acyclic
// Graphs, ACM JEA 11, 2006).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/budget.hpp"
#include "base/csr.hpp"
#include "graph/digraph.hpp"

namespace isolde::graph {

/// All nodes in an order that agrees with every edge; among the nodes that could come next, the
/// one with the smallest priority does (ties by node). With a cycle, only the nodes that no
/// cycle reaches. COST: O((n + m) log n); linear when `priority` already is a topological
/// order.
std::vector<NodeId> topological_order(const Digraph& graph,
                                      std::span<const std::uint32_t> priority,
                                      base::Budget& budget);
/// The same with further edges, by the node that they leave: less memory than as extra edges of
/// the graph.
std::vector<NodeId> topological_order(const Digraph& graph, const base::Csr<NodeId>& added,
                                      std::span<const std::uint32_t> priority,
                                      base::Budget& budget);

/// A topological order of a Digraph that follows its extra edges.
///
/// Use: before Digraph::add(u, v) call insert(u, v); when that is false the edge would close a
/// cycle, nothing has changed, and the edge must not be added. Removing edges needs no call.
/// COST of insert: linear in the nodes between v and u in the order that v reaches or that
/// reach u; nothing when the order already agrees.
///
/// Invariants: I1 the positions are a permutation of the nodes; I2 each edge of the graph leads
/// to a larger position; I3 outside of insert() no node is marked.
class IncrementalOrder {
 public:
  /// REQUIRES: `order` is a topological order of all nodes of `graph`, whose in-edges are
  /// indexed. The graph must outlive this object.
  IncrementalOrder(const Digraph& graph, std::span<const NodeId> order);

  std::uint32_t position(NodeId node) const { return position_[node.raw()]; }
  /// By node.
  std::span<const std::uint32_t> positions() const { return position_; }
  bool insert(NodeId from, NodeId to);

  /// Nodes in order.
  std::vector<NodeId> order() const;

  /// Nodes that changed place since the list was last cleared; may hold repeats.
  std::vector<NodeId>& moved() { return moved_; }
  /// Nodes touched by all insertions, a deterministic measure of work.
  std::uint64_t work() const { return work_; }

 private:
  bool collect_forward(NodeId start, NodeId stop);
  void collect_backward(NodeId start, std::uint32_t lowest);
  void reorder();

  const Digraph* graph_;
  std::vector<std::uint32_t> position_;
  std::vector<std::uint8_t> marked_;
  std::vector<NodeId> forward_;
  std::vector<NodeId> backward_;
  std::vector<std::uint32_t> places_;
  std::vector<NodeId> moved_;
  std::uint64_t work_ = 0;
};

}  // namespace isolde::graph
