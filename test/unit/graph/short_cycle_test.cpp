// Goal: a cycle is found, a short one where there is time, and on graphs with many edges the
// search is charged to the budget and ends. Method: graphs in which each node leads to all.
#include "graph/short_cycle.hpp"

#include <gtest/gtest.h>

#include "unit/graph/random_graph.hpp"

namespace isolde::graph {
namespace {

using test::digraph;
using test::EdgeList;

/// Each node leads to all later ones, and the last one to all others.
Digraph dense(std::uint32_t nodes) {
  EdgeList edges;
  for (std::uint32_t from = 0; from < nodes; ++from) {
    for (std::uint32_t to = from + 1; to < nodes; ++to) edges.emplace_back(from, to);
    if (from + 1 < nodes) edges.emplace_back(nodes - 1, from);
  }
  return digraph(nodes, edges);
}

struct Found {
  std::size_t length = 0;
  std::uint64_t edges = 0;  // that the search looked at
};

/// Edges cost more than the last one does, so that each search sees most of them.
Found search(const Digraph& graph, base::Budget& budget) {
  Found found;
  const auto any = [](NodeId) { return true; };
  const auto cycle = short_cycle(
      graph, any,
      [&](NodeId, NodeId to, EdgeId) -> std::uint32_t {
        ++found.edges;
        return to.raw() + 1 == graph.node_count() ? PathFinder::kCostMax : 0;
      },
      budget);
  found.length = cycle.size();
  return found;
}

TEST(ShortCycle, FindsOne) {
  base::Budget budget;
  EXPECT_EQ(search(digraph(5, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {3, 4}}), budget).length, 4U);
  EXPECT_EQ(search(dense(2), budget).length, 2U);
}

TEST(ShortCycle, IsChargedForEdges) {
  base::Budget budget;
  const base::Budget::Allowance allowance(budget, 1'000'000);
  const Found found = search(dense(600), budget);
  EXPECT_GE(found.length, 2U);
  EXPECT_TRUE(budget.exhausted());
  EXPECT_LT(found.edges, 8'000'000U);
}

TEST(ShortCycle, LooksAtAsManyEdgesAsAreWorthIt) {
  base::Budget budget;
  const Found found = search(dense(1000), budget);
  EXPECT_GE(found.length, 2U);
  EXPECT_FALSE(budget.exhausted());
  EXPECT_GT(found.edges, kShortCycleEdges);
  EXPECT_LT(found.edges, kShortCycleEdges + 2'000'000U);
}

}  // namespace
}  // namespace isolde::graph
