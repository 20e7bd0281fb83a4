#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "db/fixtures.hpp"
#include "db/raw_sql.hpp"
#include "support/private_servers.hpp"

namespace isolde::db {
namespace {

/// A file that is always the same, in a folder that goes with this process.
std::string file_dsn(const std::string& scheme) {
  struct Folder {
    Folder() { path = mkdtemp(path.data()); }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string path = testing::TempDir() + "isolde-driver-XXXXXX";
  };
  static Folder folder;
  return scheme + ":" + folder.path + "/shared." + scheme;
}

Fixture row(const std::string& name, const std::string& isolation,
            const std::function<std::string()>& dsn, const std::string& parameters) {
  const auto whole = [dsn, parameters] {
    const std::string text = dsn();
    return text.empty() ? text : text + parameters;
  };
  const std::string table =
      parameters.find("tables=3") == std::string::npos ? "isolde_list" : "isolde_list_1";
  const auto plant = [table](const std::string& at) {
    raw_sql(at, "CREATE TABLE " + table + " (mine INTEGER)");
    raw_sql(at, "INSERT INTO " + table + " (mine) VALUES (42)");
  };
  const auto unharmed = [table](const std::string& at) {
    const std::vector<std::string> found = raw_sql(at, "SELECT mine FROM " + table);
    raw_sql(at, "DROP TABLE " + table);
    return found == std::vector<std::string>{"42"};
  };
  return {name, isolation, parameters, whole, plant, unharmed};
}

}  // namespace

std::vector<Fixture> sql_fixtures() {
  const auto postgres = [] { return support::private_dsn("postgres"); };
  const auto mariadb = [] { return support::private_dsn("mariadb"); };
  std::vector<Fixture> rows;
#ifdef ISOLDE_WITH_POSTGRES
  rows.push_back(row("postgres_read_committed", "read-committed", postgres, ""));
  rows.push_back(row("postgres_repeatable_read", "repeatable-read", postgres, ""));
  rows.push_back(row("postgres_serializable", "serializable", postgres, ""));
  rows.push_back(row("postgres_upsert", "serializable", postgres, "?upsert=1&tables=3"));
  rows.push_back(row("postgres_for_update", "read-committed", postgres, "?for_update=1"));
#endif
#ifdef ISOLDE_WITH_MARIADB
  rows.push_back(row("mariadb_repeatable_read", "repeatable-read", mariadb, ""));
  rows.push_back(row("mariadb_read_uncommitted", "read-uncommitted", mariadb, ""));
  rows.push_back(row("mariadb_read_committed", "read-committed", mariadb, ""));
  rows.push_back(row("mariadb_serializable", "serializable", mariadb, ""));
  rows.push_back(row("mariadb_snapshot", "repeatable-read", mariadb, "?snapshot_isolation=on"));
  rows.push_back(row("mariadb_upsert", "serializable", mariadb, "?upsert=1&tables=3"));
  rows.push_back(row("mariadb_for_update", "repeatable-read", mariadb, "?for_update=1"));
  const auto myrocks = [] { return support::private_myrocks(); };
  rows.push_back(
      row("mariadb_myrocks_repeatable_read", "repeatable-read", myrocks, "?engine=rocksdb"));
  rows.push_back(
      row("mariadb_myrocks_read_committed", "read-committed", myrocks, "?engine=rocksdb"));
#endif
#ifdef ISOLDE_WITH_SQLITE
  const auto sqlite = [] { return file_dsn("sqlite"); };
  rows.push_back(row("sqlite_deferred", "deferred", sqlite, ""));
  rows.push_back(row("sqlite_serializable", "serializable", sqlite, ""));
  rows.push_back(row("sqlite_read_uncommitted", "read-uncommitted", sqlite, ""));
  rows.push_back(row("sqlite_rollback_journal", "deferred", sqlite, "?journal=delete"));
  rows.push_back(row("sqlite_upsert", "deferred", sqlite, "?upsert=1&tables=3"));
#endif
#ifdef ISOLDE_WITH_FIREBIRD
  const auto firebird = [] { return file_dsn("firebird"); };
  rows.push_back(row("firebird_snapshot", "snapshot", firebird, ""));
  rows.push_back(row("firebird_read_committed", "read-committed", firebird, ""));
  rows.push_back(row("firebird_table_stability", "snapshot-table-stability", firebird, ""));
  rows.push_back(row("firebird_upsert", "snapshot", firebird, "?upsert=1&tables=3"));
  rows.push_back(row("firebird_for_update", "read-committed", firebird, "?for_update=1"));
#endif
  return rows;
}

const DatabaseInfo& info_of(const std::string& dsn) {
  const Result<const DatabaseInfo*> row = find_database_of(parse_dsn(dsn).value(), 5);
  return **row;
}

}  // namespace isolde::db
