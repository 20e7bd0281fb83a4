// ReadWalk: visits each transaction's reads and compares them with its own earlier writes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "infer/local_keys.hpp"
#include "isolde/history.hpp"

namespace isolde::infer {

/// A row of a selection that its predicate does not select, whatever it holds in the columns
/// that were not returned.
inline bool is_unselected_row(const History& history, TxnId txn, std::size_t i) {
  const Selection* const selection = history.selection_of(txn, i);
  if (selection == nullptr || i >= selection->first + selection->rows) return false;
  const Op& row = history.ops(txn)[i];
  const PredicateView predicate = history.predicates()[selection->predicate];
  if (!predicate.selects_key(history.key_name(row.key))) return true;
  if (row.kind != OpKind::kReadMatch) return !history.selects(predicate, history.seen(row));
  const Value whole = history.read_value(row);
  if (!whole.is_null()) return !history.selects(predicate, whole);
  if (predicate.values || !predicate.equal.is_null()) {
    return !history.read_columns(row).empty();
  }
  const std::span<const ColumnValue> told = history.read_columns(row);
  return std::any_of(
      predicate.tests.begin(), predicate.tests.end(), [&](const PredicateView::Test& test) {
        const auto held =
            std::find_if(told.begin(), told.end(),
                         [&](const ColumnValue& column) { return column.name == test.column; });
        return held != told.end() && !test.passes(held->value);
      });
}

/// Buffers reused from one transaction to the next; each thread has its own.
class ReadWalk {
 public:
  static constexpr std::uint32_t kNoOp = 0xffffffffU;

  /// By operation of the transaction visited last or now: the first one that uses the same key.
  std::span<const std::uint32_t> first_uses() const { return first_uses_; }

  /// Calls on_external(op index, op, external list part) for each read that the transaction's
  /// own writes do not answer, and on_internal(op index, op) for reads that contradict them or
  /// their selection's condition.
  template <typename External, typename Internal>
  void visit(const History& history, TxnId txn, const External& on_external,
             const Internal& on_internal) {
    const std::span<const Op> ops = history.ops(txn);
    first_uses_ = keys_.first_uses(ops);
    own_last_.assign(ops.size(), kNoOp);
    if (own_before_.size() < ops.size()) own_before_.resize(ops.size());
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const Op& op = ops[i];
      std::uint32_t& own = own_last_[first_uses_[i]];
      if (op.is_write()) {
        own_before_[i] = std::exchange(own, static_cast<std::uint32_t>(i));
        continue;
      }
      if (op.kind == OpKind::kReadUnknown) continue;
      if (op.is_partial()) {
        if (op.kind == OpKind::kReadMatch && is_unselected_row(history, txn, i)) {
          on_internal(i, op);
        } else if (own == kNoOp) {
          on_external(i, op, std::span<const Value>());
        } else if (!history.fits(op, ops[own].value)) {
          on_internal(i, op);
        }
        continue;
      }
      if (op.kind == OpKind::kRead) {
        if (is_unselected_row(history, txn, i)) {
          on_internal(i, op);
        } else if (own == kNoOp) {
          on_external(i, op, std::span<const Value>());
        } else if (ops[own].value != op.value) {
          on_internal(i, op);
        }
        continue;
      }
      std::span<const Value> list = history.list(op);
      if (own != kNoOp && !strip_own(ops, own, list)) {
        on_internal(i, op);
      } else {
        on_external(i, op, list);
      }
    }
  }

 private:
  /// Removes the transaction's own elements, of which `own` is the last, from the end; false
  /// when they are not there.
  bool strip_own(std::span<const Op> ops, std::uint32_t own,
                 std::span<const Value>& list) const {
    for (; own != kNoOp; own = own_before_[own]) {
      if (list.empty() || list.back() != ops[own].value) return false;
      list = list.first(list.size() - 1);
    }
    return true;
  }

  LocalKeys keys_;
  std::span<const std::uint32_t> first_uses_;
  std::vector<std::uint32_t> own_last_;    // by first use of a key: the write before
  std::vector<std::uint32_t> own_before_;  // by write: the one of the same key before it
};

}  // namespace isolde::infer
