// A scenario as a Graphviz graph: one box for each transaction, one arrow for each edge.
#pragma once

#include <cstddef>
#include <string>

#include "explain/scenario.hpp"
#include "isolde/history.hpp"

namespace isolde::explain {

/// What a picture for people shows of one violation at most: more than that nobody can follow,
/// and Graphviz takes long for it.
inline constexpr std::size_t kTxnsDrawn = 200;
inline constexpr std::size_t kArrowsDrawn = 250;

struct DotStyle {
  bool stands_alone = true;  ///< with a title, and a legend of the kinds of arrows
  /// Else within these limits: the transactions told of first, with one box for all others that
  /// says how much is left out.
  bool whole = true;
};

/// Input for `dot -Tsvg`. Transactions are T1, T2, ... as in the text of narrate(). Anti-
/// dependencies are dashed, session and real-time edges dotted; the class of an arrow is its
/// kind; the steps of a proof by cases are told apart by their number.
std::string to_dot(const History& history, const Scenario& scenario,
                   const DotStyle& style = {});

}  // namespace isolde::explain
