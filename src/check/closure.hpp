// The end of the pipeline: no level stays open whose verdict follows from that of another one.
#pragma once

#include "isolde/check.hpp"

namespace isolde::checker {

/// Closes unknown levels that a level that holds implies, and those that imply a violated one,
/// with an Implication as the proof. `knows_timed`: the levels by the database's own times that
/// do not apply say so; else those that are unknown stay so. COST: quadratic in the number of
/// levels; copies a proof once for each level that others follow from.
void close_by_implication(CheckReport& report, bool knows_timed);

}  // namespace isolde::checker
