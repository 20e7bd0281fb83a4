#include "infer/exclusion_sources.hpp"

#include <algorithm>

namespace isolde::infer {

ExclusionSources::ExclusionSources(const History& history, base::Budget& budget)
    : history_(history), budget_(budget) {
  if (history.predicates().empty()) return;
  std::vector<TxnId> seen;
  writes_ = base::Csr<FinalWrite>::build(history.key_count(), [&](const auto& add) {
    seen.assign(history.key_count(), TxnId::none());
    for (std::size_t t = 0; t < history.txn_count(); ++t) {
      const TxnId txn = TxnId::at(t);
      if (history.status(txn) == TxnStatus::kAborted) continue;
      const std::span<const Op> ops = history.ops(txn);
      budget.spend(ops.size());
      // Going backwards, the first write of a key is its final one.
      for (std::size_t i = ops.size(); i-- > 0;) {
        if (ops[i].kind != OpKind::kWrite || seen[ops[i].key.raw()] == txn) continue;
        seen[ops[i].key.raw()] = txn;
        add(ops[i].key.raw(), FinalWrite{txn, ops[i].value});
      }
    }
  });
}

std::span<const TxnId> ExclusionSources::find(const Op& op) {
  const Predicate& predicate = history_.predicate(op);
  // Else any value that somebody wrote would have been selected.
  if (!history_.may_have_seen_a_write(op) || budget_.exhausted()) return {};
  const std::uint64_t name = (std::uint64_t{op.key.raw()} << 32) | op.value.bits();
  const auto [entry, is_new] = known_.try_emplace(name);
  if (is_new) {
    const std::span<const FinalWrite> writes = writes_.row(op.key.raw());
    budget_.spend(writes.size() * 2);
    for (const FinalWrite& write : writes) {
      if (!predicate.selects_value(write.value)) entry->second.push_back(write.txn);
    }
  }
  return entry->second;
}

bool ExclusionSources::any(TxnId reader, const Op& op) {
  const std::span<const TxnId> found = find(op);
  return found.size() > 1 || (found.size() == 1 && found.front() != reader);
}

}  // namespace isolde::infer
