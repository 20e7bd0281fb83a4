// Goal: no isolation of any driver of this build goes without the conformance suite.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "db/driver.hpp"
#include "db/fixtures.hpp"
#include "db/kv_table.hpp"

namespace isolde::db {
namespace {

TEST(ConformanceRows, CoverEveryIsolationOfEveryDriver) {
  std::set<std::pair<std::string, std::string>> covered;
  for (const Fixture& row : sql_fixtures()) {
    covered.emplace(row.name.substr(0, row.name.find('_')), row.isolation);
  }
  for (const KvRow& row : kRows) covered.emplace(scheme_of(row), row.isolation);
  std::size_t asked = 0;
  for (const DatabaseInfo* const database : all_databases()) {
    for (const IsolationInfo& isolation : database->isolations) {
      EXPECT_TRUE(covered.contains({std::string(database->name), std::string(isolation.name)}))
          << database->name << " at " << isolation.name << " has no row in "
          << (database->shell == nullptr ? "kv_table.hpp" : "sql_fixtures.cpp");
      ++asked;
    }
  }
  if (asked == 0) GTEST_SKIP() << "no driver with isolations is in this build";
}

}  // namespace
}  // namespace isolde::db
