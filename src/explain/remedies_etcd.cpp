#include <array>

#include "explain/harm.hpp"

namespace isolde::explain {

const DatabaseRemedies& etcd_remedies() {
  static constexpr std::array kRows = {
      Remedy{
          "", Harm::kOldState,
          "read with etcd's linearizable reads, its default, and not with serializable ones, "
          "which a member answers from what it has; and read all keys at one revision"},
      Remedy{
          "repeatable-reads", Harm::kLostChange,
          "compare the mod revision of each key that was read in the transaction that writes "
          "(the isolations serializable and serializable-snapshot of its client library do)",
          Level::kSerializable},
      Remedy{
          "read-committed", Harm::kLostChange,
          "compare the mod revision of each key that was read in the transaction that writes "
          "(the isolations serializable and serializable-snapshot of its client library do)",
          Level::kSerializable},
      Remedy{
          "", Harm::kFalseReport,
          "compare the mod revision of each key that was read in the transaction that writes, "
          "and read all keys at one revision in what only reads"},
      Remedy{
          "", Harm::kMixedState,
          "read all keys at one revision, as the isolation serializable-snapshot of its client "
          "library does",
          Level::kSnapshotIsolation},
      Remedy{"", Harm::kPhantom,
             "in the transaction that writes compare the mod revisions of the whole range that "
             "was "
             "read, by a comparison with range_end, so that a new key in it is noticed"},
      Remedy{
          "", Harm::kBrokenRule,
          "compare the mod revision of each key that was read in the transaction that writes "
          "(the isolations serializable and serializable-snapshot of its client library do)"},
  };
  static constexpr DatabaseRemedies kRemedies = {"etcd", kRows};
  return kRemedies;
}

}  // namespace isolde::explain
