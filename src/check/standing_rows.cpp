#include "check/standing_rows.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/parallel.hpp"
#include "base/ways.hpp"
#include "history/selections.hpp"

namespace isolde::checker {

StandingRows::StandingRows(const History& history, unsigned threads, base::Budget& budget)
    : history_(history), keys_(bounds_of_keys(history)) {
  note_versions();
  find_columns();
  if (!budget.spend(4 * columns_.size() * versions_.size())) return;
  indexes_.resize(columns_.size());
  base::run_tasks(threads, columns_.size(), [&](std::size_t column, unsigned) {
    indexes_[column] = index(columns_[column]);
  });
  found_at_.resize(history.predicates().size());
  ranges_.reserve(history.predicates().size());
  begin();
}

void StandingRows::note_versions() {
  versions_.reserve(history_.key_count() + count_writes());
  first_write_.reserve(history_.txn_count());
  for (std::size_t k = 0; k < history_.key_count(); ++k) {
    const Value initial = history_.initial(KeyId::at(k));
    if (!initial.is_null()) versions_.push_back({KeyId::at(k), initial});
  }
  initial_ = static_cast<Number>(versions_.size());
  for (std::size_t t = 0; t < history_.txn_count(); ++t) {
    first_write_.push_back(static_cast<Number>(versions_.size()));
    if (history_.status(TxnId::at(t)) == TxnStatus::kAborted) continue;
    for (const Op& op : history_.ops(TxnId::at(t))) {
      if (op.kind == OpKind::kWrite) versions_.push_back({op.key, op.value});
    }
  }
}

std::size_t StandingRows::count_writes() const {
  std::size_t count = 0;
  for (std::size_t t = 0; t < history_.txn_count(); ++t) {
    if (history_.status(TxnId::at(t)) == TxnStatus::kAborted) continue;
    const std::span<const Op> ops = history_.ops(TxnId::at(t));
    count += static_cast<std::size_t>(
        std::ranges::count_if(ops, [](const Op& op) { return op.kind == OpKind::kWrite; }));
  }
  return count;
}

void StandingRows::find_columns() {
  const auto add = [&](const Column& column) {
    if (std::ranges::find(columns_, column) == columns_.end()) columns_.push_back(column);
  };
  for (const PredicateView& predicate : history_.predicates()) {
    bool any = false;
    for_each_way(predicate, [&](const Column& column, const PredicateView::Test*) {
      any = true;
      add(column);
    });
    if (!any) add({Column::Of::kKey});
  }
}

template <typename Visit>
void StandingRows::for_each_way(const PredicateView& predicate, const Visit& visit) const {
  if (predicate.keys && !holds_all_keys(*predicate.keys)) {
    visit(Column{Column::Of::kKey}, nullptr);
  }
  if (!predicate.equal.is_null() || predicate.values) {
    visit(Column{Column::Of::kValue}, nullptr);
  }
  for (const PredicateView::Test& test : predicate.tests) {
    if (test.is_null || (!test.bounds && !test.in)) continue;
    const bool of_key = test.column.is_null();
    visit(of_key ? Column{Column::Of::kKey} : Column{Column::Of::kColumn, test.column}, &test);
  }
}

bool StandingRows::holds_all_keys(const Predicate::Bounds& bounds) const {
  return bounds.min <= keys_.min && keys_.max <= bounds.max;
}

Predicate::Bounds StandingRows::bounds_of_keys(const History& history) {
  Predicate::Bounds bounds{std::numeric_limits<std::int64_t>::max(),
                           std::numeric_limits<std::int64_t>::min()};
  for (std::size_t k = 0; k < history.key_count(); ++k) {
    const Value name = history.key_name(KeyId::at(k));
    if (name.kind() != Value::Kind::kInteger) continue;
    bounds.min = std::min(bounds.min, name.as_integer());
    bounds.max = std::max(bounds.max, name.as_integer());
  }
  return bounds;
}

Value StandingRows::held(const Version& version, const Column& column) const {
  switch (column.of) {
    case Column::Of::kKey:
      return history_.key_name(version.key);
    case Column::Of::kValue:
      return version.value;
    case Column::Of::kColumn:
      return history_.is_row(version.value) ? history_.column(version.value, column.name)
                                            : Value();
  }
  return {};
}

StandingRows::Index StandingRows::index(const Column& column) const {
  std::vector<std::pair<Value, Number>> all;
  all.reserve(versions_.size());
  for (Number number = 0; number < versions_.size(); ++number) {
    if (versions_[number].value.is_dead()) continue;
    const Value value = held(versions_[number], column);
    if (!value.is_null()) all.emplace_back(value, number);
  }
  std::ranges::sort(all, [](const auto& a, const auto& b) {
    if (a.first != b.first) return before(a.first, b.first);
    return a.second < b.second;
  });
  Index index;
  index.places.assign(versions_.size(), kNone);
  index.held.reserve(all.size());
  index.versions.reserve(all.size());
  for (const auto& [value, number] : all) {
    index.places[number] = static_cast<std::uint32_t>(index.held.size());
    index.held.push_back(value);
    index.versions.push_back(number);
  }
  for (std::size_t at = 0; at < all.size(); at += index.stride) {
    index.samples.push_back(index.held[at]);
  }
  index.stands.assign(all.size() / 64 + 1, 0);
  return index;
}

bool StandingRows::is_final(Number number) const {
  const Number next = replaced_by_[number];
  return next == kNone || put_at_[next] != put_at_[number];
}

StandingRows::Range StandingRows::places(const Index& index, const Predicate::Bounds& bounds) {
  const auto number = [](Value value) { return value.kind() == Value::Kind::kInteger; };
  const auto first = first_behind(
      index, [&](Value value) { return number(value) && value.as_integer() < bounds.min; });
  const auto last = end_of(index, first, [&](Value value) {
    return number(value) && value.as_integer() <= bounds.max;
  });
  return range(index, first, last);
}

StandingRows::Range StandingRows::places(const Index& index, Value wanted) {
  const auto first =
      first_behind(index, [&](Value value) { return history::comes_before(value, wanted); });
  const auto last = end_of(index, first, [&](Value value) { return value == wanted; });
  return range(index, first, last);
}

template <typename ComesBefore>
std::vector<Value>::const_iterator StandingRows::first_behind(const Index& index,
                                                              const ComesBefore& comes_before) {
  const auto sample =
      std::partition_point(index.samples.begin(), index.samples.end(), comes_before);
  const auto strides = static_cast<std::size_t>(sample - index.samples.begin());
  if (strides == 0) return index.held.begin();
  const std::size_t end = std::min(strides * index.stride, index.held.size());
  const auto at = [&](std::size_t place) {
    return index.held.begin() + static_cast<std::ptrdiff_t>(place);
  };
  return std::partition_point(at((strides - 1) * index.stride), at(end), comes_before);
}

template <typename Fits>
std::vector<Value>::const_iterator StandingRows::end_of(
    const Index& index, std::vector<Value>::const_iterator first, const Fits& fits) {
  std::ptrdiff_t step = 1;
  while (step < index.held.end() - first && fits(first[step])) step *= 2;
  return std::partition_point(first + step / 2,
                              first + std::min(step, index.held.end() - first), fits);
}

StandingRows::Number StandingRows::index_of(const Column& column) const {
  const auto at = std::ranges::find(columns_, column);
  ISOLDE_ASSERT(at != columns_.end());
  return static_cast<Number>(at - columns_.begin());
}

void StandingRows::look_for(std::uint32_t number) {
  const PredicateView predicate = history_.predicates()[number];
  Number chosen = kNone;
  std::vector<Range> best;
  std::size_t least = 0;
  std::vector<Range> ranges;
  for_each_way(predicate, [&](const Column& column, const PredicateView::Test* test) {
    const Number at = index_of(column);
    const Index& index = indexes_[at];
    ranges.clear();
    if (test != nullptr && test->in) {
      for (const Value wanted : *test->in) ranges.push_back(places(index, wanted));
    } else if (test != nullptr) {
      ranges.push_back(places(index, *test->bounds));
    } else if (column.of == Column::Of::kKey) {
      ranges.push_back(places(index, *predicate.keys));
    } else {
      ranges.push_back(predicate.equal.is_null() ? places(index, *predicate.values)
                                                 : places(index, predicate.equal));
    }
    std::size_t size = 0;
    for (const Range& each : ranges) size += each.size();
    if (chosen != kNone && size >= least) return;
    least = size;
    chosen = at;
    best.swap(ranges);
  });
  if (chosen == kNone) {
    chosen = index_of({Column::Of::kKey});
    best = {{0, static_cast<Number>(indexes_[chosen].held.size())}};
  }
  found_at_[number] = {chosen, static_cast<Number>(ranges_.size()),
                       static_cast<Number>(best.size())};
  ranges_.insert(ranges_.end(), best.begin(), best.end());
}

}  // namespace isolde::checker
