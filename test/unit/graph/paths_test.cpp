// Goal: the path found is a path, costs what it claims, and no path is cheaper;
// none is found exactly when there is none. Method: hand cases, then random
// graphs with random costs and forbidden edges against Floyd-Warshall.
#include "graph/paths.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "unit/graph/random_graph.hpp"

namespace isolde::graph {
namespace {

using test::digraph;
using test::EdgeList;
using test::node;
using Steps = std::vector<PathFinder::Step>;

constexpr std::uint32_t kNoPath = 1000000;

std::uint32_t unit_cost(NodeId, NodeId, EdgeId) { return 1; }

std::vector<std::uint32_t> nodes(const Steps& steps) {
  std::vector<std::uint32_t> numbers;
  for (const PathFinder::Step& step : steps) numbers.push_back(step.node.raw());
  return numbers;
}

TEST(PathFinder, FindsShortestPathsAndCycles) {
  const Digraph graph = digraph(6, {{0, 1}, {1, 2}, {2, 3}, {0, 4}, {4, 3}, {3, 0}, {5, 5}});
  PathFinder paths(graph);
  EXPECT_EQ(nodes(paths.shortest(node(0), node(3), unit_cost)),
            (std::vector<std::uint32_t>{0, 4}));
  EXPECT_EQ(paths.distance(node(3)), 2U);
  EXPECT_EQ(nodes(paths.shortest(node(0), node(0), unit_cost)),
            (std::vector<std::uint32_t>{0, 4, 3}));
  EXPECT_EQ(nodes(paths.shortest(node(5), node(5), unit_cost)),
            (std::vector<std::uint32_t>{5}));
  EXPECT_TRUE(paths.shortest(node(0), node(5), unit_cost).empty());
  EXPECT_GT(paths.work(), 0U);
}

TEST(PathFinder, PrefersCheapEdgesAndAvoidsForbiddenOnes) {
  Digraph graph = digraph(4, {{0, 1}, {1, 2}, {2, 3}});
  const EdgeId shortcut = graph.add(node(0), node(3), 0);
  PathFinder paths(graph);
  const auto dear = [](NodeId, NodeId, EdgeId edge) -> std::uint32_t {
    return edge.is_some() ? 4 : 1;
  };
  EXPECT_EQ(nodes(paths.shortest(node(0), node(3), dear)),
            (std::vector<std::uint32_t>{0, 1, 2}));
  const auto forbidden = [](NodeId, NodeId to, EdgeId) {
    return to == node(2) ? PathFinder::kForbidden : 1;
  };
  const Steps direct = paths.shortest(node(0), node(3), forbidden);
  ASSERT_EQ(direct.size(), 1U);
  EXPECT_EQ(direct.front().edge, shortcut);
  const auto free = [](NodeId, NodeId, EdgeId) -> std::uint32_t { return 0; };
  EXPECT_FALSE(paths.shortest(node(0), node(3), free).empty());
  EXPECT_EQ(paths.distance(node(3)), 0U);
}

/// A random graph in which edge i has cost costs[i]; the first half are base
/// edges.
struct Case {
  explicit Case(std::uint64_t seed) : rng(seed), node_count(1 + rng.below(8)) {
    edges = test::random_edges(rng, node_count, rng.below(3 * node_count));
    // One cost per pair of ends, because base edges are known by their ends
    // only.
    const std::uint32_t cost_max = rng.chance(0.5) ? PathFinder::kCostMax : 3;
    for (const auto& edge : edges) {
      const bool is_forbidden = rng.chance(0.2);
      const auto price = static_cast<std::uint32_t>(rng.below(cost_max + 1));
      cost.try_emplace(edge, is_forbidden ? PathFinder::kForbidden : price);
    }
  }

  Digraph build() const {
    const auto half = static_cast<std::ptrdiff_t>(edges.size() / 2);
    Digraph graph = digraph(node_count, EdgeList(edges.begin(), edges.begin() + half));
    for (std::size_t i = edges.size() / 2; i < edges.size(); ++i) {
      graph.add(node(edges[i].first), node(edges[i].second), 0);
    }
    return graph;
  }

  /// Cheapest path of at least one edge, for all pairs.
  std::vector<std::vector<std::uint32_t>> distances() const {
    std::vector<std::vector<std::uint32_t>> best(
        node_count, std::vector<std::uint32_t>(node_count, kNoPath));
    for (const auto& [ends, price] : cost) {
      if (price != PathFinder::kForbidden) best[ends.first][ends.second] = price;
    }
    for (std::size_t via = 0; via < node_count; ++via) {
      for (std::size_t from = 0; from < node_count; ++from) {
        for (std::size_t to = 0; to < node_count; ++to) {
          best[from][to] = std::min(best[from][to], best[from][via] + best[via][to]);
        }
      }
    }
    return best;
  }

  base::Rng rng;
  std::size_t node_count;
  EdgeList edges;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> cost;
};

/// Sum of the costs along the steps; checks that each edge leads where the next
/// step starts.
std::uint32_t cost_of(const Case& random, const Digraph& graph, const Steps& steps, NodeId to) {
  std::uint32_t total = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const NodeId next = i + 1 < steps.size() ? steps[i + 1].node : to;
    const auto price = random.cost.find({steps[i].node.raw(), next.raw()});
    if (price == random.cost.end() || price->second == PathFinder::kForbidden) return kNoPath;
    bool exists = false;
    graph.out_edges(steps[i].node, [&](NodeId target, EdgeId edge) {
      exists = exists || (target == next && edge == steps[i].edge);
      return true;
    });
    if (!exists) return kNoPath;
    total += price->second;
  }
  return total;
}

TEST(PathFinder, AgreesWithFloydWarshall) {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const Case random(seed);
    const Digraph graph = random.build();
    const auto best = random.distances();
    PathFinder paths(graph);
    for (std::uint32_t from = 0; from < random.node_count; ++from) {
      for (std::uint32_t to = 0; to < random.node_count; ++to) {
        const Steps steps =
            paths.shortest(node(from), node(to), [&](NodeId a, NodeId b, EdgeId) {
              return random.cost.at({a.raw(), b.raw()});
            });
        if (best[from][to] >= kNoPath) {
          ASSERT_TRUE(steps.empty()) << "seed " << seed;
          continue;
        }
        ++found;
        ASSERT_FALSE(steps.empty()) << "seed " << seed;
        ASSERT_EQ(steps.front().node, node(from)) << "seed " << seed;
        ASSERT_EQ(cost_of(random, graph, steps, node(to)), best[from][to]) << "seed " << seed;
        ASSERT_EQ(paths.distance(node(to)), best[from][to]) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(found, 1000U);
}

}  // namespace
}  // namespace isolde::graph
