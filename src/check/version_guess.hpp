// VersionGuess: a good guess at the order of each key's versions.
#pragma once

#include <cstdint>
#include <vector>

#include "base/budget.hpp"
#include "infer/observations.hpp"

namespace isolde::checker {

struct VersionGuess {
  /// Neighbours in the order of a key's versions; none: there is no neighbour.
  struct Neighbours {
    infer::WriteId before;
    infer::WriteId after;
  };

  /// Puts the write before the version that it came after. REQUIRES: there is one.
  void exchange(infer::WriteId write);

  /// All included transactions about in the order of their commits; fewer: there is no guess.
  std::vector<TxnId> order;
  std::vector<Neighbours> neighbours;  ///< by write
  /// By write: its place behind the version before it follows from reads. Empty: of none.
  std::vector<bool> forced;
};

/// By client times: the order in which clients learned of the commits. COST: O(n log n + m).
VersionGuess guess_by_time(const infer::Observations& seen, base::Budget& budget);

/// Without times: a transaction's place is estimated from how many certainly come before it and
/// how many after it, because of sessions and read-from. Then neighbouring versions are put in
/// the order that reads show: when a reader of `a` comes after the writer of `b`, `b` was
/// written before `a`. Each such order makes more transactions come before others; this goes on
/// until nothing changes (saturation, but of neighbours only, which is most of it at a fraction
/// of the cost). Assumes that sessions bind. COST: O((n + m) s) for s sessions, and a little
/// for each later round. With too many sessions by simulate() alone.
VersionGuess guess_by_sessions(const infer::Observations& seen, base::Budget& budget);

}  // namespace isolde::checker
