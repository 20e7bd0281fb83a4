#include "linear/joined_keys.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace isolde::checker {

bool each_uses_one_key(const History& history) {
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    const TxnId txn = TxnId::at(i);
    if (history.status(txn) == TxnStatus::kAborted) continue;
    KeyId used;
    for (const Op& op : history.ops(txn)) {
      if (op.kind == OpKind::kReadUnknown) continue;
      if (used.is_some() && op.key != used) return false;
      used = op.key;
    }
  }
  return true;
}

/// Each transaction takes effect at a moment between its start and its end: the latest start
/// among those up to it in its key's order, which is no later than its end. Of two that real
/// time orders, the first has the earlier moment.
Witness join_keys(const History& history, const KeyWitness& keys) {
  struct Step {
    std::int64_t moment = kNoTime;
    TxnId txn;
  };
  std::vector<Step> steps;
  std::vector<bool> is_in(history.txn_count(), false);
  for (std::size_t key = 0; key + 1 < keys.begin.size(); ++key) {
    std::int64_t moment = kNoTime;
    for (std::size_t at = keys.begin[key]; at < keys.begin[key + 1]; ++at) {
      const TxnId txn = keys.order[at];
      moment = std::max(moment, history.times(txn).start);
      steps.push_back({moment, txn});
      is_in[txn.raw()] = true;
    }
  }
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    const TxnId txn = TxnId::at(i);
    if (is_in[i] || history.status(txn) != TxnStatus::kCommitted) continue;
    steps.push_back({history.times(txn).start, txn});
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.moment < b.moment; });
  Witness witness;
  for (const Step& step : steps) witness.order.push_back(step.txn);
  return witness;
}

}  // namespace isolde::checker
