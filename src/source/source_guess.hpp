// Guess the sources, then verify: where values repeat, an order of events suggests where each
// read came from, and with the sources chosen the history is decided as one in which values are
// unique, in linear memory. What comes out is a witness or nothing: other sources may do.
#pragma once

#include <optional>
#include <vector>

#include "base/budget.hpp"
#include "infer/event_graph.hpp"
#include "isolde/check.hpp"
#include "prune/saturation.hpp"

namespace isolde::checker {

/// For each open read a source: the version that is there when the reader begins in `order`, if
/// it may have returned that one; else the one of its sources that was written last before, or
/// else any. `hints` are used where they name one; they are empty or by open read. What
/// `derived` excludes is not chosen. REQUIRES: `order` has all events of the graph. COST:
/// linear, but for reads that found none of what is left of their sources.
std::vector<infer::WriteId> sources_along(const infer::EventGraph& events,
                                          const prune::Derivation& derived,
                                          const std::vector<infer::NodeId>& order,
                                          const std::vector<infer::WriteId>& hints,
                                          base::Budget& budget);

/// A witness with these sources, if one is easy to find. REQUIRES: as ChoiceLevel.
std::optional<Witness> witness_with_sources(const infer::Observations& seen,
                                            const LevelInfo& level,
                                            const std::vector<infer::WriteId>& sources,
                                            const CheckOptions& options,
                                            CheckStatistics& statistics, base::Budget& budget);

}  // namespace isolde::checker
