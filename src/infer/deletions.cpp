#include "infer/deletions.hpp"

#include <span>

#include "infer/observations.hpp"

namespace isolde::infer {

Deletions find_deletions(const Observations& seen, base::Budget& budget) {
  const History& history = seen.history();
  if (!history.origin().rows_are_deleted) return {};
  budget.spend(history.op_count() * 2);
  Deletions found;
  found.dead.assign(seen.write_count(), 0);
  found.deleters.resize(history.key_count());
  bool any = false;
  std::vector<TxnId> met(history.key_count());  // by key: who wrote it, from the end on
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    if (history.status(txn) == TxnStatus::kAborted) continue;
    const std::span<const Op> ops = history.ops(txn);
    for (std::size_t i = ops.size(); i-- > 0;) {
      const KeyId key = ops[i].key;
      const bool is_last = ops[i].kind == OpKind::kWrite && met[key.raw()] != txn;
      if (is_last) met[key.raw()] = txn;
      if (!is_last || !ops[i].is_delete()) continue;
      any = true;
      Deleters& deleters = found.deleters[key.raw()];
      deleters.add(txn);
      const bool is_here = seen.is_included(txn);
      if (!is_here || seen.is_doubtful(txn)) deleters.are_doubtful = true;
      if (is_here) found.dead[seen.find_write(txn, key).raw()] = 1;
    }
  }
  return any ? found : Deletions();
}

}  // namespace isolde::infer
