#include <array>

#include "explain/harm.hpp"

namespace isolde::explain {

const DatabaseRemedies& redis_remedies() {
  static constexpr std::array kRows = {
      Remedy{
          "multi",
          Harm::kOldState,
          "read several keys by one command (MGET) or inside of MULTI and EXEC, or WATCH them "
          "and end with EXEC what only reads, too, and look for a cache that answers in "
          "place of Redis",
          {},
          Servers::kOne},
      Remedy{"multi", Harm::kLostChange,
             "WATCH each key before reading it, and start anew when EXEC refuses; or let a "
             "script or one command (INCR) read and write"},
      Remedy{
          "multi", Harm::kMixedState,
          "read several keys by one command (MGET) or inside of MULTI and EXEC, or WATCH them"},
      Remedy{"multi", Harm::kBrokenRule,
             "WATCH each key on which a decision rests, and start anew when EXEC refuses"},
      Remedy{"multi", Harm::kPhantom,
             "before looking WATCH one key that stands for all that the search may find, "
             "change it "
             "with each insertion, and start anew when EXEC refuses"},
      Remedy{
          "multi", Harm::kFalseReport,
          "WATCH each key that is read before a change, start anew when EXEC refuses, and read "
          "several keys by one command (MGET)"},
      Remedy{
          "multi",
          Harm::kDisagreement,
          "read several keys by one command (MGET) or inside of MULTI and EXEC, or WATCH them "
          "and end with EXEC what only reads, too",
          {},
          Servers::kOne},
      Remedy{
          "multi", Harm::kDisagreement,
          "read several keys by one command (MGET) or inside of MULTI and EXEC, or WATCH them "
          "and end with EXEC what only reads, too; where there are replicas, read from the "
          "primary"},
  };
  static constexpr std::array kSettings = {
      Setting{"MULTI", Level::kReadCommitted},
      Setting{"WATCH", Level::kStrictSerializable, "an EXEC that answers nil",
              "WATCH each key before it is read"},
  };
  static constexpr DatabaseRemedies kRemedies = {"redis", kRows, {}, "Redis", kSettings};
  return kRemedies;
}

}  // namespace isolde::explain
