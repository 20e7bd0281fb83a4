// Goal: each limit stops the work, says why, and stays. Method: limits that are
// exceeded at once, and one that never is.
#include "base/budget.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/memory.hpp"

namespace isolde::base {
namespace {

using Stop = Budget::Stop;

/// More ticks than go by between two looks.
constexpr std::uint64_t kManyTicks = std::uint64_t{1} << 30;

TEST(Budget, WithoutLimitsNeverStops) {
  Budget budget;
  Budget zeros(0, 0);
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(budget.spend(kManyTicks));
    EXPECT_TRUE(zeros.spend(kManyTicks));
  }
  EXPECT_TRUE(budget.look());
  EXPECT_FALSE(budget.exhausted());
  EXPECT_EQ(budget.stop(), Stop::kNone);
  EXPECT_EQ(budget.reason(), "");
}

TEST(Budget, StopsOnTime) {
  Budget budget(1e-9, 0);
  std::this_thread::sleep_for(std::chrono::microseconds(10));
  EXPECT_TRUE(budget.spend(1));  // too early to look
  EXPECT_FALSE(budget.spend(kManyTicks));
  EXPECT_EQ(budget.stop(), Stop::kTime);
  EXPECT_EQ(budget.reason(), "time limit of 1e-09 s reached");
  Budget patient(3600, 0);
  EXPECT_TRUE(patient.look());
}

TEST(Budget, StopsOnMemory) {
  ASSERT_GT(resident_bytes(), 0U);
  EXPECT_GE(peak_resident_bytes() + (1U << 20), resident_bytes());
  const std::vector<char> taken(std::size_t{4} << 20, 'x');
  Budget budget(0, std::uint64_t{1} << 20);
  EXPECT_FALSE(budget.look());
  EXPECT_EQ(budget.stop(), Stop::kMemory);
  EXPECT_EQ(budget.reason(), "memory limit of 1 MB reached");
  for (const auto& [bytes, name] :
       {std::pair(1, "1 byte"), std::pair(1023, "1023 bytes"), std::pair(1024, "1 KB")}) {
    Budget small(0, static_cast<std::uint64_t>(bytes));
    EXPECT_FALSE(small.look());
    EXPECT_EQ(small.reason(), "memory limit of " + std::string(name) + " reached");
  }
  Budget roomy(0, std::uint64_t{1} << 60);
  EXPECT_TRUE(roomy.look());
  // Or the compiler does without what nobody reads.
  EXPECT_EQ(static_cast<const volatile char&>(taken.back()), 'x');
}

TEST(Budget, KnowsWhatThereIsRoomFor) {
  constexpr std::uint64_t kRoom = std::uint64_t{100} << 20;
  Budget budget(0, anonymous_bytes() + kRoom);
  EXPECT_TRUE(budget.has_room(kRoom / 2));
  EXPECT_FALSE(budget.has_room(kRoom * 2));
  EXPECT_FALSE(budget.exhausted());  // it was only asked
  EXPECT_TRUE(budget.admits(kRoom / 2));
  EXPECT_FALSE(budget.admits(kRoom * 2));
  EXPECT_EQ(budget.stop(), Stop::kMemory);
  EXPECT_FALSE(budget.look());
  Budget unlimited;
  EXPECT_TRUE(unlimited.has_room(kRoom << 20));
  EXPECT_TRUE(unlimited.admits(kRoom << 20));
}

TEST(Budget, StopsWhenCancelled) {
  Budget budget(3600, 0);
  std::thread([&] { budget.cancel(); }).join();
  EXPECT_FALSE(budget.exhausted());  // noticed by the next look only
  EXPECT_FALSE(budget.look());
  EXPECT_EQ(budget.stop(), Stop::kCancelled);
  EXPECT_EQ(budget.reason(), "interrupted");
}

TEST(Budget, AsksWhetherToStop) {
  int asked = 0;
  Budget budget;
  budget.ask_at_looks([&asked] { return ++asked == 3; });
  EXPECT_TRUE(budget.look());
  EXPECT_TRUE(budget.look());
  EXPECT_FALSE(budget.look());
  EXPECT_EQ(budget.stop(), Budget::Stop::kCancelled);
  EXPECT_FALSE(budget.look());
  EXPECT_EQ(asked, 3);
}

// Goal: a library counts the memory that its own call has used, not that of its caller.
TEST(Budget, DoesNotCountMemoryFromBefore) {
  constexpr std::uint64_t kMegabytes = std::uint64_t{1} << 20;
  const std::uint64_t before = anonymous_bytes();
  ASSERT_GT(before, 0U);  // the system tells
  Budget whole(0, 1);
  EXPECT_FALSE(whole.look());
  Budget since(0, 64 * kMegabytes, before);
  EXPECT_TRUE(since.look());
  EXPECT_TRUE(since.has_room(32 * kMegabytes));
  EXPECT_FALSE(since.has_room(128 * kMegabytes));
  EXPECT_TRUE(since.admits(32 * kMegabytes));
  EXPECT_FALSE(since.admits(128 * kMegabytes));
  EXPECT_EQ(since.reason(), "memory limit of 64 MB reached");
}

TEST(Budget, StaysStoppedForTheFirstReason) {
  Budget budget(0, 1);
  EXPECT_FALSE(budget.look());
  budget.cancel();
  EXPECT_FALSE(budget.look());
  EXPECT_FALSE(budget.spend(0));
  EXPECT_FALSE(budget.spend(kManyTicks));
  EXPECT_TRUE(budget.exhausted());
  EXPECT_EQ(budget.stop(), Stop::kMemory);
}

TEST(Budget, SmallSpendingAddsUp) {
  Budget budget;
  budget.cancel();
  std::uint64_t calls = 0;
  while (budget.spend(1024) && calls < kManyTicks) ++calls;
  EXPECT_TRUE(budget.exhausted());
  EXPECT_GT(calls, 100U);     // not a look every time
  EXPECT_LT(calls, 100000U);  // but soon enough
}

TEST(Budget, AnAllowanceEndsAnAttemptAndNothingElse) {
  Budget budget;
  {
    const Budget::Allowance allowance(budget, 3'000'000);
    EXPECT_TRUE(budget.spend(2'000'000));
    EXPECT_FALSE(budget.spend(2'000'000));
    EXPECT_EQ(budget.stop(), Budget::Stop::kAllowance);
    EXPECT_FALSE(budget.spend(1));
  }
  EXPECT_FALSE(budget.exhausted());
  EXPECT_TRUE(budget.spend(100'000'000));
  budget.cancel();
  const Budget::Allowance allowance(budget, 1'000'000'000);
  EXPECT_FALSE(budget.look());
  EXPECT_EQ(budget.stop(), Budget::Stop::kCancelled);
}

TEST(Budget, AnAllowanceWithinAnotherCountsForBoth) {
  Budget budget;
  {
    const Budget::Allowance outer(budget, 10'000'000);
    {
      const Budget::Allowance inner(budget, 3'000'000);
      EXPECT_FALSE(budget.spend(4'000'000));
    }
    EXPECT_FALSE(budget.exhausted());
    {
      // More than there is left.
      const Budget::Allowance inner(budget, 100'000'000);
      EXPECT_TRUE(budget.spend(5'000'000));
    }
    EXPECT_TRUE(budget.spend(1'000'000));
    {
      const Budget::Allowance inner(budget, 100'000'000);
      EXPECT_FALSE(budget.spend(2'000'000));
    }
    EXPECT_EQ(budget.stop(), Budget::Stop::kAllowance);
  }
  EXPECT_FALSE(budget.exhausted());
  EXPECT_TRUE(budget.spend(100'000'000));
}

TEST(Budget, IsCancelledAtAnyMoment) {
  for (const std::uint64_t ticks : {0U, 1U, 1000U, 700'000U}) {
    for (const std::uint64_t step : {1U, 3U}) {
      Budget budget;
      budget.cancel_after(ticks);
      EXPECT_TRUE(budget.look()) << "looking is no work";
      std::uint64_t spent = step;
      while (budget.spend(step)) spent += step;
      EXPECT_GT(spent, ticks);
      EXPECT_LE(spent, ticks + step);
      EXPECT_EQ(budget.stop(), Budget::Stop::kCancelled);
    }
  }
}

/// Less than a look's worth was spent before, within and after.
TEST(Budget, AnAllowanceCountsWhatIsSpentWhileItLives) {
  constexpr std::uint64_t kFew = 200'000;
  Budget budget;
  budget.spend(kFew);
  {
    const Budget::Allowance outer(budget, 3 * kFew);
    EXPECT_TRUE(budget.look()) << "what was spent before does not count";
    for (int i = 0; i < 2; ++i) {
      const Budget::Allowance inner(budget, 2 * kFew);
      EXPECT_TRUE(budget.spend(kFew));
    }
    EXPECT_TRUE(budget.look());
    {
      const Budget::Allowance inner(budget, 2 * kFew);
      EXPECT_TRUE(budget.spend(kFew));
    }
    EXPECT_FALSE(budget.look()) << "what was spent within counts outside";
  }
  EXPECT_TRUE(budget.look());
}

TEST(Budget, AShareEndsWorkAndLeavesTimeForOther) {
  Budget budget(3600, 0);
  EXPECT_GT(budget.seconds_left(), 3000);
  {
    const Budget::Share share(budget, 1e-9);
    std::this_thread::sleep_for(std::chrono::microseconds(10));
    EXPECT_LT(budget.seconds_left(), 1);
    EXPECT_FALSE(budget.look());
    EXPECT_EQ(budget.stop(), Stop::kShare);
    EXPECT_EQ(budget.reason(), "its share of the time limit was used");
  }
  EXPECT_FALSE(budget.exhausted());
  EXPECT_TRUE(budget.look());
  EXPECT_GT(budget.seconds_left(), 3000);
  const Budget::Share outer(budget, 1e-9);
  std::this_thread::sleep_for(std::chrono::microseconds(10));
  {
    // One within another ends with it.
    const Budget::Share inner(budget, 1000);
    EXPECT_FALSE(budget.look());
  }
  EXPECT_EQ(budget.stop(), Stop::kShare) << "the one around is used up, too";
}

TEST(Budget, WithoutALimitThereAreNoShares) {
  Budget budget;
  const Budget::Share share(budget, 1e-9);
  std::this_thread::sleep_for(std::chrono::microseconds(10));
  EXPECT_TRUE(budget.look());
  EXPECT_GT(budget.seconds_left(), 1e9);
}

TEST(Budget, TheTimeLimitOutlastsShares) {
  Budget budget(1e-9, 0);
  {
    const Budget::Share share(budget, 1000);
    std::this_thread::sleep_for(std::chrono::microseconds(10));
    EXPECT_FALSE(budget.look());
    EXPECT_EQ(budget.stop(), Stop::kTime);
  }
  EXPECT_EQ(budget.stop(), Stop::kTime);
  EXPECT_EQ(budget.seconds_left(), 0);
}

TEST(Budget, GoesOnWhenMemoryWasGivenBack) {
  const std::uint64_t limit = anonymous_bytes() + (std::uint64_t{64} << 20);
  Budget budget(3600, limit);
  {
    std::vector<char> large(std::size_t{256} << 20, 'x');
    EXPECT_FALSE(budget.look());
    EXPECT_EQ(budget.stop(), Stop::kMemory);
    budget.look_again_at_memory();
    EXPECT_EQ(budget.stop(), Stop::kMemory) << large[12345];
  }
  budget.look_again_at_memory();
  EXPECT_EQ(budget.stop(), Stop::kNone);
  EXPECT_TRUE(budget.look());
}

}  // namespace
}  // namespace isolde::base
