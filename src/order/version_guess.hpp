// VersionGuess: a good guess at the order of each key's versions.
//
// A sweep needs one order of versions for each key, and sorts the transactions by it. The guess
// need not be right: a sweep that succeeds yields a witness, which the verifier accepts or not,
// and one that fails proves nothing. So no verdict rests on anything here.
//
// With client times, versions are ordered by when clients learned of the commits, those of
// lists as reads show them. That order explains a database that commits in the order of its
// answers, up to concurrent transactions; the sweep exchanges those.
//
// Without times, a transaction's place is before / (1 + before + after), where `before` counts
// the transactions that precede it by sessions and read-from, if sessions bind, and `after`
// those that follow it. Each count is one clock a session, merged along these edges: the vector
// clocks of Fidge and Mattern (1988), where the maximum over all predecessors says how far each
// session has come. Then neighbouring versions a, b of a key are put in the order that reads
// show:
//
//   the writer of a, or a reader of a, precedes the writer of b: a comes first;
//   the writer of a precedes a reader of b:                      a comes first.
//
// The second holds because each read sees the last version before it. A forced order makes the
// writer and the readers of a precede the writer of b, so clocks grow and force more orders, in
// rounds, of which there are a dozen at most. That is saturation (prune/saturation.hpp)
// restricted to neighbours. It finds most of what saturation finds, because versions that are
// far apart are mostly ordered through those in between, and keeps one place a version instead
// of one a pair of writers.
#pragma once

#include <cstdint>
#include <vector>

#include "base/budget.hpp"
#include "infer/observations.hpp"

namespace isolde::checker {

/// Invariant: N1 of two neighbours each names the other.
struct VersionGuess {
  /// Neighbours in the order of a key's versions; none: there is no neighbour.
  struct Neighbours {
    infer::WriteId before;
    infer::WriteId after;
  };

  /// Exchanges the write with the version before it. REQUIRES: there is one.
  void exchange(infer::WriteId write);

  /// All included transactions, roughly in commit order; fewer: there is no guess.
  std::vector<TxnId> order;
  std::vector<Neighbours> neighbours;  ///< by write
  /// By write: reads force its order after the version before it. Empty: none is forced.
  std::vector<bool> forced;
};

/// By client times: the order in which clients learned of the commits. COST: O(n log n + m).
VersionGuess guess_by_time(const infer::Observations& seen, base::Budget& budget);

/// Without times: estimates a transaction's place from how many certainly come before and after
/// it by sessions and read-from. Then puts neighbouring versions in the order that reads show:
/// when a reader of `a` comes after the writer of `b`, `b` was written before `a`. Each such
/// order makes more transactions come before others; this repeats until nothing changes
/// (saturation of neighbours only, which is most of it at a fraction of the cost). Assumes that
/// sessions bind. COST: O((n + m) s) for s sessions, and a little for each later round. With
/// too many sessions by simulate() alone.
VersionGuess guess_by_sessions(const infer::Observations& seen, base::Budget& budget);

}  // namespace isolde::checker
