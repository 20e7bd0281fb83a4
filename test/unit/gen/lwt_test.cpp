// Goal: compare-and-set starts from what the session knows, and the session learns from it.
#include <gtest/gtest.h>

#include "unit/gen/serial_run.hpp"

namespace isolde::gen {
namespace {

WorkloadOptions one_key() {
  WorkloadOptions options = default_options(Workload("lwt"));
  options.sessions = 2;
  options.keys = 1;
  options.reads = 0;
  options.inserts = 0;
  options.writes_per_key = 1'000'000;
  options.seed = 3;
  return options;
}

TEST(Lwt, SetsFromTheValueThatTheSessionSawLast) {
  SerialRun run(one_key());
  const PlannedOp insert = run.step(0).ops[0];
  EXPECT_EQ(insert.kind, Action::kCompareAndSet);
  EXPECT_EQ(insert.expected, 0);
  EXPECT_TRUE(run.results()[0].applied);
  EXPECT_EQ(run.step(0).ops[0].expected, insert.value);
  EXPECT_TRUE(run.results()[0].applied);
  const std::int64_t present = run.value(insert.key);
  EXPECT_EQ(run.step(1).ops[0].expected, 0) << "the other session knows nothing of the key";
  EXPECT_FALSE(run.results()[0].applied);
  EXPECT_EQ(run.step(1).ops[0].expected, present) << "it was told the value";
  EXPECT_TRUE(run.results()[0].applied);
  EXPECT_EQ(run.step(0).ops[0].expected, present) << "which the first does not know";
  EXPECT_FALSE(run.results()[0].applied);
}

TEST(Lwt, ForgetsWhatIsOutOfDate) {
  Planner planner(one_key());
  Plan plan;
  planner.plan(0, plan);
  EXPECT_FALSE(planner.extend(0, plan, std::vector<Seen>{{0, true, true}}));
  planner.plan(0, plan);
  EXPECT_NE(plan.ops[0].expected, 0);
  EXPECT_FALSE(planner.extend(0, plan, std::vector<Seen>{{0, false, false}}));
  planner.plan(0, plan);
  EXPECT_EQ(plan.ops[0].expected, 0);
}

TEST(Lwt, ReadsAndInsertsHaveTheirShares) {
  WorkloadOptions options = default_options(Workload("lwt"));
  options.reads = 0.4;
  options.inserts = 0.25;
  options.keys = 5;
  options.writes_per_key = 1'000'000;
  int reads = 0;
  int inserts = 0;
  const std::vector<Plan> plans = plan_many(options, 10'000);
  for (const Plan& plan : plans) {
    ASSERT_EQ(plan.ops.size(), 1U);
    reads += plan.ops[0].is_read() ? 1 : 0;
    inserts += !plan.ops[0].is_read() && plan.ops[0].expected == 0 ? 1 : 0;
  }
  EXPECT_NEAR(reads, 4'000, 200);
  EXPECT_NEAR(inserts, 1'500 + 24 * 5 / 2, 200);
}

TEST(Lwt, KeysAreReplaced) {
  WorkloadOptions options = default_options(Workload("lwt"));
  options.writes_per_key = 20;
  SerialRun run(options);
  for (int i = 0; i < 5'000; ++i) run.step();
  EXPECT_GT(run.values().size(), 300U);
}

}  // namespace
}  // namespace isolde::gen
