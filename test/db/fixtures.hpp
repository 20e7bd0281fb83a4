// The databases that the conformance suite of drivers runs on, one row for each isolation and
// each set of parameters that matters.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "db/driver.hpp"

namespace isolde::db {

struct Fixture {
  std::string name;  ///< "postgres_serializable": letters, digits, _; begins with the scheme
  std::string isolation;   ///< as in the table of the driver
  std::string parameters;  ///< of the data source name: "?tables=3&upsert=1"
  /// Starts a server of this process when needed. Empty: it is not installed, skip the tests.
  std::function<std::string()> dsn;
  /// Puts something into the place of what create() would make. Null: that is not possible.
  std::function<void(const std::string& dsn)> plant;
  /// Whether what plant() made is unharmed. Removes it.
  std::function<bool(const std::string& dsn)> unharmed;
};

inline void PrintTo(const Fixture& fixture, std::ostream* out) { *out << fixture.name; }

/// PostgreSQL, MariaDB, SQLite, Firebird.
std::vector<Fixture> sql_fixtures();

/// What the driver says of that data source.
const DatabaseInfo& info_of(const std::string& dsn);

}  // namespace isolde::db
