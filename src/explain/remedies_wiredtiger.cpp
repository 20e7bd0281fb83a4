#include <array>

#include "explain/harm.hpp"

namespace isolde::explain {

const DatabaseRemedies& wiredtiger_remedies() {
  static constexpr std::array kRows = {
      Remedy{"read-uncommitted", Harm::kUncommitted,
             "begin transactions with isolation=snapshot or isolation=read-committed"},
      Remedy{"read-uncommitted", Harm::kLostChange,
             "begin transactions with isolation=snapshot, which refuses the second change, and "
             "run the transaction again",
             Level::kSnapshotIsolation},
      Remedy{"read-uncommitted", Harm::kMixedState,
             "begin transactions with isolation=snapshot", Level::kSnapshotIsolation},
      Remedy{"read-uncommitted", Harm::kOwnChangeMissed,
             "begin transactions with isolation=snapshot", Level::kSnapshotIsolation},
      Remedy{"read-committed", Harm::kLostChange,
             "begin transactions with isolation=snapshot, which refuses the second change, and "
             "run "
             "the transaction again",
             Level::kSnapshotIsolation},
      Remedy{"read-committed", Harm::kMixedState, "begin transactions with isolation=snapshot",
             Level::kSnapshotIsolation},
      Remedy{"snapshot", Harm::kFalseReport,
             "write again, with its old value, what a transaction reads before it changes "
             "something else, so that a change of it is noticed"},
      Remedy{
          "snapshot", Harm::kBrokenRule,
          "write again, with its old value, what a decision rests on, so that a change of it "
          "is noticed"},
      Remedy{
          "snapshot", Harm::kPhantom,
          "before looking write one key that stands for all that the range may come to hold, "
          "so that the second change of it is refused"},
  };
  static constexpr DatabaseRemedies kRemedies = {"wiredtiger", kRows};
  return kRemedies;
}

}  // namespace isolde::explain
