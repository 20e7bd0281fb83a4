// Histories with refused inserts. Such an insert is a current read: at levels whose reads are
// of what is committed when they happen, or when the transaction commits, it has seen some row;
// at the others it says nothing. So the levels are decided in groups, each on the history as
// its levels read it. All operations have the same numbers there.
//
// COST: that of a check for each group, of which there are two, or three where transactions
// state levels; each has its part of the time limit. Where no insert was refused, nothing.
#pragma once

#include "check/check.hpp"

namespace isolde::checker {

/// As isolde::check(). REQUIRES: history.has_refused_inserts().
CheckReport check_current_reads(const History& history, const CheckOptions& options,
                                base::Budget& budget);

/// The same of a history whose refused inserts are what they are for all levels asked for.
CheckReport check_as_it_is(const History& history, const CheckOptions& options,
                           base::Budget& budget);

}  // namespace isolde::checker
