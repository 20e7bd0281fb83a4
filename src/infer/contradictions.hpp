// Contradictions: two reads of one transaction, each of which tells its version only in part,
// that no version of their key explains together, as a refused insert and a selection that did
// not find the row. Which versions they returned stays open, but they differ.
#pragma once

#include <optional>

#include "base/budget.hpp"
#include "history/certificate.hpp"
#include "isolde/history.hpp"

namespace isolde::infer {

/// Findings kNonRepeatableRead of committed transactions. Each of the two reads by itself is
/// explained by some version.
struct Contradictions {
  std::optional<Finding> first;  ///< in the history
  /// Where neither is of a row that a selection left out; looked for on request.
  std::optional<Finding> first_of_items;
};

/// None of a history that is cut off, for what is missing may have written what both returned.
/// When the budget runs out, those found so far. COST: linear in the operations for all
/// transactions that do not read a key twice in part; for those that do, usually as finding the
/// possible sources of these reads once.
Contradictions find_contradictions(const History& history, bool of_items, base::Budget& budget);

}  // namespace isolde::infer
