// Goal: TPC-C's transactions do to the rows what the specification says. Method: run some
// thousands serially, then check the specification's own consistency conditions (clause 3.3.2)
// as far as payloads carry them, and the shares of the mix.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "unit/gen/serial_run.hpp"

namespace isolde::gen {
namespace {

WorkloadOptions small(std::uint32_t warehouses) {
  WorkloadOptions options = default_options(Workload("tpcc"));
  options.warehouses = warehouses;
  options.customers = 30;
  options.items = 500;
  return options;
}

using Rows = std::map<std::string, std::int64_t>;

std::int64_t row(const Rows& rows, const std::string& name, std::int64_t initial) {
  const auto found = rows.find(name);
  return found == rows.end() ? initial : found->second;
}

TEST(Tpcc, KeepsTheConsistencyConditions) {
  SerialRun run(small(2));
  for (int i = 0; i < 6'000; ++i) run.step();
  const Rows rows = run.payloads();
  int delivered = 0;
  int pending = 0;
  for (int w = 1; w <= 2; ++w) {
    for (int d = 1; d <= 10; ++d) {
      const std::string at = "/" + std::to_string(w) + "/" + std::to_string(d);
      const std::int64_t next = row(rows, "district" + at, 1);
      const std::int64_t oldest = row(rows, "delivery" + at, 1);
      EXPECT_GT(next, 50);
      EXPECT_LE(oldest, next);
      EXPECT_FALSE(rows.contains("order" + at + "/" + std::to_string(next)));
      for (std::int64_t o = 1; o < next; ++o) {
        const std::string order = at + "/" + std::to_string(o);
        const std::int64_t data = row(rows, "order" + order, 0);
        const std::int64_t lines = (data >> 4) & 15;
        EXPECT_GE(lines, 5);
        const bool is_delivered = o < oldest;
        (is_delivered ? delivered : pending) += 1;
        EXPECT_EQ((data & 15) != 0, is_delivered) << order;
        EXPECT_EQ(row(rows, "new-order" + order, -1), is_delivered ? 0 : 1) << order;
        for (std::int64_t line = 1; line <= 16; ++line) {
          const std::string name = "order-line" + order + "/" + std::to_string(line);
          ASSERT_EQ(rows.contains(name), line <= lines) << name;
          if (line > lines) break;
          const std::int64_t item = rows.at(name) & 0x1ffff;
          EXPECT_TRUE(item >= 1 && item <= 500) << name;
          EXPECT_EQ((rows.at(name) >> 17) != 0, is_delivered) << name;
        }
        const std::string buyer = "last-order" + at + "/" + std::to_string(data >> 8);
        EXPECT_GE(row(rows, buyer, 0), o);
      }
    }
  }
  EXPECT_GT(delivered, 500);
  EXPECT_GT(pending, 50);
}

TEST(Tpcc, KeepsTheMix) {
  SerialRun run(small(3));
  std::map<std::uint32_t, int> types;
  int rolled_back = 0;
  int remote_payments = 0;
  int lines = 0;
  int remote_lines = 0;
  constexpr int kCount = 20'000;
  for (int i = 0; i < kCount; ++i) {
    const Plan& plan = run.step();
    ++types[plan.type];
    rolled_back += plan.rolls_back ? 1 : 0;
    const std::string home = run.planner().key_name(plan.ops[0].key).substr(9) + "/";
    for (const PlannedOp& op : plan.ops) {
      const std::string name = run.planner().key_name(op.key);
      if (plan.type == 1 && !op.is_read() && name.starts_with("customer/")) {
        remote_payments += name.starts_with("customer" + home) ? 0 : 1;
      }
      if (plan.type == 0 && !op.is_read() && name.starts_with("stock/")) {
        ++lines;
        remote_lines += name.starts_with("stock" + home) ? 0 : 1;
      }
    }
  }
  EXPECT_NEAR(types[0], 0.45 * kCount, 300);
  EXPECT_NEAR(types[1], 0.43 * kCount, 300);
  EXPECT_NEAR(types[2], 0.04 * kCount, 120);
  EXPECT_NEAR(types[3], 0.04 * kCount, 120);
  EXPECT_NEAR(types[4], 0.04 * kCount, 120);
  EXPECT_NEAR(rolled_back, 0.01 * types[0], 40);
  EXPECT_NEAR(remote_payments, 0.15 * types[1], 200);
  EXPECT_NEAR(remote_lines, 0.01 * lines, 200);
  EXPECT_NEAR(static_cast<double>(lines) / types[0], 10, 0.3);
}

TEST(Tpcc, OneWarehouseHasNothingRemoteAndTheSmallestScaleWorks) {
  WorkloadOptions options = default_options(Workload("tpcc"));
  options.customers = 1;
  options.items = 1;
  SerialRun run(options);
  for (int i = 0; i < 1'000; ++i) {
    for (const PlannedOp& op : run.step().ops) {
      const std::string name = run.planner().key_name(op.key);
      EXPECT_FALSE(name.starts_with("warehouse/2") || name.starts_with("stock/2"));
    }
  }
}

TEST(Tpcc, StartsWithTheRowsOfTheSpecification) {
  WorkloadOptions options = default_options(Workload("tpcc"));
  options.warehouses = 2;
  options.customers = 3'000;
  options.items = 100'000;
  const Planner planner(options);
  // Items; for each warehouse itself and stock; for each district itself, its delivery
  // pointer, 1,000 names, customers and their last orders.
  EXPECT_EQ(planner.initial_keys().size(),
            100'000U + 2 * (1 + 100'000U + 10 * (2 + 1'000U + 2 * 3'000U)));
}

}  // namespace
}  // namespace isolde::gen
