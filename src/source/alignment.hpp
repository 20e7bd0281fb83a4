// Aligns sessions by the values that they read and wrote: where nothing tells when transactions
// ran, and values repeat, finds places for all transactions in one order.
//
// Each session is a hidden Markov model over bins of time. Its transactions follow each other,
// the gaps between them exponential, and each fits where the keys probably held what it read,
// and where others soon read what it wrote. What the keys held when is known from the other
// sessions (value_tracks.hpp), as far as these are placed. So the sessions are aligned in turn,
// a few at a time, against where the others are by now, and all over again some times: a mean
// field (Saul & Jordan, NIPS 1995; of factorial hidden Markov models: Ghahramani & Jordan,
// Machine Learning 29, 1997). A session's own reads and writes do not count for its own place,
// or it would stay where it is.
//
// Each read by itself fits at one of ten places or so; a session's transactions fit together at
// one only. Hence a stretch of a session that began hundreds of places off still finds where it
// belongs, as long as most others are right, where pulls towards the nearest that fits
// (pace_guess.hpp) leave it.
#pragma once

#include <span>
#include <vector>

#include "base/budget.hpp"
#include "infer/observations.hpp"

namespace isolde::checker {

/// In units of one transaction.
struct SupposedPlace {
  double middle = 0;
  double spread = 0;  ///< standard deviation
};

/// Better places, by transaction; empty where reads tell nothing, or budget or memory did not
/// suffice. `chains` are the sessions' transactions that count. COST: for each session some
/// passes over bins times states of keys; and over operations times bins that the session may
/// be off.
std::vector<SupposedPlace> align_by_values(const infer::Observations& seen,
                                           const std::vector<std::vector<TxnId>>& chains,
                                           const std::vector<double>& places,
                                           base::Budget& budget);

}  // namespace isolde::checker
