// Causal consistency and the four session guarantees: each session may have its own execution
// (Crooks 2019, chapter 4). First tries one order for all sessions, then decides each session
// that it does not explain separately, without search.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "history/verdicts.hpp"
#include "infer/observations.hpp"
#include "level/check_options.hpp"

namespace isolde::checker {

struct SessionAnswer {
  std::optional<Proof> proof;
  /// Without proof: why, unless the budget ran out.
  std::string reason;
};

/// The sessions with included transactions.
std::vector<SessionId> sessions_in(const infer::Observations& seen);

/// The proof that these executions explain all sessions.
Proof to_proof(std::vector<SessionWitness::Execution> executions);

/// An order of all included transactions by time, with all that causal consistency requires
/// whatever the sources of open reads; empty when there is none. COST: O(n log n).
std::vector<TxnId> commits_by_time(const infer::Observations& seen, base::Budget& budget);

/// At monotonic reads and writes and read-your-writes, what others saw does not bind a session,
/// so a list that two sessions saw in different orders is no violation.
bool is_excused(const History& history, const Finding& finding, BaseLevel base);

/// An execution for this session alone, or why there is none; none when the budget ran out.
/// Sets `statistics`' saturation fields. REQUIRES: explains_sessions_apart(base); the
/// observations have no finding and no ambiguity. COST: O(rounds * size).
std::optional<Proof> decide_session(const infer::Observations& seen, BaseLevel base,
                                    SessionId session, CheckStatistics& statistics,
                                    base::Budget& budget);

/// One execution that passes the level's test for all sessions, if time or a simulation
/// suggests it. At causal consistency that is what sequential consistency requires. REQUIRES:
/// explains_sessions_apart(base); the observations have no finding and no ambiguity. COST: O(n
/// log n).
std::optional<Witness> guess_for_all_sessions(const infer::Observations& seen, BaseLevel base,
                                              base::Budget& budget);

/// REQUIRES: explains_sessions_apart(level.base); the observations have no ambiguity, and no
/// finding that is not excused. Sets `statistics`' saturation fields. COST: near-linear when
/// one order serves all sessions, else O(sessions * rounds * size).
SessionAnswer decide_sessions(const infer::Observations& seen, const LevelInfo& level,
                              const CheckOptions& options, CheckStatistics& statistics,
                              base::Budget& budget);

}  // namespace isolde::checker
