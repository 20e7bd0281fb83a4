// Guess, then verify: most histories of correct databases are explained by an order that is
// easy to guess. A guess ranks the transactions; the ranks fix the version orders of all keys;
// the dependency graph then has no choices left, and if it is acyclic, any topological order of
// it is a witness. Times and heuristics thus steer, but never decide.
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

/// The same by simulation: next comes a transaction whose reads still find their versions
/// current and whose writes overwrite no version with pending readers. Meant for histories
/// without times; follows session order as a hint even where it does not bind.
std::vector<NodeId> order_by_simulation(const EventGraph& events, base::Budget& budget);

/// A better guess: an order that agrees with edges added since, and otherwise with `order` as
/// far as possible. COST: linear where nothing has to move, else O((n + m) log n).
std::vector<NodeId> reordered(const EventGraph& events, const std::vector<NodeId>& order,
                              base::Budget& budget);

/// Takes each key's version order from `order` and looks for an order of all events that agrees
/// with it: the witness, or none. `order` also breaks ties.
/// REQUIRES: `order` is a topological order of the graph.
std::optional<std::vector<NodeId>> follow_version_orders(const EventGraph& events,
                                                         const std::vector<NodeId>& order,
                                                         base::Budget& budget);

/// The order of transaction events as a witness. REQUIRES: `order` has every event once.
Witness to_witness(const EventGraph& events, const std::vector<NodeId>& order);

}  // namespace isolde::checker
