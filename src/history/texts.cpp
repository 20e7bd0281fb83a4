#include "history/texts.hpp"

#include <algorithm>
#include <string_view>

#include "base/printable.hpp"

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

}  // namespace

std::string History::text(Value value) const {
  if (!is_row(value)) return base::printable_name(history::exact_text(*this, value));
  std::string out;
  for (const ColumnValue& column : columns(value)) {
    out += (out.empty() ? "{" : ", ") + text(column.name) + ": " + text(column.value);
  }
  return out.empty() ? "{}" : out += '}';
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

std::string exact_text(const History& history, Value value) {
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
