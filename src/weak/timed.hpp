// The forms of snapshot isolation in Crooks 2019 (section 3.3.2) that are defined by the
// database's own times. Commits follow their times, so there is one execution to check, and no
// search: each transaction needs a snapshot between the bounds set by its reads, its writes,
// its start and (prefix consistent) its session.
#pragma once

#include <optional>
#include <string>

#include "base/budget.hpp"
#include "history/certificate.hpp"
#include "infer/observations.hpp"
#include "isolde/level.hpp"

namespace isolde::checker {

/// Why the timed levels do not apply to the history; empty when they do: every transaction that
/// took effect has both database times, no two commit at the same one.
std::string why_not_timed(const infer::Observations& seen);

/// The same as far as the history alone tells, before reads are resolved.
std::string why_not_timed(const History& history);

/// A witness or a refutation; none when the budget ran out. REQUIRES:
/// goes_by_database_times(level.base), why_not_timed() is empty; the observations have no
/// finding, no ambiguity and no non-repeatable read. COST: O(n log n).
std::optional<Proof> decide_timed(const infer::Observations& seen, const LevelInfo& level,
                                  base::Budget& budget);

}  // namespace isolde::checker
