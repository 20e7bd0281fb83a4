// Goal: what reports say of a database's settings is what its driver says.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "base/text.hpp"
#include "db/driver.hpp"
#include "explain/harm.hpp"

namespace isolde {
namespace {

/// Each setting of the report is an isolation of the driver, and promises what `promise` tells.
template <typename Promise>
void compare(const explain::DatabaseRemedies& row,
             std::span<const db::IsolationInfo> isolations, const Promise& promise) {
  EXPECT_EQ(row.settings.size(), isolations.size()) << row.database;
  for (const db::IsolationInfo& isolation : isolations) {
    const auto found = std::ranges::find_if(row.settings, [&](const explain::Setting& each) {
      return base::plain_name(each.name) == isolation.name;
    });
    ASSERT_NE(found, row.settings.end()) << row.database << " " << isolation.name;
    EXPECT_EQ(promise(*found), isolation.claims) << row.database << " " << isolation.name;
  }
}

TEST(Settings, AreThoseOfTheDrivers) {
  std::size_t compared = 0;
  for (const explain::DatabaseRemedies* row : explain::all_remedies()) {
    if (row->settings.empty()) continue;
    auto database = db::find_database(std::string(row->database));
    if (!database) continue;  // not in this build
    if (row->engine == "myrocks") {
      const auto dsn = db::parse_dsn("mariadb://u@h/d?engine=rocksdb");
      database = db::find_database_of(*dsn, 1);
    }
    const db::DatabaseInfo& driver = **database;
    compare(*row, driver.isolations, [](const explain::Setting& each) { return each.promise; });
    // What reports advise to histories of several servers is what the driver records there.
    EXPECT_EQ(driver.isolations_with_replicas.empty(), !driver.capabilities.endpoints)
        << row->database;
    if (driver.capabilities.endpoints)
      compare(*row, driver.isolations_with_replicas, [](const explain::Setting& each) {
        return each.promise_of(explain::Servers::kSeveral);
      });
    ++compared;
  }
  if (compared == 0) GTEST_SKIP() << "no driver with settings is in this build";
}

}  // namespace
}  // namespace isolde
