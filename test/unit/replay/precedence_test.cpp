// Goal: the relation knows all that follows from what was added, and refuses cycles. Method: a
// case by hand, and random pairs against a search.
#include "replay/precedence.hpp"

#include <gtest/gtest.h>

#include "base/hash.hpp"
#include "base/rng.hpp"
#include "support/seed.hpp"

namespace isolde::replay {
namespace {

TEST(Precedence, KnowsWhatFollows) {
  Precedence order(100);
  EXPECT_TRUE(order.add(0, 70));
  EXPECT_TRUE(order.add(70, 99));
  EXPECT_TRUE(order.before(0, 99));
  EXPECT_FALSE(order.before(99, 0));
  EXPECT_FALSE(order.add(99, 0));
  EXPECT_FALSE(order.add(5, 5));
  EXPECT_TRUE(order.add(0, 99));
  EXPECT_EQ(order.successors(0), (std::vector<std::size_t>{70}));
}

bool reaches(const Precedence& order, std::size_t from, std::size_t to) {
  for (const std::size_t next : order.successors(from)) {
    if (next == to || reaches(order, next, to)) return true;
  }
  return false;
}

TEST(Precedence, AgreesWithASearch) {
  base::Rng rng(support::run_seed());
  for (int round = 0; round < 200; ++round) {
    constexpr std::size_t kNodes = 9;
    Precedence order(kNodes);
    for (int i = 0; i < 20; ++i) {
      const std::size_t from = rng.below(kNodes);
      const std::size_t to = rng.below(kNodes);
      const bool cycle = from == to || reaches(order, to, from);
      ASSERT_EQ(order.add(from, to), !cycle);
    }
    for (std::size_t a = 0; a < kNodes; ++a) {
      for (std::size_t b = 0; b < kNodes; ++b) {
        ASSERT_EQ(order.before(a, b), reaches(order, a, b));
      }
    }
  }
}

}  // namespace
}  // namespace isolde::replay
