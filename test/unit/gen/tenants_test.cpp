// Goal: some 40 transactions for a tenant, on rows of its own in three tables.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "unit/gen/serial_run.hpp"

namespace isolde::gen {
namespace {

TEST(Tenants, TakeTurns) {
  WorkloadOptions options = straight_options(Workload("tenants"));
  options.sessions = 5;
  options.keys = 2;
  SerialRun run(options);
  std::map<std::int64_t, int> transactions;
  std::set<std::size_t> tables;
  std::set<std::size_t> tests;
  std::size_t found = 0;
  for (int i = 0; i < 800; ++i) {
    const Plan& plan = run.step();
    EXPECT_EQ(plan.ops.size(), 4U);
    std::set<std::int64_t> tenants;
    for (std::size_t op = 0; op < plan.ops.size(); ++op) {
      const table::Request& request =
          plan.requests.at(static_cast<std::size_t>(plan.ops[op].expected));
      tables.insert(request.table);
      if (plan.ops[op].kind == Action::kInsertRow) {
        EXPECT_EQ(request.id >> 16, *request.cells.at(0));
        tenants.insert(*request.cells.at(0));
        continue;
      }
      tests.insert(request.where.size());
      const table::Test& first = request.where.at(0);
      const bool by_id = first.column == table::Test::kId;
      tenants.insert(by_id ? *first.least >> 16 : *first.least);
      if (by_id) found += run.results()[op].rows;
    }
    EXPECT_EQ(tenants.size(), 1U);
    ++transactions[*tenants.begin()];
  }
  // Ten rounds of 80 transactions, for two tenants each.
  EXPECT_EQ(transactions.size(), 20U);
  for (const auto& [tenant, count] : transactions) {
    EXPECT_NEAR(count, 40, 25) << "tenant " << tenant;
  }
  EXPECT_EQ(tables, (std::set<std::size_t>{0, 1, 2}));
  EXPECT_EQ(tests, (std::set<std::size_t>{1, 2}));
  EXPECT_GT(found, 100U);
}

}  // namespace
}  // namespace isolde::gen
