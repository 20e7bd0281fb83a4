// A guess at sources and order where values repeat and there are no times: runs the sessions
// against a store; next comes a transaction whose reads find what they returned. Steers the
// search but never decides.
#pragma once

#include <vector>

#include "base/budget.hpp"
#include "infer/event_graph.hpp"

namespace isolde::checker {

struct ChoiceGuess {
  std::vector<infer::NodeId> order;     ///< topological, or empty as order_by_time()
  std::vector<infer::WriteId> sources;  ///< by open read; none where the guess failed
};

/// By write: the numbers of the source lists that contain it, ascending.
base::Csr<std::uint32_t> source_lists_by_write(const infer::Observations& seen);

/// `snapshots`: a transaction may read some time before it commits. COST: O(m) for each of the
/// few transactions examined in every step.
ChoiceGuess guess_by_replay(const infer::EventGraph& events, bool snapshots,
                            base::Budget& budget);

}  // namespace isolde::checker
