// Independent definitions of the levels, to test the oracle with: dependency graphs over all
// version orders (second_graphs.cpp), and courses of events of imaginary databases
// (second_runs.cpp), and axioms over
// orders of commits (second_mixed.cpp). They share no code with the oracle, not even the
// reading of a transaction.
#pragma once

#include <cstdint>

#include "isolde/level.hpp"
#include "support/history_dsl.hpp"

namespace isolde::oracle {

/// Whether the history satisfies the level, by whichever of the definitions below fits.
/// REQUIRES, here and below: no value is written twice to a key. Not for the levels by the
/// database's own times.
bool second_opinion(const support::PlainHistory& history, Level level,
                    std::int64_t clock_error_ns);

/// Serializable, repeatable-read, parallel-snapshot-isolation, transactional-causal,
/// read-atomic, monotonic-atomic-view, read-committed: dependency graphs.
bool holds_by_graphs(const support::PlainHistory& history, Level level,
                     std::int64_t clock_error_ns);

/// The session guarantees, and causal as all four of them: a graph for each session.
bool holds_by_session_graphs(const support::PlainHistory& history, Level level);

/// Snapshot-isolation, prefix-consistency: orders of start and commit events.
bool holds_by_events(const support::PlainHistory& history, Level level,
                     std::int64_t clock_error_ns);

/// Sequential: reads and commits of all sessions, interleaved.
bool is_interleaving(const support::PlainHistory& history);

/// Linearizable: a point of time for each transaction and key.
bool has_linearization_points(const support::PlainHistory& history,
                              std::int64_t clock_error_ns);

/// Mixed: the axiom of each transaction's own level. REQUIRES: all state levels that can be
/// mixed.
bool holds_by_axioms(const support::PlainHistory& history, Level level,
                     std::int64_t clock_error_ns);

/// Read-uncommitted: no cycle of version orders that lists show.
bool has_no_g0(const support::PlainHistory& history, Level level, std::int64_t clock_error_ns);

}  // namespace isolde::oracle
