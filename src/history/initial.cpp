// Initial contents of keys, and what reads say of them.
//
// The initial version of a key is one of its versions like any other, live and written before
// all transactions. What the engine asks of a read is whether it came from the initial version
// or from a write, and every stage knows the read of null as the one that certainly came from
// the former. So a read of the initial value becomes such a read when the history is complete,
// and a read of nothing, which cannot have come from there, a negative read. Where a
// transaction writes the initial value again, the read may have come from either, and is one
// that a condition on the version is known of: it equals the value.
//
// A list keeps what it began with for ever. So only what a read showed behind that is kept; a
// read that shows anything else in front is one that nothing explains, and begins with null,
// which nobody appends.
#include "history/initial.hpp"

#include <algorithm>
#include <utility>

#include "history/builder_state.hpp"

namespace isolde {
namespace history {

std::vector<KeyId> keys_with_contents(const History& history) {
  std::vector<KeyId> keys;
  if (!history.has_initial_contents()) return keys;
  for (std::size_t k = 0; k < history.key_count(); ++k) {
    if (history.has_initial(KeyId::at(k))) keys.push_back(KeyId::at(k));
  }
  const auto is_integer = [](Value value) { return value.kind() == Value::Kind::kInteger; };
  std::ranges::sort(keys, [&](KeyId a, KeyId b) {
    const Value one = history.key_name(a);
    const Value two = history.key_name(b);
    if (is_integer(one) && is_integer(two)) return one.as_integer() < two.as_integer();
    if (is_integer(one) != is_integer(two)) return is_integer(one);
    return history.json(one) < history.json(two);
  });
  return keys;
}

}  // namespace history

std::span<const Value> History::initial_list(KeyId key) const {
  if (key_initial_list_.empty() || key_initial_list_[key.raw()] == 0) return {};
  const std::size_t slot = key_initial_list_[key.raw()] - std::size_t{1};
  return std::span<const Value>(list_values_)
      .subspan(list_begin_[slot], list_begin_[slot + 1] - list_begin_[slot]);
}

std::vector<Value> History::seen_list(const Op& op) const {
  const std::span<const Value> rest = list(op);
  if (lacks_initial_list(op)) return {rest.begin() + 1, rest.end()};
  const std::span<const Value> first = initial_list(op.key);
  std::vector<Value> all(first.begin(), first.end());
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

Value History::read_value(const Op& op) const {
  return op.kind == OpKind::kReadMatch && op.partial().what >> 32 == kNoRow
             ? predicate(op).equal
             : Value();
}

void HistoryBuilder::set_initial(KeyId key, Value value) {
  if (value.is_null()) return;
  if (value.is_dead()) state_->fail("a key that is deleted has no initial contents");
  if (state_->history.is_row(value)) value = state_->without_nulls(value);
  state_->use(key, history::KeyUse::kRegister);
  state_->initial.push_back({key, value, {}});
  // As in a file of the version that has them: what is missing may be deletions.
  state_->history.origin_.rows_are_deleted = true;
}

void HistoryBuilder::set_initial_list(KeyId key, std::span<const Value> elements) {
  if (elements.empty()) return;
  for (const Value element : elements) {
    if (element.is_absent()) state_->fail("null cannot be an element of a list");
    if (state_->history.is_row(element)) {
      state_->fail("a row cannot be an element of a list");
    }
  }
  state_->use(key, history::KeyUse::kList);
  state_->initial.push_back({key, Value(), {elements.begin(), elements.end()}});
  state_->history.origin_.rows_are_deleted = true;
}

/// REQUIRES: all keys are known.
void HistoryBuilder::State::place_initial() {
  settle_increments();  // which also says what keys begin with
  if (initial.empty()) return;
  history.key_initial_.resize(history.keys_.size());
  for (const Initial& each : initial) {
    if (history.has_initial(each.key)) {
      fail("the initial contents of key " + history.json(history.keys_[each.key.raw()]) +
           " are given twice");
    }
    if (each.elements.empty()) {
      history.key_initial_[each.key.raw()] = each.value;
      continue;
    }
    history.key_initial_list_.resize(history.keys_.size(), 0);
    history.key_initial_list_[each.key.raw()] =
        static_cast<std::uint32_t>(history.list_begin_.size());
    history.list_values_.insert(history.list_values_.end(), each.elements.begin(),
                                each.elements.end());
    history.list_begin_.push_back(history.list_values_.size());
  }
  settle_initial_lists();
}

/// REQUIRES: reads of empty lists have the kind of their keys.
void HistoryBuilder::State::settle_initial_lists() {
  if (history.key_initial_list_.empty()) return;
  const auto keep = [&](std::span<const Value> elements, bool is_wrong) {
    const std::vector<Value> copy(elements.begin(), elements.end());
    if (is_wrong) history.list_values_.push_back(Value::null());
    history.list_values_.insert(history.list_values_.end(), copy.begin(), copy.end());
    history.list_begin_.push_back(history.list_values_.size());
    return Value::from_bits(history.list_begin_.size() - 2);
  };
  for (Op& op : history.ops_) {
    if (op.kind != OpKind::kReadList) continue;
    const std::span<const Value> first = history.initial_list(op.key);
    if (first.empty()) continue;
    const std::span<const Value> list = history.list(op);
    const bool fits =
        list.size() >= first.size() && std::equal(first.begin(), first.end(), list.begin());
    op.value = fits ? keep(list.subspan(first.size()), false) : keep(list, true);
  }
}

/// REQUIRES: reads of rows are settled.
void HistoryBuilder::State::settle_initial_values() {
  if (history.key_initial_.empty()) return;
  std::vector<bool> is_written(history.keys_.size(), false);  // the initial value, once more
  for (const Op& op : history.ops_) {
    if (op.kind == OpKind::kWrite && op.value == history.key_initial_[op.key.raw()]) {
      is_written[op.key.raw()] = true;
    }
  }
  for (Op& op : history.ops_) {
    const Value held = history.key_initial_[op.key.raw()];
    if (op.kind != OpKind::kRead || held.is_null()) continue;
    if (op.value.is_null()) {
      op = {Value::from_bits(slot_of(Predicate{})), op.key, OpKind::kReadExcept};
    } else if (op.value == held && is_written[op.key.raw()]) {
      Predicate whole;
      whole.equal = held;
      op = {Value::from_bits((History::kNoRow << 32) | slot_of(whole)), op.key,
            OpKind::kReadMatch};
    } else if (op.value == held) {
      op.value = Value();
    }
  }
}

/// A workload that gives each write a value of its own does so in what is missing, too. Where
/// what is there shows otherwise, nothing is known of what is missing. Deletions are no values,
/// and sums of counters may meet whoever computes them.
void HistoryBuilder::State::find_repeats() {
  if (!history.origin_.truncated || history.origin_.values_repeat) return;
  std::vector<std::pair<KeyId, std::uint64_t>> written;
  for (std::size_t k = 0; k < history.keys_.size(); ++k) {
    const KeyId key = KeyId::at(k);
    if (!history.initial(key).is_null()) written.emplace_back(key, history.initial(key).bits());
    for (const Value element : history.initial_list(key)) {
      written.emplace_back(key, element.bits());
    }
  }
  for (const Op& op : history.ops_) {
    if (op.is_write() && !op.is_delete()) written.emplace_back(op.key, op.value.bits());
  }
  std::ranges::sort(written);
  history.origin_.values_repeat =
      !history.increments_.empty() || std::ranges::adjacent_find(written) != written.end();
}

}  // namespace isolde
