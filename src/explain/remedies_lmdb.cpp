#include <array>

#include "explain/harm.hpp"

namespace isolde::explain {

const DatabaseRemedies& lmdb_remedies() {
  static constexpr std::array kRows = {
      Remedy{"read-then-write", Harm::kLostChange,
             "read in the write transaction what it goes on to change, not in one before it"},
      Remedy{
          "read-then-write", Harm::kBrokenRule,
          "read in the write transaction all on which a decision rests, not in one before it"},
      Remedy{
          "read-then-write", Harm::kPhantom,
          "look in the write transaction for what a decision rests on, not in one before it"},
      Remedy{"read-then-write", Harm::kFalseReport,
             "read in the write transaction all on which it builds, not in one before it"},
  };
  static constexpr DatabaseRemedies kRemedies = {"lmdb", kRows};
  return kRemedies;
}

}  // namespace isolde::explain
