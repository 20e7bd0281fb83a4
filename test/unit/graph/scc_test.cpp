// Goal: two nodes share a component exactly when each reaches the other, and
// component numbers descend along edges. Method: hand cases, then random graphs
// against the transitive closure.
#include <gtest/gtest.h>

#include <algorithm>

#include "graph/paths.hpp"
#include "unit/graph/random_graph.hpp"

namespace isolde::graph {
namespace {

using test::digraph;
using test::EdgeList;

TEST(StrongComponents, OfHandMadeGraphs) {
  EXPECT_TRUE(strong_components(digraph(0, {})).empty());
  const std::vector<std::uint32_t> chain = strong_components(digraph(3, {{0, 1}, {1, 2}}));
  EXPECT_EQ(chain, (std::vector<std::uint32_t>{2, 1, 0}));
  const std::vector<std::uint32_t> ring =
      strong_components(digraph(4, {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 3}}));
  EXPECT_EQ(ring, (std::vector<std::uint32_t>{1, 1, 1, 0}));
}

TEST(StrongComponents, EqualMutualReachability) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    base::Rng rng(seed);
    const std::size_t count = 1 + rng.below(9);
    const EdgeList edges = test::random_edges(rng, count, rng.below(2 * count + 1));
    // Half of the edges as extra ones: both kinds count.
    const std::size_t base_count = edges.size() / 2;
    Digraph graph = digraph(
        count,
        EdgeList(edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(base_count)));
    for (std::size_t i = base_count; i < edges.size(); ++i) {
      graph.add(NodeId(edges[i].first), NodeId(edges[i].second), 0);
    }
    const test::Matrix reaches = test::closure(count, edges);
    const std::vector<std::uint32_t> component = strong_components(graph);
    ASSERT_EQ(component.size(), count);
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = 0; b < count; ++b) {
        const bool together = a == b || (reaches[a][b] && reaches[b][a]);
        ASSERT_EQ(component[a] == component[b], together) << "seed " << seed;
        if (reaches[a][b]) {
          ASSERT_GE(component[a], component[b]) << "seed " << seed;
        }
      }
    }
    const std::uint32_t highest = *std::max_element(component.begin(), component.end());
    for (std::uint32_t number = 0; number <= highest; ++number) {
      ASSERT_NE(std::count(component.begin(), component.end(), number), 0) << "seed " << seed;
    }
  }
}

/// Deep graphs must not exhaust the call stack.
TEST(StrongComponents, OfALongPathAndALongRing) {
  const std::uint32_t count = 200000;
  Digraph graph(base::Csr<NodeId>::build(count, [&](const auto& add) {
    for (std::uint32_t n = 0; n + 1 < count; ++n) add(n, NodeId(n + 1));
  }));
  std::vector<std::uint32_t> component = strong_components(graph);
  EXPECT_EQ(component.front(), count - 1);
  EXPECT_EQ(component.back(), 0U);
  graph.add(NodeId(count - 1), NodeId(0), 0);
  component = strong_components(graph);
  EXPECT_EQ(std::count(component.begin(), component.end(), 0U), count);
}

}  // namespace
}  // namespace isolde::graph
