// Using one level's proof for another level.
#pragma once

#include <cstdint>
#include <optional>

#include "isolde/certificate.hpp"

namespace isolde::checker {

/// How a witness of one level serves another one.
enum class Fit : std::uint8_t {
  kNone,
  kAsIs,
  kCommitsOnly,  ///< after commits_only()
};

/// REQUIRES: `proved` implies `level`, and the witness proves it.
Fit fit(const Witness& witness, const LevelInfo& proved, const LevelInfo& level);

/// The order of commits alone, for levels that see no snapshots.
Witness commits_only(const Witness& witness);

/// The refutation of `proved` in the form that refutes `level`, or none where it does not: each
/// of its dependencies must count there and its cycles must still close. Session order edges
/// become real-time edges where only real time binds.
std::optional<Refutation> transfer(const History& history, const Refutation& refutation,
                                   const LevelInfo& proved, const LevelInfo& level,
                                   std::int64_t clock_error_ns);

}  // namespace isolde::checker
