// Scripted steps on a store that takes no locks, keeps no snapshots and refuses nothing: each
// step is done when it comes, on the one copy that there is. Whatever an interleaving can show
// of an anomaly it shows here.
#pragma once

#include "isolde/history.hpp"
#include "isolde/status.hpp"
#include "replay/steps.hpp"

namespace isolde::schedule {

/// What the sessions saw. Transactions come in the order in which they ended; each step takes a
/// microsecond. A rollback puts back what its transaction found before each of its writes, and
/// so undoes what others wrote since. A deletion of what is not there is not recorded, and an
/// `until` that does not get its value rolls back for good: nothing changes while it waits.
/// Same steps, same history. ERRORS: kUsage for statements in a database's language and for
/// crashes. COST: linear in the steps and in what they read.
Result<History> run_unlocked(const replay::Steps& steps);

}  // namespace isolde::schedule
