// A violation in one sentence, for summaries: what was read and written where, not how long the
// proof is.
#pragma once

#include <string>

#include "explain/scenario.hpp"
#include "isolde/history.hpp"

namespace isolde::explain {

/// With the transactions' own names, without the name of the anomaly and without full stop. A
/// single cycle is told round: "a read x = 1, which b replaced by 2, but ...". A longer
/// argument comes down to what no order explains: "no order of a, b and c explains that a read
/// x = 1 and
/// ...". REQUIRES: the scenario has steps, with their reasons.
std::string refutation_statement(const History& history, const Scenario& scenario);

}  // namespace isolde::explain
