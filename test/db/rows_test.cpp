// Goal: no isolation of any driver of this build goes without the conformance suite, nor one
// that there is with a parameter (DatabaseInfo::choices).
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "db/driver.hpp"
#include "db/fixtures.hpp"
#include "db/kv_table.hpp"

namespace isolde::db {
namespace {

/// Scheme, the choice or nothing, and isolation.
using Covered = std::set<std::tuple<std::string, std::string, std::string>>;

void cover(Covered& covered, const std::string& scheme, std::string_view parameters,
           const std::string& isolation) {
  const Result<const DatabaseInfo*> database = find_database(scheme);
  if (!database) return;  // not in this build
  std::string chosen;
  for (const std::string_view choice : (*database)->choices) {
    if (parameters.find(choice) != std::string_view::npos) chosen = choice;
  }
  covered.emplace(scheme, chosen, isolation);
}

/// How many isolations the row has.
std::size_t expect_all(const Covered& covered, const DatabaseInfo& row) {
  for (const IsolationInfo& isolation : row.isolations) {
    EXPECT_TRUE(covered.contains(
        {std::string(row.name), std::string(row.chosen), std::string(isolation.name)}))
        << called(row) << " at " << isolation.name << " has no row in "
        << (row.shell == nullptr ? "kv_table.hpp" : "sql_fixtures.cpp");
  }
  return row.isolations.size();
}

TEST(ConformanceRows, CoverEveryIsolationOfEveryDriver) {
  Covered covered;
  for (const Fixture& row : sql_fixtures()) {
    cover(covered, row.name.substr(0, row.name.find('_')), row.parameters, row.isolation);
  }
  for (const KvRow& row : kRows) cover(covered, scheme_of(row), row.dsn, row.isolation);
  std::size_t asked = 0;
  for (const DatabaseInfo* const database : all_databases()) {
    asked += expect_all(covered, *database);
    for (const std::string_view choice : database->choices) {
      const DatabaseInfo& other =
          info_of(std::string(database->name) + ":?" + std::string(choice));
      EXPECT_EQ(other.chosen, choice);
      asked += expect_all(covered, other);
    }
  }
  if (asked == 0) GTEST_SKIP() << "no driver with isolations is in this build";
}

}  // namespace
}  // namespace isolde::db
