// Inputs and odd histories for tests of src/io.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.hpp"
#include "base/rng.hpp"
#include "io/native.hpp"
#include "io/reader.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::io {

/// A file as load() would give it, with nothing sensible in the padding.
inline Inputs inputs_of(std::string_view bytes) {
  std::string copy(bytes);
  copy.resize(bytes.size() + Input::kPadding, '"');
  copy.resize(bytes.size());
  Inputs inputs{"h", false, {}};
  inputs.files.emplace_back("h", std::move(copy));
  return inputs;
}

inline Result<History> read_native_text(std::string_view bytes) {
  base::Budget budget;
  return read_native(inputs_of(bytes), budget);
}

inline Result<History> read_binary_text(std::string_view bytes) {
  base::Budget budget;
  return read_native_binary(inputs_of(bytes), budget);
}

/// The message of a failed reading, "no error" otherwise.
inline std::string message_of(const Result<History>& result) {
  return result.ok() ? "no error" : result.error().message;
}

/// A line for each event: kind, text, name, part and time.
inline std::string events_of(const History& history) {
  std::string out;
  for (const RecordedEvent& event : history.events()) {
    for (const Value text : {event.kind, event.what, event.name}) {
      out += history.json(text) + " ";
    }
    out += std::to_string(static_cast<int>(event.part)) + " ";
    out += (event.at == kNoTime ? "-" : std::to_string(event.at)) + "\n";
  }
  return out;
}

/// Equal in everything that a format promises to keep.
inline void expect_same(const History& a, const History& b) {
  EXPECT_EQ(a.digest(), b.digest());
  EXPECT_EQ(a.origin().truncated, b.origin().truncated);
  EXPECT_EQ(a.origin().rows_are_deleted, b.origin().rows_are_deleted);
  EXPECT_EQ(a.origin().clock_origin, b.origin().clock_origin);
  EXPECT_EQ(a.origin().times_are_order, b.origin().times_are_order);
  EXPECT_EQ(a.origin().database, b.origin().database);
  EXPECT_EQ(a.origin().isolation, b.origin().isolation);
  EXPECT_EQ(a.origin().product, b.origin().product);
  EXPECT_EQ(a.origin().promise, b.origin().promise);
  EXPECT_EQ(a.origin().no_promise, b.origin().no_promise);
  EXPECT_EQ(a.origin().notes, b.origin().notes);
  EXPECT_EQ(a.has_servers(), b.has_servers());
  EXPECT_EQ(events_of(a), events_of(b));
  ASSERT_EQ(a.session_count(), b.session_count());
  ASSERT_EQ(a.txn_count(), b.txn_count());
  ASSERT_EQ(a.op_count(), b.op_count());
  for (std::size_t i = 0; i < a.txn_count(); ++i) {
    const TxnId txn = TxnId::at(i);
    ASSERT_EQ(a.txn_name(txn), b.txn_name(txn));
    ASSERT_EQ(a.status(txn), b.status(txn));
    ASSERT_EQ(a.times(txn).start, b.times(txn).start);
    ASSERT_EQ(a.times(txn).end, b.times(txn).end);
    ASSERT_EQ(a.json(a.label(txn)), b.json(b.label(txn)));
    ASSERT_EQ(a.json(a.server(txn)), b.json(b.server(txn)));
    ASSERT_EQ(a.ops(txn).size(), b.ops(txn).size());
    for (std::size_t op = 0; op < a.ops(txn).size(); ++op) {
      ASSERT_EQ(a.op_text(a.ops(txn)[op]), b.op_text(b.ops(txn)[op]));
      ASSERT_EQ(a.ops(txn)[op].kind, b.ops(txn)[op].kind);
    }
    ASSERT_EQ(a.selections(txn).size(), b.selections(txn).size());
    for (std::size_t at = 0; at < a.selections(txn).size(); ++at) {
      const Selection& one = a.selections(txn)[at];
      const Selection& two = b.selections(txn)[at];
      ASSERT_EQ(one.first, two.first);
      ASSERT_EQ(one.rows, two.rows);
      ASSERT_EQ(one.absents, two.absents);
      ASSERT_EQ(a.text(a.predicates()[one.predicate]), b.text(b.predicates()[two.predicate]));
    }
  }
}

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
    if (rng_.chance(0.3)) builder_.origin().notes = {"one \"note\"", "another\\"};
    if (rng_.chance(0.5)) {
      builder_.origin().clock_origin = static_cast<std::int64_t>(rng_.next() >> 1) -
                                       (rng_.chance(0.3) ? std::int64_t{1} << 62 : 0);
    }
    has_servers_ = rng_.chance(0.5);
    deletes_ = rng_.chance(0.4);
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

  void add_row_op() {
    const KeyId key = row_key();
    if (deletes_ && rng_.chance(0.2)) return builder_.remove(key);
    switch (rng_.below(5)) {
      case 0:
        return builder_.write(key, scalar());
      case 1:
        return builder_.read(key, rng_.chance(0.3) ? Value::null() : scalar());
      case 2:
        return builder_.read_except(key, scalar());
      default:
        break;
    }
    Predicate predicate;
    if (rng_.chance(0.5)) predicate.keys = bounds();
    if (rng_.chance(0.3)) predicate.values = bounds();
    if (rng_.chance(0.2)) predicate.equal = scalar();
    std::vector<Row> rows;
    for (std::size_t i = rng_.below(4); i > 0; --i) {
      const KeyId row = row_key();
      const bool is_new = std::none_of(rows.begin(), rows.end(),
                                       [&](const Row& each) { return each.key == row; });
      if (is_new) rows.push_back({row, scalar()});
    }
    builder_.select(predicate, rows);
  }

  void add_op() {
    const KeyId list = builder_.key(builder_.integer(static_cast<std::int64_t>(rng_.below(3))));
    const KeyId reg =
        builder_.key(builder_.string(std::to_string(rng_.below(3)) + ". register"));
    if (deletes_ && rng_.chance(0.2)) return builder_.remove(reg);
    switch (rng_.below(6)) {
      case 0:
        return builder_.write(reg, scalar());
      case 1:
        return builder_.read(reg, rng_.chance(0.3) ? Value::null() : scalar());
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
  bool has_servers_ = false;
  bool deletes_ = false;
  HistoryBuilder builder_;
};

}  // namespace isolde::io
