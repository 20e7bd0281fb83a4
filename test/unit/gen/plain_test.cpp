// Goal: the workloads on fixed keys plan what their rows say. Method: plan thousands of
// transactions and look at them.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "unit/gen/serial_run.hpp"

namespace isolde::gen {
namespace {

TEST(Plain, BlindTransactionsOnlyReadOrOnlyWrite) {
  for (const Workload workload :
       {Workload("blindw-rm"), Workload("blindw-rw"), Workload("blindw-rh"),
        Workload("blindw-wr"), Workload("blindw-wh")}) {
    const std::vector<Plan> plans = plan_many(default_options(workload), 5'000);
    for (const Plan& plan : plans) {
      EXPECT_EQ(plan.ops.size(), 8U);
      EXPECT_TRUE(read_count(plan) == 0 || read_count(plan) == 8);
    }
    EXPECT_NEAR(read_only_share(plans), info(workload).reads, 0.02);
  }
}

TEST(Plain, GeneralMixesReadsAndWrites) {
  WorkloadOptions options = default_options(Workload("general"));
  options.reads = 0.3;
  std::size_t reads = 0;
  for (const Plan& plan : plan_many(options, 2'000)) reads += read_count(plan);
  EXPECT_NEAR(static_cast<double>(reads) / 16'000, 0.3, 0.02);
}

TEST(Plain, ReadModifyWritesAreAdjacentPairsOfDistinctKeys) {
  WorkloadOptions options = default_options(Workload("rmw"));
  options.keys = 6;  // close to the four that a transaction needs
  options.distribution.kind = DistributionKind::kZipfian;
  const std::vector<Plan> plans = plan_many(options, 5'000);
  EXPECT_NEAR(read_only_share(plans), 0.2, 0.02);
  for (const Plan& plan : plans) {
    if (read_count(plan) == plan.ops.size()) continue;
    ASSERT_EQ(plan.ops.size(), 8U);
    std::set<std::int64_t> keys;
    for (std::size_t i = 0; i < plan.ops.size(); i += 2) {
      EXPECT_TRUE(plan.ops[i].is_read());
      EXPECT_FALSE(plan.ops[i + 1].is_read());
      EXPECT_EQ(plan.ops[i].key, plan.ops[i + 1].key);
      EXPECT_TRUE(keys.insert(plan.ops[i].key).second);
    }
  }
}

TEST(Plain, MixedHasThreeKinds) {
  const std::vector<Plan> plans = plan_many(default_options(Workload("mixed")), 10'000);
  std::map<std::size_t, int> kinds;
  for (const Plan& plan : plans) ++kinds[read_count(plan)];
  EXPECT_NEAR(kinds[8], 2'000, 200);
  EXPECT_NEAR(kinds[0], 4'000, 200);
  EXPECT_NEAR(kinds[4], 4'000, 200);
}

TEST(Plain, MiniTransactionsFollowTheirDefinition) {
  for (const std::uint32_t ops_max : {2U, 3U, 4U}) {
    WorkloadOptions options = default_options(Workload("mini"));
    options.ops = ops_max;
    std::set<std::size_t> sizes;
    for (const Plan& plan : plan_many(options, 3'000)) {
      sizes.insert(plan.ops.size());
      EXPECT_LE(plan.ops.size(), ops_max);
      EXPECT_LE(read_count(plan), 2U);
      std::set<std::int64_t> read;
      for (const PlannedOp& op : plan.ops) {
        if (op.is_read()) {
          read.insert(op.key);
        } else {
          EXPECT_TRUE(read.contains(op.key));
        }
      }
    }
    EXPECT_EQ(sizes.size(), ops_max);
  }
}

// What MTC asks of its workload, whatever the distribution.
TEST(Plain, MiniTransactionsFitMtcWithEveryDistribution) {
  for (const DistributionInfo& row : all_distributions()) {
    WorkloadOptions options = default_options(Workload("mini"));
    options.distribution.kind = row.kind;
    std::map<std::int64_t, int> accesses;
    for (const Plan& plan : plan_many(options, 3'000)) {
      EXPECT_LE(read_count(plan), 2U);
      EXPECT_LE(plan.ops.size() - read_count(plan), 2U);
      for (const PlannedOp& op : plan.ops) ++accesses[op.key];
    }
    EXPECT_EQ(accesses[0] > 50, row.kind == DistributionKind::kZipfian) << row.name;
  }
}

}  // namespace
}  // namespace isolde::gen
