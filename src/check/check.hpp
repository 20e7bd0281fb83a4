// check(): from a history to a verdict with a proof for each level.
#pragma once

#include "history/certificate.hpp"
#include "history/verdicts.hpp"
#include "isolde/history.hpp"
#include "level/check_options.hpp"

namespace isolde::base {
class Budget;
}

namespace isolde {

/// Decides the levels. `budget` stops the work; levels not decided by then are kUnknown.
CheckReport check(const History& history, const CheckOptions& options, base::Budget& budget);

/// As if check() had been asked for the level and had found this proof; nothing is searched.
/// REQUIRES: the certificate is verified. COST: linear in the history.
CheckReport report_of(const History& history, Certificate certificate, base::Budget& budget);

}  // namespace isolde
