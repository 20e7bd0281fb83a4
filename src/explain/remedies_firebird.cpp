#include <array>

#include "explain/harm.hpp"

namespace isolde::explain {

const DatabaseRemedies& firebird_remedies() {
  static constexpr std::array kRows = {
      Remedy{"read-committed", Harm::kLostChange,
             "use SNAPSHOT, which refuses the second change, and run the transaction again, or "
             "read WITH LOCK what the transaction goes on to change",
             Level::kSnapshotIsolation},
      Remedy{"read-committed", Harm::kMixedState,
             "use SNAPSHOT, at which all statements of a transaction read one snapshot",
             Level::kSnapshotIsolation},
      Remedy{"", Harm::kBrokenRule,
             "read WITH LOCK every row on which a decision rests, or use SNAPSHOT TABLE "
             "STABILITY, which locks whole tables"},
      Remedy{
          "", Harm::kPhantom,
          "use SNAPSHOT TABLE STABILITY, which locks whole tables, or let a unique constraint "
          "refuse the second row, or before looking change a row that all have in common, such "
          "as the room's: WITH LOCK locks no row that is not there yet"},
  };
  static constexpr DatabaseRemedies kRemedies = {
      "firebird", kRows,
      "transactions wait for one another, and two that lock in different orders deadlock, "
      "which ends one of them with SQLSTATE 40001: lock in one order everywhere, commit soon, "
      "and run such a transaction again"};
  return kRemedies;
}

}  // namespace isolde::explain
