#include "certify/external_reads.hpp"

namespace isolde::certify {

ReadSplitter::ReadSplitter(const History& history, bool with_absent_rows)
    : history_(history), with_absent_rows_(with_absent_rows), own_write_(history.key_count()) {}

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
  find_wrong_rows(txn);
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
        if (is_wrong_row_[at]) {
          inconsistent_.push_back(at);
        } else if (own == kNone) {
          external_.push_back({at, op.key, op.value, {}, nullptr});
        } else if (op.value != ops[own].value) {
          inconsistent_.push_back(at);
        }
        break;
      case OpKind::kReadList:
        split_list_read(txn, at);
        break;
      case OpKind::kReadUnknown:
        break;
      case OpKind::kReadAbsent:
        if (with_absent_rows_ || own != kNone) split_exclusion(txn, at);
        break;
      case OpKind::kReadExcept:
        split_exclusion(txn, at);
        break;
    }
  }
}

void ReadSplitter::split_exclusion(TxnId txn, std::uint32_t at) {
  const std::span<const Op> ops = history_.ops(txn);
  const Predicate& excluded = history_.predicate(ops[at]);
  const std::uint32_t own = last_own_write(txn, ops[at].key);
  if (own == kNone) {
    external_.push_back({at, ops[at].key, Value(), {}, &excluded});
  } else if (excluded.selects_value(ops[own].value)) {
    inconsistent_.push_back(at);
  }
}

void ReadSplitter::find_wrong_rows(TxnId txn) {
  const std::span<const Op> ops = history_.ops(txn);
  is_wrong_row_.assign(ops.size(), false);
  for (const Selection& selection : history_.selections(txn)) {
    const Predicate& condition = history_.predicates()[selection.predicate];
    for (std::uint32_t at = selection.first; at < selection.first + selection.rows; ++at) {
      is_wrong_row_[at] = !condition.selects_key(history_.key_name(ops[at].key)) ||
                          !condition.selects_value(ops[at].value);
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
  external_.push_back({at, ops[at].key, Value(), front, nullptr});
}

}  // namespace isolde::certify
