// Goal: C-RUBiS's transactions have their shares, numbers are given out once, prices rise.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "unit/gen/serial_run.hpp"

namespace isolde::gen {
namespace {

TEST(Rubis, KeepsItsBooks) {
  WorkloadOptions options = default_options(Workload("c-rubis"));
  options.users = 50;
  options.items = 100;
  SerialRun run(options);
  std::map<std::uint32_t, int> types;
  std::map<std::int64_t, std::int64_t> prices;
  int reads_of_new_rows = 0;
  for (int i = 0; i < 10'000; ++i) {
    const Plan& plan = run.step();
    ++types[plan.type];
    for (std::size_t k = 0; k < plan.ops.size(); ++k) {
      const PlannedOp& op = plan.ops[k];
      const std::string name = run.planner().key_name(op.key);
      if (op.is_read()) {
        if (name.starts_with("user/") && run.results()[k].value != 0) ++reads_of_new_rows;
        if (plan.type == 0) {
          EXPECT_EQ(run.results()[k].value, 0) << name << " is free";
        }
      } else if (name.starts_with("item/")) {
        EXPECT_GT(payload(op.value), prices[op.key]);
        prices[op.key] = payload(op.value);
      }
    }
  }
  EXPECT_NEAR(types[0], 1'000, 150);
  EXPECT_NEAR(types[1], 1'500, 150);
  EXPECT_NEAR(types[2], 1'500, 150);
  EXPECT_NEAR(types[3], 2'000, 200);
  EXPECT_NEAR(types[4], 4'000, 200);
  EXPECT_GT(reads_of_new_rows, 100);
  std::map<std::string, int> rows;
  for (const auto& [name, data] : run.payloads()) ++rows[name.substr(0, name.find('/'))];
  EXPECT_EQ(rows["user"], types[0]);
  EXPECT_EQ(rows["nick"], types[0]);
  EXPECT_LE(rows["bid"], types[2]);
  EXPECT_GT(rows["bid"], types[2] - 60) << "few items are not there yet";
  EXPECT_EQ(rows["comment"], types[3]);
}

}  // namespace
}  // namespace isolde::gen
