#include <array>

#include "explain/harm.hpp"

namespace isolde::explain {
namespace {

constexpr std::array kSettings = {
    Setting{"READ COMMITTED", Level::kReadCommitted, {}, {}, Level::kReadCommitted},
    Setting{"REPEATABLE READ",
            Level::kSnapshotIsolation,
            "error 40001",
            {},
            Level::kSnapshotIsolation},
    Setting{"SERIALIZABLE", Level::kSerializable, "error 40001", {}, Level::kSnapshotIsolation},
};

}  // namespace

const DatabaseRemedies& postgres_remedies() {
  static constexpr std::array kRows = {
      Remedy{
          "read-committed", Harm::kLostChange,
          "read with SELECT ... FOR UPDATE what the transaction goes on to change, or compute "
          "inside of the UPDATE (SET n = n + 1), or use REPEATABLE READ, which refuses the "
          "second change with error 40001, and run the transaction again",
          Level::kSnapshotIsolation},
      Remedy{"read-committed", Harm::kMixedState,
             "use REPEATABLE READ, at which all statements of a transaction read one snapshot",
             Level::kSnapshotIsolation},
      Remedy{
          "read-committed", Harm::kBrokenRule,
          "use SERIALIZABLE, and run a transaction again that ends with error 40001; or lock "
          "with SELECT ... FOR UPDATE every row on which a decision rests",
          Level::kSerializable},
      Remedy{
          "repeatable-read", Harm::kBrokenRule,
          "use SERIALIZABLE, and run a transaction again that ends with error 40001; or lock "
          "with SELECT ... FOR UPDATE every row on which a decision rests",
          Level::kSerializable},
      Remedy{
          "read-committed", Harm::kPhantom,
          "use SERIALIZABLE, and run a transaction again that ends with error 40001; or let a "
          "unique or an exclusion constraint refuse the second row; or before looking lock a "
          "row that all have in common, such as the room's, or take an advisory lock: SELECT "
          "... FOR UPDATE locks no row that is not there yet",
          Level::kSerializable},
      Remedy{
          "repeatable-read", Harm::kPhantom,
          "use SERIALIZABLE, and run a transaction again that ends with error 40001; or let a "
          "unique or an exclusion constraint refuse the second row; or before looking UPDATE a "
          "row that all have in common, such as the room's: SELECT ... FOR UPDATE locks no row "
          "that is not there yet",
          Level::kSerializable},
      Remedy{"",
             Harm::kOldState,
             "read from the primary, or let commits wait until the standbys that are read show "
             "them: synchronous_commit=remote_apply, with synchronous_standby_names",
             {},
             Servers::kSeveral},
      Remedy{"read-committed", Harm::kDisagreement,
             "use REPEATABLE READ, at which all statements of a transaction read one snapshot",
             Level::kSnapshotIsolation, Servers::kOne},
      Remedy{"read-committed", Harm::kDisagreement,
             "use REPEATABLE READ, at which all statements of a transaction read one snapshot; "
             "where there are standbys, read from the primary",
             Level::kSnapshotIsolation},
      Remedy{"", Harm::kFalseReport,
             "use SERIALIZABLE for writing and for read-only transactions, and run a "
             "transaction again that ends with error 40001",
             Level::kSerializable},
  };
  static constexpr DatabaseRemedies kRemedies = {
      "postgres", kRows,
      "transactions wait for one another, and two that lock rows in different orders deadlock, "
      "which ends one of them with error 40P01: lock rows in one order everywhere (ORDER BY "
      "the key), commit soon, and run again what ends with error 40001 or 40P01",
      "PostgreSQL", kSettings};
  return kRemedies;
}

}  // namespace isolde::explain
