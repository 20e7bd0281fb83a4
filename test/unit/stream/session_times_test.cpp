#include "stream/session_times.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/history_dsl.hpp"

namespace isolde::stream {
namespace {

/// By part: whether sessions respect time in it, and those before.
std::vector<bool> takes(const std::vector<std::string>& parts, std::int64_t clock_error_ns) {
  std::vector<bool> taken;
  SessionTimes times(clock_error_ns);
  for (const std::string& part : parts) {
    // As in a process of its own.
    SessionTimes later(clock_error_ns);
    later.restore(times.ends(), times.least_gap());
    times = later;
    taken.push_back(times.take(support::parse(part)));
  }
  return taken;
}

using Taken = std::vector<bool>;

TEST(SessionTimes, FollowOneAnother) {
  const std::vector<std::string> parts = {"A: w(x=1) @0,10\nB: w(x=2) @5,20",
                                          "A: w(x=3) @15,30\nB: w(x=4) @30,40"};
  EXPECT_EQ(takes(parts, 0), (Taken{true, true}));
  EXPECT_EQ(takes(parts, 4), (Taken{true, true}));
  EXPECT_EQ(takes(parts, 5), (Taken{true, false}));
}

TEST(SessionTimes, OverlapInAPartOrAcross) {
  EXPECT_EQ(takes({"A: w(x=1) @0,10\nA: w(x=2) @9,20"}, 0), (Taken{false}));
  EXPECT_EQ(takes({"A: w(x=1) @0,10", "A: w(x=2) @10,20"}, 0), (Taken{true, false}));
  EXPECT_EQ(takes({"A: w(x=1) ? @0,5", "A: w(x=2) @10,20"}, 0), (Taken{true, false}));
}

TEST(SessionTimes, AClockThatMayBeFurtherOffAsksForLargerGaps) {
  SessionTimes times(2);
  ASSERT_TRUE(times.take(support::parse("A: w(x=1) @0,10\nA: w(x=2) @15,20\nB: w(x=3) @0,1")));
  EXPECT_EQ(times.least_gap(), 5U);
  EXPECT_TRUE(times.raise_clock_error(4));
  EXPECT_FALSE(times.raise_clock_error(5));
  EXPECT_FALSE(times.take(support::parse("A: w(x=4) @25,30")));
}

TEST(SessionTimes, AbortedOnesDoNotCount) {
  EXPECT_EQ(takes({"A: w(x=1) @0,10", "A: w(x=2) ! @5,25", "A: w(x=3) @11,20"}, 0),
            (Taken{true, true, true}));
}

}  // namespace
}  // namespace isolde::stream
