// Goal: who is open for longer than allowed is told in words, and nobody else is. Method: gaps
// just within the window, just beyond it, and from one end of the clock to the other.
#include "stream/open_window.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "isolde/history_builder.hpp"

namespace isolde::stream {
namespace {

History starting_at(std::int64_t start) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session("A"));
  builder.set_times({start, start});
  return builder.finish().value();
}

TEST(OpenWindow, AllowsAsLongAsItIs) {
  EXPECT_EQ(open_for_too_long(starting_at(150), 50, 10, 100), "");
  EXPECT_NE(open_for_too_long(starting_at(151), 50, 10, 100), "");
  EXPECT_EQ(open_for_too_long(starting_at(40), 50, 10, 1), "") << "nobody has started since";
  EXPECT_EQ(open_for_too_long(History(), 50, 10, 1), "");
}

TEST(OpenWindow, SaysSinceWhen) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  EXPECT_EQ(open_for_too_long(starting_at(9 * kSecond), 3 * kSecond, kSecond, 5 * kSecond),
            "a transaction that started at 2s of the history is still open 6s later, which is "
            "longer than the window of 5s that is allowed");
  EXPECT_EQ(
      open_for_too_long(starting_at(9 * kSecond), 3 * kSecond, 4 * kSecond, 5 * kSecond),
      "a transaction from before the history is still open 6s later, which is longer than "
      "the window of 5s that is allowed");
}

TEST(OpenWindow, MeasuresTheWholeClock) {
  constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(open_for_too_long(starting_at(kEnd), -kEnd, {}, kEnd), "");
  EXPECT_NE(open_for_too_long(starting_at(kEnd), -kEnd, {}, kEnd - 1), "");
}

}  // namespace
}  // namespace isolde::stream
