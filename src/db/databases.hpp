// The rows of the table of databases, each defined in its driver's file. Only those exist whose
// client library was there at build time.
#pragma once

#include "db/driver.hpp"

namespace isolde::db {

const DatabaseInfo& sqlite_info();
const DatabaseInfo& postgres_info();
const DatabaseInfo& mariadb_info();
const DatabaseInfo& firebird_info();
const DatabaseInfo& rocksdb_info();
const DatabaseInfo& lmdb_info();
const DatabaseInfo& wiredtiger_info();
const DatabaseInfo& berkeleydb_info();
const DatabaseInfo& redis_info();
const DatabaseInfo& etcd_info();
const DatabaseInfo& exec_info();

}  // namespace isolde::db
