// Goal: equal names have one number, others have others, in the order in which they are met.
// Method: random names from a small range, with a hash that collides, against a map.
#include "base/numbering.hpp"

#include <gtest/gtest.h>

#include <map>

#include "base/rng.hpp"

namespace isolde::base {
namespace {

struct Collides {
  std::size_t operator()(std::uint64_t name) const { return name % 7; }
};

TEST(Numbering, AgreesWithAMap) {
  Rng rng(1);
  Numbering<std::uint64_t, Collides> numbering;
  std::map<std::uint64_t, std::uint32_t> known;
  EXPECT_EQ(numbering.size(), 0U);
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t name = rng.below(500);
    const auto [entry, is_new] =
        known.try_emplace(name, static_cast<std::uint32_t>(known.size()));
    const auto answer = numbering.find(name);
    EXPECT_EQ(answer.number, entry->second);
    EXPECT_EQ(answer.is_new, is_new);
    ASSERT_EQ(numbering.size(), known.size());
  }
}

}  // namespace
}  // namespace isolde::base
