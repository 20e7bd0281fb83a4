// Goal: run one after the other, somebody is on call in each shift at all times.
#include <gtest/gtest.h>

#include <set>

#include "unit/gen/serial_run.hpp"

namespace isolde::gen {
namespace {

TEST(OnCallCount, NoShiftIsLeftAlone) {
  WorkloadOptions options = default_options(Workload("on-call-count"));
  options.sessions = 3;
  options.keys = 3;
  SerialRun run(options);
  EXPECT_EQ(run.rows().size(), 6U);
  std::set<Action> kinds;
  std::set<std::size_t> sizes;
  std::size_t off = 0;
  std::size_t called_off = 0;
  std::size_t taken_back = 0;
  for (int i = 0; i < 5000; ++i) {
    const Plan& plan = run.step();
    called_off += plan.rolls_back ? 1 : 0;
    for (std::size_t op = 0; op < plan.ops.size(); ++op) {
      kinds.insert(plan.ops[op].kind);
      taken_back += plan.ops[op].kind == Action::kRollBackToSavepoint ? 1 : 0;
      if (plan.ops[op].kind != Action::kAggregateRows) continue;
      const auto number = static_cast<std::size_t>(plan.ops[op].expected);
      if (plan.requests.at(number).computed.kind == AggregateKind::kExists) {
        EXPECT_EQ(run.results()[op].value, 1);
      }
    }
    std::set<std::int64_t> served;
    for (const auto& [key, row] : run.rows()) {
      if (row.cells[1] == 1) served.insert(*row.cells[0]);
      off += row.cells[1] == 0 ? 1 : 0;
    }
    EXPECT_EQ(served.size(), 3U);
    sizes.insert(run.rows().size());
  }
  EXPECT_GT(off, 1000U);
  EXPECT_GT(called_off, 50U);
  EXPECT_GT(taken_back, 20U);
  EXPECT_GT(sizes.size(), 3U);
  EXPECT_EQ(kinds, (std::set{Action::kInsertRow, Action::kSelectRows, Action::kAggregateRows,
                             Action::kUpdateRows, Action::kDeleteRows, Action::kSavepoint,
                             Action::kRollBackToSavepoint}));
}

}  // namespace
}  // namespace isolde::gen
