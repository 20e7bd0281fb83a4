#include "explain/evidence.hpp"

#include <algorithm>

namespace isolde::explain {
namespace {

std::size_t position_in(std::span<const Value> list, Value value) {
  return static_cast<std::size_t>(std::find(list.begin(), list.end(), value) - list.begin());
}

/// A list read that shows an element of `before` ahead of one of `after`.
bool shows_order(const History& history, const Op& read, VersionOrder order) {
  const std::span<const Value> list = history.list(read);
  std::size_t first = list.size();
  std::size_t last = list.size();
  for (const Op& op : history.ops(order.before)) {
    if (op.kind == OpKind::kAppend && op.key == read.key) {
      first = std::min(first, position_in(list, op.value));
    }
  }
  for (const Op& op : history.ops(order.after)) {
    if (op.kind != OpKind::kAppend || op.key != read.key) continue;
    const std::size_t at = position_in(list, op.value);
    if (at < list.size()) last = at;
  }
  return first < list.size() && last < list.size() && first < last;
}

std::optional<DirectOrder> shown_by_list(const History& history, VersionOrder order,
                                         KeyId key) {
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    if (history.status(txn) == TxnStatus::kAborted) continue;
    const std::span<const Op> ops = history.ops(txn);
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
      if (ops[i].kind != OpKind::kReadList || ops[i].key != key) continue;
      if (shows_order(history, ops[i], order)) return DirectOrder{{txn, i}, key};
    }
  }
  return std::nullopt;
}

}  // namespace

const Op& op_at(const History& history, OpRef ref) { return history.ops(ref.txn)[ref.op]; }

std::span<const Value> before_own_elements(const History& history, TxnId reader,
                                           const Op& read) {
  const std::span<const Value> list = history.list(read);
  std::size_t end = list.size();
  for (const Op& op : history.ops(reader)) {
    if (op.kind == OpKind::kAppend && op.key == read.key) {
      end = std::min(end, position_in(list, op.value));
    }
  }
  return list.first(end);
}

std::optional<OpRef> final_write(const History& history, TxnId txn, KeyId key) {
  const std::span<const Op> ops = history.ops(txn);
  for (std::uint32_t i = static_cast<std::uint32_t>(ops.size()); i-- > 0;) {
    if (ops[i].key == key && ops[i].is_write()) return OpRef{txn, i};
  }
  return std::nullopt;
}

std::optional<OpRef> read_of(const History& history, TxnId reader, KeyId key, TxnId writer,
                             std::uint32_t begin) {
  Value wanted;
  if (writer.is_some()) {
    const std::optional<OpRef> write = final_write(history, writer, key);
    if (!write) return std::nullopt;
    wanted = op_at(history, *write).value;
  }
  const std::span<const Op> ops = history.ops(reader);
  std::optional<OpRef> any_list;
  std::optional<OpRef> exclusion;  // may have read it
  for (std::uint32_t i = begin; i < ops.size(); ++i) {
    if (ops[i].key != key) continue;
    if (ops[i].kind == OpKind::kRead && ops[i].value == wanted) return OpRef{reader, i};
    const bool may = ops[i].is_exclusion() && !history.predicate(ops[i]).selects_value(wanted);
    if (may && !exclusion) exclusion = OpRef{reader, i};
    if (ops[i].kind != OpKind::kReadList) continue;
    const std::span<const Value> list = before_own_elements(history, reader, ops[i]);
    if (writer.is_none() ? list.empty() : (!list.empty() && list.back() == wanted)) {
      return OpRef{reader, i};
    }
    if (!any_list && writer.is_some() && position_in(list, wanted) < list.size()) {
      any_list = OpRef{reader, i};
    }
  }
  return any_list ? any_list : exclusion;
}

std::optional<OpRef> read_of(const History& history, TxnId reader, TxnId writer) {
  std::optional<OpRef> first;
  for (const Op& op : history.ops(reader)) {
    if (!op.is_read()) continue;
    const std::optional<OpRef> found = read_of(history, reader, op.key, writer);
    if (found && (!first || found->op < first->op)) first = found;
  }
  return first;
}

std::optional<DirectOrder> direct_order(const History& history, VersionOrder order) {
  for (const Op& op : history.ops(order.after)) {
    if (!op.is_read()) continue;
    if (const std::optional<OpRef> read = read_of(history, order.after, op.key, order.before)) {
      return DirectOrder{*read, op.key};
    }
  }
  for (const Op& op : history.ops(order.before)) {
    if (op.kind != OpKind::kAppend) continue;
    if (!final_write(history, order.after, op.key)) continue;
    if (const auto shown = shown_by_list(history, order, op.key)) return shown;
  }
  return std::nullopt;
}

std::optional<KeyId> common_written_key(const History& history, TxnId first, TxnId second) {
  for (const Op& op : history.ops(first)) {
    if (op.is_write() && final_write(history, second, op.key)) return op.key;
  }
  return std::nullopt;
}

std::vector<std::uint32_t> ops_on(const History& history, TxnId txn,
                                  const std::vector<KeyId>& keys) {
  std::vector<std::uint32_t> found;
  const std::span<const Op> ops = history.ops(txn);
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    if (std::find(keys.begin(), keys.end(), ops[i].key) != keys.end()) found.push_back(i);
  }
  return found;
}

}  // namespace isolde::explain
