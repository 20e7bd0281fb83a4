// Goal: a deadline passes by what settled transactions did behind it, and by nothing else. What
// rounds make of it is in rounds_test.cpp and in test/prop/stream_prop.cpp.
#include "stream/deadlines.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support/history_dsl.hpp"

namespace isolde::stream {
namespace {

constexpr std::int64_t kLatest = std::numeric_limits<std::int64_t>::max();

/// Whether the deadline of the first transaction has passed when the second one is settled.
bool has_passed(const char* text, std::int64_t within_ns, std::int64_t clock_error_ns = 0) {
  const History history = support::parse(text);
  Boundary boundary;
  Deadlines deadlines(within_ns, clock_error_ns);
  const std::vector<Boundary::Key> keys = boundary.keys(history);
  deadlines.settle(history, TxnId(1), keys);
  std::vector<bool> which{true, true};
  const bool passed = deadlines.has_passed(history, TxnId(0), keys);
  EXPECT_EQ(deadlines.passed_among(history, which, boundary),
            (std::vector<bool>{passed, false}));
  which[0] = false;
  EXPECT_EQ(deadlines.passed_among(history, which, boundary),
            (std::vector<bool>{false, false}));
  return passed;
}

TEST(Deadlines, PassByWhoStartedBehind) {
  EXPECT_TRUE(has_passed("A: w(x=1) ? @0,_\nB: w(x=2) @20,30", 19));
  EXPECT_FALSE(has_passed("A: w(x=1) ? @0,_\nB: w(x=2) @20,30", 20));
  EXPECT_FALSE(has_passed("A: w(x=1) ? @0,_\nB: w(x=2) @20,30", 19, 1));
  EXPECT_FALSE(has_passed("A: w(x=1) ? @0,_\nB: w(x=2) @20,30", kNoTime));
  EXPECT_FALSE(has_passed("A: w(x=1) ? @0,_\nB: w(x=2) @20,30", kLatest, kLatest));
  EXPECT_FALSE(has_passed("A: w(x=1) ? @0,15\nB: w(x=2) @20,30", 5));
  EXPECT_TRUE(has_passed("A: w(x=1) ? @0,15\nB: w(x=2) @20,30", 4));
  // Whose times nobody knows.
  EXPECT_FALSE(has_passed("A: w(x=1) ? @_,_\nB: w(x=2) @20,30", 0));
  EXPECT_FALSE(has_passed("A: w(x=1) ? @0,_\nB: w(x=2) @_,30", 0));
}

TEST(Deadlines, PassByWhatShowsOrHidesAllThatWasWritten) {
  EXPECT_TRUE(has_passed("A: w(x=1) ? @0,_\nB: r(x=_) @20,30", 5));
  EXPECT_TRUE(has_passed("A: a(x=1) ? @0,_\nB: r(x=[2]) @20,30", 5));
  EXPECT_FALSE(has_passed("A: a(x=1) ? @0,_\nB: a(x=2) @20,30", 5));
  EXPECT_FALSE(has_passed("A: w(x=1) ? @0,_\nB: r(x=?) @20,30", 5));
  EXPECT_FALSE(has_passed("A: w(x=1) ? @0,_\nB: r(x=<>7) @20,30", 5));
  EXPECT_FALSE(has_passed("A: w(x=1) w(y=1) ? @0,_\nB: w(x=2) @20,30", 5));
  EXPECT_TRUE(has_passed("A: w(x=1) r(y=1) ? @0,_\nB: w(x=2) @20,30", 5));
  // Who may not have been there shows nothing.
  EXPECT_FALSE(has_passed("A: w(x=1) ? @0,_\nB: w(x=2) ? @20,30", 5));
}

TEST(Deadlines, PassByTheLatestWhoWasSettled) {
  const History history = support::parse("A: w(x=1) ? @0,_\nB: w(x=2) @20,30\nC: w(x=3) @1,40");
  Boundary boundary;
  Deadlines deadlines(5, 0);
  const std::vector<Boundary::Key> keys = boundary.keys(history);
  deadlines.settle(history, TxnId(1), keys);
  deadlines.settle(history, TxnId(2), keys);
  EXPECT_TRUE(deadlines.has_passed(history, TxnId(0), keys));
}

TEST(Deadlines, AreOfUnknownOutcomesAlone) {
  const History history = support::parse("A: nop @0,5\nB: nop ? @0,5");
  Boundary boundary;
  EXPECT_EQ(Deadlines(0, 0).passed_among(history, {true, true}, boundary),
            (std::vector<bool>{false, true}));
}

}  // namespace
}  // namespace isolde::stream
