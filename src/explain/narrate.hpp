// A scenario as text that somebody can follow with the history in hand.
#pragma once

#include <cstdint>
#include <string>

#include "explain/scenario.hpp"
#include "isolde/history.hpp"

namespace isolde::explain {

struct NarrativeStyle {
  bool colour = false;     ///< ANSI colours for terminals
  std::size_t indent = 0;  ///< spaces before every line
  /// Where the times of a part count from: that of the whole. None: the history's first start.
  std::int64_t zero_point = kNoTime;
  /// The history is no more than what the violation needs: also tell the transactions that the
  /// argument does not speak of, and who read from them.
  bool with_rest = false;
};

/// Headline, the transactions ("Let"), the argument ("Then"), and what the anomaly means.
/// Ends with a line break. REQUIRES: the scenario was made from this history.
std::string narrate(const History& history, const Scenario& scenario,
                    const NarrativeStyle& style);

}  // namespace isolde::explain
