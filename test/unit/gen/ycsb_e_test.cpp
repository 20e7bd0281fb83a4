// Goal: scans and inserts in the proportion asked for, posts behind those of their
// conversation, and ids that nobody else gives out.
#include <gtest/gtest.h>

#include <set>

#include "unit/gen/serial_run.hpp"

namespace isolde::gen {
namespace {

constexpr std::int64_t kPosts = std::int64_t{1} << 24;

TEST(YcsbE, ScansFromTheBeginningOfAConversation) {
  WorkloadOptions options = straight_options(Workload("ycsb-e"));
  options.sessions = 3;
  options.keys = 5;
  options.scan = 7;
  SerialRun run(options);
  EXPECT_EQ(run.rows().size(), 20U);
  std::size_t scans = 0;
  std::size_t inserts = 0;
  std::set<std::uint32_t> lengths;
  for (int i = 0; i < 2000; ++i) {
    const Plan& plan = run.step();
    EXPECT_EQ(plan.ops.size(), 3U);
    for (std::size_t op = 0; op < plan.ops.size(); ++op) {
      const table::Request& request =
          plan.requests.at(static_cast<std::size_t>(plan.ops[op].expected));
      if (plan.ops[op].kind == Action::kInsertRow) {
        ++inserts;
        EXPECT_GE(request.id % kPosts, 4);
        EXPECT_LT(request.id / kPosts, 5);
        continue;
      }
      ++scans;
      lengths.insert(request.limit);
      EXPECT_EQ(*request.where.at(0).least % kPosts, 0);
      EXPECT_LE(run.results()[op].rows, request.limit);
      EXPECT_GE(run.results()[op].rows, 1U);
    }
  }
  EXPECT_EQ(lengths, (std::set<std::uint32_t>{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(run.rows().size(), 20U + inserts);
  EXPECT_NEAR(static_cast<double>(inserts) / static_cast<double>(inserts + scans), 0.05, 0.01);
}

}  // namespace
}  // namespace isolde::gen
