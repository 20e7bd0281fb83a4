// How far the operations on a key can be put in order: for histories that are not linearizable.
// A certificate says with whose end no order was left, and has no order of the others; here one
// is looked for again.
#pragma once

#include <cstdint>
#include <vector>

#include "isolde/history.hpp"

namespace isolde::explain {

struct Furthest {
  enum class Search : std::uint8_t {
    kNone,       ///< nothing was searched: clocks may be apart, times are missing, or the key
                 ///< is a list, a row that was selected, or has sums that are not known
    kGivenUp,    ///< it took too long
    kExhausted,  ///< there is no such order
    kFound,
  };
  Search search = Search::kNone;
  std::vector<TxnId> order;  ///< kFound: the transactions in that order
  bool found() const { return search == Search::kFound; }
};

/// An order of transactions on the register `key`, each at a moment between its start and its
/// end, that explains all that had returned before `until` did. It has all of these, perhaps
/// some others that had started, and not `until`.
/// COST: linear in the history, and bounded in the operations on the key.
Furthest find_furthest(const History& history, KeyId key, TxnId until);

}  // namespace isolde::explain
