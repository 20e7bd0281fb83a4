#include <array>

#include "explain/harm.hpp"

namespace isolde::explain {

const DatabaseRemedies& rocksdb_remedies() {
  static constexpr std::array kRows = {
      Remedy{"", Harm::kFalseReport,
             "read with GetForUpdate in what writes, and from a snapshot in what only reads"},
      Remedy{"", Harm::kLostChange,
             "read with GetForUpdate what the transaction goes on to change, or set a snapshot "
             "at its beginning, so that the second change is refused",
             Level::kSnapshotIsolation},
      Remedy{"", Harm::kMixedState,
             "read from a snapshot (SetSnapshot, and ReadOptions::snapshot with each Get)",
             Level::kSnapshotIsolation},
      Remedy{"", Harm::kBrokenRule,
             "read with GetForUpdate every key on which a decision rests"},
      Remedy{
          "", Harm::kPhantom,
          "before looking write one key that stands for all that the range may come to hold: "
          "GetForUpdate of the keys found locks none of those that are not there yet"},
  };
  static constexpr DatabaseRemedies kRemedies = {
      "rocksdb", kRows,
      "transactions wait for one another, and two that lock keys in different orders deadlock, "
      "which ends with Status::TimedOut or, with deadlock_detect, Status::Busy: lock keys in "
      "one order everywhere, roll back, and run such a transaction again"};
  return kRemedies;
}

}  // namespace isolde::explain
