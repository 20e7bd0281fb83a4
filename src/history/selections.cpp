#include "history/selections.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "base/ways.hpp"

namespace isolde::history {
namespace {

bool is_integer(Value value) { return value.kind() == Value::Kind::kInteger; }

/// The same, but independent of the order in which strings were interned.
bool is_named_before(const History& history, Value a, Value b) {
  if (is_integer(a) || is_integer(b) || a.kind() != b.kind()) {
    if (is_integer(a) || is_integer(b)) return comes_before(a, b);
    return a.kind() < b.kind();
  }
  return history.pooled_text(a) < history.pooled_text(b);
}

}  // namespace

bool comes_before(Value a, Value b) {
  if (is_integer(a) && is_integer(b)) return a.as_integer() < b.as_integer();
  if (is_integer(a) != is_integer(b)) return is_integer(a);
  return a.bits() < b.bits();
}

RowIndex::RowIndex(const History& history, std::span<const Op> writes) : history_(history) {
  std::vector<Rank> rank(history.key_count(), 0);
  for (const Op& op : writes) {
    if (op.kind != OpKind::kWrite || op.is_delete() || rank[op.key.raw()] != 0) continue;
    rank[op.key.raw()] = 1;
    keys_.push_back(op.key);
  }
  for (std::size_t k = 0; k < history.key_count(); ++k) {
    const KeyId key = KeyId::at(k);
    if (!history.initial(key).is_null() && rank[k] == 0) keys_.push_back(key);
    if (!history.is_list(key)) continue;
    all_lists_.push_back(key);
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
  for (const Op& op : writes) {
    if (op.kind == OpKind::kWrite && !op.is_delete())
      by_value_.emplace_back(history.plain(op.value), rank[op.key.raw()]);
  }
  for (Rank i = 0; i < keys_.size(); ++i) {
    const Value initial = history.initial(keys_[i]);
    if (!initial.is_null()) by_value_.emplace_back(initial, i);
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
  // values() looks for them by order.
  if (std::any_of(history.predicates().begin(), history.predicates().end(),
                  [](const PredicateView& predicate) {
                    return predicate.values || !predicate.equal.is_null();
                  })) {
    std::stable_sort(by_value_.begin(), by_value_.end(), [](const auto& a, const auto& b) {
      return comes_before(a.first, b.first);
    });
  }
  index_columns();
  ranks_found_ = RankSet(keys_.size());
}

RowIndex::Range RowIndex::ranks(const PredicateView& predicate) const {
  std::optional<Predicate::Bounds> bounds = predicate.keys;
  for (const PredicateView::Test& test : predicate.tests) {
    if (test.column.is_null() && test.bounds && !bounds) bounds = test.bounds;
  }
  if (!bounds) return {0, keys_.size()};
  const auto end = keys_.begin() + static_cast<std::ptrdiff_t>(integer_count_);
  const auto number = [&](KeyId key) { return history_.key_name(key).as_integer(); };
  const auto first = std::partition_point(keys_.begin(), end,
                                          [&](KeyId key) { return number(key) < bounds->min; });
  const auto last =
      std::partition_point(first, end, [&](KeyId key) { return number(key) <= bounds->max; });
  return {static_cast<std::size_t>(first - keys_.begin()),
          static_cast<std::size_t>(last - keys_.begin())};
}

/// REQUIRES: the predicate asks for a value. May include more than it selects.
RowIndex::Range RowIndex::values(const PredicateView& predicate) const {
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

/// What the columns of all rows hold that some condition asks for, by column and value.
void RowIndex::index_columns() {
  std::vector<bool> is_asked;  // by slot of the column's name
  for (const PredicateView& predicate : history_.predicates()) {
    for (const PredicateView::Test& test : predicate.tests) {
      if (test.column.is_null()) continue;
      is_asked.resize(std::max<std::size_t>(is_asked.size(), test.column.slot() + 1));
      is_asked[test.column.slot()] = true;
    }
  }
  if (is_asked.empty()) return;
  const auto for_each = [&](const auto& visit) {
    for (const auto& [value, rank] : by_value_) {
      if (!history_.is_row(value)) continue;
      for (const ColumnValue& column : history_.columns(value)) {
        const std::uint32_t name = column.name.slot();
        if (name < is_asked.size() && is_asked[name]) {
          visit(Held{column.name, column.value, {value, rank}});
        }
      }
    }
  };
  std::size_t count = 0;
  for_each([&](const Held&) { ++count; });
  by_column_.reserve(count);  // of many rows these are the largest table there is
  for_each([&](const Held& each) { by_column_.push_back(each); });
  std::stable_sort(by_column_.begin(), by_column_.end(), [](const Held& a, const Held& b) {
    if (a.column != b.column) return a.column.bits() < b.column.bits();
    return comes_before(a.held, b.held);
  });
  by_column_ranks_.reserve(by_column_.size());
  for (const Held& each : by_column_) by_column_ranks_.push_back(each.version.rank);
}

/// Where the column holds what passes the test; may include more. None of these where only the
/// rows without the column pass, or most of the others.
std::vector<RowIndex::Range> RowIndex::columns(const PredicateView::Test& test) const {
  const auto begin = std::partition_point(
      by_column_.begin(), by_column_.end(),
      [&](const Held& each) { return each.column.bits() < test.column.bits(); });
  const auto end = std::partition_point(
      begin, by_column_.end(), [&](const Held& each) { return each.column == test.column; });
  const auto range = [&](const auto& is_below, const auto& is_within) {
    const auto first = std::partition_point(begin, end, is_below);
    const auto last = std::partition_point(first, end, is_within);
    return Range{static_cast<std::size_t>(first - by_column_.begin()),
                 static_cast<std::size_t>(last - by_column_.begin())};
  };
  std::vector<Range> ranges;
  if (test.in) {
    for (const Value wanted : *test.in) {
      ranges.push_back(range([&](const Held& each) { return comes_before(each.held, wanted); },
                             [&](const Held& each) { return each.held == wanted; }));
    }
    return ranges;
  }
  if (!test.bounds) {
    // Whatever is not null.
    return {{static_cast<std::size_t>(begin - by_column_.begin()),
             static_cast<std::size_t>(end - by_column_.begin())}};
  }
  return {range(
      [&](const Held& each) {
        return is_integer(each.held) && each.held.as_integer() < test.bounds->min;
      },
      [&](const Held& each) {
        return is_integer(each.held) && each.held.as_integer() <= test.bounds->max;
      })};
}

std::optional<RowIndex::Rank> RowIndex::rank_of(Value name) const {
  const auto at = std::partition_point(keys_.begin(), keys_.end(), [&](KeyId key) {
    return is_named_before(history_, history_.key_name(key), name);
  });
  if (at == keys_.end() || history_.key_name(*at) != name) return std::nullopt;
  return static_cast<Rank>(at - keys_.begin());
}

RowIndex::Plan RowIndex::plan(const PredicateView& predicate) const {
  using Ways = base::Ways;
  const Ways::RowsBy rows_by = base::ways().rows_by;
  Plan best;
  best.keys = ranks(predicate);
  best.cost = predicate.asks_for_value() ? begin_[best.keys.end] - begin_[best.keys.begin]
                                         : best.keys.size();
  if (rows_by == Ways::RowsBy::kKeys) return best;
  bool any = rows_by == Ways::RowsBy::kSize;  // else the first of the others, however large
  // Then the ranks say all of the keys.
  const bool is_alone = predicate.tests.size() <= 1;
  const auto consider = [&](Plan other) {
    for (const Range& range : other.ranges) other.cost += range.size();
    if (any && other.cost >= best.cost) return;
    any = true;
    other.keys = best.keys;
    best = std::move(other);
  };
  if (predicate.values || !predicate.equal.is_null()) {
    consider({Plan::By::kValues, {}, {values(predicate)}, {}, 0});
  }
  for (const PredicateView::Test& test : predicate.tests) {
    if (test.is_null) continue;
    if (!test.column.is_null()) {
      // Then the ranges say all of it.
      const bool is_exact = is_alone && !predicate.values && predicate.equal.is_null() &&
                            test.not_in.empty() && !(test.in && test.bounds);
      consider({Plan::By::kColumn, {}, columns(test), {}, 0, is_exact});
    } else if (test.in) {
      consider({Plan::By::kNames, {}, {}, *test.in, test.in->size()});
    }
  }
  return best;
}

bool RowIndex::selects_key(const PredicateView& predicate, Rank rank) const {
  return predicate.selects_key(history_.key_name(keys_[rank]));
}

bool RowIndex::selects_some(const PredicateView& predicate, Rank rank) const {
  return std::any_of(values_.begin() + static_cast<std::ptrdiff_t>(begin_[rank]),
                     values_.begin() + static_cast<std::ptrdiff_t>(begin_[rank + 1]),
                     [&](Value value) { return history_.selects(predicate, value); });
}

std::span<const KeyId> RowIndex::find(std::uint32_t predicate) {
  const PredicateView asked = history_.predicates()[predicate];
  if (is_known_.empty()) {
    is_known_.assign(history_.predicates().size(), 0);
    known_.resize(history_.predicates().size());
  }
  if (is_known_[predicate] != 0) return known_[predicate];
  find(asked, found_);
  if (known_count_ + found_.size() > base::ways().kept_rows) return found_;
  known_count_ += found_.size();
  is_known_[predicate] = 1;
  known_[predicate] = found_;
  return known_[predicate];
}

void RowIndex::find(const PredicateView& predicate, std::vector<KeyId>& keys) {
  const Plan plan = this->plan(predicate);
  const auto look_at = [&](Rank rank) {
    if (!selects_key(predicate, rank)) return;
    if (!predicate.asks_for_value() || selects_some(predicate, rank)) ranks_found_.insert(rank);
  };
  const auto is_within = [&](Rank rank) {
    return plan.keys.begin <= rank && rank < plan.keys.end;
  };
  const auto look_at_version = [&](Value value, Rank rank) {
    if (!is_within(rank) || !history_.selects(predicate, value)) return;
    if (selects_key(predicate, rank)) ranks_found_.insert(rank);
  };
  const auto look_at_column = [&](std::size_t at) {
    const Rank rank = by_column_ranks_[at];
    if (!plan.is_exact) return look_at_version(by_column_[at].version.value, rank);
    if (is_within(rank)) ranks_found_.insert(rank);
  };
  switch (plan.by) {
    case Plan::By::kKeys:
      for (std::size_t rank = plan.keys.begin; rank < plan.keys.end; ++rank) {
        look_at(static_cast<Rank>(rank));
      }
      break;
    case Plan::By::kNames:
      for (const Value name : plan.names) {
        if (const std::optional<Rank> rank = rank_of(name)) look_at(*rank);
      }
      break;
    case Plan::By::kValues:
      for (std::size_t i = plan.ranges.front().begin; i < plan.ranges.front().end; ++i) {
        look_at_version(by_value_[i].first, by_value_[i].second);
      }
      break;
    case Plan::By::kColumn:
      for (const Range& range : plan.ranges) {
        for (std::size_t i = range.begin; i < range.end; ++i) look_at_column(i);
      }
      break;
  }
  keys.clear();
  ranks_found_.drain([&](Rank rank) { keys.push_back(keys_[rank]); });
}

std::size_t RowIndex::cost(std::uint32_t predicate) const {
  return plan(history_.predicates()[predicate]).cost + 1;
}

KeyId RowIndex::find_list(std::uint32_t number) const {
  const PredicateView predicate = history_.predicates()[number];
  const bool tests_keys =
      std::any_of(predicate.tests.begin(), predicate.tests.end(),
                  [](const PredicateView::Test& test) { return test.column.is_null(); });
  if (tests_keys) {
    const auto fits = [&](KeyId key) { return predicate.selects_key(history_.key_name(key)); };
    const auto list = std::find_if(all_lists_.begin(), all_lists_.end(), fits);
    return list == all_lists_.end() ? KeyId::none() : *list;
  }
  if (!predicate.keys) return all_lists_.empty() ? KeyId::none() : all_lists_.back();
  const auto first = std::partition_point(lists_.begin(), lists_.end(), [&](KeyId key) {
    return history_.key_name(key).as_integer() < predicate.keys->min;
  });
  if (first == lists_.end() || !predicate.selects_key(history_.key_name(*first))) return {};
  return *first;
}

}  // namespace isolde::history
