#include <array>

#include "explain/harm.hpp"

namespace isolde::explain {

const DatabaseRemedies& berkeleydb_remedies() {
  static constexpr std::array kRows = {
      Remedy{"read-uncommitted", Harm::kUncommitted, "do without DB_READ_UNCOMMITTED"},
      Remedy{"read-uncommitted", Harm::kLostChange,
             "read with DB_RMW what the transaction goes on to change, and do without "
             "DB_READ_UNCOMMITTED"},
      Remedy{"read-uncommitted", Harm::kMixedState, "do without DB_READ_UNCOMMITTED"},
      Remedy{"read-uncommitted", Harm::kOwnChangeMissed, "do without DB_READ_UNCOMMITTED"},
      Remedy{"read-committed", Harm::kLostChange,
             "read with DB_RMW what the transaction goes on to change, or do without "
             "DB_READ_COMMITTED"},
      Remedy{"read-committed", Harm::kMixedState, "do without DB_READ_COMMITTED"},
  };
  static constexpr DatabaseRemedies kRemedies = {"berkeleydb", kRows};
  return kRemedies;
}

}  // namespace isolde::explain
