// Goal: run one after the other, no money comes from nowhere, and no savings fall below 0.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "unit/gen/serial_run.hpp"

namespace isolde::gen {
namespace {

enum BankTables : std::size_t { kAccount, kSavings, kChecking };

WorkloadOptions small_bank() {
  WorkloadOptions options = straight_options(Workload("smallbank"));
  options.sessions = 3;
  options.keys = 5;
  return options;
}

std::map<std::size_t, std::int64_t> totals(const SerialRun& run) {
  std::map<std::size_t, std::int64_t> sums;
  for (const auto& [key, row] : run.rows()) sums[table::table_of(key)] += *row.cells[0];
  return sums;
}

TEST(SmallBank, KeepsItsBooks) {
  SerialRun run(small_bank());
  EXPECT_EQ(run.rows().size(), 15U);
  std::size_t emptied = 0;
  bool overdrawn = false;
  for (int i = 0; i < 3000; ++i) {
    auto before = totals(run);
    const Plan& plan = run.step();
    auto after = totals(run);
    EXPECT_EQ(after[kAccount], before[kAccount]);
    std::set<std::size_t> changed;
    for (const PlannedOp& op : plan.ops) {
      if (op.kind != Action::kUpdateRows) continue;
      changed.insert(plan.requests.at(static_cast<std::size_t>(op.expected)).table);
    }
    const std::int64_t more =
        after[kSavings] + after[kChecking] - before[kSavings] - before[kChecking];
    if (changed.size() != 1) {
      EXPECT_EQ(more, 0) << "after " << i;
    }
    emptied += changed.size() == 2 ? 1U : 0U;
    for (const auto& [key, row] : run.rows()) {
      if (table::table_of(key) == kSavings) {
        EXPECT_GE(*row.cells[0], 0);
      }
      overdrawn = overdrawn || *row.cells[0] < 0;
    }
  }
  EXPECT_GT(emptied, 300U);
  EXPECT_TRUE(overdrawn);
}

TEST(SmallBank, LooksUpTheCustomerAndRollsBackWhatSavingsDoNotCover) {
  SerialRun run(small_bank());
  std::set<Action> kinds;
  std::size_t rolled_back = 0;
  for (int i = 0; i < 1000; ++i) {
    const Plan& plan = run.step();
    EXPECT_EQ(plan.requests.front().table, kAccount);
    EXPECT_EQ(run.results().front().rows, 1U);
    rolled_back += plan.rolls_back ? 1U : 0U;
    for (const PlannedOp& op : plan.ops) kinds.insert(op.kind);
  }
  EXPECT_EQ(kinds, (std::set{Action::kSelectRows, Action::kUpdateRows}));
  EXPECT_GT(rolled_back, 20U);
  EXPECT_LT(rolled_back, 250U);
}

}  // namespace
}  // namespace isolde::gen
