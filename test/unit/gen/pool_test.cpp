// Goal: list-append and rw-register do 1 to --ops operations of the right kinds on keys that do
// not wear out.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "unit/gen/serial_run.hpp"

namespace isolde::gen {
namespace {

TEST(Pool, KeysHaveBoundedUpdatesAndFreshOnesFollow) {
  for (const Workload workload : {Workload("list-append"), Workload("rw-register")}) {
    const bool lists = workload == Workload("list-append");
    WorkloadOptions options = default_options(workload);
    options.keys = 5;
    options.appends_per_key = 10;
    options.writes_per_key = 10;
    options.reads = 0.3;
    std::map<std::int64_t, std::uint32_t> updates;
    std::set<std::size_t> sizes;
    std::size_t reads = 0;
    std::size_t all = 0;
    for (const Plan& plan : plan_many(options, 5'000)) {
      sizes.insert(plan.ops.size());
      all += plan.ops.size();
      reads += read_count(plan);
      for (const PlannedOp& op : plan.ops) {
        const Action read = lists ? Action::kReadList : Action::kRead;
        EXPECT_EQ(op.kind, op.is_read() ? read : (lists ? Action::kAppend : Action::kWrite));
        if (!op.is_read()) ++updates[op.key];
      }
    }
    EXPECT_EQ(sizes, (std::set<std::size_t>{1, 2, 3, 4}));
    EXPECT_NEAR(static_cast<double>(reads) / static_cast<double>(all), 0.3, 0.02);
    EXPECT_GT(updates.size(), 500U);
    for (const auto& [key, count] : updates) EXPECT_LE(count, 10U);
  }
}

TEST(Pool, PopularPlacesAreUsedMore) {
  WorkloadOptions options = default_options(Workload("rw-register"));
  options.keys = 50;
  options.reads = 1;
  options.distribution = *parse_distribution("zipfian");
  std::map<std::int64_t, int> accesses;
  for (const Plan& plan : plan_many(options, 3'000)) {
    for (const PlannedOp& op : plan.ops) ++accesses[op.key];
  }
  EXPECT_GT(accesses[0], 5 * accesses[40]);
}

}  // namespace
}  // namespace isolde::gen
