// Goal: rows keep the items that were emitted for them, in the order of
// emission. Method: hand cases and random pairs against a vector of vectors.
#include "base/csr.hpp"

#include <gtest/gtest.h>

#include "base/rng.hpp"

namespace isolde::base {
namespace {

std::vector<int> items(std::span<const int> row) { return {row.begin(), row.end()}; }

TEST(Csr, StartsEmpty) {
  const Csr<int> none;
  EXPECT_EQ(none.row_count(), 0U);
  EXPECT_EQ(none.item_count(), 0U);
  const Csr<int> blank = Csr<int>::build(3, [](const auto&) {});
  EXPECT_EQ(blank.row_count(), 3U);
  EXPECT_EQ(blank.item_count(), 0U);
  for (std::size_t row = 0; row < 3; ++row) EXPECT_TRUE(blank.row(row).empty());
  EXPECT_EQ(Csr<int>::build(0, [](const auto&) {}).row_count(), 0U);
}

TEST(Csr, KeepsOrderWithinRows) {
  const Csr<int> csr = Csr<int>::build(4, [](const auto& add) {
    add(2, 9);
    add(0, 5);
    add(2, 1);
    add(0, 5);
    add(2, 4);
  });
  EXPECT_EQ(items(csr.row(0)), (std::vector<int>{5, 5}));
  EXPECT_TRUE(csr.row(1).empty());
  EXPECT_EQ(items(csr.row(2)), (std::vector<int>{9, 1, 4}));
  EXPECT_TRUE(csr.row(3).empty());
  EXPECT_EQ(csr.row_begin(2), 2U);
  EXPECT_EQ(csr.item_count(), 5U);
}

TEST(Csr, RowsCanBeChangedInPlace) {
  Csr<int> csr = Csr<int>::from_parts({0, 2, 2, 3}, {1, 2, 3});
  EXPECT_EQ(csr.row_count(), 3U);
  csr.row(0)[1] = 7;
  const Csr<int>& same = csr;
  EXPECT_EQ(items(same.row(0)), (std::vector<int>{1, 7}));
  EXPECT_EQ(items(same.row(2)), (std::vector<int>{3}));
}

TEST(Csr, EqualsVectorOfVectors) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Rng rng(seed);
    const std::size_t row_count = 1 + rng.below(8);
    std::vector<std::pair<std::size_t, int>> pairs(rng.below(40));
    std::vector<std::vector<int>> model(row_count);
    for (auto& [row, item] : pairs) {
      row = rng.below(row_count);
      item = static_cast<int>(rng.below(100));
      model[row].push_back(item);
    }
    const Csr<int> csr = Csr<int>::build(row_count, [&](const auto& add) {
      for (const auto& [row, item] : pairs) add(row, item);
    });
    ASSERT_EQ(csr.item_count(), pairs.size());
    for (std::size_t row = 0; row < row_count; ++row) {
      ASSERT_EQ(items(csr.row(row)), model[row]) << "seed " << seed << " row " << row;
    }
  }
}

TEST(CsrDeathTest, PartsMustFit) {
  EXPECT_DEATH(Csr<int>::from_parts({}, {}), "check");
  EXPECT_DEATH(Csr<int>::from_parts({0, 1}, {1, 2}), "check");
}

}  // namespace
}  // namespace isolde::base
