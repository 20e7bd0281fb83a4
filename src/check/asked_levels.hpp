// Which levels a check decides.
#pragma once

#include <vector>

#include "history/verdicts.hpp"
#include "isolde/history.hpp"
#include "level/check_options.hpp"

namespace isolde::checker {

/// Those that were asked for, or else all that mean something for the history, in the order of
/// all_levels().
std::vector<Level> asked_levels(const History& history, const CheckOptions& options);

/// The same, undecided, but for those that do not apply, with the reason.
std::vector<LevelReport> undecided_levels(const History& history, const CheckOptions& options);

}  // namespace isolde::checker
