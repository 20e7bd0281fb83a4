// Where in a large history to look for a small part that shows the same violation: the
// transactions that the proof names, and those that the verifier consults about them. The
// result is correct even if this is not: a part that does not violate the level is rejected.
#pragma once

#include <cstdint>
#include <vector>

#include "base/budget.hpp"
#include "history/certificate.hpp"
#include "isolde/history.hpp"

namespace isolde::minimize {

/// Transactions that the core of a proof of violation names, ascending; of an exhaustion those
/// that use its key. COST: linear in the proof, of exhaustions in the history.
std::vector<TxnId> named_txns(const History& history, const Certificate& certificate);

/// For each view edge that rests on causes, transactions on a path from the one that was
/// visible to the reader. Empty where the history does not determine read-from.
/// COST: nothing without such edges, else linear in the history.
std::vector<TxnId> causes_of_views(const History& history, const Certificate& certificate,
                                   base::Budget& budget);

/// Which transactions to add.
enum class Reach : std::uint8_t {
  kReaders,  ///< somebody who read from each of unknown outcome; who read most of each list
             ///< that they append to, in the session that the proof is about if there is one
  kSources,  ///< and all who wrote what they read; of lists, the last element of others
  kAll,      ///< and all who appended to lists that they read, or wrote what they did not read
};

/// `txns` and those that `reach` adds; ascending. COST: linear in the history.
std::vector<TxnId> widened(const History& history, const std::vector<TxnId>& txns,
                           SessionId session, Reach reach);

}  // namespace isolde::minimize
