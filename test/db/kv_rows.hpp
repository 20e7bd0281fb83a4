// The key-value databases and isolations that the tests of this folder go through, and what
// each promises, as tests can see it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "db/driver.hpp"
#include "support/private_kv.hpp"

namespace isolde::db {

enum class Server { kNone, kRedis, kEtcd };

struct KvRow {
  const char* name;  ///< for the test's name
  Server server;
  const char* dsn;  ///< embedded: all of it; servers: parameters
  const char* isolation;
  // What a transaction of this isolation can suffer.
  bool loses_updates;
  bool skews_writes;
  bool reads_two_states;
};

inline constexpr KvRow kRows[] = {
    {"RocksPessimistic", Server::kNone, "rocksdb:", "pessimistic", true, true, true},
    {"RocksPessimisticForUpdate", Server::kNone, "rocksdb:", "pessimistic-get-for-update",
     false, false, false},
    {"RocksPessimisticSnapshot", Server::kNone, "rocksdb:", "pessimistic-snapshot", false, true,
     false},
    {"RocksOptimistic", Server::kNone, "rocksdb:", "optimistic", true, true, true},
    {"RocksOptimisticForUpdate", Server::kNone, "rocksdb:", "optimistic-get-for-update", false,
     false, false},
    {"RocksOptimisticSnapshot", Server::kNone, "rocksdb:", "optimistic-snapshot", false, true,
     false},
    {"RocksPrepared", Server::kNone, "rocksdb:?policy=prepared", "pessimistic", true, true,
     true},
    {"RocksPreparedForUpdate", Server::kNone, "rocksdb:?policy=prepared",
     "pessimistic-get-for-update", false, false, false},
    {"RocksPreparedSnapshot", Server::kNone, "rocksdb:?policy=prepared", "pessimistic-snapshot",
     false, true, false},
    {"RocksTwoQueuesSnapshot", Server::kNone, "rocksdb:?policy=prepared&write_queues=2",
     "pessimistic-snapshot", false, true, false},
    {"RocksChurnSnapshot", Server::kNone, "rocksdb:?policy=prepared&write_queues=2&churn=yes",
     "pessimistic-snapshot", false, true, false},
    {"LmdbSerializable", Server::kNone, "lmdb:", "serializable", false, false, false},
    {"LmdbSnapshotUpgrade", Server::kNone, "lmdb:", "snapshot-upgrade", false, false, false},
    {"LmdbReadThenWrite", Server::kNone, "lmdb:", "read-then-write", true, true, false},
    {"WiredTigerReadCommitted", Server::kNone, "wiredtiger:", "read-committed", true, true,
     true},
    {"WiredTigerSnapshot", Server::kNone, "wiredtiger:", "snapshot", false, true, false},
    {"BerkeleySerializable", Server::kNone, "berkeleydb:", "serializable", false, false, false},
    {"BerkeleyReadCommitted", Server::kNone, "berkeleydb:", "read-committed", true, true, true},
    {"RedisWatch", Server::kRedis, "", "watch", false, false, false},
    {"RedisMulti", Server::kRedis, "", "multi", true, true, true},
    {"EtcdSerializableSnapshot", Server::kEtcd, "", "serializable-snapshot", false, false,
     false},
    {"EtcdSerializable", Server::kEtcd, "", "serializable", false, false, false},
    {"EtcdRepeatableReads", Server::kEtcd, "", "repeatable-reads", false, false, false},
    {"EtcdReadCommitted", Server::kEtcd, "", "read-committed", true, true, true},
};

inline void PrintTo(const KvRow& row, std::ostream* out) { *out << row.name; }

/// The row of the program's table.
inline const DatabaseInfo& info_of(const KvRow& row) {
  const std::string dsn = row.server == Server::kRedis  ? "redis"
                          : row.server == Server::kEtcd ? "etcd"
                                                        : row.dsn;
  const Result<const DatabaseInfo*> info = find_database(dsn.substr(0, dsn.find(':')));
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
