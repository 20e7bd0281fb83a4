// Mixed levels: each transaction at the level that it states (Bouajjani, Enea, Roman-Calvo: On
// the Complexity of Checking Mixed Isolation Levels for SQL Transactions, 2025). One commit
// order contains session order and read-from, and the reads of each transaction satisfy the
// axiom of its own level in it. For levels with a snapshot this restates Adya's mixing theorem
// (Generalized Isolation Level Definitions, ICDE 2000): only transactions of a level that
// counts anti-dependencies have such edges.
#pragma once

#include <optional>
#include <string>

#include "base/budget.hpp"
#include "history/certificate.hpp"
#include "infer/event_graph.hpp"
#include "isolde/level.hpp"

namespace isolde::checker {

/// Why the mixed levels do not apply to the history; empty when they do: every transaction that
/// did not abort states a level, and one that can be mixed.
std::string why_not_mixed(const History& history);

/// The encoding of the graph. REQUIRES: why_not_mixed() is empty; the observations have no
/// finding and no ambiguity. When the budget runs out the result means nothing. COST: as
/// decide_weak() for the weaker ones of the levels that are stated.
infer::Encoding mixed_encoding(const infer::Observations& seen, const LevelInfo& level,
                               std::int64_t clock_error_ns, base::Budget& budget);

/// The same without what is visible to transactions of weaker levels.
infer::Encoding mixed_roles(const infer::Observations& seen, const LevelInfo& level,
                            std::int64_t clock_error_ns);

/// A transaction missed a write that was visible to it and read the initial value instead,
/// which no order can explain.
std::optional<Refutation> find_missed_write(const infer::Encoding& encoding);

}  // namespace isolde::checker
