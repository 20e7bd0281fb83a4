// SQL past the driver, over one of its connections.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "db/sql_database.hpp"

namespace isolde::db {

inline std::unique_ptr<sql::Connection> raw_connection(Database& database) {
  auto& sql = dynamic_cast<sql::SqlDatabase&>(database);
  Result<std::unique_ptr<sql::Connection>> connection = sql.open_connection(0);
  if (!connection) {
    ADD_FAILURE() << connection.error().message;
    return nullptr;
  }
  return std::move(*connection);
}

/// Runs one statement by itself; the first column of its rows.
inline std::vector<std::string> raw_sql(Database& database, const std::string& text) {
  const std::unique_ptr<sql::Connection> connection = raw_connection(database);
  std::vector<std::string> column;
  if (connection == nullptr) return column;
  const sql::Said said = connection->execute(text, column);
  EXPECT_TRUE(said.done()) << text << ": " << said.message;
  return column;
}

inline std::vector<std::string> raw_sql(const std::string& dsn, const std::string& text) {
  Result<std::unique_ptr<Database>> database = open_database(dsn, {});
  if (!database) {
    ADD_FAILURE() << database.error().message;
    return {};
  }
  return raw_sql(**database, text);
}

}  // namespace isolde::db
