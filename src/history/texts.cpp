#include "history/texts.hpp"

#include <algorithm>
#include <string_view>

#include "base/printable.hpp"
#include "history/notation.hpp"

namespace isolde {
namespace {

bool is_number(std::string_view name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// "s1:4", "worker:4".
std::string place(const std::string& session, std::size_t position) {
  return (is_number(session) ? "s" : "") + session + ":" + std::to_string(position);
}

/// `own`: the text of the transaction's own name, empty where it has none.
std::string named(Value label, const std::string& own, const std::string& place) {
  if (own.empty()) return place;
  return label.kind() == Value::Kind::kString ? own : "#" + own;
}

/// "7", "7 = 20", "7 = {qty: 3}": a row of a selection, as far as it tells.
std::string row_text(const History& history, const Op& op) {
  const std::string key = history.text(op.key);
  if (op.kind == OpKind::kReadAbsent) return key;
  if (op.kind == OpKind::kRead) return key + " = " + history.text(op.key, history.seen(op));
  if (const Value whole = history.read_value(op); !whole.is_null()) {
    return key + " = " + history.text(op.key, whole);
  }
  if (op.kind != OpKind::kReadMatch || history.read_columns(op).empty()) return key;
  return key + " = " + history.text(History::read_row(op));
}

}  // namespace

std::string History::text(Value value) const {
  if (const Value version = trusted_version(value); !version.is_null()) {
    return text(plain(value)) + '@' + text(version);
  }
  if (!is_row(value)) return base::printable_name(history::exact_text(*this, value));
  std::string out;
  for (const ColumnValue& column : columns(value)) {
    out += (out.empty() ? "{" : ", ") + text(column.name) + ": " + text(column.value);
  }
  return out.empty() ? "{}" : out += '}';
}

std::string History::text(KeyId key) const {
  const Value name = key_name(key);
  const std::string row = history::row_name(*this, name);
  return row.empty() ? text(name) : row;
}

std::string History::text(KeyId key, Value value) const {
  const ValueNotation* const notation = history::notation_of(*this, key);
  if (notation == nullptr || value.is_dead()) return text(value);
  if (value.is_null()) {
    if (!notation->initial) return text(value);
    return notation->fields.front().name + " " + std::to_string(*notation->initial);
  }
  if (!history::amount(*notation, value)) return text(value);
  return history::fields_text(*notation, value.as_integer());
}

std::string History::txn_name(TxnId txn) const {
  const Value own = label(txn);
  return named(own, own.is_null() ? std::string() : text(own), place_name(txn));
}

std::string History::place_name(TxnId txn) const {
  return place(history::session_text(*this, session_of(txn)), position_of(txn));
}

namespace history {

std::string session_text(const History& history, SessionId session) {
  return base::printable_name(history.session_name(session));
}

std::string key_text(const History& history, KeyId key) {
  const Value name = history.key_name(key);
  const std::string text = history.text(key);
  const bool is_named = name.kind() == Value::Kind::kString || !row_name(history, name).empty();
  return is_named ? text : "key " + text;
}

std::string_view lock_text(LockMode mode) {
  switch (mode) {
    case LockMode::kShare:
      return " for share";
    case LockMode::kUpdate:
      return " for update";
    case LockMode::kNone:
      break;
  }
  return "";
}

std::string selection_text(const History& history, TxnId txn, const Selection& selection,
                           std::span<const std::uint32_t> named) {
  if (selection.is_aggregate()) return history.text(selection);
  constexpr std::size_t kRowsTold = 6;
  const std::span<const Op> ops = history.ops(txn);
  std::string rows;
  std::string left_out;
  std::size_t told = 0;
  for (std::uint32_t at = selection.first; at < selection.end(); ++at) {
    const bool is_row = ops[at].kind != OpKind::kReadAbsent;
    if (!std::ranges::binary_search(named, at) && !(is_row && told < kRowsTold)) continue;
    std::string& list = is_row ? rows : left_out;
    told += is_row ? 1 : 0;
    list += (list.empty() ? "" : ", ") + row_text(history, ops[at]);
  }
  if (selection.rows > told) rows += " and " + std::to_string(selection.rows - told) + " more";
  return history.text(selection) + " -> " + (rows.empty() ? "nothing" : rows) +
         (left_out.empty() ? "" : "; left out " + left_out);
}

std::vector<std::string> op_texts(const History& history, TxnId txn) {
  std::vector<std::string> texts;
  const std::span<const Op> ops = history.ops(txn);
  for (std::uint32_t at = 0; at < ops.size(); ++at) {
    const Selection* const selection = history.selection_of(txn, at);
    if (selection == nullptr) {
      texts.push_back(history.op_text(ops[at]));
      continue;
    }
    std::vector<std::uint32_t> all;
    for (; at < selection->end(); ++at) all.push_back(at);
    --at;
    texts.push_back(selection_text(history, txn, *selection, all));
  }
  return texts;
}

std::string exact_text(const History& history, Value value) {
  value = history.plain(value);
  if (value.kind() == Value::Kind::kString) return std::string(history.pooled_text(value));
  return history.json(value);
}

std::string exact_txn_name(const History& history, TxnId txn) {
  const Value own = history.label(txn);
  const std::string& session = history.session_name(history.session_of(txn));
  return named(own, own.is_null() ? std::string() : exact_text(history, own),
               place(session, history.position_of(txn)));
}

}  // namespace history
}  // namespace isolde
