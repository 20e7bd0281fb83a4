// Levels that leave version orders open: read committed and monotonic atomic view. Both are
// decided in polynomial time by one acyclicity check.
#pragma once

#include "base/budget.hpp"
#include "infer/observations.hpp"
#include "isolde/certificate.hpp"
#include "isolde/level.hpp"

namespace isolde::checker {

/// A witness or a refutation. REQUIRES: the level's base is read committed or monotonic atomic
/// view; the observations have no finding and no ambiguity. When the budget runs out the result
/// means nothing. COST: linear; monotonic atomic view adds, for each transaction, the writes of
/// the transactions it read from.
Proof decide_weak(const infer::Observations& seen, const LevelInfo& level,
                  base::Budget& budget);

}  // namespace isolde::checker
