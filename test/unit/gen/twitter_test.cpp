// Goal: C-Twitter's data hang together: pointers lead to tweets, lists agree with edges.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "unit/gen/serial_run.hpp"

namespace isolde::gen {
namespace {

TEST(Twitter, PointersListsAndEdgesAgree) {
  WorkloadOptions options = default_options(Workload("c-twitter"));
  options.users = 50;
  SerialRun run(options);
  std::map<std::uint32_t, int> types;
  std::size_t longest = 0;
  for (int i = 0; i < 10'000; ++i) {
    const Plan& plan = run.step();
    ++types[plan.type];
    longest = std::max(longest, plan.ops.size());
    // Every tweet that a pointer leads to is there.
    for (std::size_t k = 0; k < plan.ops.size(); ++k) {
      const std::string name = run.planner().key_name(plan.ops[k].key);
      if (plan.ops[k].is_read() && name.starts_with("tweet/")) {
        EXPECT_NE(run.results()[k].value, 0) << name;
      }
    }
  }
  EXPECT_NEAR(types[0], 2'000, 200);
  EXPECT_NEAR(types[1], 4'000, 200);
  EXPECT_NEAR(types[2], 1'000, 200);
  EXPECT_NEAR(types[3], 1'000, 200);
  EXPECT_NEAR(types[4], 2'000, 200);
  EXPECT_GT(longest, 15U) << "timelines of several users";

  std::map<std::string, std::int64_t> tweets;
  std::map<std::string, int> follows;
  const std::map<std::string, std::int64_t> rows = run.payloads();
  for (const auto& [name, data] : rows) {
    if (name.starts_with("tweet/")) ++tweets[name.substr(6, name.rfind('/') - 6)];
    if (!name.starts_with("following/")) continue;
    const std::size_t slash = name.rfind('/');
    const std::string who = name.substr(10, slash - 10);
    const std::string whom = name.substr(slash + 1);
    EXPECT_NE(who, whom);
    EXPECT_EQ(rows.at("follower/" + whom + "/" + who), data);
  }
  for (const auto& [user, count] : tweets) EXPECT_EQ(rows.at("last-tweet/" + user), count);
}

TEST(Twitter, TwoUsersAreEnough) {
  WorkloadOptions options = default_options(Workload("c-twitter"));
  options.users = 2;
  EXPECT_EQ(plan_many(options, 500).size(), 500U);
}

}  // namespace
}  // namespace isolde::gen
