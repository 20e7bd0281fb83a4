// Goal: the table of workloads says what is there, and wrong parameters are named.
#include "gen/workload.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace isolde::gen {
namespace {

TEST(Workloads, NamesParseAndDefaultsAreValid) {
  for (const WorkloadInfo& row : all_workloads()) {
    const Result<Workload> parsed = parse_workload(row.name);
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(*parsed, row.workload);
    EXPECT_TRUE(validate(default_options(row.workload)).ok()) << row.name;
    EXPECT_TRUE(takes(row.workload, "sessions"));
    EXPECT_TRUE(takes(row.workload, "seed"));
    EXPECT_EQ(takes(row.workload, "ops"), !row.ops_text.empty());
  }
  const Result<Workload> unknown = parse_workload("nothing");
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
  const std::vector<ParameterInfo> cas = parameters(Workload::kLwt);
  const auto inserts = std::ranges::find(cas, "inserts", &ParameterInfo::name);
  ASSERT_NE(inserts, cas.end());
  EXPECT_EQ(inserts->default_text, "0.1");
  EXPECT_EQ(default_options(Workload::kRubis).items, 20'000U);
  EXPECT_EQ(default_options(Workload::kTpcc).items, 10'000U);
  EXPECT_FALSE(takes(Workload::kTpcc, "keys"));
  EXPECT_FALSE(takes(Workload::kTpcc, "distribution"));
  EXPECT_TRUE(takes(Workload::kTpcc, "warehouses"));
  EXPECT_FALSE(takes(Workload::kBank, "warehouses"));
}

TEST(Workloads, SayWhatTheyNeed) {
  for (const WorkloadInfo& row : all_workloads()) {
    EXPECT_EQ(uses_lists(row.workload), row.workload == Workload::kListAppend);
    EXPECT_EQ(uses_compare_and_set(row.workload), row.workload == Workload::kLwt);
  }
}

TEST(ValidateWorkload, IgnoresWhatTheWorkloadDoesNotTake) {
  WorkloadOptions options = default_options(Workload::kTpcc);
  options.ops = 0;
  options.keys = 0;
  options.reads = 7;
  options.appends_per_key = 0;
  EXPECT_TRUE(validate(options).ok());
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
      {"--appends-per-key",
       [](WorkloadOptions& o) {
         o.workload = Workload::kListAppend;
         o.appends_per_key = 0;
       }},
      {"--inserts",
       [](WorkloadOptions& o) {
         o.workload = Workload::kLwt;
         o.inserts = -0.5;
       }},
      {"--warehouses",
       [](WorkloadOptions& o) {
         o.workload = Workload::kTpcc;
         o.warehouses = 0;
       }},
      {"--keys",
       [](WorkloadOptions& o) {
         o.workload = Workload::kBank;
         o.keys = 1;
       }},
      {"--ops",
       [](WorkloadOptions& o) {
         o.workload = Workload::kLongFork;
         o.ops = 1;
       }},
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
