#include <array>

#include "explain/harm.hpp"

namespace isolde::explain {
namespace {

// The setting innodb_snapshot_isolation came with 10.6.18, 10.11.8, 11.0.6, 11.1.5, 11.2.4 and
// 11.4.2 and is the default since 11.6.2. By MariaDB's documentation: its list of variables
// added in 10.6, the release notes of 11.0.6, and that of SET TRANSACTION. Off in 10.11.19, as
// measured.

bool lacks_setting(const Version& version) {
  const auto [major, minor, patch] = version;
  struct First {
    unsigned major, minor, patch;
  };
  constexpr std::array<First, 6> kFirsts = {
      {{10, 6, 18}, {10, 11, 8}, {11, 0, 6}, {11, 1, 5}, {11, 2, 4}, {11, 4, 2}}};
  for (const First& first : kFirsts) {
    if (first.major == major && first.minor == minor) return patch < first.patch;
  }
  return version < Version{11, 4, 2};
}

bool is_default(const Version& version) { return version >= Version{11, 6, 2}; }

constexpr std::array kRows = {
    Remedy{"",
           Harm::kOldState,
           "read from the primary, or in a Galera cluster with wsrep_sync_wait=1, at which a "
           "node answers when it has applied what was there before",
           {},
           Servers::kSeveral},
    Remedy{"read-uncommitted",
           Harm::kOwnChangeMissed,
           "do without READ UNCOMMITTED, at which a session sees one change of a transaction "
           "before the other ones are made",
           {},
           Servers::kOne},
    Remedy{"read-uncommitted", Harm::kOwnChangeMissed,
           "do without READ UNCOMMITTED, at which a session sees one change of a transaction "
           "before the other ones are made; let each session read from one server"},
    Remedy{
        "", Harm::kDisagreement,
        "use SERIALIZABLE, at which reads lock; innodb_snapshot_isolation, with which commits "
        "have one order for all readers at REPEATABLE READ, came with 10.6.18 and 10.11.8",
        Level::kSerializable, Servers::kUnknown, lacks_setting},
    Remedy{"", Harm::kDisagreement,
           "use SERIALIZABLE, at which reads lock, or REPEATABLE READ with "
           "innodb_snapshot_isolation=ON (from 10.6.18 and 10.11.8 on; the default since "
           "11.6.2)",
           Level::kSerializable},
    Remedy{"read-uncommitted", Harm::kUncommitted,
           "use READ COMMITTED or any isolation above it", Level::kReadCommitted},
    Remedy{"repeatable-read", Harm::kLostChange,
           "read with SELECT ... FOR UPDATE what the transaction goes on to change, or compute "
           "inside of the UPDATE (SET n = n + 1), or use SERIALIZABLE, at which reads lock; "
           "innodb_snapshot_isolation, which refuses the second change, came with 10.6.18 and "
           "10.11.8",
           Level::kSerializable, Servers::kUnknown, lacks_setting},
    Remedy{"repeatable-read", Harm::kLostChange,
           "read with SELECT ... FOR UPDATE what the transaction goes on to change, or compute "
           "inside of the UPDATE (SET n = n + 1), or leave innodb_snapshot_isolation=ON, the "
           "default since 11.6.2, which refuses the second change with error 1020, and run the "
           "transaction again",
           Level::kSnapshotIsolation, Servers::kUnknown, is_default},
    Remedy{"repeatable-read", Harm::kLostChange,
           "read with SELECT ... FOR UPDATE what the transaction goes on to change, or compute "
           "inside of the UPDATE (SET n = n + 1), or set innodb_snapshot_isolation=ON (from "
           "10.6.18 and 10.11.8 on; the default since 11.6.2), which "
           "refuses the second change with error 1020, and run the transaction again",
           Level::kSnapshotIsolation},
    Remedy{"repeatable-read", Harm::kMixedState,
           "use SERIALIZABLE, at which reads lock; innodb_snapshot_isolation, with which all "
           "statements of a transaction read one snapshot, came with 10.6.18 and 10.11.8",
           Level::kSerializable, Servers::kUnknown, lacks_setting},
    Remedy{"repeatable-read", Harm::kMixedState,
           "leave innodb_snapshot_isolation=ON, the default since 11.6.2, or use "
           "SERIALIZABLE, at which reads lock",
           Level::kSerializable, Servers::kUnknown, is_default},
    Remedy{"repeatable-read", Harm::kMixedState,
           "set innodb_snapshot_isolation=ON (from 10.6.18 and 10.11.8 on; the default since "
           "11.6.2), or use SERIALIZABLE, at which reads lock",
           Level::kSerializable},
    Remedy{"read-committed", Harm::kMixedState,
           "use SERIALIZABLE, at which reads lock; REPEATABLE READ reads one snapshot with "
           "innodb_snapshot_isolation, which came with 10.6.18 and 10.11.8",
           Level::kSerializable, Servers::kUnknown, lacks_setting},
    Remedy{"read-committed", Harm::kMixedState,
           "use REPEATABLE READ with innodb_snapshot_isolation=ON, the default since 11.6.2, "
           "at which all statements of a transaction read one snapshot",
           Level::kSnapshotIsolation, Servers::kUnknown, is_default},
    Remedy{
        "read-committed", Harm::kMixedState,
        "use REPEATABLE READ with innodb_snapshot_isolation=ON (from 10.6.18 and 10.11.8 on; "
        "the default since 11.6.2), at which all statements of a "
        "transaction read one snapshot",
        Level::kSnapshotIsolation},
    Remedy{
        "repeatable-read", Harm::kPhantom,
        "use SERIALIZABLE, at which reads lock, or look with SELECT ... FOR UPDATE, which in "
        "InnoDB locks the gaps between rows, too, and run a transaction again that ends with "
        "error 1213; or let a unique key refuse the second row",
        Level::kSerializable},
    Remedy{"", Harm::kPhantom,
           "use SERIALIZABLE, at which InnoDB's reads lock the gaps between rows, too, and run "
           "a "
           "transaction again that ends with error 1213; or let a unique key refuse the second "
           "row; or before looking lock a row that all have in common, such as the room's",
           Level::kSerializable},
    Remedy{"", Harm::kFalseReport,
           "use SERIALIZABLE, at which reads lock, for writing and for read-only transactions",
           Level::kSerializable},
    Remedy{"", Harm::kLostChange,
           "read with SELECT ... FOR UPDATE what the transaction goes on to change, or compute "
           "inside of the UPDATE (SET n = n + 1), or use SERIALIZABLE, at which reads lock",
           Level::kSerializable},
    Remedy{
        "", Harm::kBrokenRule,
        "use SERIALIZABLE, at which reads lock, or lock with SELECT ... FOR UPDATE every row "
        "on which a decision rests",
        Level::kSerializable},
};

}  // namespace

const DatabaseRemedies& mariadb_remedies() {
  static constexpr std::array kSettings = {
      Setting{"READ UNCOMMITTED", Level::kReadUncommitted, {}, {}, Level::kReadUncommitted},
      Setting{"READ COMMITTED", Level::kReadCommitted, {}, {}, Level::kReadCommitted},
      Setting{"REPEATABLE READ", std::nullopt},
      Setting{"SERIALIZABLE", Level::kSerializable, "error 1213 or 1205"},
  };
  static constexpr DatabaseRemedies kRemedies = {
      "mariadb", kRows,
      "transactions wait for one another, and two that lock rows in different orders deadlock, "
      "which ends one of them with error 1213; one that waits for too long gets error 1205: "
      "lock rows in one order everywhere (ORDER BY the key), commit soon, roll back, and run "
      "again what ends with error 1213, 1205 or 1020",
      "MariaDB", kSettings};
  return kRemedies;
}

}  // namespace isolde::explain
