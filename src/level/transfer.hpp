// Using one level's proof for another level.
//
// Witnesses go down the lattice. An order that satisfies a stronger level's commit test
// satisfies a weaker one's, read by read: Crooks' levels differ in which states a read may
// come from, and the weaker level allows more (Crooks et al., PODC 2017). Three things can
// spoil that, and fit() rules them out. An order with a begin and a commit for each transaction
// says too much where only commits count; commits_only() leaves the begins out. Levels that
// look at each session or each key by itself test a read at its own moment, and an order of
// whole transactions serves there only if each transaction read from one state. And mixed
// levels name a snapshot for each transaction that has one.
//
// Refutations go up. A cycle of dependencies that a weaker level counts is a cycle at the
// stronger one, if that level counts each of these kinds (Adya's DSG: each level forbids cycles
// of certain kinds) and if the cycle closes there: at snapshot levels a cycle runs through
// begins and commits, and what arrives at a commit cannot leave by the begin, so two
// anti-dependencies in a row break it. transfer() also goes down, where a refutation happens to
// use only what the weaker level counts, which saves that level's search. Session order turns
// into real time where only that binds and the clients' times bear it out, edge by edge.
//
// The verifier does not know of any of this: each proof that comes out is verified at the level
// that it is claimed for.
#pragma once

#include <cstdint>
#include <optional>

#include "isolde/certificate.hpp"

namespace isolde::checker {

/// How a witness of one level serves another one.
enum class Fit : std::uint8_t {
  kNone,
  kAsIs,
  kCommitsOnly,  ///< after commits_only()
};

/// REQUIRES: `proved` implies `level`, and the witness proves it.
Fit fit(const Witness& witness, const LevelInfo& proved, const LevelInfo& level);

/// The order of commits alone, for levels that see no snapshots.
Witness commits_only(const Witness& witness);

/// The refutation of `proved` in the form that refutes `level`, or none where it does not: each
/// of its dependencies must count there and its cycles must still close. Session order edges
/// become real-time edges where only real time binds.
std::optional<Refutation> transfer(const History& history, const Refutation& refutation,
                                   const LevelInfo& proved, const LevelInfo& level,
                                   std::int64_t clock_error_ns);

}  // namespace isolde::checker
