// The key-value databases and isolations that the tests of this folder go through, and what
// each promises, as tests can see it.
#pragma once

#include <string>
#include <string_view>

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
  bool reads_uncommitted = false;
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
    {"WiredTigerReadUncommitted", Server::kNone, "wiredtiger:", "read-uncommitted", true, true,
     true, true},
    {"WiredTigerSnapshot", Server::kNone, "wiredtiger:", "snapshot", false, true, false},
    {"BerkeleySerializable", Server::kNone, "berkeleydb:", "serializable", false, false, false},
    {"BerkeleyReadCommitted", Server::kNone, "berkeleydb:", "read-committed", true, true, true},
    {"BerkeleyReadUncommitted", Server::kNone, "berkeleydb:", "read-uncommitted", true, true,
     true, true},
    {"RedisWatch", Server::kRedis, "", "watch", false, false, false},
    {"RedisMulti", Server::kRedis, "", "multi", true, true, true},
    {"EtcdSerializableSnapshot", Server::kEtcd, "", "serializable-snapshot", false, false,
     false},
    {"EtcdSerializable", Server::kEtcd, "", "serializable", false, false, false},
    {"EtcdRepeatableReads", Server::kEtcd, "", "repeatable-reads", false, false, false},
    {"EtcdReadCommitted", Server::kEtcd, "", "read-committed", true, true, true},
};

/// Of the row's driver.
inline std::string scheme_of(const KvRow& row) {
  if (row.server == Server::kRedis) return "redis";
  if (row.server == Server::kEtcd) return "etcd";
  const std::string_view dsn = row.dsn;
  return std::string(dsn.substr(0, dsn.find(':')));
}

}  // namespace isolde::db
