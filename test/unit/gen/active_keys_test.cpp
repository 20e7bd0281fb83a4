#include "gen/active_keys.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace isolde::gen {
namespace {

TEST(ActiveKeys, ReplacesKeysThatHadTheirUpdates) {
  ActiveKeys keys(3, 10, 1);
  EXPECT_EQ(keys.peek(0), 0);
  EXPECT_EQ(keys.peek(2), 2);
  std::map<std::int64_t, int> updates;
  for (int i = 0; i < 3'000; ++i) {
    const auto place = static_cast<std::uint64_t>(i % 3);
    const std::int64_t before = keys.peek(place);
    const std::int64_t key = keys.take(place);
    EXPECT_EQ(keys.peek(place), key) << "a key stays readable until the next update";
    EXPECT_TRUE(key == before || !updates.contains(key));
    ++updates[key];
  }
  std::set<int> counts;
  for (const auto& [key, count] : updates) {
    EXPECT_LE(count, 10);
    counts.insert(count);
  }
  EXPECT_EQ(counts.size(), 10U) << "lifetimes differ";
  EXPECT_EQ(updates.rbegin()->first + 1, static_cast<std::int64_t>(updates.size()));
}

}  // namespace
}  // namespace isolde::gen
