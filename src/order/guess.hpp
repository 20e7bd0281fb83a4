// Guess, then verify: most histories of correct databases are explained by an order that is
// easy to guess. A guess ranks the transactions; from the ranks follow version orders for all
// keys; with those the dependency graph has no choices left, and if it is acyclic, any
// topological order of it is a witness. Times and heuristics thus steer, and never decide.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/budget.hpp"
#include "infer/event_graph.hpp"

namespace isolde::checker {

using infer::EventGraph;
using infer::NodeId;

/// Rank of every event: a topological order of the certain edges that follows client times
/// where there are any (begin at start, commit at end), else position in the session. ENSURES:
/// empty when the certain edges have a cycle or the budget ran out.
std::vector<NodeId> order_by_time(const EventGraph& events, base::Budget& budget);

/// The same by simulation: next comes a transaction whose reads still find their versions in
/// place and whose writes overwrite no version with readers to come. Meant for histories
/// without times; follows session order as a hint even where it does not bind.
std::vector<NodeId> order_by_simulation(const EventGraph& events, base::Budget& budget);

/// An order that agrees with edges that were added since, and with `order` as far as these let
/// it: a better guess. COST: linear where nothing has to move, else O((n + m) log n).
std::vector<NodeId> reordered(const EventGraph& events, const std::vector<NodeId>& order,
                              base::Budget& budget);

/// Takes each key's version order from `order` and looks for an order of all events that agrees
/// with it: the witness, or none. `order` is also the wish within the freedom left.
/// REQUIRES: `order` is a topological order of the graph.
std::optional<std::vector<NodeId>> follow_version_orders(EventGraph& events,
                                                         const std::vector<NodeId>& order,
                                                         base::Budget& budget);

/// The order of transaction events as a witness. REQUIRES: `order` has every event once.
Witness to_witness(const EventGraph& events, const std::vector<NodeId>& order);

}  // namespace isolde::checker
