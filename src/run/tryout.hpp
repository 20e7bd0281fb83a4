// A tour of a driver or adapter, to tell its author what is wrong before a run does: each
// operation that it says it can do, in transactions of one or two sessions, with the answers
// that any database has to give when nobody else is there. Says nothing of isolation.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/budget.hpp"
#include "db/driver.hpp"

namespace isolde::run {

/// What was tried, in a few words, and what was wrong with it; empty: nothing.
using TryoutListener = std::function<void(std::string_view what, const std::string& problem)>;

/// Creates and destroys keys of its own. Stops after the first problem that later steps would
/// only repeat, and once the budget is exhausted; the keys are destroyed even then. Returns how
/// many problems there were. COST: a few dozen requests.
int try_out(db::Database& database, const db::Capabilities& capabilities,
            const TryoutListener& listener, base::Budget& budget);

}  // namespace isolde::run
