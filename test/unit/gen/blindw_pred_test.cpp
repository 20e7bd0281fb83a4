// Goal: transactions of eight selections or of eight updates, by ranges that find two rows on
// average, at the end of a run as at its beginning.
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "unit/gen/serial_run.hpp"

namespace isolde::gen {
namespace {

TEST(BlindWPred, RowsStaySpread) {
  WorkloadOptions options = straight_options(Workload("blindw-pred"));
  options.sessions = 3;
  options.keys = 500;
  SerialRun run(options);
  EXPECT_EQ(run.rows().size(), 500U);
  const auto initial = run.rows();
  std::size_t readers = 0;
  std::array<std::size_t, 2> found = {};  // in the first half of the run, and in the second
  std::set<std::size_t> columns;
  for (int i = 0; i < 2000; ++i) {
    const Plan& plan = run.step();
    ASSERT_EQ(plan.ops.size(), 8U);
    const Action kind = plan.ops.front().kind;
    EXPECT_TRUE(kind == Action::kSelectRows || kind == Action::kUpdateRows);
    readers += kind == Action::kSelectRows ? 1 : 0;
    for (std::size_t op = 0; op < plan.ops.size(); ++op) {
      EXPECT_EQ(plan.ops[op].kind, kind);
      const table::Request& request =
          plan.requests.at(static_cast<std::size_t>(plan.ops[op].expected));
      const table::Test& range = request.where.at(0);
      columns.insert(range.column);
      EXPECT_GE(*range.least, 0);
      EXPECT_EQ(*range.most - *range.least, 1'999);
      found[i < 1000 ? 0 : 1] += run.results()[op].rows;
      if (kind != Action::kUpdateRows) continue;
      EXPECT_EQ(request.set.at(0).column, range.column);
    }
  }
  EXPECT_EQ(columns, (std::set<std::size_t>{0, 1}));
  EXPECT_NEAR(static_cast<double>(readers), 1000, 100);
  for (const std::size_t rows : found) EXPECT_NEAR(static_cast<double>(rows), 16'000, 2'400);
  // Nearly all rows have moved, in one column or in the other.
  std::size_t moved = 0;
  for (const auto& [key, row] : run.rows()) moved += initial.at(key).cells != row.cells ? 1 : 0;
  EXPECT_GT(moved, 480U);
}

TEST(BlindWPred, ARangeHasNoMoreThanAllRows) {
  WorkloadOptions options = straight_options(Workload("blindw-pred"));
  options.keys = 1;
  options.sessions = 1;
  options.scan = 10;
  SerialRun run(options);
  for (int i = 0; i < 20; ++i) {
    run.step();
    for (const Seen& seen : run.results()) EXPECT_EQ(seen.rows, 1U);
  }
}

}  // namespace
}  // namespace isolde::gen
