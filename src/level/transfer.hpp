// Using one level's proof for another level.
//
// Witnesses go down the lattice. An order that satisfies a stronger level's commit test
// satisfies a weaker one's, read by read: Crooks' levels differ in which states a read may come
// from, and the weaker level allows more (Crooks et al., PODC 2017). Three exceptions are
// handled by fit(). Where only commits count, commits_only() drops the begins of an order with
// a begin and a commit for each transaction. Levels tested session by session or key by key
// test each read separately, so an order of whole transactions proves causal consistency and
// the like only if each transaction read from one state, and linearizability only if it is
// serial; the guarantees about writes alone need nothing. And mixed levels name a snapshot for
// each transaction that has one. (fit() also serves the search for sequential consistency,
// which tries the orders found for causal consistency.)
//
// Refutations go up. A cycle of dependencies that a weaker level counts is a cycle at the
// stronger one, if that level counts each of these kinds (Adya's DSG: each level forbids cycles
// of certain kinds) and if the cycle closes there: at snapshot levels a cycle runs through
// begins and commits, and what arrives at a commit cannot leave by the begin, so two
// anti-dependencies in a row break it, and at prefix consistency a version order before one;
// parallel snapshot isolation allows one at most. Refutations at levels that look at one key or
// session alone, at mixed levels, at read uncommitted and by the database's times have limits
// of their own, which transfer() names. It also goes down, where a refutation happens to
// use only what the weaker level counts, which saves that level's search. Session order becomes
// real time where only that binds and the clients' times confirm it, edge by edge.
//
// The verifier knows nothing of this: it verifies each resulting proof at the level that it is
// claimed for.
#pragma once

#include <cstdint>
#include <optional>

#include "history/certificate.hpp"

namespace isolde::checker {

/// How a witness of one level proves another.
enum class Fit : std::uint8_t {
  kNone,
  kAsIs,
  kCommitsOnly,  ///< after commits_only()
};

/// REQUIRES: `proved` implies `level`, and the witness proves it.
Fit fit(const Witness& witness, const LevelInfo& proved, const LevelInfo& level);

/// The commit order alone, for levels without snapshots.
Witness commits_only(const Witness& witness);

/// The refutation of `proved` in the form that refutes `level`, or none where it does not: each
/// of its dependencies must count there and its cycles must still close. Session order edges
/// become real-time edges where only real time binds.
std::optional<Refutation> transfer(const History& history, const Refutation& refutation,
                                   const LevelInfo& proved, const LevelInfo& level,
                                   std::int64_t clock_error_ns);

}  // namespace isolde::checker
