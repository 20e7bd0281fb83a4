// Goal: the closure of a graph has a bit exactly for each pair that a path leads between, on
// the CPU and, where there is a device, there too. Method: hand cases; random graphs, with
// cycles, whose sizes lie around the borders of tiles and strips, against a search from each
// vertex.
#include "accel/closure.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "accel/cuda_closure.hpp"
#include "base/rng.hpp"
#include "support/seed.hpp"

namespace isolde::accel {
namespace {

using EdgeList = std::vector<std::pair<std::size_t, std::size_t>>;

BitMatrix matrix_of(std::size_t size, const EdgeList& edges) {
  BitMatrix matrix(size);
  for (const auto& [from, to] : edges) matrix.set(from, to);
  return matrix;
}

/// What a search along the edges finds from each vertex.
BitMatrix searched(std::size_t size, const EdgeList& edges) {
  std::vector<std::vector<std::size_t>> next(size);
  for (const auto& [from, to] : edges) next[from].push_back(to);
  BitMatrix reached(size);
  for (std::size_t start = 0; start < size; ++start) {
    std::vector<std::size_t> work = {start};
    while (!work.empty()) {
      const std::size_t at = work.back();
      work.pop_back();
      for (const std::size_t to : next[at]) {
        if (reached.test(start, to)) continue;
        reached.set(start, to);
        work.push_back(to);
      }
    }
  }
  return reached;
}

EdgeList random_edges(base::Rng& rng, std::size_t size, std::size_t count, bool forward) {
  EdgeList edges(count);
  for (auto& [from, to] : edges) {
    from = rng.below(size);
    to = rng.below(size);
    if (forward && to < from) std::swap(from, to);
  }
  return edges;
}

/// Both implementations take this test.
template <typename Close>
void expect_closures_as_searched(const Close& close, std::uint64_t cases) {
  // A row has whole strips of 1,024 columns; a block of the device has four of them.
  const std::size_t sizes[] = {1, 2, 63, 64, 65, 127, 129, 300, 1023, 1025, 2100, 4100};
  base::Rng rng(support::run_seed());
  for (std::uint64_t round = 0; round < cases; ++round) {
    const std::size_t size = sizes[round % std::size(sizes)];
    // Around one edge a vertex paths are long; with many all vertices reach each other.
    const std::size_t count = size * (1 + rng.below(12)) / 4;
    const bool forward = rng.chance(0.5);
    const EdgeList edges = random_edges(rng, size, count, forward);
    BitMatrix matrix = matrix_of(size, edges);
    close(matrix);
    ASSERT_TRUE(matrix == searched(size, edges))
        << size << " vertices, " << count << " edges, round " << round;
  }
}

TEST(Closure, OfHandMadeGraphs) {
  BitMatrix none(0);
  closure(none);
  BitMatrix ring = matrix_of(3, {{0, 1}, {1, 0}, {1, 2}});
  closure(ring);
  EXPECT_TRUE(ring == matrix_of(3, {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}}));
  // Through three tiles and back.
  BitMatrix path = matrix_of(200, {{10, 150}, {150, 70}, {70, 11}});
  closure(path);
  EXPECT_TRUE(path ==
              matrix_of(200, {{10, 150}, {10, 70}, {10, 11}, {150, 70}, {150, 11}, {70, 11}}));
}

TEST(Closure, IsWhatASearchFinds) {
  expect_closures_as_searched([](BitMatrix& matrix) { closure(matrix); },
                              support::case_count(120));
}

TEST(CudaClosure, IsWhatASearchFinds) {
  if (const auto device = cuda_device(); !device.ok()) {
    GTEST_SKIP() << device.error().message;
  }
  expect_closures_as_searched(
      [](BitMatrix& matrix) {
        const Status status = cuda_closure(matrix);
        ASSERT_TRUE(status.ok()) << status.error().message;
      },
      support::case_count(120));
}

/// Without a device the caller learns why, and the matrix is as it was.
TEST(CudaClosure, SaysWhyThereIsNone) {
  const auto device = cuda_device();
  if (device.ok()) GTEST_SKIP() << "there is one: " << device.value();
  EXPECT_FALSE(device.error().message.empty());
  const EdgeList edges = {{0, 1}, {1, 2}};
  BitMatrix matrix = matrix_of(3, edges);
  const Status status = cuda_closure(matrix);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, device.error().message);
  EXPECT_TRUE(matrix == matrix_of(3, edges));
}

}  // namespace
}  // namespace isolde::accel
