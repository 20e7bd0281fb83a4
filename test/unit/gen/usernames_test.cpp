// Goal: run one after the other, no two accounts have the same name.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "unit/gen/serial_run.hpp"

namespace isolde::gen {
namespace {

TEST(Usernames, AreUnique) {
  WorkloadOptions options = default_options(Workload("usernames"));
  options.sessions = 3;
  options.keys = 8;
  SerialRun run(options);
  std::set<Action> kinds;
  std::size_t most = 0;
  for (int i = 0; i < 3000; ++i) {
    for (const PlannedOp& op : run.step().ops) kinds.insert(op.kind);
    std::set<std::int64_t> names;
    for (const auto& [key, row] : run.rows()) {
      EXPECT_TRUE(names.insert(*row.cells[0]).second) << "name " << *row.cells[0];
    }
    most = std::max(most, names.size());
  }
  EXPECT_GT(most, 3U);
  EXPECT_EQ(kinds,
            (std::set{Action::kInsertRow, Action::kSelectRows, Action::kUpdateRows,
                      Action::kDeleteRows, Action::kSavepoint, Action::kRollBackToSavepoint}));
}

}  // namespace
}  // namespace isolde::gen
