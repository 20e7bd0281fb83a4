// Goal: run one after the other, the workloads of rows keep the rule that their transactions
// guard, do all that they are described to do, and find their rows by either condition.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "unit/gen/serial_run.hpp"

namespace isolde::gen {
namespace {

WorkloadOptions options_of(Workload workload) {
  WorkloadOptions options = straight_options(workload);
  options.keys = 3;
  options.ops = 4;
  return options;
}

std::int64_t lead(std::int64_t value) { return value >> kLeadShift; }

std::map<std::int64_t, int> count_by_lead(const SerialRun& run) {
  std::map<std::int64_t, int> counts;
  for (const auto& [key, value] : run.values()) ++counts[lead(value)];
  return counts;
}

TEST(Phantom, KeepsGroupsSmall) {
  SerialRun run(options_of(Workload("phantom")));
  std::set<Action> actions;
  int most = 0;
  for (int i = 0; i < 5'000; ++i) {
    for (const PlannedOp& op : run.step().ops) actions.insert(op.kind);
    for (const auto& [group, count] : count_by_lead(run)) {
      EXPECT_LT(group, 3);
      most = std::max(most, count);
    }
  }
  EXPECT_EQ(most, 4);
  EXPECT_EQ(actions, (std::set<Action>{Action::kSelect, Action::kWrite, Action::kDelete,
                                       Action::kDeleteSelected}));
}

TEST(Phantom, DeletesByKeyOnlyWhereTheDatabaseHasNothingElse) {
  WorkloadOptions options = options_of(Workload("phantom"));
  options.deletes_selected = false;
  SerialRun run(options);
  for (int i = 0; i < 5'000; ++i) {
    for (const PlannedOp& op : run.step().ops) {
      EXPECT_NE(op.kind, Action::kDeleteSelected);
    }
  }
}

TEST(OnCall, LeavesNobodyAlone) {
  SerialRun run(options_of(Workload("on-call")));
  std::set<std::int64_t> begun;
  for (int i = 0; i < 5'000; ++i) {
    run.step();
    const std::map<std::int64_t, int> counts = count_by_lead(run);
    for (const auto& [group, count] : counts) begun.insert(group / 2);
    for (const std::int64_t group : begun) EXPECT_GE(counts.count(2 * group + 1), 1U) << i;
  }
  EXPECT_EQ(begun.size(), 3U);
}

// The same transactions, whatever the conditions name.
TEST(RowWorkloads, FindTheSameRowsByKeysAndByValues) {
  for (const Workload workload : {Workload("phantom"), Workload("on-call")}) {
    WorkloadOptions options = options_of(workload);
    std::vector<std::map<std::int64_t, std::int64_t>> ends;
    for (const double by_value : {0.0, 0.5, 1.0}) {
      options.by_value = by_value;
      SerialRun run(options);
      std::size_t named = 0;
      std::size_t all = 0;
      for (int i = 0; i < 2'000; ++i) {
        for (const RowCondition& condition : run.step().conditions) {
          ++all;
          named += condition.predicate.keys ? 1 : 0;
          EXPECT_TRUE(condition.predicate.keys || condition.predicate.values);
        }
      }
      EXPECT_NEAR(static_cast<double>(named), static_cast<double>(all) * (1 - by_value), 200);
      ends.push_back(run.values());
    }
    EXPECT_EQ(ends[0], ends[1]);
    EXPECT_EQ(ends[0], ends[2]);
  }
}

}  // namespace
}  // namespace isolde::gen
