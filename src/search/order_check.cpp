#include "search/order_check.hpp"

namespace isolde::checker {

OrderCheck::OrderCheck(const EventGraph& events)
    : events_(&events), is_marked_(events.observations().history().key_count(), 0) {
  const Observations& seen = events.observations();
  const std::size_t key_count = seen.history().key_count();
  sorted_ = base::Csr<WriteId>::build(key_count, [&](const auto& add) {
    for (std::size_t key = 0; key < key_count; ++key) {
      for (const WriteId write : seen.writes_of(KeyId::at(key))) add(key, write);
    }
  });
  for (std::size_t key = 0; key < key_count; ++key) mark(KeyId::at(key));
}

void OrderCheck::mark(KeyId key) {
  if (is_marked_[key.raw()] != 0) return;
  is_marked_[key.raw()] = 1;
  marked_.push_back(key);
}

void OrderCheck::touch(NodeId node) {
  if (!events_->is_txn(node)) return;
  const Observations& seen = events_->observations();
  const TxnId txn = events_->txn(node);
  for (const WriteId write : seen.writes(txn)) {
    mark(seen.written_key(write));
  }
  for (const infer::ReadFrom& read : seen.reads(txn)) mark(read.key);
}

}  // namespace isolde::checker
