// Goal: every workload plans what its row says, with unique values, and depends on nothing but
// the seed. Method: plan thousands of transactions and look at them.
#include "gen/workload.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace isolde::gen {
namespace {

using Plans = std::vector<std::vector<PlannedOp>>;

Plans plan_many(const WorkloadOptions& options, std::size_t count) {
  EXPECT_TRUE(validate(options).ok());
  Planner planner(options);
  Plans plans(count);
  for (std::size_t i = 0; i < count; ++i) {
    planner.plan(static_cast<std::uint32_t>(i % options.sessions), plans[i]);
  }
  return plans;
}

std::size_t read_count(const std::vector<PlannedOp>& ops) {
  return static_cast<std::size_t>(
      std::ranges::count_if(ops, [](const PlannedOp& op) { return op.is_read(); }));
}

double read_only_share(const Plans& plans) {
  const auto count = std::ranges::count_if(
      plans, [](const std::vector<PlannedOp>& ops) { return read_count(ops) == ops.size(); });
  return static_cast<double>(count) / static_cast<double>(plans.size());
}

TEST(Workloads, NamesParseAndDefaultsAreValid) {
  for (const WorkloadInfo& row : all_workloads()) {
    const Result<Workload> parsed = parse_workload(row.name);
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(*parsed, row.workload);
    EXPECT_TRUE(validate(default_options(row.workload)).ok()) << row.name;
    EXPECT_GE(parameters(row.workload).size(), 7U);
  }
  const Result<Workload> unknown = parse_workload("tpcc");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, ErrorCode::kUsage);
  EXPECT_NE(unknown.error().message.find("blindw-rm, blindw-rw"), std::string::npos);
}

TEST(Workloads, ParameterTextsFollowTheDefaults) {
  const std::vector<ParameterInfo> blind = parameters(Workload::kBlindwRm);
  const auto reads = std::ranges::find(blind, "reads", &ParameterInfo::name);
  ASSERT_NE(reads, blind.end());
  EXPECT_EQ(reads->default_text, "0.9");
  const std::vector<ParameterInfo> lists = parameters(Workload::kListAppend);
  const auto appends = std::ranges::find(lists, "appends-per-key", &ParameterInfo::name);
  ASSERT_NE(appends, lists.end());
  EXPECT_EQ(appends->default_text, "32");
}

TEST(Planner, SameSeedSamePlansAndOtherSeedOthers) {
  for (const WorkloadInfo& row : all_workloads()) {
    WorkloadOptions options = default_options(row.workload);
    const auto keys = [&] {
      std::vector<std::uint32_t> result;
      for (const auto& ops : plan_many(options, 200)) {
        for (const PlannedOp& op : ops) result.push_back(op.key);
      }
      return result;
    };
    const std::vector<std::uint32_t> first = keys();
    EXPECT_EQ(first, keys()) << row.name;
    options.seed = 1;
    EXPECT_NE(first, keys()) << row.name;
  }
}

TEST(Planner, SessionsDoNotDependOnEachOther) {
  WorkloadOptions options = default_options(Workload::kGeneral);
  Planner alone(options);
  Planner together(options);
  std::vector<PlannedOp> a;
  std::vector<PlannedOp> b;
  for (int i = 0; i < 50; ++i) {
    alone.plan(3, a);
    together.plan(5, b);
    together.plan(3, b);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) {
      EXPECT_EQ(a[k].key, b[k].key);
      EXPECT_EQ(a[k].kind, b[k].kind);
    }
  }
}

TEST(Planner, ValuesAreUniqueAlsoWhenRenewed) {
  for (const WorkloadInfo& row : all_workloads()) {
    const WorkloadOptions options = default_options(row.workload);
    Planner planner(options);
    std::set<std::int64_t> seen;
    std::vector<PlannedOp> ops;
    for (std::uint32_t i = 0; i < 500; ++i) {
      planner.plan(i % options.sessions, ops);
      for (int attempt = 0; attempt < 2; ++attempt) {
        for (const PlannedOp& op : ops) {
          if (op.is_read()) {
            EXPECT_EQ(op.value, 0);
          } else {
            EXPECT_GT(op.value, 0);
            EXPECT_TRUE(seen.insert(op.value).second);
          }
        }
        planner.renew(ops);
      }
    }
  }
}

TEST(Planner, BlindTransactionsOnlyReadOrOnlyWrite) {
  for (const Workload workload : {Workload::kBlindwRm, Workload::kBlindwRw, Workload::kBlindwRh,
                                  Workload::kBlindwWr, Workload::kBlindwWh}) {
    const Plans plans = plan_many(default_options(workload), 5'000);
    for (const auto& ops : plans) {
      EXPECT_EQ(ops.size(), 8U);
      EXPECT_TRUE(read_count(ops) == 0 || read_count(ops) == 8);
    }
    EXPECT_NEAR(read_only_share(plans), info(workload).reads, 0.02);
  }
}

TEST(Planner, GeneralMixesReadsAndWrites) {
  WorkloadOptions options = default_options(Workload::kGeneral);
  options.reads = 0.3;
  std::size_t reads = 0;
  for (const auto& ops : plan_many(options, 2'000)) reads += read_count(ops);
  EXPECT_NEAR(static_cast<double>(reads) / 16'000, 0.3, 0.02);
}

TEST(Planner, ReadModifyWritesAreAdjacentPairsOfDistinctKeys) {
  WorkloadOptions options = default_options(Workload::kRmw);
  options.keys = 6;  // close to the four that a transaction needs
  options.distribution.kind = DistributionKind::kZipfian;
  const Plans plans = plan_many(options, 5'000);
  EXPECT_NEAR(read_only_share(plans), 0.2, 0.02);
  for (const auto& ops : plans) {
    if (read_count(ops) == ops.size()) continue;
    ASSERT_EQ(ops.size(), 8U);
    std::set<std::uint32_t> keys;
    for (std::size_t i = 0; i < ops.size(); i += 2) {
      EXPECT_TRUE(ops[i].is_read());
      EXPECT_FALSE(ops[i + 1].is_read());
      EXPECT_EQ(ops[i].key, ops[i + 1].key);
      EXPECT_TRUE(keys.insert(ops[i].key).second);
    }
  }
}

TEST(Planner, MixedHasThreeKinds) {
  const Plans plans = plan_many(default_options(Workload::kMixed), 10'000);
  std::map<std::size_t, int> kinds;
  for (const auto& ops : plans) ++kinds[read_count(ops)];
  EXPECT_NEAR(kinds[8], 2'000, 200);
  EXPECT_NEAR(kinds[0], 4'000, 200);
  EXPECT_NEAR(kinds[4], 4'000, 200);
}

TEST(Planner, MiniTransactionsFollowTheirDefinition) {
  for (const std::uint32_t ops_max : {2U, 3U, 4U}) {
    WorkloadOptions options = default_options(Workload::kMini);
    options.ops = ops_max;
    std::set<std::size_t> sizes;
    for (const auto& ops : plan_many(options, 3'000)) {
      sizes.insert(ops.size());
      EXPECT_LE(ops.size(), ops_max);
      EXPECT_LE(read_count(ops), 2U);
      std::set<std::uint32_t> read;
      for (const PlannedOp& op : ops) {
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

TEST(Planner, ListsHaveBoundedAppendsAndFreshOnesFollow) {
  WorkloadOptions options = default_options(Workload::kListAppend);
  options.keys = 5;
  options.appends_per_key = 10;
  std::map<std::uint32_t, std::uint32_t> appends;
  for (const auto& ops : plan_many(options, 5'000)) {
    EXPECT_GE(ops.size(), 1U);
    EXPECT_LE(ops.size(), 4U);
    for (const PlannedOp& op : ops) {
      EXPECT_TRUE(op.kind == OpKind::kAppend || op.kind == OpKind::kReadList);
      if (op.kind == OpKind::kAppend) ++appends[op.key];
    }
  }
  EXPECT_GT(appends.size(), 500U);
  std::set<std::uint32_t> lengths;
  for (const auto& [key, count] : appends) {
    EXPECT_LE(count, 10U);
    lengths.insert(count);
  }
  EXPECT_EQ(lengths.size(), 10U);
}

TEST(ValidateWorkload, NamesTheParameter) {
  struct Case {
    const char* word;
    void (*change)(WorkloadOptions&);
  };
  const Case cases[] = {
      {"--sessions", [](WorkloadOptions& o) { o.sessions = 0; }},
      {"--ops", [](WorkloadOptions& o) { o.ops = 0; }},
      {"--keys", [](WorkloadOptions& o) { o.keys = 0; }},
      {"--reads", [](WorkloadOptions& o) { o.reads = 1.5; }},
      {"--appends-per-key", [](WorkloadOptions& o) { o.appends_per_key = 0; }},
      {"--keys",
       [](WorkloadOptions& o) {
         o.workload = Workload::kRmw;
         o.keys = 3;
       }},
      {"--ops",
       [](WorkloadOptions& o) {
         o.workload = Workload::kMini;
         o.ops = 8;
       }},
  };
  for (const Case& row : cases) {
    WorkloadOptions options;
    row.change(options);
    const Status status = validate(options);
    ASSERT_FALSE(status.ok()) << row.word;
    EXPECT_EQ(status.error().code, ErrorCode::kUsage);
    EXPECT_NE(status.error().message.find(row.word), std::string::npos)
        << status.error().message;
  }
}

}  // namespace
}  // namespace isolde::gen
