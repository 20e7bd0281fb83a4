#include "history/aggregates.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "history/builder_state.hpp"

namespace isolde {
namespace history {
namespace {

/// Both ends the wrong way round: nothing lies between them.
constexpr Predicate::Bounds kNothing{1, 0};

Predicate nothing() {
  Predicate predicate;
  predicate.values = kNothing;
  return predicate;
}

Predicate::Bounds common(const std::optional<Predicate::Bounds>& a, Predicate::Bounds b) {
  if (!a) return b;
  return {std::max(a->min, b.min), std::min(a->max, b.max)};
}

/// The predicate, of rows whose column holds a number within the bounds, or any value.
Predicate narrowed(Predicate predicate, Value column,
                   const std::optional<Predicate::Bounds>& bounds) {
  if (column.is_null()) {
    if (bounds) predicate.values = common(predicate.values, *bounds);
    return predicate;
  }
  const auto same = [&](const Predicate::Test& test) { return test.column == column; };
  auto test = std::find_if(predicate.tests.begin(), predicate.tests.end(), same);
  if (test == predicate.tests.end()) {
    predicate.tests.push_back({});
    test = predicate.tests.end() - 1;
    test->column = column;
  } else if (test->is_null) {
    return nothing();
  }
  if (bounds) test->bounds = common(test->bounds, *bounds);
  return predicate;
}

}  // namespace

const char* trouble(const Aggregate& aggregate) {
  const std::optional<std::int64_t> result = aggregate.result;
  switch (aggregate.kind) {
    case AggregateKind::kCount:
      return result && *result >= 0 ? nullptr : "a count is a number from 0";
    case AggregateKind::kExists:
      return result && (*result == 0 || *result == 1) ? nullptr
                                                      : "whether rows exist is true or false";
    case AggregateKind::kSum:
    case AggregateKind::kMin:
    case AggregateKind::kMax:
      break;
  }
  return nullptr;
}

Predicate excluded_by(const Predicate& predicate, const Aggregate& aggregate) {
  if (!aggregate.looks_at_values()) return aggregate.is_of_nothing() ? predicate : nothing();
  if (aggregate.is_of_nothing()) return narrowed(predicate, aggregate.column, std::nullopt);
  const std::int64_t result = *aggregate.result;
  Predicate::Bounds beyond;
  if (aggregate.kind == AggregateKind::kMin) {
    if (result <= Value::kIntegerMin) return nothing();
    beyond.max = std::min(result - 1, Value::kIntegerMax);
  } else if (aggregate.kind == AggregateKind::kMax) {
    if (result >= Value::kIntegerMax) return nothing();
    beyond.min = std::max(result + 1, Value::kIntegerMin);
  } else {
    return nothing();
  }
  return narrowed(predicate, aggregate.column, beyond);
}

Share share_of(const History& history, const Selection& selection, KeyId key, Value version) {
  const Aggregate& aggregate = *history.aggregate(selection);
  version = history.plain(version.is_null() ? history.initial(key) : version);
  if (!history.selects(history.predicates()[selection.predicate], version)) return {};
  if (!aggregate.looks_at_values()) return {true, 1};
  Value held = version;
  if (!aggregate.column.is_null()) {
    held = history.is_row(version) ? history.column(version, aggregate.column) : Value();
  }
  if (held.kind() != Value::Kind::kInteger) return {};
  return {true, held.as_integer()};
}

void Span::add(const Share& share, const Aggregate& aggregate, bool first) {
  must_count = (first || must_count) && share.counts;
  if (!share.counts) return;
  least = may_count ? std::min(least, share.amount) : share.amount;
  most = may_count ? std::max(most, share.amount) : share.amount;
  may_count = true;
  may_be_result = may_be_result || share.amount == aggregate.result;
}

bool Tally::breaks(const Span& item) const {
  if (!item.must_count || !aggregate_->result) return false;
  return (aggregate_->kind == AggregateKind::kMin && item.most < *aggregate_->result) ||
         (aggregate_->kind == AggregateKind::kMax && item.least > *aggregate_->result);
}

void Tally::change(const Span& item, std::int64_t by) {
  must_count_ += item.must_count ? by : 0;
  may_count_ += item.may_count ? by : 0;
  may_be_result_ += item.may_be_result ? by : 0;
  breaking_ += breaks(item) ? by : 0;
  if (!item.may_count) return;
  least_ += Wide{item.must_count ? item.least : std::min<std::int64_t>(item.least, 0)} * by;
  most_ += Wide{item.must_count ? item.most : std::max<std::int64_t>(item.most, 0)} * by;
}

bool Tally::allows() const {
  if (aggregate_->looks_at_values() && !aggregate_->result) return must_count_ == 0;
  const std::int64_t result = *aggregate_->result;
  switch (aggregate_->kind) {
    case AggregateKind::kCount:
      return must_count_ <= result && result <= may_count_;
    case AggregateKind::kExists:
      return result == 0 ? must_count_ == 0 : may_count_ > 0;
    case AggregateKind::kSum:
      return may_count_ > 0 && least_ <= result && result <= most_;
    case AggregateKind::kMin:
    case AggregateKind::kMax:
      return breaking_ == 0 && may_be_result_ > 0;
  }
  return false;
}

}  // namespace history

/// Sums, minima and maxima are of integers of 62 bits. COST: linear in the operations, and for
/// each aggregate again where some column or value is of another kind.
void HistoryBuilder::State::check_aggregates() {
  const auto looks = [&](const Aggregate& aggregate) { return aggregate.looks_at_values(); };
  if (std::none_of(history.aggregates_.begin(), history.aggregates_.end(), looks)) return;
  const auto held_in = [&](Value version, Value column) {
    if (column.is_null()) return history.plain(version);
    return history.is_row(version) ? history.column(version, column) : Value();
  };
  const auto is_other = [](Value held) {
    return !held.is_absent() && held.kind() != Value::Kind::kInteger;
  };
  const auto for_each_version = [&](const auto& visit) {
    for (std::size_t k = 0; k < history.key_initial_.size(); ++k) {
      visit(KeyId::at(k), history.key_initial_[k]);
    }
    for (const Op& op : history.ops_) {
      if (op.kind == OpKind::kWrite) visit(op.key, op.value);
    }
  };
  std::set<std::uint64_t> others;  // columns that hold such values, null among them
  for_each_version([&](KeyId, Value version) {
    if (is_other(history.plain(version))) others.insert(Value().bits());
    if (!history.is_row(version)) return;
    for (const ColumnValue& column : history.columns(version)) {
      if (is_other(column.value)) others.insert(column.name.bits());
    }
  });
  for (const Asked& one : asked) {
    if (one.aggregate == Selection::kNoAggregate) continue;
    const Aggregate& aggregate = history.aggregates_[one.aggregate];
    if (!looks(aggregate) || others.count(aggregate.column.bits()) == 0) continue;
    const PredicateView predicate = history.predicates_[one.predicate];
    for_each_version([&](KeyId key, Value version) {
      const Value held = held_in(version, aggregate.column);
      if (!is_other(held) || !predicate.selects_key(history.keys_[key.raw()]) ||
          !history.selects(predicate, version)) {
        return;
      }
      fail("sums, minima and maxima are of integers from -2^61 to 2^61 - 1; one of " +
           history.text(predicate) + " is about " + history.json(held) + " in key " +
           history.json(history.keys_[key.raw()]));
    });
    if (!status.ok()) return;
  }
}

}  // namespace isolde
