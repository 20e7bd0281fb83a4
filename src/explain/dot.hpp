// A scenario as a Graphviz graph: one box for each transaction, one arrow for each edge.
#pragma once

#include <string>

#include "explain/scenario.hpp"
#include "isolde/history.hpp"

namespace isolde::explain {

/// Input for `dot -Tsvg`. Anti-dependencies are dashed, session and real-time edges dotted; the
/// steps of a proof by cases are clusters of arrows told apart by their number.
std::string to_dot(const History& history, const Scenario& scenario);

}  // namespace isolde::explain
