// Goal: a seed gives the same numbers everywhere, within bounds and roughly
// uniform. Method: published values of splitmix64, sweeps over bounds, counts
// in buckets.
#include "base/rng.hpp"

#include <gtest/gtest.h>

#include <array>

namespace isolde::base {
namespace {

TEST(Rng, GivesThePublishedSequence) {
  // First outputs of splitmix64 for the seed 1234567, as published with the
  // algorithm.
  Rng rng(1234567);
  for (const std::uint64_t expected :
       {6457827717110365317ULL, 3203168211198807973ULL, 9817491932198370423ULL,
        4593380528125082431ULL, 16408922859458223821ULL}) {
    EXPECT_EQ(rng.next(), expected);
  }
}

TEST(Rng, RepeatsForASeedAndDiffersBetweenSeeds) {
  Rng a(7);
  Rng b(7);
  Rng c(8);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t number = a.next();
    EXPECT_EQ(number, b.next());
    differs = differs || number != c.next();
  }
  EXPECT_TRUE(differs);
}

TEST(Rng, StaysBelowTheBound) {
  Rng rng(1);
  const std::uint64_t bounds[] = {1, 2, 3, 7, 1000, std::uint64_t{1} << 32, ~std::uint64_t{0}};
  for (const std::uint64_t bound : bounds) {
    for (int i = 0; i < 1000; ++i) EXPECT_LT(rng.below(bound), bound);
  }
  for (int i = 0; i < 10; ++i) EXPECT_EQ(rng.below(1), 0U);
}

TEST(Rng, IsRoughlyUniform) {
  Rng rng(42);
  std::array<int, 10> below{};
  std::array<int, 10> unit{};
  int hits = 0;
  for (int i = 0; i < 20000; ++i) {
    ++below[rng.below(10)];
    const double number = rng.unit();
    ASSERT_GE(number, 0.0);
    ASSERT_LT(number, 1.0);
    ++unit[static_cast<std::size_t>(number * 10)];
    hits += rng.chance(0.25) ? 1 : 0;
  }
  for (int i = 0; i < 10; ++i) {
    EXPECT_NEAR(below[static_cast<std::size_t>(i)], 2000, 250);
    EXPECT_NEAR(unit[static_cast<std::size_t>(i)], 2000, 250);
  }
  EXPECT_NEAR(hits, 5000, 400);
}

TEST(Rng, ChanceOfNeverAndAlways) {
  Rng rng(3);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(rng.chance(0));
    EXPECT_TRUE(rng.chance(1));
  }
}

}  // namespace
}  // namespace isolde::base
