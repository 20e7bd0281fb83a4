// Goal: increments add up. A counter only grows, by what was added to it; money that is moved
// by increments neither appears nor vanishes.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "unit/gen/serial_run.hpp"

namespace isolde::gen {
namespace {

/// What a transaction does has one kind, and each key once, in order.
void expect_in_order(const Plan& plan) {
  for (std::size_t i = 1; i < plan.ops.size(); ++i) {
    EXPECT_EQ(plan.ops[i].kind, plan.ops[0].kind);
    EXPECT_LT(plan.ops[i - 1].key, plan.ops[i].key);
  }
}

TEST(Counter, IsWhatWasAddedToIt) {
  WorkloadOptions options = default_options(Workload("counter"));
  options.sessions = 3;
  SerialRun run(options);
  EXPECT_EQ(run.planner().initial_keys().size(), options.keys);
  std::map<std::int64_t, std::int64_t> totals;
  std::set<std::int64_t> steps;
  std::set<std::size_t> sizes;
  int reads = 0;
  for (int i = 0; i < 5'000; ++i) {
    const Plan& plan = run.step();
    expect_in_order(plan);
    sizes.insert(plan.ops.size());
    reads += plan.ops[0].is_read() ? 1 : 0;
    for (std::size_t op = 0; op < plan.ops.size(); ++op) {
      if (plan.ops[op].kind == Action::kIncrement) {
        totals[plan.ops[op].key] += plan.ops[op].value;
        steps.insert(plan.ops[op].value);
      }
      EXPECT_EQ(run.results()[op].value, totals[plan.ops[op].key]);
    }
  }
  EXPECT_NEAR(reads, 2'000, 200);
  EXPECT_EQ(steps, (std::set<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(sizes, (std::set<std::size_t>{1, 2, 3}));
}

TEST(Counter, MovesMoneyAndKeepsTheTotal) {
  const WorkloadOptions options = default_options(Workload("bank-added"));
  SerialRun run(options);
  int audits = 0;
  std::set<bool> lower_gives;
  bool owes = false;
  for (int i = 0; i < 5'000; ++i) {
    const Plan& plan = run.step();
    expect_in_order(plan);
    if (plan.ops[0].is_read()) {
      ++audits;
      ASSERT_EQ(plan.ops.size(), options.keys);
      std::int64_t total = 0;
      for (const Seen& seen : run.results()) total += seen.value;
      EXPECT_EQ(total, 0);
      continue;
    }
    ASSERT_EQ(plan.ops.size(), 2U);
    EXPECT_EQ(plan.ops[0].value, -plan.ops[1].value);
    EXPECT_NE(plan.ops[0].value, 0);
    lower_gives.insert(plan.ops[0].value < 0);
    owes = owes || run.results()[0].value < 0;
  }
  EXPECT_NEAR(audits, 1'500, 200);
  EXPECT_EQ(lower_gives.size(), 2U);
  EXPECT_TRUE(owes);
}

}  // namespace
}  // namespace isolde::gen
