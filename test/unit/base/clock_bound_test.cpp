// How far the times of a recording may be off, by what is told of the clocks while it goes on.
#include "base/clock_bound.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace isolde::base {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

/// The wall clock is `ahead` of what it was when it began at 1000 s, as the monotonic one at 10
/// s.
ClockLook look(std::int64_t after_ns, std::int64_t error_ns, std::int64_t ahead_ns = 0) {
  return {1000 * kSecond + after_ns + ahead_ns, 10 * kSecond + after_ns, error_ns};
}

/// By which times may be off at most where each of these comes one second behind the other.
std::int64_t bound(const std::vector<ClockLook>& looks) {
  ClockBound bound(looks.front());
  for (std::size_t i = 1; i < looks.size(); ++i) bound.look(looks[i]);
  return bound.error_ns();
}

constexpr std::int64_t kDrift = kSecond / 2000 + 1;  // in a second

TEST(ClockBound, IsWhatTheKernelTellsAtTheOrigin) {
  EXPECT_EQ(bound({look(0, 7)}), 7);
  EXPECT_EQ(bound({look(0, 0)}), 0);
  EXPECT_EQ(ClockBound().error_ns(), kNoTime);
}

TEST(ClockBound, BetweenTwoLooksIsTheLargerOneAndTheDrift) {
  EXPECT_EQ(bound({look(0, 7), look(kSecond, 5)}), 7 + kDrift);
  EXPECT_EQ(bound({look(0, 7), look(kSecond, 9)}), 9 + kDrift);
}

TEST(ClockBound, DoesNotShrink) {
  EXPECT_EQ(bound({look(0, 700'000'000), look(kSecond, 5), look(2 * kSecond, 5)}),
            700'000'000 + kDrift);
  EXPECT_EQ(bound({look(0, 5), look(kSecond, 700'000'000), look(2 * kSecond, 5)}),
            700'000'000 + kDrift);
}

/// Times go on from the origin, whatever the wall clock is set to.
TEST(ClockBound, GrowsByWhatTheWallClockWasSet) {
  for (const std::int64_t sign : {1, -1}) {
    EXPECT_EQ(bound({look(0, 7), look(kSecond, 7, sign * 50)}), 57 + kDrift);
    // It was right before that.
    EXPECT_EQ(bound({look(0, 7), look(kSecond, 7, sign * 50), look(2 * kSecond, 7)}),
              57 + kDrift);
  }
}

TEST(ClockBound, WhatWasUnknownOnceStaysUnknown) {
  EXPECT_EQ(bound({look(0, kNoTime), look(kSecond, 7)}), kNoTime);
  EXPECT_EQ(bound({look(0, 7), look(kSecond, kNoTime), look(2 * kSecond, 7)}), kNoTime);
}

TEST(ClockBound, MoreThanADayIsUnknown) {
  EXPECT_EQ(bound({look(0, ClockBound::kMost)}), ClockBound::kMost);
  EXPECT_EQ(bound({look(0, ClockBound::kMost + 1)}), kNoTime);
  EXPECT_EQ(bound({look(0, 7), look(kSecond, 7, ClockBound::kMost)}), kNoTime);
  EXPECT_EQ(bound({look(0, -1)}), kNoTime);
}

TEST(ClockBound, TheKernelsClocksAreRead) {
  const ClockLook first = look_at_clocks();
  const ClockLook second = look_at_clocks();
  EXPECT_GE(second.monotonic_ns, first.monotonic_ns);
  EXPECT_GT(first.wall_ns, 1'500'000'000 * kSecond);
  EXPECT_GE(first.error_ns, kNoTime);
  EXPECT_EQ(clock_host(), clock_host());
  EXPECT_TRUE(clock_host().empty() || clock_host().size() == 16) << clock_host();
}

}  // namespace
}  // namespace isolde::base
