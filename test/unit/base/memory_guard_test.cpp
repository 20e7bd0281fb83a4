// Goal: a guard refuses what a budget has no room for, and only while it lives. Method: asks it
// as the program's allocation function does; test/limits/ has that function itself.
#include "base/memory_guard.hpp"

#include <gtest/gtest.h>

#include <new>
#include <thread>

#include "base/budget.hpp"
#include "base/memory.hpp"

namespace isolde::base {
namespace {

constexpr std::uint64_t kMegabyte = std::uint64_t{1} << 20;

TEST(MemoryGuard, AdmitsEverythingWithoutABudget) {
  EXPECT_TRUE(MemoryGuard::admits(~std::size_t{0} / 2));
  Budget unlimited;
  const MemoryGuard guard(unlimited);
  EXPECT_TRUE(MemoryGuard::admits(~std::size_t{0} / 2));
  EXPECT_FALSE(unlimited.exhausted());
}

TEST(MemoryGuard, RefusesALargeBlockBeforeItIsThere) {
  Budget budget(0, anonymous_bytes() + 100 * kMegabyte);
  {
    const MemoryGuard guard(budget);
    EXPECT_TRUE(MemoryGuard::admits(50 * kMegabyte));
    EXPECT_FALSE(budget.exhausted());
    EXPECT_FALSE(MemoryGuard::admits(200 * kMegabyte));
    EXPECT_EQ(budget.stop(), Budget::Stop::kMemory);
    EXPECT_FALSE(budget.look());
  }
  EXPECT_TRUE(MemoryGuard::admits(200 * kMegabyte));
}

TEST(MemoryGuard, SmallBlocksAddUp) {
  Budget budget(0, 1);  // already over
  const MemoryGuard guard(budget);
  std::uint64_t admitted = 0;
  while (admitted < 100 * kMegabyte && MemoryGuard::admits(1000)) admitted += 1000;
  EXPECT_LT(admitted, 2 * kMegabyte);
  EXPECT_EQ(budget.stop(), Budget::Stop::kMemory);
}

TEST(MemoryGuard, RefusesInAnyThread) {
  Budget budget(0, anonymous_bytes() + 100 * kMegabyte);
  const MemoryGuard guard(budget);
  bool admitted = true;
  std::thread([&admitted] { admitted = MemoryGuard::admits(200 * kMegabyte); }).join();
  EXPECT_FALSE(admitted);
  EXPECT_TRUE(budget.exhausted());
}

TEST(MemoryGuard, RefusesEverythingWhenItIsTooLate) {
  Budget late(1e-9, 0);
  {
    const MemoryGuard guard(late);
    EXPECT_TRUE(MemoryGuard::admits(2 * kMegabyte));
  }
  const MemoryGuard guard(late, MemoryGuard::Refuses::kTooMuchOrTooLate);
  EXPECT_FALSE(MemoryGuard::admits(2 * kMegabyte));
  EXPECT_EQ(late.stop(), Budget::Stop::kTime);
}

// Goal: work that allocates nothing ends, too.
TEST(MemoryGuard, EndsWorkThatIsTooLate) {
  const auto spent = [] {
    std::size_t ticks = 0;
    for (; ticks < 10'000'000; ticks += 100) MemoryGuard::spend(100);
    return ticks;
  };
  EXPECT_EQ(spent(), 10'000'000U);
  Budget late(1e-9, 0);
  const MemoryGuard guard(late, MemoryGuard::Refuses::kTooMuchOrTooLate);
  EXPECT_THROW(spent(), std::bad_alloc);
  EXPECT_EQ(late.stop(), Budget::Stop::kTime);
}

// Goal: what cannot bear a refusal gets its memory and asks by itself.
TEST(MemoryGuard, DefersRefusals) {
  Budget budget(0, 1);
  const MemoryGuard guard(budget);
  const MemoryGuard::Deferral deferral;
  EXPECT_TRUE(MemoryGuard::admits(2 * kMegabyte));
  EXPECT_THROW(MemoryGuard::ask(), std::bad_alloc);
  {
    const MemoryGuard::Deferral not_here(false);
    EXPECT_FALSE(MemoryGuard::admits(2 * kMegabyte));
  }
  EXPECT_TRUE(MemoryGuard::admits(2 * kMegabyte));
}

}  // namespace
}  // namespace isolde::base
