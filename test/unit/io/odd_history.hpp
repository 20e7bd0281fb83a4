// Histories with whatever the model allows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::io {

/// A history with every kind of name, value, time and operation that the model allows; those
/// with selections have no lists.
class OddHistory {
 public:
  explicit OddHistory(std::uint64_t seed, bool selects = false)
      : rng_(seed), selects_(selects) {}

  History make() {
    if (rng_.chance(0.3)) builder_.origin().truncated = true;
    if (rng_.chance(0.3)) builder_.origin().times_are_order = true;
    if (rng_.chance(0.3)) builder_.origin().database = "some \"database\" \xc3\xa9";
    if (rng_.chance(0.3)) builder_.origin().isolation = "read\nuncommitted";
    if (rng_.chance(0.3)) builder_.origin().product = "a product";
    if (rng_.chance(0.3)) {
      builder_.origin().promise = Level::kSnapshotIsolation;
    } else if (rng_.chance(0.3)) {
      builder_.origin().no_promise = "nobody \"knows\"";
    }
    if (rng_.chance(0.3)) builder_.origin().notation.tables = {"item", "order_line"};
    if (rng_.chance(0.3)) {
      builder_.origin().notation.values = {
          {"a\xc3\xa9/", {{"balance", 0, 20}, {"b", 20, 41}}, 100, 3, 300},
          {"", {{"group", 41, 20}}, {}, 0, 0}};
    }
    if (rng_.chance(0.3)) builder_.origin().notes = {"one \"note\"", "another\\"};
    if (rng_.chance(0.5)) {
      builder_.origin().clock_origin = static_cast<std::int64_t>(rng_.next() >> 1) -
                                       (rng_.chance(0.3) ? std::int64_t{1} << 62 : 0);
    }
    if (rng_.chance(0.3)) {
      builder_.origin().clock_host = "a\xc3\xa9 \"host\"";
      builder_.origin().clock_monotonic_ns = static_cast<std::int64_t>(rng_.next());
    }
    if (rng_.chance(0.3)) {
      builder_.origin().clock_error_ns = static_cast<std::int64_t>(rng_.below(100'000'000'000));
    }
    has_servers_ = rng_.chance(0.5);
    deletes_ = rng_.chance(0.4);
    has_rows_ = selects_ && rng_.chance(0.6);
    has_versions_ = rng_.chance(0.4);
    builder_.origin().versions_are_ordered = rng_.chance(0.3);
    const std::size_t sessions = 1 + rng_.below(5);
    for (std::size_t i = 0; i < sessions; ++i) builder_.session(session_name(i));
    const std::size_t txns = rng_.below(30);
    const bool has_events = rng_.chance(0.5);
    for (std::size_t i = 0; i < txns; ++i) {
      add_txn(sessions);
      if (has_events && rng_.chance(0.2)) add_event();
    }
    Result<History> history = builder_.finish();
    EXPECT_TRUE(history.ok()) << message_of(history);
    return std::move(history).value();
  }

 private:
  static std::string session_name(std::size_t i) {
    const std::vector<std::string> names = {"7", "a", "sp ace", "\xc3\xa9", "\"\\\n"};
    return names[i];
  }

  Value scalar() {
    switch (rng_.below(7)) {
      case 0:
        return builder_.integer(static_cast<std::int64_t>(rng_.next()));
      case 1:
        return builder_.literal(rng_.chance(0.5) ? "true" : "-1.50e+3");
      case 2:
        return builder_.literal("123456789012345678901234567890");
      case 3:
        return builder_.string(rng_.chance(0.5) ? "" : "\xe2\x82\xac \x01\t\"\\/\x7f");
      case 4:
        return builder_.string(std::to_string(rng_.below(50)) + " word");
      default:
        return builder_.integer(static_cast<std::int64_t>(rng_.below(40)) - 20);
    }
  }

  void add_txn(std::size_t sessions) {
    builder_.begin_txn(builder_.session(session_name(rng_.below(sessions))));
    builder_.set_status(static_cast<TxnStatus>(rng_.below(3)));
    if (rng_.chance(0.3)) builder_.set_label(scalar());
    if (has_servers_ && rng_.chance(0.4)) {
      builder_.set_server(
          builder_.string(rng_.chance(0.5) ? "db1:5432 backend 7" : "\xc3\xa9\t\""));
    }
    const auto start = static_cast<std::int64_t>(rng_.next() >> 2);
    const auto length = static_cast<std::int64_t>(rng_.below(1'000'000));
    if (rng_.chance(0.8)) {
      builder_.set_times(
          {rng_.chance(0.9) ? start : kNoTime, rng_.chance(0.9) ? start + length : kNoTime});
    }
    const std::size_t ops = rng_.below(6);
    for (std::size_t i = 0; i < ops; ++i) {
      if (selects_) {
        add_row_op();
      } else {
        add_op();
      }
    }
  }

  void add_event() {
    RecordedEvent event;
    event.kind = builder_.string(rng_.chance(0.5) ? "fault" : "\xc3\xa9\t\"");
    if (rng_.chance(0.8)) event.what = builder_.string(rng_.chance(0.5) ? "" : "pause n1");
    event.part = static_cast<RecordedEvent::Part>(rng_.below(3));
    if (event.part != RecordedEvent::Part::kMoment) event.name = builder_.string("n\\1");
    if (rng_.chance(0.8)) event.at = static_cast<std::int64_t>(rng_.next() >> 2);
    builder_.add_event(event);
  }

  Value version() {
    if (!has_versions_ || rng_.chance(0.4)) return {};
    if (!builder_.origin().versions_are_ordered) return scalar();
    return builder_.integer(static_cast<std::int64_t>(rng_.below(1000)));
  }

  void read(KeyId key, Value value) {
    builder_.read(key, value);
    if (!value.is_null()) builder_.set_version(version());
  }
  void write(KeyId key, Value value) {
    builder_.write(key, value);
    builder_.set_version(version());
  }
  void remove(KeyId key) {
    builder_.remove(key);
    builder_.set_version(version());
  }

  KeyId row_key() {
    const auto number = static_cast<std::int64_t>(rng_.below(6));
    return builder_.key(rng_.chance(0.7) ? builder_.integer(number)
                                         : builder_.string(std::to_string(number) + " row"));
  }

  Predicate::Bounds bounds() {
    const auto low = static_cast<std::int64_t>(rng_.below(20)) - 10;
    return {
        rng_.chance(0.1) ? Value::kIntegerMin : low,
        rng_.chance(0.1) ? Value::kIntegerMax : low + static_cast<std::int64_t>(rng_.below(9))};
  }

  /// A scalar, or where there are rows a row; what is written has few columns.
  /// Of a column that no row has, for other values are no numbers.
  Aggregate aggregate() {
    Aggregate aggregate;
    aggregate.kind = static_cast<AggregateKind>(rng_.below(kAggregateKindCount));
    aggregate.result = static_cast<std::int64_t>(rng_.below(2));
    if (!aggregate.looks_at_values()) return aggregate;
    aggregate.column = builder_.string("sum");
    if (rng_.chance(0.3)) aggregate.result.reset();
    if (rng_.chance(0.3)) aggregate.result = std::numeric_limits<std::int64_t>::min();
    return aggregate;
  }

  Value scalar_or_row() {
    if (!has_rows_ || rng_.chance(0.2)) return scalar();
    std::vector<ColumnValue> columns;
    for (const char* const name : {"b \"\xc3\xa9", "a", "\n"}) {
      if (rng_.chance(0.4)) continue;
      columns.push_back({builder_.string(name), rng_.chance(0.2) ? Value() : small_scalar()});
    }
    return builder_.row(columns);
  }

  /// One of few, so that versions agree.
  Value small_scalar() {
    return rng_.chance(0.5)   ? builder_.integer(static_cast<std::int64_t>(rng_.below(2)))
           : rng_.chance(0.5) ? builder_.string("1")
                              : builder_.literal("0.5");
  }

  std::vector<Value> small_scalars(std::size_t least) {
    std::vector<Value> values;
    for (std::size_t i = least + rng_.below(3); i > 0; --i) values.push_back(small_scalar());
    return values;
  }

  Predicate::Test test(Value column) {
    Predicate::Test test;
    test.column = column;
    if (rng_.chance(0.2)) {
      test.is_null = true;
      return test;
    }
    if (rng_.chance(0.4)) test.bounds = bounds();
    if (rng_.chance(0.4)) test.in = small_scalars(0);
    if (rng_.chance(0.4)) test.not_in = small_scalars(1);
    return test;
  }

  void add_row_op() {
    const KeyId key = row_key();
    if (deletes_ && rng_.chance(0.2)) return remove(key);
    switch (rng_.below(5)) {
      case 0:
        return write(key, scalar_or_row());
      case 1:
        return read(key, rng_.chance(0.3) ? Value::null() : scalar_or_row());
      case 2:
        return builder_.read_except(key, scalar());
      default:
        break;
    }
    Predicate predicate;
    if (rng_.chance(0.5)) predicate.keys = bounds();
    if (rng_.chance(0.3)) predicate.values = bounds();
    if (rng_.chance(0.2)) predicate.equal = scalar();
    if (has_rows_ && rng_.chance(0.5)) predicate.tests.push_back(test(builder_.string("a")));
    if (has_rows_ && rng_.chance(0.3)) predicate.tests.push_back(test(builder_.string("\n")));
    if (has_rows_ && rng_.chance(0.3)) {
      predicate.tests.push_back(test(Value()));
      predicate.tests.back().is_null = false;  // no key is null
    }
    std::vector<Row> rows;
    for (std::size_t i = rng_.below(4); i > 0; --i) {
      const KeyId row = row_key();
      const bool is_new = std::none_of(rows.begin(), rows.end(),
                                       [&](const Row& each) { return each.key == row; });
      if (is_new) rows.push_back({row, scalar_or_row(), version()});
    }
    if (rng_.chance(0.3)) return builder_.aggregate(predicate, aggregate());
    builder_.select(predicate, rows);
  }

  void add_op() {
    const KeyId list = builder_.key(builder_.integer(static_cast<std::int64_t>(rng_.below(3))));
    const KeyId reg =
        builder_.key(builder_.string(std::to_string(rng_.below(3)) + ". register"));
    if (deletes_ && rng_.chance(0.2)) return remove(reg);
    switch (rng_.below(6)) {
      case 0:
        return write(reg, scalar());
      case 1:
        return read(reg, rng_.chance(0.3) ? Value::null() : scalar());
      case 2:
        return builder_.append(list, scalar());
      case 3: {
        std::vector<Value> elements;
        for (std::size_t i = rng_.below(4); i > 0; --i) elements.push_back(scalar());
        return builder_.read_list(list, elements);
      }
      case 4:
        return builder_.read_unknown(rng_.chance(0.5) ? reg : list);
      default:
        return builder_.read_list(list, {});
    }
  }

  base::Rng rng_;
  bool selects_;
  bool has_rows_ = false;
  bool has_servers_ = false;
  bool deletes_ = false;
  bool has_versions_ = false;
  HistoryBuilder builder_;
};

}  // namespace isolde::io
