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
    : history_(history), threads_(std::max(threads, 1U)), keys_(bounds_of_keys(history)) {
  note_versions();
  find_columns();
  if (!budget.spend(4 * columns_.size() * keys_of_.size())) return;
  indexes_.resize(columns_.size());
  base::run_tasks(threads, columns_.size(), [&](std::size_t column, unsigned) {
    indexes_[column] = index(columns_[column]);
  });
}

void StandingRows::begin() {
  if (index_for_.empty()) look_for_all();
  base::run_tasks(threads_, indexes_.size(), [&](std::size_t column, unsigned) {
    Index& index = indexes_[column];
    if (!index.versions.empty()) return;
    index.versions.resize(index.size);
    for (Number number = 0; number < index.places.size(); ++number) {
      if (index.places[number] != kNone) index.versions[index.places[number]] = number;
    }
  });
  for (auto* const by_version : {&replaced_, &replaced_by_, &put_at_}) {
    by_version->assign(keys_of_.size(), kNone);
  }
}

void StandingRows::note_versions() {
  const std::size_t most = history_.key_count() + count_writes();
  keys_of_.reserve(most);
  op_of_.reserve(most);
  first_write_.reserve(history_.txn_count());
  for (std::size_t k = 0; k < history_.key_count(); ++k) {
    if (!history_.initial(KeyId::at(k)).is_null()) keys_of_.push_back(KeyId::at(k));
  }
  initial_ = static_cast<Number>(keys_of_.size());
  op_of_.resize(initial_);
  for (std::size_t t = 0; t < history_.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    first_write_.push_back(static_cast<Number>(keys_of_.size()));
    if (history_.status(txn) == TxnStatus::kAborted) continue;
    const std::span<const Op> ops = history_.ops(txn);
    for (std::size_t i = 0; i < ops.size(); ++i) {
      if (ops[i].kind != OpKind::kWrite) continue;
      keys_of_.push_back(ops[i].key);
      op_of_.push_back(static_cast<std::uint32_t>(history_.first_op(txn) + i));
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
  const PredicateTable& predicates = history_.predicates();
  const std::size_t parts = base::part_count(threads_);
  std::vector<std::vector<Column>> found(parts);
  base::run_parts(threads_, parts, predicates.size(),
                  [&](std::size_t part, std::size_t first, std::size_t last) {
                    for (std::size_t number = first; number < last; ++number) {
                      bool any = false;
                      for_each_way(predicates[number],
                                   [&](const Column& column, const PredicateView::Test*) {
                                     any = true;
                                     add_new(column, found[part]);
                                   });
                      if (!any) add_new({Column::Of::kKey}, found[part]);
                    }
                  });
  for (const std::vector<Column>& columns : found) {
    for (const Column& column : columns) add_new(column, columns_);
  }
}

void StandingRows::add_new(const Column& column, std::vector<Column>& columns) {
  if (std::ranges::find(columns, column) == columns.end()) columns.push_back(column);
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
  all.reserve(keys_of_.size());
  for (Number number = 0; number < keys_of_.size(); ++number) {
    const Version version = this->version(number);
    if (version.value.is_dead()) continue;
    const Value value = held(version, column);
    if (!value.is_null()) all.emplace_back(value, number);
  }
  std::ranges::sort(all, [](const auto& a, const auto& b) {
    if (a.first != b.first) return before(a.first, b.first);
    return a.second < b.second;
  });
  Index index;
  index.places.assign(keys_of_.size(), kNone);
  index.held.reserve(all.size());
  index.versions.reserve(all.size());
  index.size = all.size();
  for (const auto& [value, number] : all) {
    index.places[number] = static_cast<std::uint32_t>(index.held.size());
    index.held.push_back(value);
    index.versions.push_back(number);
  }
  for (std::size_t at = 0; at < all.size(); at += index.stride) {
    index.samples.push_back(index.held[at]);
  }
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

StandingRows::Number StandingRows::look_for(std::uint32_t number,
                                            std::vector<Range>& ranges) const {
  const PredicateView predicate = history_.predicates()[number];
  const std::size_t first = ranges.size();
  Number chosen = kNone;
  std::size_t least = 0;
  for_each_way(predicate, [&](const Column& column, const PredicateView::Test* test) {
    const Number at = index_of(column);
    const Index& index = indexes_[at];
    const std::size_t begin = ranges.size();
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
    const auto at_place = [&](std::size_t place) {
      return ranges.begin() + static_cast<std::ptrdiff_t>(place);
    };
    std::size_t size = 0;
    for (const Range& each : std::span(ranges).subspan(begin)) size += each.size();
    if (chosen != kNone && size >= least) {
      ranges.resize(begin);
      return;
    }
    least = size;
    chosen = at;
    ranges.erase(at_place(first), at_place(begin));
  });
  if (chosen == kNone) {
    chosen = index_of({Column::Of::kKey});
    ranges.push_back({0, static_cast<Number>(indexes_[chosen].held.size())});
  }
  return chosen;
}

void StandingRows::look_for_all() {
  const std::size_t count = history_.predicates().size();
  index_for_.resize(count);
  ranges_begin_.assign(count + 1, 0);
  const std::size_t parts = base::part_count(threads_);
  std::vector<std::vector<Range>> ranges(parts);
  base::run_parts(threads_, parts, count,
                  [&](std::size_t part, std::size_t first, std::size_t last) {
                    std::vector<Range>& own = ranges[part];
                    own.reserve(last - first);
                    for (std::size_t number = first; number < last; ++number) {
                      index_for_[number] = look_for(static_cast<std::uint32_t>(number), own);
                      ranges_begin_[number + 1] = static_cast<Number>(own.size());
                    }
                  });
  ranges_ = base::concatenate_rows(threads_, ranges, ranges_begin_);
  bool has_one_each = true;
  for (std::size_t i = 0; i <= count; ++i) has_one_each = has_one_each && ranges_begin_[i] == i;
  if (has_one_each) ranges_begin_ = {};
  for (Index& index : indexes_) {
    index.held = {};
    index.samples = {};
  }
}

}  // namespace isolde::checker
