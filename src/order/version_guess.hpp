// VersionGuess: a good guess at the order of each key's versions.
//
// A sweep needs one order of versions for each key, and sorts the transactions by it. The guess
// need not be right: a sweep that succeeds yields a witness, which the verifier accepts or not,
// and one that fails proves nothing. So nothing here is a reason for a verdict.
//
// With client times, versions are ordered by when clients learned of the commits. A database
// that commits in the order of its answers is explained by that order, up to transactions that
// overlap; the sweep exchanges those.
//
// Without times, a transaction's place is before / (1 + before + after), where `before` counts
// the transactions that certainly precede it by sessions and read-from, and `after` those that
// follow it. Each count is one clock a session, merged along these edges: the vector clocks of
// Fidge and Mattern (1988), where the maximum over all predecessors says how far each session
// has come. Then neighbouring versions a, b of a key are put in the order that reads show:
//
//   the writer of a, or a reader of a, precedes the writer of b: a comes first;
//   the writer of a precedes a reader of b:                      a comes first.
//
// Both follow from each read seeing the last version before it. An order that is so forced
// makes the writer and the readers of a precede the writer of b, so clocks grow and force more
// orders, in rounds. That is saturation (prune/saturation.hpp) restricted to neighbours. It
// finds most of what saturation finds, because versions that are far apart are mostly ordered
// through those in between, and keeps one place a version instead of one a pair of writers.
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
