#include "history/selections.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace isolde::history {
namespace {

bool is_integer(Value value) { return value.kind() == Value::Kind::kInteger; }

/// Integers first, by number; the others in any fixed order.
bool comes_before(Value a, Value b) {
  if (is_integer(a) && is_integer(b)) return a.as_integer() < b.as_integer();
  if (is_integer(a) != is_integer(b)) return is_integer(a);
  return a.bits() < b.bits();
}

/// The same, but independent of the order in which strings were interned.
bool is_named_before(const History& history, Value a, Value b) {
  if (is_integer(a) || is_integer(b) || a.kind() != b.kind()) {
    if (is_integer(a) || is_integer(b)) return comes_before(a, b);
    return a.kind() < b.kind();
  }
  return history.pooled_text(a) < history.pooled_text(b);
}

}  // namespace

RowIndex::RowIndex(const History& history, std::span<const Op> ops) : history_(history) {
  std::vector<Rank> rank(history.key_count(), 0);
  for (const Op& op : ops) {
    if (op.kind != OpKind::kWrite || op.is_delete() || rank[op.key.raw()] != 0) continue;
    rank[op.key.raw()] = 1;
    keys_.push_back(op.key);
  }
  for (std::size_t k = 0; k < history.key_count(); ++k) {
    const KeyId key = KeyId::at(k);
    if (!history.is_list(key)) continue;
    some_list_ = key;
    if (is_integer(history.key_name(key))) lists_.push_back(key);
  }
  const auto by_name = [&](KeyId a, KeyId b) {
    return is_named_before(history, history.key_name(a), history.key_name(b));
  };
  std::sort(keys_.begin(), keys_.end(), by_name);
  std::sort(lists_.begin(), lists_.end(), by_name);
  begin_.assign(keys_.size() + 1, 0);
  for (Rank i = 0; i < keys_.size(); ++i) {
    rank[keys_[i].raw()] = i;
    integer_count_ += is_integer(history.key_name(keys_[i])) ? 1 : 0;
  }
  for (const Op& op : ops) {
    if (op.kind == OpKind::kWrite && !op.is_delete())
      by_value_.emplace_back(op.value, rank[op.key.raw()]);
  }
  const auto name = [](const std::pair<Value, Rank>& row) {
    return std::pair(row.second, row.first.bits());
  };
  std::sort(by_value_.begin(), by_value_.end(),
            [&](const auto& a, const auto& b) { return name(a) < name(b); });
  by_value_.erase(std::unique(by_value_.begin(), by_value_.end()), by_value_.end());
  for (const auto& [value, key_rank] : by_value_) {
    values_.push_back(value);
    ++begin_[key_rank + 1];
  }
  for (std::size_t i = 0; i < keys_.size(); ++i) begin_[i + 1] += begin_[i];
  std::stable_sort(by_value_.begin(), by_value_.end(),
                   [](const auto& a, const auto& b) { return comes_before(a.first, b.first); });
}

RowIndex::Range RowIndex::ranks(const Predicate& predicate) const {
  if (!predicate.keys) return {0, keys_.size()};
  const auto end = keys_.begin() + static_cast<std::ptrdiff_t>(integer_count_);
  const auto number = [&](KeyId key) { return history_.key_name(key).as_integer(); };
  const auto first = std::partition_point(
      keys_.begin(), end, [&](KeyId key) { return number(key) < predicate.keys->min; });
  const auto last = std::partition_point(
      first, end, [&](KeyId key) { return number(key) <= predicate.keys->max; });
  return {static_cast<std::size_t>(first - keys_.begin()),
          static_cast<std::size_t>(last - keys_.begin())};
}

/// REQUIRES: the predicate asks for a value. May include more than it selects.
RowIndex::Range RowIndex::values(const Predicate& predicate) const {
  const auto range = [&](const auto& is_below, const auto& is_within) {
    const auto first = std::partition_point(by_value_.begin(), by_value_.end(), is_below);
    const auto last = std::partition_point(first, by_value_.end(), is_within);
    return Range{static_cast<std::size_t>(first - by_value_.begin()),
                 static_cast<std::size_t>(last - by_value_.begin())};
  };
  if (!predicate.equal.is_null()) {
    return range([&](const auto& row) { return comes_before(row.first, predicate.equal); },
                 [&](const auto& row) { return row.first == predicate.equal; });
  }
  const Predicate::Bounds bounds = *predicate.values;
  return range(
      [&](const auto& row) {
        return is_integer(row.first) && row.first.as_integer() < bounds.min;
      },
      [&](const auto& row) {
        return is_integer(row.first) && row.first.as_integer() <= bounds.max;
      });
}

bool RowIndex::selects_some(const Predicate& predicate, Rank rank) const {
  return std::any_of(values_.begin() + static_cast<std::ptrdiff_t>(begin_[rank]),
                     values_.begin() + static_cast<std::ptrdiff_t>(begin_[rank + 1]),
                     [&](Value value) { return predicate.selects_value(value); });
}

void RowIndex::find(const Predicate& predicate, std::vector<KeyId>& keys) const {
  keys.clear();
  const Range fitting = ranks(predicate);
  if (!predicate.asks_for_value()) {
    for (std::size_t rank = fitting.begin; rank < fitting.end; ++rank) {
      keys.push_back(keys_[rank]);
    }
    return;
  }
  const Range rows = values(predicate);
  if (rows.size() > begin_[fitting.end] - begin_[fitting.begin]) {
    for (std::size_t rank = fitting.begin; rank < fitting.end; ++rank) {
      if (selects_some(predicate, static_cast<Rank>(rank))) keys.push_back(keys_[rank]);
    }
    return;
  }
  std::vector<Rank> found;
  for (std::size_t i = rows.begin; i < rows.end; ++i) {
    const auto& [value, rank] = by_value_[i];
    const bool fits = rank >= fitting.begin && rank < fitting.end;
    if (fits && predicate.selects_value(value)) found.push_back(rank);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  for (const Rank rank : found) keys.push_back(keys_[rank]);
}

std::size_t RowIndex::cost(const Predicate& predicate) const {
  const Range fitting = ranks(predicate);
  if (!predicate.asks_for_value()) return fitting.size() + 1;
  return std::min(values(predicate).size(), begin_[fitting.end] - begin_[fitting.begin]) + 1;
}

KeyId RowIndex::find_list(const Predicate& predicate) const {
  if (!predicate.keys) return some_list_;
  const auto first = std::partition_point(lists_.begin(), lists_.end(), [&](KeyId key) {
    return history_.key_name(key).as_integer() < predicate.keys->min;
  });
  if (first == lists_.end() || !predicate.selects_key(history_.key_name(*first))) return {};
  return *first;
}

}  // namespace isolde::history
