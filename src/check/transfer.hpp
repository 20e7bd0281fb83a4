// Using one level's proof for another level.
#pragma once

#include <cstdint>
#include <optional>

#include "isolde/certificate.hpp"

namespace isolde::checker {

/// The proof in the form that proves `level`, or none where it does not. A witness is adapted
/// without a check that `level` is weaker: that is the caller's knowledge. A refutation is
/// accepted when each of its dependencies counts at `level` and its cycles still close; session
/// order edges become real-time edges where only real time binds.
std::optional<Proof> transfer(const History& history, const Proof& proof,
                              const LevelInfo& level, std::int64_t clock_error_ns);

}  // namespace isolde::checker
