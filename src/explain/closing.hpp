// What an argument comes down to, where its steps alone do not say it.
#pragma once

#include <string>

#include "explain/phrase.hpp"
#include "explain/scenario.hpp"
#include "isolde/history.hpp"

namespace isolde::explain {

/// Of a lost update which write went under or, like of conflicting writers, the item and the
/// rule that they broke, of a transaction that forgot its own writes that one of its operations
/// failed; of a circle that rests on nothing but what was seen, who saw whose write and who did
/// not; of several steps what they come to together: one sentence with full stop. Empty for all
/// others.
std::string closing_text(const History& history, const Names& names, const Scenario& scenario);

}  // namespace isolde::explain
