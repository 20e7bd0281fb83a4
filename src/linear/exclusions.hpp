// Reads of which only is known what they did not return, put into an order of the operations on
// a register whose other reads it explains.
//
// Such a read may stand between any two operations that real time allows, and takes nothing
// from the others. So each goes, by start, to the earliest place where the register holds
// something else than what the read excludes: no place is refused to later ones thereby, and
// for this order of the others the answer is exact. Another order may do where this one does
// not.
#pragma once

#include <cstddef>
#include <vector>

#include "linear/register_zones.hpp"

namespace isolde::checker {

/// Adds to the order, from `from` on that of one register, its committed operations that are
/// not in it. False, with the order as it was, when that or an operation in it finds what it
/// excludes. COST: O(n log n), and a step for each version that a read has to pass.
bool place_exclusions(const RegisterOps& all, std::vector<TxnId>& order, std::size_t from);

}  // namespace isolde::checker
