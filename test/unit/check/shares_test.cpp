// Goal: one hard level never keeps the others from their answer, in time or in memory, and what
// it took comes back. Method: work that never ends, or that takes too much memory, in place of
// levels; then the pipeline on histories that are hard at some levels.
#include "check/shares.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <chrono>
#include <new>

#include "base/memory.hpp"
#include "base/rng.hpp"
#include "support/history_dsl.hpp"
#include "support/proved.hpp"
#include "support/sanitized.hpp"

namespace isolde::checker {
namespace {

using base::Budget;
using enum Level;

std::vector<LevelReport> reports(const std::vector<Level>& levels) {
  std::vector<LevelReport> all;
  for (const Level level : levels) all.push_back({level, Verdict::kUnknown, "", 0});
  return all;
}

/// A budget whose time passes with the work that is spent, so that no machine is too slow.
struct TimedBudget : Budget {
  explicit TimedBudget(double limit) : Budget(limit, 0) {
    keep_time_by([this] { return Clock::time_point(Clock::duration(passed)); });
  }
  /// Work until the budget stops it; how many seconds of its clock that took.
  double spin() {
    const std::chrono::nanoseconds begin = passed;
    do {
      passed += std::chrono::microseconds(700);  // divides no limit: an end is passed, not met
    } while (spend(1U << 18));
    return std::chrono::duration<double>(passed - begin).count();
  }

  std::chrono::nanoseconds passed{0};
};

const auto kNothing = [](bool) {};

TEST(Shares, AHardLevelLeavesTimeForTheOthers) {
  const auto levels = reports({kStrictSerializable, kSerializable, kStrongReadAtomic, kMixed});
  std::vector<bool> open(levels.size(), true);
  TimedBudget budget(2);
  Shares shares(levels, open, 0, budget);
  double first = 0;
  shares.run(
      0, [&] { first = budget.spin(); }, kNothing);
  EXPECT_TRUE(shares.has_stopped(0));
  EXPECT_EQ(shares.reason(0), "its share of the time limit was used");
  EXPECT_FALSE(budget.exhausted());
  // Three quarters for the two main levels.
  EXPECT_GT(first, 0.5);
  EXPECT_LT(first, 1.1);
  bool done = false;
  shares.run(
      1, [&] { done = budget.spend(1); }, kNothing);
  open[1] = false;
  EXPECT_TRUE(done);
  EXPECT_FALSE(shares.has_stopped(1));
  double other = 0;
  shares.run(
      2, [&] { other = budget.spin(); }, kNothing);
  EXPECT_TRUE(shares.has_stopped(2));
  EXPECT_LT(other, 0.5);
  EXPECT_FALSE(budget.exhausted());
}

TEST(Shares, NothingBeginsOnceAllTimeIsUp) {
  const auto levels = reports({kSerializable, kReadAtomic});
  const std::vector<bool> open(levels.size(), true);
  Budget late(1e-9, 0);
  Shares none_left(levels, open, 0, late);
  EXPECT_FALSE(late.look());
  Budget interrupted;
  Shares cancelled(levels, open, 0, interrupted);
  interrupted.cancel();
  EXPECT_FALSE(interrupted.look());
  const auto refuse = [] { FAIL(); };
  none_left.run(0, refuse, kNothing);
  EXPECT_EQ(none_left.reason(0), late.reason());
  cancelled.run(0, refuse, kNothing);
  EXPECT_EQ(cancelled.reason(0), "interrupted");
}

TEST(Shares, WhoProvesOthersHasMore) {
  const auto levels = reports(
      {kReadCommitted, kReadAtomic, kSnapshotIsolation, kSerializable, kStrictSerializable});
  const std::vector<bool> open(levels.size(), true);
  TimedBudget budget(2);
  Shares shares(levels, open, 0, budget);
  const auto share_of = [&](std::size_t level) {
    double seconds = 0;
    shares.run(
        level, [&] { seconds = budget.spin(); }, kNothing);
    return seconds;
  };
  const double strongest = share_of(4);
  const double weakest = share_of(0);
  EXPECT_GT(strongest, 1.5 * weakest);
  EXPECT_GT(weakest, 0.2) << "of 2 s for five levels";
}

TEST(Shares, WhoIsAloneHasAll) {
  const auto levels = reports({kSerializable, kMixed});
  const std::vector<bool> open = {false, true};
  TimedBudget budget(0.2);
  Shares shares(levels, open, 0, budget);
  shares.run(
      1, [&] { budget.spin(); }, kNothing);
  EXPECT_EQ(budget.stop(), Budget::Stop::kTime);
}

TEST(Shares, WhatIsLeftOverGoesToASecondTry) {
  const auto levels = reports({kSerializable, kSnapshotIsolation});
  std::vector<bool> open(levels.size(), true);
  TimedBudget budget(1);
  Shares shares(levels, open, 0, budget);
  shares.run(
      0, [&] { budget.spin(); }, kNothing);
  ASSERT_TRUE(shares.has_stopped(0));
  EXPECT_FALSE(shares.try_again(1)) << "it has not stopped";
  open[1] = false;
  EXPECT_TRUE(shares.try_again(0));
  EXPECT_FALSE(shares.has_stopped(0));
  shares.run(
      0, [&] { budget.spin(); }, kNothing);
  EXPECT_TRUE(budget.exhausted());
  EXPECT_FALSE(shares.try_again(0)) << "once";
}

TEST(Shares, WithoutATimeLimitAHardLevelWaitsForTheOthers) {
  const auto levels = reports({kSerializable, kMixed});
  std::vector<bool> open(levels.size(), true);
  Budget budget;
  Shares shares(levels, open, 0, budget);
  std::uint64_t work = 0;
  const auto count = [&](std::uint64_t most) {
    work = 0;
    while (work < most && budget.spend(1U << 16)) work += 1U << 16;
  };
  constexpr std::uint64_t kMuch = 20'000'000'000;
  shares.run(
      0, [&] { count(kMuch); }, kNothing);
  EXPECT_TRUE(shares.has_stopped(0));
  EXPECT_FALSE(budget.exhausted());
  const std::uint64_t turn = work;
  EXPECT_LT(turn, kMuch);
  shares.run(
      1, [&] { count(turn / 2); }, kNothing);
  EXPECT_FALSE(shares.has_stopped(1));
  // Its second turn has no bound.
  ASSERT_TRUE(shares.try_again(0));
  shares.run(
      0, [&] { count(kMuch); }, kNothing);
  EXPECT_FALSE(shares.has_stopped(0));
  EXPECT_GE(work, kMuch);
}

TEST(Shares, WithoutATimeLimitWhoIsAloneHasNoBound) {
  const auto levels = reports({kSerializable, kMixed});
  const std::vector<bool> open = {false, true};
  Budget budget;
  Shares shares(levels, open, 0, budget);
  shares.run(
      1, [&] { budget.spend(std::uint64_t{1} << 40); }, kNothing);
  EXPECT_FALSE(shares.has_stopped(1));
}

TEST(Shares, MemoryComesBack) {
  const auto levels = reports({kSerializable, kMixed});
  const std::vector<bool> open(levels.size(), true);
  Budget budget(0, base::anonymous_bytes() + (std::uint64_t{64} << 20));
  Shares shares(levels, open, 0, budget);
  std::vector<char> held;
  std::vector<bool> released;
  shares.run(
      0,
      [&] {
        held.assign(std::size_t{256} << 20, 'x');
        EXPECT_FALSE(budget.look());
      },
      [&](bool all) {
        released.push_back(all);
        held = std::vector<char>();
      });
  EXPECT_TRUE(shares.has_stopped(0));
  EXPECT_NE(shares.reason(0).find("memory limit of"), std::string::npos);
  EXPECT_EQ(released, std::vector<bool>{false});
  EXPECT_FALSE(budget.exhausted());
  bool ran = false;
  shares.run(
      1, [&] { ran = true; }, kNothing);
  EXPECT_TRUE(ran);
  // What the others hold is given back only where the level's own is not enough.
  std::vector<char> others(std::size_t{256} << 20, 'x');
  released.clear();
  shares.run(
      1, [&] { budget.look(); },
      [&](bool all) {
        released.push_back(all);
        if (all) others = std::vector<char>();
      });
  EXPECT_EQ(released, (std::vector<bool>{false, true}));
  EXPECT_FALSE(budget.exhausted());
  EXPECT_TRUE(others.empty());
}

TEST(Shares, AnInterruptedLevelGetsASecondTry) {
  const auto levels = reports({kSerializable, kMixed});
  const std::vector<bool> open(levels.size(), true);
  Budget budget;
  Shares shares(levels, open, 0, budget);
  budget.cancel();
  budget.look();
  shares.interrupt(1);
  EXPECT_EQ(shares.reason(1), "interrupted");
  Budget goes_on;
  Shares again(levels, open, 0, goes_on);
  again.run(
      0, [] { throw std::bad_alloc(); }, kNothing);
  again.interrupt(0);
  EXPECT_EQ(again.reason(0), "out of memory") << "the first reason stays";
  EXPECT_TRUE(again.try_again(0));
}

TEST(Shares, WhatTheSystemRefusesStopsOneLevel) {
  const auto levels = reports({kSerializable, kMixed});
  const std::vector<bool> open(levels.size(), true);
  Budget budget;
  Shares shares(levels, open, 0, budget);
  shares.run(
      0, [] { throw std::bad_alloc(); }, kNothing);
  EXPECT_EQ(shares.reason(0), "out of memory");
  EXPECT_FALSE(budget.exhausted());
}

// What an engine has built is gone when all give back what they hold, so that the level cannot
// go on; with a second try it is decided all the same. Method: what the first level holds is
// just enough to make room for the second one.
TEST(Shares, LevelsThatGiveUpTheirMemoryBeginAgain) {
  if (support::kSanitized) GTEST_SKIP() << "sanitizers hold back memory that was freed";
  std::string text;
  for (int i = 0; i < 40'000; ++i) {
    const std::string value = "=" + std::to_string(i);
    text += (i == 0 ? "A: w(x" : " | w(x") + value + ") w(y" + value + ") w(z" + value + ")";
  }
  const History history = support::parse(text);
  malloc_trim(0);
  const std::uint64_t limit = base::anonymous_bytes() + (std::uint64_t{256} << 20);
  Budget budget(0, limit);
  std::vector<char> ballast;
  bool is_over = false;
  CheckOptions options;
  options.levels = {kSerializable, kSnapshotIsolation};
  options.skip_guess = true;
  options.progress = [&](std::string_view stage) {
    malloc_trim(0);
    const std::uint64_t now = base::anonymous_bytes();
    ballast = std::vector<char>();
    if (stage != "guessing snapshot-isolation" || is_over) return;
    is_over = true;
    ballast.assign(limit - now + (1U << 17), 'x');
    EXPECT_FALSE(budget.look());
  };
  const CheckReport report = check(history, options, budget);
  EXPECT_TRUE(is_over);
  for (const LevelReport& row : report.levels) {
    ASSERT_EQ(row.verdict, Verdict::kHolds) << row.reason;
    EXPECT_EQ(test::proved(history, row.level, report.proofs[row.proof]), "holds");
  }
}

TEST(Shares, MainLevelsComeFirst) {
  const auto levels =
      reports({kPerKeyStrictSerializable, kSerializable, kMixed, kReadCommitted});
  const std::vector<bool> open(levels.size(), true);
  Budget budget;
  EXPECT_EQ(Shares(levels, open, 0, budget).by_rank(), (std::vector<std::size_t>{1, 3, 0, 2}));
}

}  // namespace
}  // namespace isolde::checker
