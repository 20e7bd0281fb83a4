// Goal: one hard level never keeps the others from their answer, in time or in memory, and what
// it took comes back. Method: work that never ends, or that takes too much memory, in place of
// levels; then the pipeline on histories that are hard at some levels.
#include "check/shares.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <new>

#include "base/memory.hpp"
#include "base/rng.hpp"
#include "unit/check/proved.hpp"

namespace isolde::checker {
namespace {

using base::Budget;
using enum Level;

std::vector<LevelReport> reports(const std::vector<Level>& levels) {
  std::vector<LevelReport> all;
  for (const Level level : levels) all.push_back({level, Verdict::kUnknown, "", 0});
  return all;
}

/// Work until the budget stops it.
void spin(Budget& budget) {
  while (budget.spend(1U << 16)) {
  }
}

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

const auto kNothing = [](bool) {};

TEST(Shares, AHardLevelLeavesTimeForTheOthers) {
  const auto levels = reports({kStrictSerializable, kSerializable, kStrongReadAtomic, kMixed});
  std::vector<bool> open(levels.size(), true);
  Budget budget(2, 0);
  Shares shares(levels, open, budget);
  const double first = seconds_of([&] {
    shares.run(
        0, [&] { spin(budget); }, kNothing);
  });
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
  const double other = seconds_of([&] {
    shares.run(
        2, [&] { spin(budget); }, kNothing);
  });
  EXPECT_TRUE(shares.has_stopped(2));
  EXPECT_LT(other, 0.5);
  EXPECT_FALSE(budget.exhausted());
}

TEST(Shares, WhoIsAloneHasAll) {
  const auto levels = reports({kSerializable, kMixed});
  const std::vector<bool> open = {false, true};
  Budget budget(0.2, 0);
  Shares shares(levels, open, budget);
  shares.run(
      1, [&] { spin(budget); }, kNothing);
  EXPECT_EQ(budget.stop(), Budget::Stop::kTime);
}

TEST(Shares, WhatIsLeftOverGoesToASecondTry) {
  const auto levels = reports({kSerializable, kSnapshotIsolation});
  std::vector<bool> open(levels.size(), true);
  Budget budget(1, 0);
  Shares shares(levels, open, budget);
  shares.run(
      0, [&] { spin(budget); }, kNothing);
  ASSERT_TRUE(shares.has_stopped(0));
  EXPECT_FALSE(shares.try_again(1)) << "it has not stopped";
  open[1] = false;
  EXPECT_TRUE(shares.try_again(0));
  EXPECT_FALSE(shares.has_stopped(0));
  shares.run(
      0, [&] { spin(budget); }, kNothing);
  EXPECT_TRUE(budget.exhausted());
  EXPECT_FALSE(shares.try_again(0)) << "once";
}

TEST(Shares, WithoutATimeLimitNobodyStops) {
  const auto levels = reports({kSerializable, kMixed});
  const std::vector<bool> open(levels.size(), true);
  Budget budget;
  Shares shares(levels, open, budget);
  shares.run(
      1, [&] { budget.spend(1U << 30); }, kNothing);
  EXPECT_FALSE(shares.has_stopped(1));
}

TEST(Shares, MemoryComesBack) {
  const auto levels = reports({kSerializable, kMixed});
  const std::vector<bool> open(levels.size(), true);
  Budget budget(0, base::anonymous_bytes() + (std::uint64_t{64} << 20));
  Shares shares(levels, open, budget);
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

TEST(Shares, WhatTheSystemRefusesStopsOneLevel) {
  const auto levels = reports({kSerializable, kMixed});
  const std::vector<bool> open(levels.size(), true);
  Budget budget;
  Shares shares(levels, open, budget);
  shares.run(
      0, [] { throw std::bad_alloc(); }, kNothing);
  EXPECT_EQ(shares.reason(0), "out of memory");
  EXPECT_FALSE(budget.exhausted());
}

TEST(Shares, MainLevelsComeFirst) {
  const auto levels =
      reports({kPerKeyStrictSerializable, kSerializable, kMixed, kReadCommitted});
  const std::vector<bool> open(levels.size(), true);
  Budget budget;
  EXPECT_EQ(Shares(levels, open, budget).by_rank(), (std::vector<std::size_t>{1, 3, 0, 2}));
}

}  // namespace
}  // namespace isolde::checker
