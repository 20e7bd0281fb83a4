// How far the operations on a key can be put in order: for histories that are not linearizable.
// A certificate says with whose end no order was left, and has no order of the others; here one
// is looked for again.
#pragma once

#include <optional>
#include <vector>

#include "isolde/history.hpp"

namespace isolde::explain {

/// An order of transactions on the register `key`, each at a moment between its start and its
/// end, that explains all that had returned before `until` did. It has all of these, perhaps
/// some others that had started, and not `until`. None: there is no such order, the key is a
/// list, times are missing, or the search takes too long.
/// COST: linear in the history, and bounded in the operations on the key.
std::optional<std::vector<TxnId>> find_furthest(const History& history, KeyId key, TxnId until);

}  // namespace isolde::explain
