#include "certify/external_reads.hpp"

#include "base/assert.hpp"

namespace isolde::certify {

bool is_wrong_row(const History& history, TxnId txn, std::uint32_t op) {
  const Selection* const selection = history.selection_of(txn, op);
  if (selection == nullptr || op >= selection->first + selection->rows) return false;
  const PredicateView condition = history.predicates()[selection->predicate];
  const Op& row = history.ops(txn)[op];
  if (!condition.selects_key(history.key_name(row.key))) return true;
  if (row.kind != OpKind::kReadMatch) return !history.selects(condition, history.seen(row));
  if (!history.read_value(row).is_null()) {
    return !history.selects(condition, history.read_value(row));
  }
  const std::span<const ColumnValue> told = history.read_columns(row);
  // A value that is to be an integer or a given scalar has no columns.
  if (!told.empty() && (condition.values || !condition.equal.is_null())) return true;
  for (const PredicateView::Test& test : condition.tests) {
    for (const ColumnValue& column : told) {
      if (column.name == test.column && !test.passes(column.value)) return true;
    }
  }
  return false;
}

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
    ISOLDE_INVARIANT(own == kNone || (own < at && ops[own].is_write()));
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
          external_.push_back({txn, at, op.key, op.value, {}, std::nullopt});
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
        if (with_absent_rows_ || own != kNone || !history_.fits_initial(op)) {
          split_partial(txn, at);
        }
        break;
      case OpKind::kReadMatch:
        if (is_wrong_row_[at]) {
          inconsistent_.push_back(at);
          break;
        }
        split_partial(txn, at);
        break;
      case OpKind::kReadExcept:
        split_partial(txn, at);
        break;
    }
  }
  ISOLDE_ASSERT(external_.size() + inconsistent_.size() <= ops.size());
}

void ReadSplitter::split_partial(TxnId txn, std::uint32_t at) {
  const std::span<const Op> ops = history_.ops(txn);
  const std::uint32_t own = last_own_write(txn, ops[at].key);
  if (own == kNone) {
    external_.push_back({txn, at, ops[at].key, Value(), {}, ops[at].partial()});
  } else if (!history_.fits(ops[at], ops[own].value)) {
    inconsistent_.push_back(at);
  }
}

void ReadSplitter::find_wrong_rows(TxnId txn) {
  is_wrong_row_.assign(history_.ops(txn).size(), false);
  for (const Selection& selection : history_.selections(txn)) {
    ISOLDE_ASSERT(selection.first + selection.rows <= is_wrong_row_.size());
    for (std::uint32_t at = selection.first; at < selection.first + selection.rows; ++at) {
      is_wrong_row_[at] = is_wrong_row(history_, txn, at);
    }
  }
}

void ReadSplitter::split_list_read(TxnId txn, std::uint32_t at) {
  const std::span<const Op> ops = history_.ops(txn);
  std::span<const Value> front = history_.list(ops[at]);
  std::uint32_t own = last_own_write(txn, ops[at].key);
  for (; own != kNone; own = earlier_write_[own]) {
    ISOLDE_INVARIANT(ops[own].key == ops[at].key);
    ISOLDE_INVARIANT(earlier_write_[own] == kNone || earlier_write_[own] < own);
    if (front.empty() || front.back() != ops[own].value) {
      inconsistent_.push_back(at);
      return;
    }
    front = front.first(front.size() - 1);
  }
  external_.push_back({txn, at, ops[at].key, Value(), front, std::nullopt});
}

}  // namespace isolde::certify
