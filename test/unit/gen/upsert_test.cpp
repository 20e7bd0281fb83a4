// Goal: run one after the other, rows come and go by every way that SQL has for it, and no
// insert meets a row that is not meant to.
#include <gtest/gtest.h>

#include <set>

#include "unit/gen/serial_run.hpp"

namespace isolde::gen {
namespace {

TEST(Upsert, RowsComeAndGoAndComeAgain) {
  WorkloadOptions options = straight_options(Workload("upsert"));
  options.sessions = 3;
  options.keys = 10;
  SerialRun run(options);
  EXPECT_EQ(run.rows().size(), 5U);
  std::set<Action> kinds;
  std::set<std::size_t> sizes;
  std::size_t replaced = 0;
  std::size_t met = 0;
  std::size_t upserts_that_insert = 0;
  std::size_t upserts_that_update = 0;
  for (int i = 0; i < 3000; ++i) {
    const Plan& plan = run.step();
    for (std::size_t op = 0; op < plan.ops.size(); ++op) {
      const Action kind = plan.ops[op].kind;
      kinds.insert(kind);
      if (kind == Action::kUpsertRow) {
        ++(run.results()[op].applied ? upserts_that_insert : upserts_that_update);
      }
      if (kind == Action::kInsertRow && !run.results()[op].applied) {
        ++met;
        EXPECT_EQ(plan.ops.at(op + 1).kind, Action::kUpdateRows);
        EXPECT_EQ(run.results().at(op + 1).rows, 1U);
      }
      const bool follows = op > 0 && plan.ops[op - 1].kind == Action::kDeleteRows;
      if (kind == Action::kInsertRow && follows && run.results()[op - 1].rows > 0) ++replaced;
    }
    sizes.insert(run.rows().size());
    for (const auto& [key, row] : run.rows()) {
      EXPECT_LT(key, 10);
      EXPECT_GE(*row.cells[1], 1);
    }
  }
  EXPECT_GT(replaced, 100U);
  EXPECT_GT(met, 100U);
  EXPECT_GT(upserts_that_insert, 100U);
  EXPECT_GT(upserts_that_update, 100U);
  EXPECT_GT(sizes.size(), 5U);
  EXPECT_EQ(kinds, (std::set{Action::kInsertRow, Action::kSelectRows, Action::kUpdateRows,
                             Action::kDeleteRows, Action::kUpsertRow}));
}

}  // namespace
}  // namespace isolde::gen
