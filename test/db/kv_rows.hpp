// What the tests of key-value databases do with a row of kv_table.hpp.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "db/driver.hpp"
#include "db/kv_table.hpp"
#include "support/private_kv.hpp"

namespace isolde::db {

inline void PrintTo(const KvRow& row, std::ostream* out) { *out << row.name; }

/// The rows whose drivers this build has.
inline std::vector<KvRow> built_rows() {
  std::vector<KvRow> rows;
  for (const KvRow& row : kRows) {
    if (find_database(scheme_of(row)).ok()) rows.push_back(row);
  }
  return rows;
}

/// The row of the program's table.
inline const DatabaseInfo& info_of(const KvRow& row) {
  const Result<const DatabaseInfo*> info = find_database(scheme_of(row));
  EXPECT_TRUE(info.ok());
  return **info;
}

/// The claim in the table of the program.
inline std::optional<Level> claimed(const KvRow& row) {
  for (const IsolationInfo& isolation : info_of(row).isolations) {
    if (isolation.name == row.isolation) return isolation.claims;
  }
  ADD_FAILURE() << "no isolation " << row.isolation;
  return std::nullopt;
}

/// A server for all tests of a process, started when first asked for.
inline support::PrivateRedis& shared_redis() {
  static support::PrivateRedis server;
  return server;
}

inline support::PrivateEtcd& shared_etcd() {
  static support::PrivateEtcd server;
  return server;
}

inline bool have_server(Server server) {
  return server == Server::kNone ||
         support::have_program(server == Server::kRedis ? "redis-server" : "etcd");
}

inline std::string dsn_of(const KvRow& row) {
  switch (row.server) {
    case Server::kNone:
      return row.dsn;
    case Server::kRedis:
      EXPECT_TRUE(shared_redis().ready());
      return shared_redis().dsn() + row.dsn;
    case Server::kEtcd:
      EXPECT_TRUE(shared_etcd().ready());
      return shared_etcd().dsn() + row.dsn;
  }
  return {};
}

}  // namespace isolde::db
