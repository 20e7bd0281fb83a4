// Translates a proof about a part of a history to the whole.
#pragma once

#include <utility>

#include "base/assert.hpp"
#include "history/certificate.hpp"

namespace isolde::checker {

/// txn(TxnId) maps a transaction of the part to the whole's, none to none; key(KeyId) maps a
/// key. REQUIRES: no claims.
template <typename TxnOf, typename KeyOf>
Refutation renumbered(Refutation refutation, const TxnOf& txn, const KeyOf& key) {
  for (RefutationStep& step : refutation.steps) {
    ISOLDE_INVARIANT(step.claims.empty());
    for (VersionOrder& order : step.clause) order = {txn(order.before), txn(order.after)};
    for (Edge& edge : step.cycle) {
      edge.from = txn(edge.from);
      edge.to = txn(edge.to);
      edge.via = txn(edge.via);
      if (edge.key.is_some()) edge.key = key(edge.key);
    }
  }
  return refutation;
}

/// A proof about an infer::Part.
template <typename Part>
Refutation renumbered(Refutation refutation, const Part& part) {
  return renumbered(
      std::move(refutation), [&](TxnId txn) { return part.whole(txn); },
      [&](KeyId key) { return part.whole(key); });
}

}  // namespace isolde::checker
