// Random graphs for the tests of this folder, with the plain model that answers
// are compared with: a matrix of edges and its transitive closure.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "graph/digraph.hpp"

namespace isolde::graph::test {

using EdgeList = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

inline NodeId node(std::uint32_t number) { return NodeId(number); }

/// The edges as base edges, in-edges indexed.
inline Digraph digraph(std::size_t node_count, const EdgeList& edges) {
  Digraph graph(base::Csr<NodeId>::build(node_count, [&](const auto& add) {
    for (const auto& [from, to] : edges) add(from, NodeId(to));
  }));
  graph.index_in_edges();
  return graph;
}

inline EdgeList random_edges(base::Rng& rng, std::size_t node_count, std::size_t edge_count) {
  EdgeList edges(edge_count);
  for (auto& [from, to] : edges) {
    from = static_cast<std::uint32_t>(rng.below(node_count));
    to = static_cast<std::uint32_t>(rng.below(node_count));
  }
  return edges;
}

/// reaches[a][b]: a path of at least one edge leads from a to b.
using Matrix = std::vector<std::vector<bool>>;

inline Matrix closure(std::size_t node_count, const EdgeList& edges) {
  Matrix reaches(node_count, std::vector<bool>(node_count, false));
  for (const auto& [from, to] : edges) reaches[from][to] = true;
  for (std::size_t via = 0; via < node_count; ++via) {
    for (std::size_t from = 0; from < node_count; ++from) {
      for (std::size_t to = 0; to < node_count; ++to) {
        if (reaches[from][via] && reaches[via][to]) reaches[from][to] = true;
      }
    }
  }
  return reaches;
}

}  // namespace isolde::graph::test
