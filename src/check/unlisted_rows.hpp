// The levels at which executions get all rows right that selections left out, decided without
// listing these.
#pragma once

#include <optional>
#include <vector>

#include "check/check.hpp"

namespace isolde::checker {

struct UnlistedReport {
  CheckReport levels;
  /// For history::evidence_of(): those that returned no row, and left some out.
  std::vector<TxnId> only_left_out;
};

/// Decides the levels of a history with History::has_unlisted_rows(). None: these rows, or some
/// level, take check(), once they are listed. The result is the same in verdicts. Rows that
/// count are listed while it works, and the history is as it was afterwards. COST: a round is
/// as deciding the history without such rows, and for each selection a step for what it
/// returned and for each version that it could have returned, in a bit vector.
std::optional<UnlistedReport> check_unlisted(History& history, const CheckOptions& options,
                                             base::Budget& budget);

}  // namespace isolde::checker
