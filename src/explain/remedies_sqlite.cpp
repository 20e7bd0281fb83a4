#include <array>

#include "explain/harm.hpp"

namespace isolde::explain {

const DatabaseRemedies& sqlite_remedies() {
  static constexpr std::array kRows = {
      Remedy{"read-uncommitted", Harm::kUncommitted,
             "do without PRAGMA read_uncommitted, or without the shared cache"},
      Remedy{"read-uncommitted", Harm::kLostChange,
             "do without PRAGMA read_uncommitted, or without the shared cache",
             Level::kSerializable},
      Remedy{"read-uncommitted", Harm::kMixedState,
             "do without PRAGMA read_uncommitted, or without the shared cache",
             Level::kSerializable},
  };
  static constexpr DatabaseRemedies kRemedies = {"sqlite", kRows};
  return kRemedies;
}

}  // namespace isolde::explain
