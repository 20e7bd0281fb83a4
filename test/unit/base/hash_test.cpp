// Goal: the hashes tell neighbours apart, and mix2 also the order of its words.
// Method: all small inputs must get different hashes, and different low bits
// often enough for a table.
#include "base/hash.hpp"

#include <gtest/gtest.h>

#include <set>

namespace isolde::base {
namespace {

TEST(Hash, SmallWordsDiffer) {
  std::set<std::uint64_t> hashes;
  for (std::uint64_t a = 0; a < 64; ++a) {
    for (std::uint64_t b = 0; b < 64; ++b) hashes.insert(mix2(a, b));
  }
  EXPECT_EQ(hashes.size(), 64U * 64U);
  EXPECT_NE(mix(0), mix(1));
}

TEST(Hash, LowBitsSpread) {
  std::set<std::uint64_t> used;
  for (std::uint64_t word = 0; word < 1024; ++word) used.insert(mix(word << 20) % 1024);
  // Random placement leaves 1/e of the cells empty.
  EXPECT_GT(used.size(), 580U);
}

}  // namespace
}  // namespace isolde::base
