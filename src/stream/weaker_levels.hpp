// Which other levels fall with the one that a violation is about.
#pragma once

#include <vector>

#include "base/budget.hpp"
#include "isolde/level.hpp"
#include "stream/suspects.hpp"

namespace isolde::stream {

/// Levels that the violation's transactions violate as well, stronger ones first. At levels
/// without real time that is so if nobody who comes later writes what they have read: real time
/// alone says that nobody reads from those. What is undecided within the budget is left out,
/// and what takes very long. COST: a check of the transactions, for seconds at most.
std::vector<Level> also_violated(const Violation& violation, base::Budget& budget);

/// Those that imply no other one of them.
std::vector<Level> weakest(const std::vector<Level>& levels);

}  // namespace isolde::stream
