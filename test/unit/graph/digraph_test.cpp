// Goal: edges are visited from both ends, extra ones youngest first, and
// popping undoes adding exactly. Method: hand cases, then random adding and
// popping against a list of edges.
#include "graph/digraph.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/graph/random_graph.hpp"

namespace isolde::graph {
namespace {

using test::digraph;
using test::EdgeList;
using test::node;

struct Seen {
  std::uint32_t node;
  EdgeId edge;
  friend bool operator==(const Seen&, const Seen&) = default;
};

std::vector<Seen> out_of(const Digraph& graph, std::uint32_t from) {
  std::vector<Seen> seen;
  EXPECT_TRUE(graph.out_edges(node(from), [&](NodeId target, EdgeId edge) {
    seen.push_back({target.raw(), edge});
    return true;
  }));
  return seen;
}

std::vector<Seen> into(const Digraph& graph, std::uint32_t to) {
  std::vector<Seen> seen;
  EXPECT_TRUE(graph.in_edges(node(to), [&](NodeId source, EdgeId edge) {
    seen.push_back({source.raw(), edge});
    return true;
  }));
  return seen;
}

TEST(Digraph, VisitsBaseEdgesThenExtraOnesFromTheYoungest) {
  Digraph graph = digraph(4, {{0, 1}, {0, 2}, {1, 2}});
  EXPECT_EQ(graph.node_count(), 4U);
  EXPECT_EQ(graph.base_edge_count(), 3U);
  const EdgeId first = graph.add(node(0), node(3), 70);
  const EdgeId second = graph.add(node(0), node(2), 71);
  EXPECT_EQ(graph.extra_count(), 2U);
  EXPECT_EQ(out_of(graph, 0),
            (std::vector<Seen>{{1, EdgeId()}, {2, EdgeId()}, {2, second}, {3, first}}));
  EXPECT_EQ(into(graph, 2), (std::vector<Seen>{{0, EdgeId()}, {1, EdgeId()}, {0, second}}));
  EXPECT_EQ(graph.tag(first), 70U);
  EXPECT_EQ(graph.from(second), node(0));
  EXPECT_EQ(graph.to(second), node(2));
  graph.pop_to(1);
  EXPECT_EQ(out_of(graph, 0), (std::vector<Seen>{{1, EdgeId()}, {2, EdgeId()}, {3, first}}));
  EXPECT_EQ(into(graph, 2), (std::vector<Seen>{{0, EdgeId()}, {1, EdgeId()}}));
}

TEST(Digraph, StopsWhenToldTo) {
  Digraph graph = digraph(3, {{0, 1}, {2, 1}});
  graph.add(node(0), node(2), 0);
  graph.add(node(0), node(1), 0);
  for (int limit = 1; limit <= 4; ++limit) {
    int visits = 0;
    const bool all = graph.out_edges(node(0), [&](NodeId, EdgeId) { return ++visits < limit; });
    EXPECT_EQ(visits, std::min(limit, 3));
    EXPECT_EQ(all, limit > 3);
    visits = 0;
    EXPECT_EQ(graph.in_edges(node(1), [&](NodeId, EdgeId) { return ++visits < limit; }),
              limit > 3);
  }
}

TEST(Digraph, KeepsParallelEdgesAndLoops) {
  Digraph graph = digraph(2, {{0, 1}, {0, 1}, {1, 1}});
  graph.add(node(1), node(1), 5);
  EXPECT_EQ(out_of(graph, 0).size(), 2U);
  EXPECT_EQ(out_of(graph, 1).size(), 2U);
  EXPECT_EQ(into(graph, 1).size(), 4U);
}

TEST(Digraph, PoppingUndoesAdding) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    base::Rng rng(seed);
    const std::size_t count = 1 + rng.below(6);
    const EdgeList base_edges = test::random_edges(rng, count, rng.below(8));
    Digraph graph = digraph(count, base_edges);
    EdgeList extra;
    for (int step = 0; step < 60; ++step) {
      if (rng.chance(0.7)) {
        extra.push_back(test::random_edges(rng, count, 1).front());
        const EdgeId edge = graph.add(node(extra.back().first), node(extra.back().second),
                                      static_cast<std::uint32_t>(step));
        ASSERT_EQ(edge.raw() + 1, extra.size());
        ASSERT_EQ(graph.tag(edge), static_cast<std::uint32_t>(step));
      } else {
        extra.resize(rng.below(extra.size() + 1));
        graph.pop_to(extra.size());
      }
      for (std::uint32_t n = 0; n < count; ++n) {
        std::vector<Seen> out;
        std::vector<Seen> in;
        for (const auto& [from, to] : base_edges) {
          if (from == n) out.push_back({to, EdgeId()});
          if (to == n) in.push_back({from, EdgeId()});
        }
        // The in-row of base edges is sorted by source.
        std::stable_sort(in.begin(), in.end(),
                         [](const Seen& a, const Seen& b) { return a.node < b.node; });
        for (std::size_t i = extra.size(); i-- > 0;) {
          if (extra[i].first == n) out.push_back({extra[i].second, EdgeId::at(i)});
          if (extra[i].second == n) in.push_back({extra[i].first, EdgeId::at(i)});
        }
        ASSERT_EQ(out_of(graph, n), out) << "seed " << seed << " step " << step;
        ASSERT_EQ(into(graph, n), in) << "seed " << seed << " step " << step;
      }
    }
  }
}

}  // namespace
}  // namespace isolde::graph
