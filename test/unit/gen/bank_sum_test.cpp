// Goal: run one after the other, no owner owes money, and all sums of all accounts are the
// same.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "unit/gen/serial_run.hpp"

namespace isolde::gen {
namespace {

TEST(BankSum, SumsCoverWhatIsWithdrawn) {
  WorkloadOptions options = default_options(Workload("bank-sum"));
  options.sessions = 3;
  options.keys = 4;
  SerialRun run(options);
  EXPECT_EQ(run.rows().size(), 8U);
  std::set<Action> kinds;
  std::set<AggregateKind> computed;
  std::set<std::size_t> sizes;
  std::size_t in_debt = 0;
  std::size_t withdrawn = 0;
  std::size_t refused = 0;
  std::size_t called_off = 0;
  std::size_t taken_back = 0;
  for (int i = 0; i < 5000; ++i) {
    const Plan& plan = run.step();
    called_off += plan.rolls_back ? 1 : 0;
    for (const PlannedOp& op : plan.ops) {
      kinds.insert(op.kind);
      taken_back += op.kind == Action::kRollBackToSavepoint ? 1 : 0;
      if (op.kind != Action::kAggregateRows) continue;
      computed.insert(plan.requests.at(static_cast<std::size_t>(op.expected)).computed.kind);
    }
    const auto computes = [&](AggregateKind kind) {
      return plan.ops[0].kind == Action::kAggregateRows &&
             plan.requests[0].computed.kind == kind;
    };
    if (computes(AggregateKind::kSum) && plan.requests[0].where.empty()) {
      EXPECT_EQ(run.results()[0].value, 400);
      EXPECT_EQ(run.results()[2].value, 400);
    } else if (computes(AggregateKind::kSum)) {
      ++(plan.ops.size() > 1 ? withdrawn : refused);
    }
    std::map<std::int64_t, std::int64_t> owned;
    std::int64_t total = 0;
    for (const auto& [key, row] : run.rows()) {
      owned[*row.cells[0]] += *row.cells[1];
      total += *row.cells[1];
      in_debt += *row.cells[1] < 0 ? 1 : 0;
    }
    EXPECT_EQ(total, 400);
    sizes.insert(run.rows().size());
  }
  EXPECT_GT(withdrawn, 300U);
  EXPECT_GT(refused, 100U);
  EXPECT_GT(called_off, 50U);
  EXPECT_GT(taken_back, 20U);
  EXPECT_GT(in_debt, 0U);
  EXPECT_GT(sizes.size(), 4U);
  EXPECT_EQ(computed.size(), kAggregateKindCount);
  EXPECT_EQ(kinds, (std::set{Action::kInsertRow, Action::kSelectRows, Action::kAggregateRows,
                             Action::kUpdateRows, Action::kDeleteRows, Action::kSavepoint,
                             Action::kRollBackToSavepoint}));
}

}  // namespace
}  // namespace isolde::gen
