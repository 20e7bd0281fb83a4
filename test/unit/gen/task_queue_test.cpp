// Goal: run one after the other, every task is in one place, and the queue moves.
#include <gtest/gtest.h>

#include <set>

#include "unit/gen/serial_run.hpp"

namespace isolde::gen {
namespace {

WorkloadOptions small() {
  WorkloadOptions options = straight_options(Workload("task-queue"));
  options.sessions = 3;
  options.keys = 10;
  return options;
}

TEST(TaskQueue, ATaskHasAWorkerOrIsOpen) {
  SerialRun run(small());
  EXPECT_EQ(run.rows().size(), 5U);
  std::set<std::int64_t> states;
  for (int i = 0; i < 3000; ++i) {
    run.step();
    for (const auto& [key, row] : run.rows()) {
      states.insert(*row.cells[0]);
      EXPECT_EQ(*row.cells[0] == 0, !row.cells[1].has_value()) << "task " << key;
    }
  }
  EXPECT_EQ(states, (std::set<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(run.rows().size(), 10U);
}

TEST(TaskQueue, TakesTasksUnderALockThatOthersSkip) {
  SerialRun run(small());
  std::set<Action> kinds;
  for (int i = 0; i < 500; ++i) {
    const Plan& plan = run.step();
    for (const PlannedOp& op : plan.ops) {
      kinds.insert(op.kind);
      if (op.kind != Action::kLockRows) continue;
      const table::Request& request = plan.requests.at(static_cast<std::size_t>(op.expected));
      EXPECT_TRUE(request.skip_locked);
      EXPECT_GE(request.limit, 1U);
      EXPECT_LE(request.limit, small().ops);
    }
  }
  EXPECT_EQ(kinds,
            (std::set{Action::kSelectRows, Action::kLockRows, Action::kUpdateRows,
                      Action::kUpsertRow, Action::kSavepoint, Action::kRollBackToSavepoint}));
}

}  // namespace
}  // namespace isolde::gen
