// Inserts partial reads (of which is only known what the version did not hold, or some columns
// of it) into an order of a register's operations that explains its other reads.
//
// Such a read may come between any two operations that real time allows, and never constrains
// the others. So each goes, by start, to the earliest place where the register holds something
// that fits: that blocks no place for later ones, so for this order of the others the answer is
// exact. Another order may work where this one does not, or one with more operations of unknown
// outcome.
#pragma once

#include <cstddef>
#include <vector>

#include "linear/register_zones.hpp"

namespace isolde::checker {

/// Inserts the register's committed operations missing from its order, which starts at `from`.
/// False, with the order unchanged, when one of these or one in it finds what does not fit.
/// COST: O(n log n), and a step for each version that a read has to pass.
bool place_partial_reads(const History& history, const RegisterOps& all,
                         std::vector<TxnId>& order, std::size_t from);

}  // namespace isolde::checker
