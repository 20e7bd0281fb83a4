#include "replay/numbering.hpp"

#include <algorithm>
#include <set>

#include "base/assert.hpp"
#include "base/printable.hpp"
#include "history/initial.hpp"
#include "history/notation.hpp"
#include "history/texts.hpp"

namespace isolde::replay {
namespace {

/// Integers that are not taken, in ascending order.
class FreeNumbers {
 public:
  FreeNumbers(std::int64_t first, std::set<std::int64_t> taken)
      : next_(first), taken_(std::move(taken)) {}
  std::int64_t take() {
    while (taken_.contains(next_)) ++next_;
    return next_++;
  }

 private:
  std::int64_t next_;
  std::set<std::int64_t> taken_;
};

bool is_integer(Value value) { return value.kind() == Value::Kind::kInteger; }

template <typename Do>
void for_values(const History& history, Do act) {
  for (const KeyId key : history::keys_with_contents(history)) {
    act(history.initial(key));
    for (const Value element : history.initial_list(key)) act(element);
  }
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    for (const Op& op : history.ops(TxnId::at(t))) {
      if (op.kind == OpKind::kRead || op.is_write()) act(op.value);
      if (op.kind == OpKind::kReadExcept) act(history.predicate(op).equal);
      if (op.kind != OpKind::kReadList) continue;
      for (const Value element : history.seen_list(op)) act(element);
    }
  }
}

}  // namespace

Numbering::Numbering(const History& history, Sessions sessions)
    : history_(history), sessions_(sessions) {
  number_keys();
  number_values();
}

void Numbering::number_keys() {
  std::set<std::int64_t> taken;
  for (std::size_t k = 0; k < history_.key_count(); ++k) {
    const Value name = history_.key_name(KeyId::at(k));
    if (is_integer(name)) taken.insert(name.as_integer());
  }
  FreeNumbers free(0, taken);
  keys_.assign(history_.key_count(), 0);
  std::vector<char> used(history_.key_count(), 0);
  for (std::size_t t = 0; t < history_.txn_count(); ++t) {
    for (const Op& op : history_.ops(TxnId::at(t))) {
      if (used[op.key.raw()] != 0) continue;
      used[op.key.raw()] = 1;
      const Value name = history_.key_name(op.key);
      const db::Key number = is_integer(name) ? name.as_integer() : free.take();
      keys_[op.key.raw()] = number;
      (history_.is_list(op.key) ? lists_ : registers_).push_back(number);
    }
  }
  std::sort(registers_.begin(), registers_.end());
  std::sort(lists_.begin(), lists_.end());
}

void Numbering::number_values() {
  std::set<std::int64_t> taken;
  for_values(history_, [&](Value value) {
    if (is_integer(value)) taken.insert(value.as_integer());
  });
  FreeNumbers free(1, std::move(taken));
  for_values(history_, [&](Value value) {
    if (value.is_absent() || is_integer(value) || values_.contains(value.bits())) return;
    const std::int64_t number = free.take();
    values_[value.bits()] = number;
    names_[number] = value;
  });
}

std::int64_t Numbering::value(Value value) const {
  if (is_integer(value)) return value.as_integer();
  const auto found = values_.find(value.bits());
  ISOLDE_CHECK(found != values_.end());
  return found->second;
}

std::string Numbering::session_letter(std::size_t session) {
  std::string letters;
  for (std::size_t rest = session + 1; rest > 0; rest = (rest - 1) / 26) {
    letters.insert(letters.begin(), static_cast<char>('A' + (rest - 1) % 26));
  }
  return letters;
}

std::string Numbering::recorded_session(std::size_t session) const {
  return sessions_ == Sessions::kLetters ? session_letter(session)
                                         : history_.session_name(SessionId::at(session));
}

std::string Numbering::session(TxnId txn) const {
  return base::printable_name(recorded_session(history_.session_of(txn).raw()));
}

RecordedValue Numbering::recorded_value(std::int64_t number) const {
  const auto found = names_.find(number);
  return found == names_.end() || found->second.kind() != Value::Kind::kString
             ? RecordedValue(number)
             : RecordedValue(history_.pooled_text(found->second));
}

RecordedValue Numbering::recorded_key(KeyId key) const {
  const Value name = history_.key_name(key);
  if (name.kind() != Value::Kind::kString) return keys_[key.raw()];
  return history_.pooled_text(name);
}

RecordedValue Numbering::recorded_key(db::Key key) const {
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    if (keys_[k] == key) return recorded_key(KeyId::at(k));
  }
  return key;
}

std::string Numbering::text(std::int64_t number) const {
  const auto found = names_.find(number);
  if (found == names_.end()) return std::to_string(number);
  return history_.text(found->second);
}

std::string Numbering::told(KeyId key, std::optional<std::int64_t> number) const {
  const ValueNotation* const notation = history::notation_of(history_, key);
  if (notation != nullptr && !number && notation->initial) {
    return history_.text(key, Value::null()) + " (initial)";
  }
  if (!number) return "null";
  const bool stands_for_itself = *number >= 0 && !names_.contains(*number);
  if (notation == nullptr || !stands_for_itself) return text(*number);
  return history::fields_text(*notation, *number);
}

std::string Numbering::key_text(KeyId key) const { return history_.text(key); }

std::string Numbering::session_name(std::size_t session) const {
  return history::session_text(history_, SessionId::at(session));
}

std::vector<std::pair<std::int64_t, std::string>> Numbering::key_table() const {
  std::vector<std::pair<std::int64_t, std::string>> table;
  for (std::size_t t = 0; t < history_.txn_count(); ++t) {
    for (const Op& op : history_.ops(TxnId::at(t))) {
      const Value name = history_.key_name(op.key);
      if (!is_integer(name)) table.emplace_back(key(op.key), key_text(op.key));
    }
  }
  std::sort(table.begin(), table.end());
  table.erase(std::unique(table.begin(), table.end()), table.end());
  return table;
}

std::vector<std::pair<std::int64_t, std::string>> Numbering::value_table() const {
  std::vector<std::pair<std::int64_t, std::string>> table;
  for (const auto& [number, name] : names_) {
    table.emplace_back(number, history_.text(name));
  }
  return table;
}

}  // namespace isolde::replay
