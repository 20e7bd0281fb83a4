// Goal: without anomalies no money appears or vanishes, and no account is overdrawn.
#include <gtest/gtest.h>

#include "unit/gen/serial_run.hpp"

namespace isolde::gen {
namespace {

TEST(Bank, AuditsAlwaysSeeTheSameTotal) {
  const WorkloadOptions options = default_options(Workload("bank"));
  SerialRun run(options);
  int audits = 0;
  int transfers = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Plan& plan = run.step();
    if (plan.ops.size() == options.keys) {
      ++audits;
      std::int64_t total = 0;
      for (const Seen& seen : run.results()) {
        total += seen.value == 0 ? 100 : payload(seen.value);
      }
      EXPECT_EQ(total, 1'000);
      continue;
    }
    ASSERT_TRUE(plan.ops.size() == 2 || plan.ops.size() == 4);
    EXPECT_NE(plan.ops[0].key, plan.ops[1].key);
    EXPECT_TRUE(plan.ops[0].is_read() && plan.ops[1].is_read());
    if (plan.ops.size() == 2) continue;
    ++transfers;
    EXPECT_EQ(plan.ops[2].key, plan.ops[0].key);
    EXPECT_EQ(plan.ops[3].key, plan.ops[1].key);
  }
  EXPECT_NEAR(audits, 4'000, 300);
  EXPECT_GT(transfers, 12'000);
  EXPECT_EQ(run.planner().key_name(run.planner().initial_keys()[3]), "account/3");
}

}  // namespace
}  // namespace isolde::gen
