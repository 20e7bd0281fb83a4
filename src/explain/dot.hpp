// A scenario as a Graphviz graph: one box for each transaction, one arrow for each edge.
#pragma once

#include <string>

#include "explain/scenario.hpp"
#include "isolde/history.hpp"

namespace isolde::explain {

/// Input for `dot -Tsvg`. Transactions are T1, T2, ... as in the text of narrate(). Anti-
/// dependencies are dashed, session and real-time edges dotted; the class of an arrow is its
/// kind; the steps of a proof by cases are told apart by their number.
std::string to_dot(const History& history, const Scenario& scenario, bool with_title = true);

}  // namespace isolde::explain
