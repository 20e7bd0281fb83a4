// Digraph: a fixed set of base edges in CSR form and a stack of extra edges on top. The solver
// adds and removes extra edges in stack order as it decides and backtracks; saturation only
// adds.
//
// Invariants: G1 extra edges are removed in the reverse order of adding; G2 the lists of extra
// edges of a node run from the youngest to the oldest, so that removal is at the head.
// Memory: 4 bytes a base edge (8 once in-edges are asked for), 20 bytes an extra edge, 16 a
// node.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/csr.hpp"
#include "isolde/index.hpp"

namespace isolde::graph {

using NodeId = Index<struct NodeTag>;
/// Position of an extra edge in the stack; none for base edges.
using EdgeId = Index<struct EdgeTag>;

class Digraph {
 public:
  explicit Digraph(base::Csr<NodeId> base)
      : out_(std::move(base)),
        head_out_(out_.row_count(), EdgeId::none()),
        head_in_(out_.row_count(), EdgeId::none()) {}

  std::size_t node_count() const { return out_.row_count(); }
  std::size_t base_edge_count() const { return out_.item_count(); }
  std::size_t extra_count() const { return extra_.size(); }

  /// `tag` is the caller's label of the edge.
  EdgeId add(NodeId from, NodeId to, std::uint32_t tag) {
    ISOLDE_ASSERT(extra_.size() < EdgeId::max_count());
    ISOLDE_INVARIANT(from.raw() < node_count() && to.raw() < node_count());
    const EdgeId id = EdgeId::at(extra_.size());
    extra_.push_back({from, to, head_out_[from.raw()], head_in_[to.raw()], tag});
    head_out_[from.raw()] = id;
    head_in_[to.raw()] = id;
    return id;
  }

  /// Removes the youngest extra edges until `count` are left.
  void pop_to(std::size_t count) {
    ISOLDE_ASSERT(count <= extra_.size());
    while (extra_.size() > count) {
      const Extra& edge = extra_.back();
      ISOLDE_INVARIANT(head_out_[edge.from.raw()].raw() + 1 == extra_.size());  // G2
      head_out_[edge.from.raw()] = edge.next_out;
      head_in_[edge.to.raw()] = edge.next_in;
      extra_.pop_back();
    }
  }

  std::uint32_t tag(EdgeId edge) const { return extra_[edge.raw()].tag; }
  NodeId from(EdgeId edge) const { return extra_[edge.raw()].from; }
  NodeId to(EdgeId edge) const { return extra_[edge.raw()].to; }

  /// Makes in_edges() see base edges too. COST: linear, once.
  void index_in_edges() {
    if (in_.row_count() != 0 || node_count() == 0) return;
    in_ = base::Csr<NodeId>::build(node_count(), [&](const auto& add_pair) {
      for (std::size_t node = 0; node < node_count(); ++node) {
        for (const NodeId target : out_.row(node)) add_pair(target.raw(), NodeId::at(node));
      }
    });
  }

  /// Calls visit(target, edge) for each edge; visit returns false to stop early.
  /// ENSURES: true when all edges were visited.
  template <typename Visit>
  bool out_edges(NodeId node, const Visit& visit) const {
    for (const NodeId target : out_.row(node.raw())) {
      if (!visit(target, EdgeId::none())) return false;
    }
    for (EdgeId edge = head_out_[node.raw()]; edge.is_some();) {
      const Extra& extra = extra_[edge.raw()];
      if (!visit(extra.to, edge)) return false;
      edge = extra.next_out;
    }
    return true;
  }

  /// As out_edges(), for edges that end in the node. REQUIRES: index_in_edges() was called.
  template <typename Visit>
  bool in_edges(NodeId node, const Visit& visit) const {
    ISOLDE_INVARIANT(in_.row_count() == node_count());
    for (const NodeId source : in_.row(node.raw())) {
      if (!visit(source, EdgeId::none())) return false;
    }
    for (EdgeId edge = head_in_[node.raw()]; edge.is_some();) {
      const Extra& extra = extra_[edge.raw()];
      if (!visit(extra.from, edge)) return false;
      edge = extra.next_in;
    }
    return true;
  }

 private:
  struct Extra {
    NodeId from;
    NodeId to;
    EdgeId next_out;
    EdgeId next_in;
    std::uint32_t tag;
  };

  base::Csr<NodeId> out_;
  base::Csr<NodeId> in_;
  std::vector<Extra> extra_;
  std::vector<EdgeId> head_out_;
  std::vector<EdgeId> head_in_;
};

}  // namespace isolde::graph
