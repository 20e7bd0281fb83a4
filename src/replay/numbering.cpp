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

using Ranges = std::vector<Predicate::Bounds>;

/// Integers that are not taken and lie in no range, in ascending order.
class FreeNumbers {
 public:
  FreeNumbers(std::int64_t first, std::set<std::int64_t> taken, Ranges ranges)
      : next_(first), taken_(std::move(taken)), ranges_(std::move(ranges)) {
    std::ranges::sort(ranges_, {}, &Predicate::Bounds::min);
  }
  std::int64_t take() {
    // Bounds fit 62 bits, so there are numbers behind all of them.
    for (const Predicate::Bounds& range : ranges_) {
      skip_taken();
      if (range.min <= next_ && next_ <= range.max) next_ = range.max + 1;
    }
    skip_taken();
    return next_++;
  }

 private:
  void skip_taken() {
    while (taken_.contains(next_)) ++next_;
  }

  std::int64_t next_;
  std::set<std::int64_t> taken_;
  Ranges ranges_;  // ascending
};

Ranges ranges(const History& history, std::optional<Predicate::Bounds> PredicateView::*of) {
  Ranges all;
  for (const PredicateView& predicate : history.predicates()) {
    if (predicate.*of) all.push_back(*(predicate.*of));
  }
  return all;
}

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
  for (const PredicateView& predicate : history.predicates()) act(predicate.equal);
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
  FreeNumbers free(0, std::move(taken), ranges(history_, &PredicateView::keys));
  keys_.assign(history_.key_count(), 0);
  std::vector<char> used(history_.key_count(), 0);
  for (std::size_t t = 0; t < history_.txn_count(); ++t) {
    for (const Op& op : history_.ops(TxnId::at(t))) {
      if (used[op.key.raw()] != 0) continue;
      used[op.key.raw()] = 1;
      const Value name = history_.key_name(op.key);
      const db::Key number = is_integer(name) ? name.as_integer() : free.take();
      keys_[op.key.raw()] = number;
      key_of_[number] = op.key;
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
  FreeNumbers free(1, std::move(taken), ranges(history_, &PredicateView::values));
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

std::optional<KeyId> Numbering::key_of(db::Key number) const {
  const auto found = key_of_.find(number);
  return found == key_of_.end() ? std::nullopt : std::optional(found->second);
}

RecordedValue Numbering::recorded_key(db::Key key) const {
  const std::optional<KeyId> known = key_of(key);
  return known ? recorded_key(*known) : RecordedValue(key);
}

db::Condition Numbering::condition(const PredicateView& predicate) {
  ISOLDE_CHECK(predicate.tests.empty());
  db::Condition condition{predicate.keys, predicate.values};
  if (predicate.equal.is_null()) return condition;
  ISOLDE_CHECK(is_integer(predicate.equal));
  const std::int64_t equal = predicate.equal.as_integer();
  // Nothing lies within bounds that are the wrong way round.
  const bool is_within = !predicate.values || predicate.values->contain(predicate.equal);
  condition.values = is_within ? Predicate::Bounds{equal, equal} : Predicate::Bounds{1, 0};
  return condition;
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
