// Goal: run one after the other, the transactions of the shop keep its books in order.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "unit/gen/serial_run.hpp"

namespace isolde::gen {
namespace {

WorkloadOptions small() {
  WorkloadOptions options = default_options(Workload("inventory"));
  options.sessions = 3;
  options.keys = 8;
  return options;
}

TEST(Inventory, KeepsItsBooks) {
  SerialRun run(small());
  EXPECT_EQ(run.rows().size(), 8U);
  for (int i = 0; i < 3000; ++i) {
    run.step();
    std::map<std::int64_t, std::int64_t> ordered;
    for (const auto& [key, row] : run.rows()) {
      if (table::table_of(key) == 1) ordered[*row.cells[0]] += *row.cells[1];
    }
    for (std::int64_t item = 0; item < 8; ++item) {
      const table::Row& row = run.rows().at(item);
      EXPECT_GE(*row.cells[0], 0);
      EXPECT_EQ(*row.cells[1], ordered[item]) << "item " << item << " after " << i;
    }
  }
}

TEST(Inventory, DoesAllThatTablesCan) {
  SerialRun run(small());
  std::set<Action> kinds;
  std::set<std::int64_t> stamps;
  bool rolled_back = false;
  for (int i = 0; i < 1000; ++i) {
    const Plan& plan = run.step();
    rolled_back = rolled_back || plan.rolls_back;
    for (const PlannedOp& op : plan.ops) {
      kinds.insert(op.kind);
      if (op.has_value()) {
        EXPECT_TRUE(stamps.insert(op.value).second);
      }
    }
  }
  EXPECT_TRUE(rolled_back);
  EXPECT_EQ(kinds,
            (std::set{Action::kInsertRow, Action::kSelectRows, Action::kUpdateRows,
                      Action::kDeleteRows, Action::kSavepoint, Action::kRollBackToSavepoint}));
  // Those of the rows that are there at the beginning are nobody else's.
  EXPECT_EQ(*stamps.begin(), 9);
}

TEST(Inventory, ARepeatedTransactionHasFreshStampsAndIds) {
  SerialRun run(small());
  std::set<std::int64_t> ids;
  for (int i = 0; i < 200; ++i) {
    for (const bool again : {false, true}) {
      const Plan& plan = again ? run.repeat(0) : run.step(0);
      for (const PlannedOp& op : plan.ops) {
        if (op.kind != Action::kInsertRow) continue;
        const table::Request& request = plan.requests.at(static_cast<std::size_t>(op.expected));
        EXPECT_EQ(request.id, op.value);
        EXPECT_TRUE(ids.insert(request.id).second);
      }
    }
  }
}

}  // namespace
}  // namespace isolde::gen
