// The end of a check: decides open levels whose verdict follows from another level's.
#pragma once

#include "check/check.hpp"

namespace isolde::checker {

/// Closes unknown levels that a held level implies, and those that imply a violated one, with
/// an Implication as the proof. `knows_timed`: levels by the database's own times that do not
/// apply are marked so; otherwise those that are unknown stay unknown. COST: quadratic in the
/// number of levels; copies one proof for each level that others follow from.
void close_by_implication(CheckReport& report, bool knows_timed);

}  // namespace isolde::checker
