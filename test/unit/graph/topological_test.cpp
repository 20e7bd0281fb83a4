// Goal: orders agree with every edge and with the priorities; the incremental
// order accepts an edge exactly when it closes no cycle, and follows adding and
// popping. Method: a naive Kahn with a linear search, and model-based runs
// against the transitive closure.
#include "graph/topological.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "unit/graph/random_graph.hpp"

namespace isolde::graph {
namespace {

using test::digraph;
using test::EdgeList;
using test::node;

std::vector<NodeId> topological(const Digraph& graph,
                                const std::vector<std::uint32_t>& priority) {
  base::Budget budget;
  return topological_order(graph, priority, budget);
}

std::vector<NodeId> nodes(const std::vector<std::uint32_t>& numbers) {
  std::vector<NodeId> result;
  for (const std::uint32_t number : numbers) result.push_back(NodeId(number));
  return result;
}

TEST(TopologicalOrder, FollowsPriorities) {
  const Digraph graph = digraph(5, {{0, 1}, {3, 1}, {1, 4}});
  EXPECT_EQ(topological(graph, {0, 0, 0, 0, 0}), nodes({0, 2, 3, 1, 4}));
  EXPECT_EQ(topological(graph, {4, 3, 2, 1, 0}), nodes({3, 2, 0, 1, 4}));
  EXPECT_EQ(topological(graph, {0, 1, 9, 0, 2}), nodes({0, 3, 1, 4, 2}));
  EXPECT_TRUE(topological(digraph(0, {}), {}).empty());
}

TEST(TopologicalOrder, LeavesOutWhatACycleLeadsTo) {
  const Digraph graph = digraph(6, {{0, 1}, {1, 2}, {2, 1}, {2, 3}, {4, 0}, {5, 5}});
  EXPECT_EQ(topological(graph, {0, 0, 0, 0, 0, 0}), nodes({4, 0}));
}

TEST(TopologicalOrder, CountsExtraAndParallelEdges) {
  Digraph graph = digraph(3, {{2, 0}, {2, 0}});
  graph.add(node(1), node(2), 0);
  graph.add(node(1), node(2), 0);
  EXPECT_EQ(topological(graph, {0, 0, 0}), nodes({1, 2, 0}));
  graph.add(node(0), node(1), 0);
  EXPECT_TRUE(topological(graph, {0, 0, 0}).empty());
}

TEST(TopologicalOrder, StopsWithTheBudget) {
  base::Budget budget;
  budget.cancel();
  budget.look();
  EXPECT_LT(
      topological_order(digraph(3, {}), std::vector<std::uint32_t>{0, 0, 0}, budget).size(),
      3U);
}

/// Again and again the ready node of least (priority, number).
std::vector<NodeId> naive_order(std::size_t count, const EdgeList& edges,
                                const std::vector<std::uint32_t>& priority) {
  std::vector<NodeId> order;
  std::vector<bool> done(count, false);
  while (true) {
    std::size_t best = count;
    for (std::size_t n = 0; n < count; ++n) {
      const bool ready = !done[n] && std::none_of(edges.begin(), edges.end(), [&](auto edge) {
        return edge.second == n && !done[edge.first];
      });
      if (ready && (best == count || priority[n] < priority[best])) best = n;
    }
    if (best == count) return order;
    done[best] = true;
    order.push_back(NodeId::at(best));
  }
}

TEST(TopologicalOrder, EqualsTheNaiveOne) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    base::Rng rng(seed);
    const std::size_t count = 1 + rng.below(9);
    const EdgeList edges = test::random_edges(rng, count, rng.below(count + 1));
    std::vector<std::uint32_t> priority(count);
    for (std::uint32_t& each : priority) each = static_cast<std::uint32_t>(rng.below(5));
    const std::vector<NodeId> expected = naive_order(count, edges, priority);
    ASSERT_EQ(topological(digraph(count, edges), priority), expected) << "seed " << seed;
    // Some of them beside the graph.
    const auto middle = edges.begin() + static_cast<std::ptrdiff_t>(edges.size() / 2);
    const auto added = base::Csr<NodeId>::build(count, [&](const auto& add) {
      for (auto at = middle; at != edges.end(); ++at) add(at->first, NodeId(at->second));
    });
    base::Budget budget;
    ASSERT_EQ(
        topological_order(digraph(count, {edges.begin(), middle}), added, priority, budget),
        expected)
        << "seed " << seed;
  }
}

/// An IncrementalOrder, its graph, and the edges that are really there.
class Model {
 public:
  explicit Model(std::uint64_t seed)
      : rng_(seed),
        count_(2 + rng_.below(9)),
        order_(start()),
        graph_(digraph(count_, edges_)),
        incremental_(graph_, order_) {
    base_count_ = edges_.size();
  }

  void step() {
    if (rng_.chance(0.25)) {
      const std::size_t keep = rng_.below(edges_.size() - base_count_ + 1);
      graph_.pop_to(keep);
      edges_.resize(base_count_ + keep);
      return;
    }
    const auto edge = test::random_edges(rng_, count_, 1).front();
    const bool closes =
        edge.first == edge.second || test::closure(count_, edges_)[edge.second][edge.first];
    const std::vector<NodeId> before = incremental_.order();
    incremental_.moved().clear();
    const bool accepted = incremental_.insert(node(edge.first), node(edge.second));
    ASSERT_EQ(accepted, !closes);
    check_moved(before);
    if (!accepted) {
      ASSERT_EQ(incremental_.order(), before);
      return;
    }
    graph_.add(node(edge.first), node(edge.second), 0);
    edges_.push_back(edge);
  }

  void check() const {
    const std::vector<NodeId> order = incremental_.order();
    std::vector<std::uint32_t> sorted;
    for (std::size_t i = 0; i < order.size(); ++i) {
      ASSERT_EQ(incremental_.position(order[i]), i);
      sorted.push_back(order[i].raw());
    }
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < count_; ++i) ASSERT_EQ(sorted[i], i);
    for (const auto& [from, to] : edges_) {
      ASSERT_LT(incremental_.position(node(from)), incremental_.position(node(to)));
    }
  }

  std::uint64_t work() const { return incremental_.work(); }

 private:
  /// Base edges along a random order of the nodes, which is returned.
  std::vector<NodeId> start() {
    std::vector<NodeId> order;
    for (std::size_t n = 0; n < count_; ++n) order.push_back(NodeId::at(n));
    for (std::size_t n = count_; n > 1; --n) std::swap(order[n - 1], order[rng_.below(n)]);
    for (std::uint64_t n = rng_.below(count_); n > 0; --n) {
      const std::size_t to = 1 + rng_.below(count_ - 1);
      edges_.push_back({order[rng_.below(to)].raw(), order[to].raw()});
    }
    return order;
  }

  void check_moved(const std::vector<NodeId>& before) {
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (incremental_.position(before[i]) == i) continue;
      const std::vector<NodeId>& moved = incremental_.moved();
      ASSERT_NE(std::find(moved.begin(), moved.end(), before[i]), moved.end());
    }
  }

  base::Rng rng_;
  std::size_t count_;
  EdgeList edges_;
  std::size_t base_count_ = 0;
  std::vector<NodeId> order_;
  Digraph graph_;
  IncrementalOrder incremental_;
};

TEST(IncrementalOrder, FollowsInsertionsAndRemovals) {
  std::uint64_t work = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Model model(seed);
    for (int i = 0; i < 40; ++i) {
      ASSERT_NO_FATAL_FAILURE(model.step());
      ASSERT_NO_FATAL_FAILURE(model.check());
    }
    work += model.work();
  }
  EXPECT_GT(work, 0U);
}

TEST(IncrementalOrder, CostsNothingWhereTheOrderAgrees) {
  Digraph graph = digraph(4, {});
  IncrementalOrder order(graph, nodes({3, 1, 0, 2}));
  EXPECT_TRUE(order.insert(node(3), node(2)));
  EXPECT_EQ(order.work(), 0U);
  EXPECT_TRUE(order.moved().empty());
  EXPECT_TRUE(order.insert(node(2), node(3)));  // the first edge was never added
  EXPECT_GT(order.work(), 0U);
  EXPECT_LT(order.position(node(2)), order.position(node(3)));
  EXPECT_FALSE(order.insert(node(1), node(1)));
}

TEST(IncrementalOrderDeathTest, WantsAllNodes) {
  Digraph graph = digraph(3, {});
  EXPECT_DEATH(IncrementalOrder(graph, nodes({0, 1})), "check");
}

}  // namespace
}  // namespace isolde::graph
