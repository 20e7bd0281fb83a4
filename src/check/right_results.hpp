// Whether an execution explains the aggregates of a history.
#pragma once

#include "base/budget.hpp"
#include "history/certificate.hpp"
#include "isolde/history.hpp"
#include "isolde/level.hpp"

namespace isolde::checker {

/// Some selection says what its rows came to, not which they were.
bool has_aggregates_with_results(const History& history);

/// The proof stands with all aggregates. A witness that does gets the sources that explain
/// them. Those that prove nothing of them do not: witnesses of each session. Violations stand.
/// COST: linear in the history for each aggregate that a witness's place decides.
bool has_right_results(const History& history, const LevelInfo& level, Proof& proof,
                       base::Budget& budget);

}  // namespace isolde::checker
