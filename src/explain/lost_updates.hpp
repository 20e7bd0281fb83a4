// How many updates were lost, as far as the values of a history show.
#pragma once

#include <cstdint>

#include "isolde/history.hpp"

namespace isolde::explain {

/// A lower bound. Of k committed transactions that read the same version of a register, no
/// other one, and then wrote it, one comes last in whatever order the versions had: it
/// overwrote what the other k - 1 wrote, and had not seen that. Counts only versions that a
/// value identifies: the value of one write, or what was there before all writes. COST: linear.
std::uint64_t lost_updates(const History& history);

}  // namespace isolde::explain
