// Goal: run one after the other, no two bookings of a room overlap.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "unit/gen/serial_run.hpp"

namespace isolde::gen {
namespace {

TEST(Booking, KeepsBookingsOfARoomApart) {
  WorkloadOptions options = straight_options(Workload("booking"));
  options.sessions = 3;
  options.keys = 4;
  SerialRun run(options);
  EXPECT_EQ(run.rows().size(), 4U);
  std::set<Action> kinds;
  bool locks = false;
  bool rolled_back = false;
  std::size_t most = 0;
  for (int i = 0; i < 3000; ++i) {
    const Plan& plan = run.step();
    rolled_back = rolled_back || plan.rolls_back;
    for (const PlannedOp& op : plan.ops) {
      kinds.insert(op.kind);
      const table::Request& request = plan.requests.at(static_cast<std::size_t>(op.expected));
      locks = locks || request.lock == table::Lock::kUpdate;
    }
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> nights;
    for (const auto& [key, row] : run.rows()) {
      if (table::table_of(key) == 0) continue;
      EXPECT_LT(*row.cells[1], *row.cells[2]);
      for (std::int64_t night = *row.cells[1]; night < *row.cells[2]; ++night) {
        EXPECT_TRUE(nights.try_emplace({*row.cells[0], night}, key).second)
            << "night " << night << " in room " << *row.cells[0];
      }
    }
    most = std::max(most, nights.size());
  }
  EXPECT_GT(most, 20U);
  EXPECT_TRUE(locks);
  EXPECT_TRUE(rolled_back);
  EXPECT_EQ(kinds, (std::set{Action::kInsertRow, Action::kSelectRows, Action::kLockRows,
                             Action::kUpdateRows, Action::kDeleteRows}));
}

}  // namespace
}  // namespace isolde::gen
