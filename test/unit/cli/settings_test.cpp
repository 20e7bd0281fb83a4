// Goal: what reports say of a database's settings is what its driver says.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.hpp"
#include "db/driver.hpp"
#include "explain/harm.hpp"

namespace isolde {
namespace {

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
    EXPECT_EQ(row->settings.size(), (*database)->isolations.size()) << row->database;
    for (const db::IsolationInfo& isolation : (*database)->isolations) {
      const auto found = std::ranges::find_if(row->settings, [&](const explain::Setting& each) {
        return base::plain_name(each.name) == isolation.name;
      });
      ASSERT_NE(found, row->settings.end()) << row->database << " " << isolation.name;
      EXPECT_EQ(found->promise, isolation.claims) << row->database << " " << isolation.name;
      ++compared;
    }
  }
  if (compared == 0) GTEST_SKIP() << "no driver with settings is in this build";
}

}  // namespace
}  // namespace isolde
