#include "certify/final_writes.hpp"

#include "base/assert.hpp"

namespace isolde::certify {

FinalWrites::FinalWrites(const History& history) : history_(history) {
  if (history.predicates().empty()) return;
  writes_.resize(history.key_count());
  known_.resize(history.key_count());
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    const TxnId txn = TxnId::at(i);
    if (history.status(txn) == TxnStatus::kAborted) continue;
    for (const Op& op : history.ops(txn)) {
      if (op.kind != OpKind::kWrite) continue;
      std::vector<Write>& writes = writes_[op.key.raw()];
      if (writes.empty() || writes.back().txn != txn) writes.push_back({txn, Value()});
      writes.back().value = op.value;
    }
  }
}

const std::vector<TxnId>& FinalWrites::fitting(const ExternalRead& read) {
  ISOLDE_ASSERT(read.partial);
  // Else whatever somebody wrote would have been selected.
  if (!read.may_be_of_a_write(history_)) return none_;
  ISOLDE_ASSERT(read.key.raw() < known_.size());  // else the history would have no predicate
  const auto [entry, is_new] = known_[read.key.raw()].try_emplace(*read.partial);
  if (!is_new) return entry->second;
  for (const Write& write : writes_[read.key.raw()]) {
    if (read.fits(history_, write.value)) entry->second.push_back(write.txn);
  }
  return entry->second;
}

}  // namespace isolde::certify
