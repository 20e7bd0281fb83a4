// How far the operations on a key can be put in order: for histories that are not linearizable.
// A certificate says with whose end no order was left, or why there is none, and has no order
// of the others; here one is looked for again.
#pragma once

#include <cstdint>
#include <vector>

#include "isolde/history.hpp"

namespace isolde::explain {

struct Furthest {
  enum class Search : std::uint8_t {
    kNone,       ///< nothing was searched: clocks may be apart, times are missing, a selection
                 ///< returned what it does not select, or sums are not known
    kGivenUp,    ///< it took too long
    kExhausted,  ///< there is no such order; or, where one was looked for that gets furthest,
                 ///< there is one of all
    kFound,
  };
  Search search = Search::kNone;
  /// kFound: the transactions in that order; kGivenUp: in the one that got furthest, if any.
  std::vector<TxnId> order;
  TxnId until;  ///< what ended first of what has no place there
  bool found() const { return search == Search::kFound; }
};

/// An order of transactions on the register or list `key`, each at a moment between its start
/// and its end, that explains all that had returned before `until` did. It has all of these,
/// perhaps some others that had started, and not `until`. COST: linear in the history, and
/// bounded in the operations on the key.
Furthest find_furthest(const History& history, KeyId key, TxnId until);

/// The same of all orders of what started by the moment `limit`, where it is not known with
/// whose end none is left: one that explains the most of what had returned, in the order of the
/// ends. REQUIRES: clocks agree. COST: the same.
Furthest find_furthest_by(const History& history, KeyId key, std::int64_t limit);

}  // namespace isolde::explain
