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
    EXPECT_EQ(*parsed, row.workload());
    EXPECT_TRUE(validate(default_options(row.workload())).ok()) << row.name;
    EXPECT_TRUE(takes(row.workload(), "sessions"));
    EXPECT_TRUE(takes(row.workload(), "seed"));
    EXPECT_EQ(takes(row.workload(), "ops"), !row.ops_text.empty());
  }
  const Result<Workload> unknown = parse_workload("nothing");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, ErrorCode::kUsage);
  EXPECT_NE(unknown.error().message.find("blindw-rm, blindw-rw"), std::string::npos);
}

TEST(Workloads, HaveFewTransactionsWhereChecksAreHard) {
  EXPECT_EQ(default_options(Workload("bank")).txns, 10'000U);
  EXPECT_EQ(default_options(Workload("on-call-count")).txns, 300U);
  const std::vector<ParameterInfo> all = parameters(Workload("bank-sum"));
  const auto txns = std::ranges::find(all, "txns", &ParameterInfo::name);
  ASSERT_NE(txns, all.end());
  EXPECT_EQ(txns->default_text, "300");
}

TEST(Workloads, ParameterTextsFollowTheDefaults) {
  const std::vector<ParameterInfo> blind = parameters(Workload("blindw-rm"));
  const auto reads = std::ranges::find(blind, "reads", &ParameterInfo::name);
  ASSERT_NE(reads, blind.end());
  EXPECT_EQ(reads->default_text, "0.9");
  const std::vector<ParameterInfo> lists = parameters(Workload("list-append"));
  const auto appends = std::ranges::find(lists, "appends-per-key", &ParameterInfo::name);
  ASSERT_NE(appends, lists.end());
  EXPECT_EQ(appends->default_text, "32");
  const std::vector<ParameterInfo> cas = parameters(Workload("lwt"));
  const auto inserts = std::ranges::find(cas, "inserts", &ParameterInfo::name);
  ASSERT_NE(inserts, cas.end());
  EXPECT_EQ(inserts->default_text, "0.1");
  EXPECT_EQ(default_options(Workload("c-rubis")).items, 20'000U);
  EXPECT_EQ(default_options(Workload("tpcc")).items, 10'000U);
  EXPECT_FALSE(takes(Workload("tpcc"), "keys"));
  EXPECT_FALSE(takes(Workload("tpcc"), "distribution"));
  EXPECT_TRUE(takes(Workload("tpcc"), "warehouses"));
  EXPECT_FALSE(takes(Workload("bank"), "warehouses"));
}

TEST(Workloads, SayWhatTheyNeed) {
  EXPECT_TRUE(info(Workload("list-append")).needs.lists);
  EXPECT_TRUE(info(Workload("lwt")).needs.compare_and_set);
  EXPECT_TRUE(info(Workload("phantom")).needs.rows);
  const WorkloadNeeds none = info(Workload("rw-register")).needs;
  EXPECT_FALSE(none.lists || none.compare_and_set || none.rows);
}

TEST(ValidateWorkload, IgnoresWhatTheWorkloadDoesNotTake) {
  WorkloadOptions options = default_options(Workload("tpcc"));
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
         o.workload = Workload("list-append");
         o.appends_per_key = 0;
       }},
      {"--inserts",
       [](WorkloadOptions& o) {
         o = default_options(Workload("lwt"));
         o.inserts = -0.5;
       }},
      {"--warehouses",
       [](WorkloadOptions& o) {
         o.workload = Workload("tpcc");
         o.warehouses = 0;
       }},
      {"--keys",
       [](WorkloadOptions& o) {
         o.workload = Workload("bank");
         o.keys = 1;
       }},
      {"--ops",
       [](WorkloadOptions& o) {
         o.workload = Workload("long-fork");
         o.ops = 1;
       }},
      {"--keys",
       [](WorkloadOptions& o) {
         o.workload = Workload("rmw");
         o.keys = 3;
       }},
      {"--ops",
       [](WorkloadOptions& o) {
         o.workload = Workload("mini");
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
