// Goal: the table of levels says which rows are settings of the database.
#include "explain/level_rows.hpp"

#include <gtest/gtest.h>

#include "isolde/history_builder.hpp"

namespace isolde::explain {
namespace {

std::string settings_of(const std::string& database, const std::vector<Level>& levels) {
  HistoryBuilder builder;
  builder.origin().database = database;
  const Result<History> history = builder.finish();
  ReportModel model{*history, {}, {}, {}, {}};
  for (const Level level : levels) model.levels.push_back({level, Verdict::kHolds, "", {}, {}});
  return settings_text(model);
}

TEST(LevelRows, TellsTheSettingsOfTheDatabase) {
  EXPECT_EQ(settings_of("PostgreSQL 15.20", {Level::kRepeatableRead}),
            "Rows that PostgreSQL can be set to, on one server: READ COMMITTED promises "
            "read-committed, REPEATABLE READ promises snapshot-isolation (which is not the row "
            "repeatable-read) and SERIALIZABLE promises serializable.");
  EXPECT_EQ(settings_of("PostgreSQL 15.20", {Level::kSerializable}),
            "Rows that PostgreSQL can be set to, on one server: READ COMMITTED promises "
            "read-committed, REPEATABLE READ promises snapshot-isolation and SERIALIZABLE "
            "promises serializable.");
  EXPECT_EQ(
      settings_of("MariaDB 10.11.19", {Level::kRepeatableRead}),
      "Rows that MariaDB can be set to, on one server: READ UNCOMMITTED promises "
      "read-uncommitted, READ COMMITTED promises read-committed, REPEATABLE READ promises "
      "none of them and SERIALIZABLE promises serializable.");
  EXPECT_EQ(settings_of("MariaDB 10.11.19 with MyRocks", {Level::kReadCommitted}),
            "Rows that MyRocks can be set to, on one server: READ COMMITTED promises "
            "read-committed and REPEATABLE READ promises snapshot-isolation.");
  EXPECT_EQ(settings_of("Redis 7.0.15", {Level::kReadCommitted}),
            "Rows that Redis can be set to, on one server: MULTI promises read-committed and "
            "WATCH promises strict-serializable.");
}

TEST(LevelRows, SaysNothingOfWhatItDoesNotKnow) {
  EXPECT_EQ(settings_of("", {Level::kRepeatableRead}), "");
  EXPECT_EQ(settings_of("CockroachDB 23", {Level::kRepeatableRead}), "");
  EXPECT_EQ(settings_of("RocksDB 7.8.3", {Level::kRepeatableRead}), "");
}

}  // namespace
}  // namespace isolde::explain
