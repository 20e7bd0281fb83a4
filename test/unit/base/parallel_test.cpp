// Goal: every task runs once, whatever the number of threads; what goes wrong in a thread
// reaches the caller. Method: counters, and tasks that fail on purpose.
#include "base/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <new>
#include <numeric>
#include <thread>
#include <vector>

#include "base/budget.hpp"
#include "support/failing_memory.hpp"

namespace isolde::base {
namespace {

TEST(Parallel, EveryTaskRunsOnce) {
  for (const unsigned threads : {1U, 2U, 3U, 8U}) {
    for (const std::size_t count : {0U, 1U, 2U, 7U, 100U}) {
      std::vector<std::atomic<int>> runs(count);
      std::atomic<bool> is_worker_known{true};
      run_tasks(threads, count, [&](std::size_t task, unsigned worker) {
        ++runs[task];
        if (worker >= threads) is_worker_known = false;
      });
      for (const std::atomic<int>& each : runs) EXPECT_EQ(each, 1);
      EXPECT_TRUE(is_worker_known);
    }
  }
}

TEST(Parallel, OneThreadIsTheCallersAndGoesInOrder) {
  std::vector<std::size_t> order;
  run_tasks(1, 5, [&](std::size_t task, unsigned worker) {
    EXPECT_EQ(worker, 0U);
    order.push_back(task);  // would be a race with any other thread
  });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TEST(Parallel, SeveralThreadsWorkAtTheSameTime) {
  std::atomic<int> waiting{0};
  run_tasks(2, 2, [&](std::size_t, unsigned) {
    ++waiting;
    while (waiting < 2) std::this_thread::yield();  // for the other one
  });
  EXPECT_EQ(waiting, 2);
}

TEST(Parallel, LackOfMemoryReachesTheCaller) {
  for (const unsigned threads : {1U, 4U}) {
    std::atomic<int> after{0};
    const auto run = [&] {
      run_tasks(threads, 1000, [&](std::size_t task, unsigned) {
        if (task == 3) throw std::bad_alloc();
        if (task > 900) ++after;
      });
    };
    EXPECT_ANY_THROW(run());
    // Other threads may be done with all the rest by then.
    if (threads == 1) {
      EXPECT_EQ(after, 0);
    }
  }
}

// Goal: no thread is left behind when there is no memory for another one. Method: each of the
// first allocations fails once.
TEST(Parallel, DoesWithTheThreadsThatThereIsMemoryFor) {
  int done = 0;
  for (int allocations = 0; allocations < 10; ++allocations) {
    std::vector<std::atomic<int>> runs(100);
    const std::function<void(std::size_t, unsigned)> work = [&](std::size_t task, unsigned) {
      ++runs[task];
    };
    const support::OneLackOfMemory lack(allocations);
    try {
      run_tasks(4, runs.size(), work);
    } catch (const std::bad_alloc&) {
      continue;  // before there was any thread
    }
    for (const std::atomic<int>& each : runs) EXPECT_EQ(each, 1);
    ++done;
  }
  EXPECT_GT(done, 5);
}

TEST(Parallel, PartsFollowOneAnother) {
  for (const std::size_t count : {0U, 1U, 5U, 1000U, 1001U}) {
    for (const std::size_t parts : {1U, 2U, 3U, 8U, 2000U}) {
      EXPECT_EQ(part_begin(count, parts, 0), 0U);
      EXPECT_EQ(part_begin(count, parts, parts), count);
      for (std::size_t part = 0; part < parts; ++part) {
        const std::size_t size =
            part_begin(count, parts, part + 1) - part_begin(count, parts, part);
        EXPECT_LE(size, count / parts + 1);
        EXPECT_GE(size, count / parts);
      }
    }
  }
}

TEST(Parallel, SharesSeeThatTheBudgetRunsOut) {
  for (const unsigned worker : {0U, 1U}) {
    Budget budget;
    BudgetShare share(budget, worker);
    EXPECT_TRUE(share.spend(std::uint64_t{1} << 30));
    budget.cancel();
    std::uint64_t calls = 0;
    while (share.spend(1024) && calls < 1'000'000) ++calls;
    EXPECT_LT(calls, 100'000U);
    EXPECT_EQ(budget.stop(), Budget::Stop::kCancelled);
    BudgetShare other(budget, 2);
    EXPECT_FALSE(other.spend(1));
  }
}

TEST(Parallel, SharesWorkSideBySide) {
  Budget budget(3600, std::uint64_t{1} << 50);
  run_tasks(4, 64, [&](std::size_t, unsigned worker) {
    BudgetShare share(budget, worker);
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(share.spend(std::uint64_t{1} << 17));
  });
  EXPECT_FALSE(budget.exhausted());
}

TEST(Parallel, SharesUseUpAnAllowanceTogether) {
  Budget budget;
  const std::uint64_t look = std::uint64_t{1} << 20;
  {
    const Budget::Allowance allowance(budget, 4 * look);
    BudgetShare one(budget, 1);
    BudgetShare two(budget, 2);
    EXPECT_TRUE(one.spend(look));
    EXPECT_TRUE(two.spend(look));
    EXPECT_TRUE(one.spend(look));
    EXPECT_FALSE(two.spend(look));
    EXPECT_EQ(budget.stop(), Budget::Stop::kAllowance);
    EXPECT_FALSE(one.spend(1));
  }
  EXPECT_FALSE(budget.exhausted());
  BudgetShare later(budget, 1);
  EXPECT_TRUE(later.spend(8 * look));
}

TEST(Parallel, WhatASharesEndLeavesUncountedCounts) {
  Budget budget;
  const Budget::Allowance allowance(budget, 1'000'000);
  for (int i = 0; i < 20; ++i) {
    BudgetShare share(budget, 1);
    share.spend(100'000);  // less than a look's worth
  }
  EXPECT_EQ(budget.stop(), Budget::Stop::kAllowance);
}

TEST(Parallel, ThereIsADefault) {
  EXPECT_GE(default_threads(), 1U);
  EXPECT_LE(default_threads(), 8U);
}

}  // namespace
}  // namespace isolde::base
