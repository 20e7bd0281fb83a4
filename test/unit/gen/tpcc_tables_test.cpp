// Goal: TPC-C's transactions do to the tables what the specification says. Method: run some
// thousands serially, then check the specification's own consistency conditions (clause 3.3.2),
// the mix, and that rows stay in the tables and districts that they belong to.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "unit/gen/serial_run.hpp"

namespace isolde::gen {
namespace {

enum Tables : std::size_t {
  kItem,
  kWarehouse,
  kDistrict,
  kCustomer,
  kStock,
  kHistory,
  kOrders,
  kNewOrder,
  kOrderLine,
};

WorkloadOptions small_tables(std::uint32_t warehouses) {
  WorkloadOptions options = straight_options(Workload("tpcc-tables"));
  options.sessions = 3;
  options.warehouses = warehouses;
  options.customers = 10;
  options.items = 40;
  return options;
}

using CellsById = std::map<std::int64_t, std::vector<std::int64_t>>;  // NULL: -1

CellsById cells_of(const SerialRun& run, std::size_t table) {
  CellsById rows;
  for (const auto& [key, row] : run.rows()) {
    if (table::table_of(key) != table) continue;
    for (const table::Cell& cell : row.cells) rows[row.id].push_back(cell.value_or(-1));
  }
  return rows;
}

std::int64_t sum(const CellsById& rows, std::size_t column) {
  std::int64_t total = 0;
  for (const auto& [id, cells] : rows) total += cells.at(column);
  return total;
}

TEST(TpccTables, BeginsWithWhatTheSpecificationLoads) {
  const SerialRun run(small_tables(2));
  const std::map<std::size_t, std::size_t> counts = {
      {kItem, 40}, {kWarehouse, 2}, {kDistrict, 20}, {kCustomer, 200}, {kStock, 80}};
  for (std::size_t table = kItem; table <= kOrderLine; ++table) {
    EXPECT_EQ(cells_of(run, table).size(), counts.contains(table) ? counts.at(table) : 0);
  }
}

// Conditions 1 to 9 as far as there are columns.
TEST(TpccTables, KeepsTheConsistencyConditionsOfOrders) {
  SerialRun run(small_tables(2));
  for (int i = 0; i < 3'000; ++i) run.step();
  const CellsById orders = cells_of(run, kOrders);
  const CellsById pending = cells_of(run, kNewOrder);
  const CellsById lines = cells_of(run, kOrderLine);
  EXPECT_GT(orders.size(), 1'000U);
  EXPECT_GT(pending.size(), 50U);
  EXPECT_GT(orders.size() - pending.size(), 500U);
  std::map<std::int64_t, std::int64_t> lines_of;
  for (const auto& [id, cells] : lines) {
    EXPECT_EQ(cells[0], id >> 4);
    EXPECT_EQ(cells[4] == 1, !pending.contains(cells[0])) << "delivered or not";
    ++lines_of[cells[0]];
  }
  std::map<std::int64_t, std::int64_t> orders_of;
  std::map<std::int64_t, std::int64_t> oldest;
  for (const auto& [id, cells] : orders) {
    EXPECT_EQ(cells[0] >> 12, id >> 20) << "a customer of the district";
    EXPECT_EQ(cells[1] == -1, pending.contains(id)) << "has a carrier or is pending";
    EXPECT_EQ(cells[2], lines_of[id]);
    EXPECT_EQ(++orders_of[id >> 20], id & 0xfffff) << "numbers without gaps";
    if (pending.contains(id)) oldest.try_emplace(id >> 20, id);
    if (oldest.contains(id >> 20)) {
      EXPECT_TRUE(pending.contains(id)) << "delivered after " << oldest.at(id >> 20);
    }
  }
  for (const auto& [id, cells] : cells_of(run, kDistrict)) {
    EXPECT_EQ(cells[3], orders_of[id] + 1);
  }
}

// Conditions 1, 8, 9, 10 and 12.
TEST(TpccTables, KeepsTheConsistencyConditionsOfMoney) {
  SerialRun run(small_tables(2));
  for (int i = 0; i < 3'000; ++i) run.step();
  const CellsById payments = cells_of(run, kHistory);
  const CellsById customers = cells_of(run, kCustomer);
  const CellsById stock = cells_of(run, kStock);
  const CellsById lines = cells_of(run, kOrderLine);
  EXPECT_GT(payments.size(), 1'000U);
  EXPECT_EQ(sum(cells_of(run, kWarehouse), 1), sum(payments, 2));
  EXPECT_EQ(sum(cells_of(run, kDistrict), 2), sum(payments, 2));
  EXPECT_EQ(sum(customers, 4), sum(payments, 2));
  EXPECT_EQ(sum(customers, 5), static_cast<std::int64_t>(payments.size()));
  std::map<std::int64_t, std::int64_t> balances;
  for (const auto& [id, cells] : payments) balances[cells[0]] -= cells[2];
  const CellsById orders = cells_of(run, kOrders);
  for (const auto& [id, cells] : lines) {
    if (cells[4] == 1) balances[orders.at(cells[0])[0]] += cells[3];
  }
  for (const auto& [id, cells] : customers) EXPECT_EQ(cells[3], balances[id]) << id;
  EXPECT_EQ(sum(stock, 2), sum(lines, 2));
  EXPECT_EQ(sum(stock, 3), static_cast<std::int64_t>(lines.size()));
  EXPECT_GT(sum(stock, 4), 0) << "from other warehouses";
  for (const auto& [id, cells] : stock) EXPECT_GE(cells[1], 10);
}

TEST(TpccTables, KeepsTheMixAndAsksAllKindsOfConditions) {
  SerialRun run(small_tables(1));
  std::map<std::uint32_t, int> types;
  std::set<Action> kinds;
  std::set<std::pair<std::size_t, std::size_t>> tested;  // table, column
  int rolled_back = 0;
  int by_name = 0;
  constexpr int kCount = 10'000;
  for (int i = 0; i < kCount; ++i) {
    const Plan& plan = run.step();
    ++types[plan.type];
    rolled_back += plan.rolls_back ? 1 : 0;
    by_name += plan.type == 1 && plan.choices.at(2) == 1 ? 1 : 0;
    for (const PlannedOp& op : plan.ops) {
      kinds.insert(op.kind);
      for (const table::Test& test :
           plan.requests.at(static_cast<std::size_t>(op.expected)).where) {
        if (test.column != table::Test::kId) {
          tested.emplace(plan.requests[static_cast<std::size_t>(op.expected)].table,
                         test.column);
        }
      }
    }
  }
  EXPECT_EQ(kinds, (std::set{Action::kInsertRow, Action::kSelectRows, Action::kUpdateRows,
                             Action::kDeleteRows}));
  EXPECT_EQ(tested, (std::set<std::pair<std::size_t, std::size_t>>{
                        {kCustomer, 1}, {kOrders, 0}, {kStock, 1}}));
  const auto expect_share = [](int count, double share, int of) {
    EXPECT_NEAR(static_cast<double>(count) / of, share, 0.02);
  };
  expect_share(types[0], 0.45, kCount);
  expect_share(types[1], 0.43, kCount);
  for (const std::uint32_t type : {2U, 3U, 4U}) expect_share(types[type], 0.04, kCount);
  expect_share(rolled_back, 0.01, types[0]);
  EXPECT_GT(rolled_back, 0);
  expect_share(by_name, 0.6, types[1]);
}

TEST(TpccTables, SelectsTheCustomerInTheMiddle) {
  SerialRun run(small_tables(1));
  int seen = 0;
  for (int i = 0; i < 2'000; ++i) {
    const Plan& plan = run.step();
    if (plan.type != 1 || plan.choices.at(2) != 1) continue;
    const Seen& found = run.results().at(2);
    ASSERT_GE(found.rows, 2U);  // ten customers have four names
    const table::Row& paid = plan.found.at(run.results().at(3).first_row);
    EXPECT_EQ(paid.id, plan.found.at(found.first_row + (found.rows - 1) / 2).id);
    ++seen;
  }
  EXPECT_GT(seen, 200);
}

TEST(TpccTables, RefusesMoreRowsThanItCanInsertFirst) {
  WorkloadOptions options = small_tables(6);
  options.customers = 3'000;
  options.items = 100'000;
  EXPECT_TRUE(validate(options).ok());
  options.warehouses = 7;
  EXPECT_FALSE(validate(options).ok());
}

}  // namespace
}  // namespace isolde::gen
