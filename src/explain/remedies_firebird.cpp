#include <array>

#include "explain/harm.hpp"

namespace isolde::explain {

const DatabaseRemedies& firebird_remedies() {
  static constexpr std::array kRows = {
      Remedy{"read-committed", Harm::kLostChange,
             "use SNAPSHOT, which refuses the second change, and run the transaction again, or "
             "read WITH LOCK what the transaction goes on to change"},
      Remedy{"read-committed", Harm::kMixedState,
             "use SNAPSHOT, at which all statements of a transaction read one snapshot"},
      Remedy{"", Harm::kBrokenRule,
             "read WITH LOCK every row on which a decision rests, or use SNAPSHOT TABLE "
             "STABILITY, which locks whole tables"},
  };
  static constexpr DatabaseRemedies kRemedies = {"firebird", kRows};
  return kRemedies;
}

}  // namespace isolde::explain
