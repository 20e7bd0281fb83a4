// Histories with some of their keys.
#include "stream/restriction.hpp"

#include <gtest/gtest.h>

#include "support/history_dsl.hpp"

namespace isolde::stream {
namespace {

History of_keys(const std::string& text, const std::string& pattern) {
  const History from = support::parse(text);
  Result<History> some =
      restricted(from, [&](KeyId key) { return is_like(from, key, pattern); });
  EXPECT_TRUE(some);
  return std::move(some).value();
}

TEST(Restriction, LeavesOutOperationsAndNoTransactions) {
  const History some = of_keys(
      "start(x=5 y=6)\nA: w(x=1) r(y=6) @0,10\nB: r(y=_) ! @0,_\nA: r(x=1) w(xy=2) ? @11,12",
      "x*");
  EXPECT_EQ(support::to_text(some),
            "start(x=5)\nA: w(x=1) @0,10\nB: nop ! @0,_\nA: r(x=1) w(xy=2) ? @11,12\n");
}

TEST(Restriction, KnowsPatterns) {
  const History history = support::parse("A: w(x=1) w(17=1) w(xyz=1)");
  const auto is = [&](std::size_t key, const char* pattern) {
    return is_like(history, KeyId::at(key), pattern);
  };
  EXPECT_TRUE(is(0, "x") && is(0, "?") && is(0, "[w-y]") && is(0, "*"));
  EXPECT_FALSE(is(0, "y") || is(0, "??") || is(0, "x?"));
  EXPECT_TRUE(is(1, "1*") && is(1, "17") && is(2, "x*z"));
  EXPECT_FALSE(is(1, "1") || is(2, "x"));
}

TEST(Restriction, LeavesSelectionsAlone) {
  const History from = support::parse("A: s(keys=1..2: 1=5) w(7=1)");
  const Result<History> some = restricted(from, [](KeyId) { return false; });
  ASSERT_TRUE(some);
  EXPECT_EQ(some->op_count(), from.op_count());
}

}  // namespace
}  // namespace isolde::stream
