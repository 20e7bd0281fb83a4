#include "certify/external_reads.hpp"

namespace isolde::certify {

ReadSplitter::ReadSplitter(const History& history)
    : history_(history), own_write_(history.key_count()) {}

std::uint32_t ReadSplitter::last_own_write(TxnId txn, KeyId key) const {
  const OwnWrite& own = own_write_[key.raw()];
  return own.txn == txn ? own.op : kNone;
}

void ReadSplitter::split(TxnId txn) {
  external_.clear();
  inconsistent_.clear();
  // Forgets what a split of the same transaction left behind.
  for (const Op& op : history_.ops(txn)) own_write_[op.key.raw()] = {};
  const std::span<const Op> ops = history_.ops(txn);
  earlier_write_.assign(ops.size(), kNone);
  for (std::uint32_t at = 0; at < ops.size(); ++at) {
    const Op& op = ops[at];
    const std::uint32_t own = last_own_write(txn, op.key);
    switch (op.kind) {
      case OpKind::kWrite:
      case OpKind::kAppend:
        earlier_write_[at] = own;
        own_write_[op.key.raw()] = {txn, at};
        break;
      case OpKind::kRead:
        if (own == kNone) {
          external_.push_back({at, op.key, op.value, {}});
        } else if (op.value != ops[own].value) {
          inconsistent_.push_back(at);
        }
        break;
      case OpKind::kReadList:
        split_list_read(txn, at);
        break;
      case OpKind::kReadUnknown:
        break;
    }
  }
}

void ReadSplitter::split_list_read(TxnId txn, std::uint32_t at) {
  const std::span<const Op> ops = history_.ops(txn);
  std::span<const Value> front = history_.list(ops[at]);
  std::uint32_t own = last_own_write(txn, ops[at].key);
  for (; own != kNone; own = earlier_write_[own]) {
    if (front.empty() || front.back() != ops[own].value) {
      inconsistent_.push_back(at);
      return;
    }
    front = front.first(front.size() - 1);
  }
  external_.push_back({at, ops[at].key, Value(), front});
}

}  // namespace isolde::certify
