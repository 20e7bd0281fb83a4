// Violations of which what is missing of a cut-off input may be the reason.
#pragma once

#include "check/check.hpp"

namespace isolde::checker {

/// Takes back what is no violation if what is missing of a cut-off input wrote a value that was
/// read (HistoryOrigin::values_repeat), or deleted a row that somebody then inserted again. The
/// levels become unknown. COST: linear in the proofs; nothing for a whole input.
void open_what_may_be_missing(const History& history, CheckReport& report);

}  // namespace isolde::checker
