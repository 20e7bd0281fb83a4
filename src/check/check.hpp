// check(): from a history to a verdict with a proof for each level.
#pragma once

#include "history/verdicts.hpp"
#include "isolde/history.hpp"
#include "level/check_options.hpp"

namespace isolde::base {
class Budget;
}

namespace isolde {

/// Decides the levels. `budget` stops the work; levels not decided by then are kUnknown.
CheckReport check(const History& history, const CheckOptions& options, base::Budget& budget);

}  // namespace isolde
