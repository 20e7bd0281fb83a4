// Goal: copies share a table until one of them changes it, and no other copy sees the change.
#include "isolde/shared_table.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace isolde {
namespace {

using Numbers = SharedTable<std::vector<int>>;

TEST(SharedTable, IsSharedUntilACopyChanges) {
  Numbers first(std::vector<int>{1, 2});
  Numbers second = first;
  EXPECT_EQ(&*first, &*second);
  second.edit().push_back(3);
  EXPECT_EQ(*first, (std::vector<int>{1, 2}));
  EXPECT_EQ(*second, (std::vector<int>{1, 2, 3}));
  const std::vector<int>* const alone = &*first;
  first.edit().push_back(4);
  EXPECT_EQ(&*first, alone) << "copied for nobody";
  second = first;
  EXPECT_EQ(second[2], 4);
}

TEST(SharedTable, IsEmptyUntilItIsFilledAndOnceItWasMoved) {
  Numbers table;
  EXPECT_TRUE(table.empty());
  Numbers copy = table;
  table.edit().push_back(1);
  EXPECT_EQ(copy.size(), 0U);
  copy = std::move(table);
  EXPECT_EQ(copy[0], 1);
  EXPECT_TRUE(table.empty());  // NOLINT(bugprone-use-after-move): that is what is tested
  table.edit().push_back(5);
  EXPECT_EQ(copy[0], 1);
  EXPECT_EQ(table[0], 5);
  Numbers moved(std::move(table));
  EXPECT_EQ(moved[0], 5);
  EXPECT_TRUE(table.empty());  // NOLINT(bugprone-use-after-move)
}

}  // namespace
}  // namespace isolde
