#include "search/order_check.hpp"

namespace isolde::checker {

OrderCheck::OrderCheck(const EventGraph& events)
    : events_(&events),
      sorted_(events.observations().writes_by_key()),
      is_marked_(events.observations().history().key_count(), 0) {
  for (std::size_t key = 0; key < is_marked_.size(); ++key) mark(KeyId::at(key));
}

void OrderCheck::mark(KeyId key) {
  if (is_marked_[key.raw()] != 0) return;
  is_marked_[key.raw()] = 1;
  marked_.push_back(key);
}

void OrderCheck::touch(TxnId txn) {
  const Observations& seen = events_->observations();
  for (const WriteId write : seen.writes(txn)) mark(seen.written_key(write));
  for (const infer::ReadFrom& read : seen.reads(txn)) mark(read.key);
}

}  // namespace isolde::checker
