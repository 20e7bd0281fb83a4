// Independent definitions of the levels, to test the oracle with: Adya's dependency graphs over
// all version orders, and start and commit events for snapshot isolation. They share no code
// with brute.cpp, not even the reading of a transaction.
#pragma once

#include <cstdint>

#include "isolde/level.hpp"
#include "support/history_dsl.hpp"

namespace isolde::oracle {

/// Every level but the snapshot isolations, by acyclic dependency graphs.
/// REQUIRES: no value is written twice to a key.
bool holds_by_dependencies(const support::PlainHistory& history, Level level,
                           std::int64_t clock_error_ns);

/// The snapshot isolations, by orders of start and commit events.
bool holds_by_events(const support::PlainHistory& history, Level level,
                     std::int64_t clock_error_ns);

}  // namespace isolde::oracle
