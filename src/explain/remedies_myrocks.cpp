#include <array>

#include "explain/harm.hpp"

namespace isolde::explain {

/// The engine of MariaDB that has no SERIALIZABLE and locks no gaps between rows.
const DatabaseRemedies& myrocks_remedies() {
  static constexpr std::array kRows = {
      Remedy{"",
             Harm::kOldState,
             "read from the primary, and not from a replica",
             {},
             Servers::kSeveral},
      Remedy{"read-committed", Harm::kMixedState,
             "use REPEATABLE READ, at which all statements of a transaction read one snapshot",
             Level::kSnapshotIsolation},
      Remedy{
          "read-committed", Harm::kLostChange,
          "use REPEATABLE READ, which refuses the second change with error 1213, and run the "
          "transaction again; or read with SELECT ... FOR UPDATE what the transaction goes on "
          "to change, or compute inside of the UPDATE (SET n = n + 1)",
          Level::kSnapshotIsolation},
      Remedy{
          "", Harm::kLostChange,
          "read with SELECT ... FOR UPDATE what the transaction goes on to change, or compute "
          "inside of the UPDATE (SET n = n + 1)"},
      Remedy{
          "", Harm::kPhantom,
          "let a unique key refuse the second row, or before looking lock a row that all have "
          "in common, such as the room's, with SELECT ... FOR UPDATE, as the first statement "
          "of the transaction; MyRocks has no SERIALIZABLE and locks no gaps between rows"},
      Remedy{
          "", Harm::kFalseReport,
          "lock with SELECT ... FOR UPDATE every row that is read, in what writes and in what "
          "only reads; MyRocks has no SERIALIZABLE"},
      Remedy{
          "", Harm::kBrokenRule,
          "lock with SELECT ... FOR UPDATE every row on which a decision rests, and run again "
          "what ends with error 1213; MyRocks has no SERIALIZABLE"},
  };
  static constexpr std::array kSettings = {
      Setting{"READ COMMITTED", Level::kReadCommitted, {}, {}, Level::kReadCommitted},
      Setting{"REPEATABLE READ", Level::kSnapshotIsolation, "error 1213 or 1205"},
  };
  static constexpr DatabaseRemedies kRemedies = {
      "mariadb",
      kRows,
      "transactions wait for one another, and of two that lock rows in different orders one "
      "gets error 1205 when it has waited for too long (rocksdb_lock_wait_timeout), or error "
      "1213 at once with rocksdb_deadlock_detect=ON: lock rows in one order everywhere (ORDER "
      "BY the key), commit soon, roll back, and run again what ends with error 1205 or 1213",
      "MyRocks",
      kSettings,
      "myrocks"};
  return kRemedies;
}

}  // namespace isolde::explain
