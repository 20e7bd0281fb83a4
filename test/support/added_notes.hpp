// Histories with what stands beside the operations: locks of reads, refused inserts.
#pragma once

#include <cstdint>

#include "base/rng.hpp"
#include "isolde/history.hpp"

namespace isolde::support {

enum class Added : std::uint8_t { kNothing, kLocks, kRefusals };

/// Whether refused inserts that are there become reads of some row.
enum class Refusals : std::uint8_t { kKept, kReads };

/// A copy, with locks on half of its reads and selections, or with refused inserts between its
/// operations.
History with_added(const History& bare, Added added, base::Rng& rng,
                   Refusals refusals = Refusals::kKept);

}  // namespace isolde::support
