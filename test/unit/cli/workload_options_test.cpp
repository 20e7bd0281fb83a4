// Goal: the options of a workload are its defaults where nothing was given, and what it does
// not take is refused.
#include "cli/workload_options.hpp"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>

namespace isolde::cli {
namespace {

Result<gen::WorkloadOptions> parse(const std::string& line) {
  WorkloadArguments arguments;
  CLI::App app;
  arguments.add_to(app);
  app.parse(line);
  return arguments.options();
}

TEST(WorkloadArguments, ChangeWhatWasGivenOnly) {
  const auto plain = parse("--workload ycsb");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->ops, 6U);
  EXPECT_EQ(plain->distribution.kind, gen::DistributionKind::kZipfian);
  const auto changed = parse(
      "--workload ycsb --ops 3 --keys 7 --reads 0.25 --sessions 2 --txns 9 --seed 4 "
      "--distribution hotspot:0.9,0.1");
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->ops, 3U);
  EXPECT_EQ(changed->keys, 7U);
  EXPECT_EQ(changed->reads, 0.25);
  EXPECT_EQ(changed->sessions, 2U);
  EXPECT_EQ(changed->txns, 9U);
  EXPECT_EQ(changed->seed, 4U);
  EXPECT_EQ(changed->distribution.hot_keys, 0.1);
}

TEST(WorkloadArguments, ReachTheParametersOfApplications) {
  const auto tpcc = parse("--workload tpcc --warehouses 3 --customers 40 --items 50");
  ASSERT_TRUE(tpcc);
  EXPECT_EQ(tpcc->warehouses, 3U);
  EXPECT_EQ(tpcc->customers, 40U);
  EXPECT_EQ(tpcc->items, 50U);
  EXPECT_EQ(parse("--workload c-rubis --users 12")->users, 12U);
  EXPECT_EQ(parse("--workload list-append --appends-per-key 5")->appends_per_key, 5U);
  const auto lwt = parse("--workload lwt --writes-per-key 6 --inserts 0.5");
  ASSERT_TRUE(lwt);
  EXPECT_EQ(lwt->writes_per_key, 6U);
  EXPECT_EQ(lwt->inserts, 0.5);
}

TEST(WorkloadArguments, RefuseWhatTheWorkloadDoesNotTake) {
  const auto refused = parse("--workload tpcc --keys 5");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  EXPECT_EQ(refused.error().message,
            "workload tpcc takes no --keys; see isolde workloads tpcc");
  EXPECT_FALSE(parse("--workload general --warehouses 5"));
  EXPECT_FALSE(parse("--workload nothing"));
  EXPECT_FALSE(parse("--workload general --distribution nothing"));
}

}  // namespace
}  // namespace isolde::cli
