#include "stream/held_back.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "support/history_dsl.hpp"

namespace isolde::stream {
namespace {

/// Which of the transactions wait, as "-x" for two of which the second does.
std::string waiting(std::string_view text, std::int64_t open_since,
                    std::int64_t clock_error_ns = 0, std::vector<bool> begun = {}) {
  const History open = support::parse(text);
  begun.resize(open.txn_count());
  std::string marks;
  for (const bool waits : held_back(open, begun, open_since, clock_error_ns)) {
    marks += waits ? 'x' : '-';
  }
  return marks;
}

TEST(HeldBack, WhoEndedLateAndReadWhatNobodyWrote) {
  const std::string text =
      "A: r(x=1) @0,10\n"
      "B: r(x=1) @0,20\n"
      "C: r(y=_) @0,20\n"
      "D: r(z=2) @0,20\n"
      "E: w(z=2) @0,5";
  EXPECT_EQ(waiting(text, 20), "-x---");
  EXPECT_EQ(waiting(text, 10), "xx---");
  EXPECT_EQ(waiting(text, 21), "-----");
  // What has come may be as late by other clocks.
  EXPECT_EQ(waiting(text, 21, 1), "-x---");
  EXPECT_EQ(waiting(text, 25, 15), "xx---");
  EXPECT_EQ(waiting(text, kNoTime, 15), "xx---");
}

TEST(HeldBack, WhoReadFromThemAndEndedLateToo) {
  const std::string text =
      "A: r(x=1) w(y=1) @0,20\n"
      "B: r(y=1) w(z=1) @0,15\n"
      "C: r(z=1) @0,12\n"
      "D: r(y=1) ! @0,12\n"
      "E: w(y=2) @0,12";
  EXPECT_EQ(waiting(text, 12), "xxx--");
  // Nobody who comes later has anything to do with what B read, so A had taken effect by then.
  EXPECT_EQ(waiting(text, 20), "-----");
  EXPECT_EQ(waiting(text, 21), "-----");
}

TEST(HeldBack, NotThoseOfWhomOthersHaveRead) {
  const std::string text =
      "A: r(x=1) w(y=1) ? @0,_\n"
      "B: r(y=1) w(z=1) ? @0,_\n"
      "C: r(z=1) @0,12\n"
      "D: r(x=1) w(z=2) ? @0,_";
  EXPECT_EQ(waiting(text, 12), "xxxx");
  EXPECT_EQ(waiting(text, 13), "---x");
  EXPECT_EQ(waiting("A: r(x=1) w(y=1) ? @0,_\nB: r(y=1) ! @0,12", 20), "x-")
      << "what an aborted one has read says nothing";
}

TEST(HeldBack, WhereNobodyKnowsOfWhomTheyHaveRead) {
  const std::string text =
      "A: r(x=1) w(y=1) ? @0,_\n"
      "B: w(y=1) ? @0,_\n"
      "C: r(y=1) @0,12\n";
  EXPECT_EQ(waiting(text, 20), "x--");
  EXPECT_EQ(waiting("A: r(x=1) w(y=1) ? @0,_\nB: w(y=1) @0,5\nC: r(y=1) @0,12", 20), "x--");
  EXPECT_EQ(waiting("A: r(x=1) w(y=1) w(y=1) ? @0,_\nC: r(y=1) @0,12", 20), "--");
}

TEST(HeldBack, WhoReadAListWithWhatNobodyAppended) {
  const std::string text =
      "A: r(x=[1 2 3]) a(y=1) @0,20\n"
      "B: r(x=[1 3]) @0,20\n"
      "C: a(x=1) a(x=3) @0,5\n"
      "D: r(y=[1 2]) a(y=2) @0,20";
  EXPECT_EQ(waiting(text, 20), "x--x");
  EXPECT_EQ(waiting(text, 21), "----");
}

TEST(HeldBack, WhoseOutcomeIsNotKnown) {
  EXPECT_EQ(waiting("A: r(x=1) w(y=1) ? @0,_\nB: r(z=_) @0,10", 100), "x-");
  EXPECT_EQ(waiting("A: r(x=1) w(y=1) ? @0,_\nB: r(y=1) @0,10", 10), "xx");
}

TEST(HeldBack, WhoHasBegunNeverWaits) {
  const std::string text = "A: r(x=1) w(y=1) @0,20\nB: r(y=1) @0,20\nC: r(x=1) @0,20";
  EXPECT_EQ(waiting(text, 10, 0, {true}), "--x");
}

TEST(HeldBack, AbortedOnesNeverWait) {
  EXPECT_EQ(waiting("A: r(x=1) ! @0,20\nB: r(y=1) @0,20\nC: w(y=1) ! @0,20", 5), "---");
}

}  // namespace
}  // namespace isolde::stream
