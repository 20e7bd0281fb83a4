// Guess the sources, then verify: where values repeat, an order of events suggests each read's
// source, and with the sources chosen the history is decided as one with unique values, in
// linear memory. The result is a witness or nothing: other sources may work.
#pragma once

#include <optional>
#include <vector>

#include "base/budget.hpp"
#include "history/verdicts.hpp"
#include "infer/event_graph.hpp"
#include "level/check_options.hpp"
#include "prune/saturation.hpp"
#include "source/chosen.hpp"

namespace isolde::checker {

/// A source for each open read: the version current when the reader begins in `order`, if that
/// is possible; else its latest possible source before that, or else any. `hints` take
/// precedence; they are empty or by open read. What `derived` excludes is not chosen. REQUIRES:
/// `order` has all events of the graph. COST: linear, except for reads that found none of their
/// remaining sources.
std::vector<infer::WriteId> sources_along(const infer::EventGraph& events,
                                          const prune::Derivation& derived,
                                          const std::vector<infer::NodeId>& order,
                                          const std::vector<infer::WriteId>& hints,
                                          base::Budget& budget);

/// By open read the source whose version the read tells, where it is possible; none for others.
/// Empty where the history tells no versions. These are hints as good as the recorder, and
/// decide nothing. COST: linear.
std::vector<infer::WriteId> told_sources(const infer::Observations& seen, base::Budget& budget);

/// A witness with these sources, if one is easy to find. REQUIRES: as ChoiceLevel.
std::optional<Witness> witness_with_sources(const infer::Observations& seen,
                                            const Question& question,
                                            const std::vector<infer::WriteId>& sources,
                                            const CheckOptions& options,
                                            CheckStatistics& statistics, base::Budget& budget);

}  // namespace isolde::checker
