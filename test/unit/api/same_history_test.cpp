// Goal: the same operations are the same history, whoever writes them down: the builder,
// records, the C interface, both recorders, the text format. Method: random transactions told
// to each of them, compared by what the native writer makes of them; histories of C, which has
// no writer, by a certificate, which names the history's digest.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <regex>
#include <span>
#include <sstream>
#include <tuple>
#include <utility>

#include "base/rng.hpp"
#include "io/native.hpp"
#include "io/scalar_text.hpp"
#include "isolde/history_builder.hpp"
#include "isolde/isolde.h"
#include "isolde/isolde.hpp"
#include "isolde/recorder.hpp"
#include "support/seed.hpp"
#include "unit/io/temporary_folder.hpp"

namespace isolde {
namespace {

struct Transaction {
  std::string session;
  std::vector<OperationRecord> ops;
};

constexpr const char* kSessions[] = {"a", "b\""};

/// Random transactions, and what they refer to.
class Case {
 public:
  explicit Case(std::uint64_t seed)
      : rng_(seed),
        has_lists_(rng_.chance(0.5)),
        has_rows_(rng_.chance(0.5)),
        has_aggregates_(rng_.chance(0.25)),
        has_locks_(rng_.chance(0.3)),
        has_numbers_(rng_.chance(0.3)) {
    const std::uint64_t count = 1 + rng_.below(6);
    for (std::uint64_t i = 0; i < count; ++i) {
      Transaction& txn = txns.emplace_back();
      txn.session = kSessions[rng_.below(2)];
      const std::uint64_t ops = rng_.below(6);
      for (std::uint64_t op = 0; op < ops; ++op) txn.ops.push_back(operation());
    }
  }

  bool has(RecordKind kind) const {
    for (const Transaction& txn : txns) {
      for (const OperationRecord& op : txn.ops) {
        if (op.kind == kind) return true;
      }
    }
    return false;
  }

  /// An operation of the kind that locks so.
  bool has(RecordKind kind, LockMode lock) const {
    for (const Transaction& txn : txns) {
      for (const OperationRecord& op : txn.ops) {
        if (op.kind == kind && op.lock == lock) return true;
      }
    }
    return false;
  }

  /// Of the native format.
  int version() const {
    for (const Transaction& txn : txns) {
      for (const OperationRecord& op : txn.ops) {
        if (op.kind == RecordKind::kDelete || op.columns || op.aggregate) return 2;
        if (op.kind == RecordKind::kIncrement) return 2;
        if (op.kind == RecordKind::kInsertRefused || op.lock != LockMode::kNone) return 2;
        if (op.condition && !op.condition->tests.empty()) return 2;
        for (const RowRecord& row : op.rows) {
          if (row.value.kind() == Scalar::Kind::kNull) return 2;
        }
      }
    }
    return 1;
  }

  std::vector<Transaction> txns;

 private:
  Scalar integer() {
    constexpr std::int64_t kOdd[] = {Value::kIntegerMin, Value::kIntegerMax + 1,
                                     std::numeric_limits<std::int64_t>::min()};
    if (rng_.chance(0.1)) return kOdd[rng_.below(3)];
    return static_cast<std::int64_t>(rng_.below(6));
  }
  Scalar text() {
    static const std::string kTexts[] = {"", "3", "\"\\\n\x01", "\xc3\xa9"};
    return kTexts[rng_.below(4)];
  }
  Scalar scalar() { return rng_.chance(0.7) ? integer() : text(); }
  Scalar list_key() { return rng_.chance(0.5) ? "list" : "other list"; }

  Scalar small() { return static_cast<std::int64_t>(rng_.below(6)) - 2; }

  OperationRecord of_number() {
    OperationRecord made;
    made.key = rng_.chance(0.5) ? "number" : "other number";
    made.value = small();
    const std::uint64_t kind = rng_.below(4);
    made.kind = kind == 0   ? RecordKind::kRead
                : kind == 1 ? RecordKind::kWrite
                            : RecordKind::kIncrement;
    if (made.kind == RecordKind::kIncrement && rng_.chance(0.5)) made.sum = small();
    return made;
  }

  OperationRecord operation() {
    if (has_numbers_ && rng_.chance(0.3)) return of_number();
    if (has_lists_ && rng_.chance(0.3)) {
      if (rng_.chance(0.5)) {
        return {.kind = RecordKind::kAppend, .key = list_key(), .value = scalar()};
      }
      std::vector<Scalar>& seen = elements_.emplace_back();
      while (rng_.chance(0.6)) seen.push_back(scalar());
      return {
          .kind = RecordKind::kReadList, .key = list_key(), .elements = seen, .lock = lock()};
    }
    if (has_aggregates_ && rng_.chance(0.3)) return aggregate();
    if (has_locks_ && rng_.chance(0.2)) {
      return {.kind = RecordKind::kInsertRefused, .key = scalar()};
    }
    constexpr RecordKind kOthers[] = {RecordKind::kRead,    RecordKind::kWrite,
                                      RecordKind::kReadNot, RecordKind::kReadUnknown,
                                      RecordKind::kSelect,  RecordKind::kDelete};
    OperationRecord made;
    made.kind = kOthers[rng_.below(6)];
    if (made.kind == RecordKind::kSelect) return selection();
    made.key = scalar();
    made.value = scalar();
    const bool takes_rows = made.kind == RecordKind::kRead || made.kind == RecordKind::kWrite;
    const bool is_read = made.kind == RecordKind::kRead || made.kind == RecordKind::kReadNot;
    if (is_read) made.lock = lock();
    if (made.kind == RecordKind::kRead && rng_.chance(0.3)) {
      made.value = Scalar::null();
    } else if (takes_rows && has_rows_ && rng_.chance(0.6)) {
      made.value = Scalar::null();
      made.columns = columns();
    }
    return made;
  }

  LockMode lock() {
    if (!has_locks_ || rng_.chance(0.5)) return LockMode::kNone;
    return rng_.chance(0.5) ? LockMode::kShare : LockMode::kUpdate;
  }

  static constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  static constexpr const char* kColumns[] = {"a", "b", "", "\"\\\n\x01", "\xc3\xa9"};

  std::span<const ColumnRecord> columns() {
    std::vector<ColumnRecord>& made = columns_.emplace_back();
    for (const char* const name : kColumns) {
      if (rng_.chance(0.4)) made.push_back({name, rng_.chance(0.2) ? Scalar() : scalar()});
    }
    if (rng_.chance(0.5)) std::ranges::reverse(made);
    return made;
  }

  std::span<const Scalar> scalars() {
    std::vector<Scalar>& made = elements_.emplace_back();
    while (rng_.chance(0.6)) made.push_back(scalar());
    return made;
  }

  TestRecord test(std::optional<std::string_view> column) {
    TestRecord made{.column = column};
    made.is_null = column && rng_.chance(0.2);
    if (made.is_null) return made;
    if (rng_.chance(0.4)) made.bounds = bounds();
    if (rng_.chance(0.4)) made.in = scalars();
    if (rng_.chance(0.4)) made.not_in = scalars();
    return made;
  }

  /// In any order, with one of the key unless there are bounds of keys.
  std::span<const TestRecord> tests(bool of_key) {
    std::vector<TestRecord>& made = tests_.emplace_back();
    for (const char* const name : kColumns) {
      if (rng_.chance(0.3)) made.push_back(test(name));
    }
    if (of_key && rng_.chance(0.5)) made.push_back(test({}));
    if (rng_.chance(0.5)) std::ranges::reverse(made);
    return made;
  }

  Predicate::Bounds bounds() {
    Predicate::Bounds made;
    if (rng_.chance(0.8)) made.min = static_cast<std::int64_t>(rng_.below(6)) - 3;
    if (rng_.chance(0.8)) made.max = static_cast<std::int64_t>(rng_.below(6));
    return made;
  }

  ConditionRecord condition() {
    ConditionRecord condition;
    // Lists and numbers have texts as keys, and a selection must not cover them.
    if (has_lists_ || has_numbers_ || rng_.chance(0.5)) condition.keys = bounds();
    if (rng_.chance(0.3)) condition.values = bounds();
    if (rng_.chance(0.3)) condition.equal = scalar();
    if (has_rows_ && rng_.chance(0.7)) condition.tests = tests(!condition.keys);
    return condition;
  }

  OperationRecord selection() {
    const ConditionRecord condition = this->condition();
    std::vector<RowRecord>& rows = rows_.emplace_back();
    for (std::int64_t key = 5; key >= 0; --key) {
      if (rng_.chance(0.3)) rows.push_back(row(key));
    }
    if (rng_.chance(0.3)) rows.push_back(row(text()));
    return {.kind = RecordKind::kSelect, .condition = condition, .rows = rows, .lock = lock()};
  }

  OperationRecord aggregate() {
    AggregateRecord made{static_cast<AggregateKind>(rng_.below(kAggregateKindCount)), {}, {}};
    ConditionRecord condition = this->condition();
    if (made.kind == AggregateKind::kCount || made.kind == AggregateKind::kExists) {
      made.result = static_cast<std::int64_t>(rng_.below(2));
      if (made.kind == AggregateKind::kCount && rng_.chance(0.1)) made.result = kMost;
    } else {
      // Of integers alone.
      const Predicate::Bounds small{-3, 5};
      if (has_rows_ && rng_.chance(0.5)) {
        made.column = kColumns[rng_.below(std::size(kColumns))];
        condition.tests =
            tests_.emplace_back(std::vector{TestRecord{made.column, false, small, {}, {}}});
      } else {
        condition.values = small;
      }
      if (rng_.chance(0.8)) made.result = static_cast<std::int64_t>(rng_.below(9)) - 4;
      if (rng_.chance(0.1)) made.result = rng_.chance(0.5) ? kLeast : kMost;
    }
    return {.kind = RecordKind::kAggregate, .condition = condition, .aggregate = made};
  }

  /// With columns, or none, or by key alone.
  RowRecord row(Scalar key) {
    if (has_rows_ && rng_.chance(0.5)) return {key, {}, columns()};
    return {key, scalar()};
  }

  base::Rng rng_;
  bool has_lists_;
  bool has_rows_;
  bool has_aggregates_;
  bool has_locks_;
  bool has_numbers_;
  std::deque<std::vector<Scalar>> elements_;
  std::deque<std::vector<RowRecord>> rows_;
  std::deque<std::vector<ColumnRecord>> columns_;
  std::deque<std::vector<TestRecord>> tests_;
};

std::optional<std::int64_t> sum_of(const OperationRecord& increment) {
  if (increment.sum.kind() == Scalar::Kind::kNull) return {};
  return increment.sum.number();
}

std::string written(const Result<History>& history) {
  if (!history) return history.error().message;
  io::StringSink sink;
  EXPECT_TRUE(io::write_native(*history, sink).ok());
  return sink.text();
}

Result<History> by_records(const Case& told) {
  HistoryBuilder builder;
  for (const Transaction& txn : told.txns) {
    builder.begin_txn(builder.session(txn.session));
    for (const OperationRecord& op : txn.ops) builder.add(op);
  }
  return builder.finish();
}

class Calls {
 public:
  Result<History> history(const Case& told) {
    for (const Transaction& txn : told.txns) {
      builder_.begin_txn(builder_.session(txn.session));
      for (const OperationRecord& op : txn.ops) {
        add(op);
        builder_.set_lock(op.lock);
      }
    }
    return builder_.finish();
  }

 private:
  Value value(const Scalar& scalar) {
    if (scalar.kind() == Scalar::Kind::kNull) return Value::null();
    if (scalar.kind() == Scalar::Kind::kText) return builder_.string(scalar.text());
    return builder_.integer(scalar.number());
  }

  std::vector<Value> values(std::span<const Scalar> scalars) {
    std::vector<Value> made;
    for (const Scalar& scalar : scalars) made.push_back(value(scalar));
    return made;
  }

  Value row(std::span<const ColumnRecord> columns) {
    std::vector<ColumnValue> made;
    for (const ColumnRecord& column : columns) {
      const Value name = builder_.string(column.name);
      made.push_back({name, value(column.value)});
    }
    return builder_.row(made);
  }

  void add(const OperationRecord& op) {
    if (op.kind == RecordKind::kSelect) return select(op);
    if (op.kind == RecordKind::kAggregate) return aggregate(op);
    const KeyId key = builder_.key(value(op.key));
    switch (op.kind) {
      case RecordKind::kRead:
        return builder_.read(key, op.columns ? row(*op.columns) : value(op.value));
      case RecordKind::kWrite:
        return builder_.write(key, op.columns ? row(*op.columns) : value(op.value));
      case RecordKind::kAppend:
        return builder_.append(key, value(op.value));
      case RecordKind::kReadList:
        return builder_.read_list(key, values(op.elements));
      case RecordKind::kReadUnknown:
        return builder_.read_unknown(key);
      case RecordKind::kReadNot:
        return builder_.read_except(key, value(op.value));
      case RecordKind::kDelete:
        return builder_.remove(key);
      case RecordKind::kInsertRefused:
        return builder_.insert_refused(key);
      case RecordKind::kSelect:
      case RecordKind::kAggregate:
      case RecordKind::kIncrement:
        return builder_.increment(key, op.value.number(), sum_of(op));
      case RecordKind::kCompareAndSet:  // recorders and C have none, so no case does
        break;
    }
  }

  Predicate condition(const OperationRecord& op) {
    Predicate asked{op.condition->keys, op.condition->values, value(op.condition->equal), {}};
    for (const TestRecord& from : op.condition->tests) {
      Predicate::Test& test = asked.tests.emplace_back();
      if (from.column) test.column = builder_.string(*from.column);
      test.is_null = from.is_null;
      test.bounds = from.bounds;
      if (from.in) test.in = values(*from.in);
      test.not_in = values(from.not_in);
    }
    return asked;
  }

  void aggregate(const OperationRecord& op) {
    Aggregate computed{op.aggregate->kind, {}, op.aggregate->result};
    if (op.aggregate->column) computed.column = builder_.string(*op.aggregate->column);
    builder_.aggregate(condition(op), computed);
  }

  void select(const OperationRecord& op) {
    const Predicate asked = condition(op);
    std::vector<Row> rows;
    for (const RowRecord& each : op.rows) {
      const KeyId key = builder_.key(value(each.key));
      const bool has_value = each.value.kind() != Scalar::Kind::kNull;
      rows.push_back({key, has_value ? value(each.value) : row(each.columns)});
    }
    builder_.select(asked, rows);
  }

  HistoryBuilder builder_;
};

RecordedValue recorded(const Scalar& scalar) {
  if (scalar.kind() == Scalar::Kind::kNull) return RecordedValue::null();
  if (scalar.kind() == Scalar::Kind::kText) return scalar.text();
  return scalar.number();
}

std::vector<RecordedValue> recorded(std::span<const Scalar> scalars) {
  std::vector<RecordedValue> made;
  for (const Scalar& scalar : scalars) made.push_back(recorded(scalar));
  return made;
}

std::vector<RecordedColumn> recorded(std::span<const ColumnRecord> columns) {
  std::vector<RecordedColumn> made;
  for (const ColumnRecord& column : columns)
    made.push_back({column.name, recorded(column.value)});
  return made;
}

std::optional<RecordedBounds> recorded(const std::optional<Predicate::Bounds>& bounds) {
  return bounds ? std::optional(RecordedBounds{bounds->min, bounds->max}) : std::nullopt;
}

void record_condition(RecordedSession& session, const OperationRecord& op) {
  std::deque<std::vector<RecordedValue>> lists;
  std::vector<RecordedTest> tests;
  for (const TestRecord& from : op.condition->tests) {
    tests.push_back({from.column, from.is_null, recorded(from.bounds), {}, {}});
    if (from.in) tests.back().in = lists.emplace_back(recorded(*from.in));
    tests.back().not_in = lists.emplace_back(recorded(from.not_in));
  }
  const RecordedCondition condition{recorded(op.condition->keys),
                                    recorded(op.condition->values),
                                    recorded(op.condition->equal), tests};
  if (op.aggregate) {
    constexpr RecordedAggregate::Kind kKinds[] = {
        RecordedAggregate::Kind::kCount, RecordedAggregate::Kind::kExists,
        RecordedAggregate::Kind::kSum, RecordedAggregate::Kind::kMin,
        RecordedAggregate::Kind::kMax};
    return session.aggregate(condition, {kKinds[static_cast<std::size_t>(op.aggregate->kind)],
                                         op.aggregate->column, op.aggregate->result});
  }
  std::deque<std::vector<RecordedColumn>> columns;
  std::vector<RecordedRow> rows;
  for (const RowRecord& row : op.rows) {
    columns.push_back(recorded(row.columns));
    rows.push_back({recorded(row.key), recorded(row.value), columns.back()});
  }
  session.select(condition, rows);
}

void record_unlocked(RecordedSession& session, const OperationRecord& op) {
  const RecordedValue key = recorded(op.key);
  if (op.columns) {
    const std::vector<RecordedColumn> columns = recorded(*op.columns);
    return op.kind == RecordKind::kRead ? session.read_row(key, columns)
                                        : session.write_row(key, columns);
  }
  switch (op.kind) {
    case RecordKind::kRead:
      return session.read(key, recorded(op.value));
    case RecordKind::kWrite:
      return session.write(key, recorded(op.value));
    case RecordKind::kAppend:
      return session.append(key, recorded(op.value));
    case RecordKind::kReadList:
      return session.read_list(key, recorded(op.elements));
    case RecordKind::kReadUnknown:
      return session.read_unknown(key);
    case RecordKind::kReadNot:
      return session.read_not(key, recorded(op.value));
    case RecordKind::kDelete:
      return session.remove(key);
    case RecordKind::kSelect:
    case RecordKind::kAggregate:
      return record_condition(session, op);
    case RecordKind::kInsertRefused:
      return session.insert_refused(key);
    case RecordKind::kIncrement:
      session.increment(key, op.value.number());
      if (sum_of(op)) session.sum(*sum_of(op));
      return;
    case RecordKind::kCompareAndSet:
      break;
  }
}

void record(RecordedSession& session, const OperationRecord& op) {
  record_unlocked(session, op);
  if (op.lock == LockMode::kShare) session.locked(RecordedLock::kShare);
  if (op.lock == LockMode::kUpdate) session.locked(RecordedLock::kUpdate);
}

/// What a recorder wrote, without times and what else is the recorder's own.
std::string without_times(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  std::string kept;
  while (std::getline(lines, line)) {
    if (line.starts_with("{\"event\"")) continue;
    if (line.starts_with("{\"isolde\"")) line = line.substr(0, line.find(",\"ends\"")) + '}';
    kept += std::regex_replace(line, std::regex(",\"(start|end)\":\\d+"), "") + '\n';
  }
  return kept;
}

Result<History> by_recorder(const Case& told) {
  const io::TemporaryFolder folder;
  RecorderOptions options;
  options.deletes = told.version() == 2;
  auto recorder = Recorder::open(folder.path("h"), options);
  EXPECT_TRUE(recorder.ok());
  std::map<std::string, RecordedSession> sessions;
  for (const char* const name : kSessions) sessions.emplace(name, (*recorder)->session(name));
  for (const Transaction& txn : told.txns) {
    RecordedSession& session = sessions.at(txn.session);
    session.begin();
    for (const OperationRecord& op : txn.ops) record(session, op);
    session.commit();
  }
  const Status closed = (*recorder)->close();
  if (!closed) return closed.error();
  return parse(without_times(folder.get("h")), "recorded");
}

isolde_value in_c(const Scalar& scalar) {
  if (scalar.kind() == Scalar::Kind::kNull) return {};
  if (scalar.kind() == Scalar::Kind::kInteger) {
    return {ISOLDE_INTEGER, scalar.number(), nullptr, 0};
  }
  return {ISOLDE_TEXT, 0, scalar.text().data(), scalar.text().size()};
}

/// An operation as C has it, while this lives.
class InC {
 public:
  explicit InC(const OperationRecord& op) {
    made_.size = sizeof made_;
    made_.kind = static_cast<int>(op.kind);
    made_.key = in_c(op.key);
    made_.value = in_c(op.value);
    made_.lock = static_cast<int>(op.lock);
    if (sum_of(op)) {
      sum_ = in_c(op.sum);
      made_.sum = &sum_;
    }
    std::tie(made_.elements, made_.element_count) = list(op.elements);
    for (const RowRecord& row : op.rows) {
      isolde_row& made = rows_.emplace_back();
      made.key = in_c(row.key);
      made.value = in_c(row.value);
      std::tie(made.columns, made.column_count) = columns(row.columns);
    }
    made_.rows = rows_.data();
    made_.row_count = rows_.size();
    if (op.columns) {
      made_.has_columns = 1;
      std::tie(made_.columns, made_.column_count) = columns(*op.columns);
    }
    if (!op.condition) return;
    made_.condition = &condition_;
    condition_.equal = in_c(op.condition->equal);
    condition_.has_keys = op.condition->keys ? 1 : 0;
    condition_.has_values = op.condition->values ? 1 : 0;
    const Predicate::Bounds keys = op.condition->keys.value_or(Predicate::Bounds{7, 7});
    const Predicate::Bounds values = op.condition->values.value_or(Predicate::Bounds{7, 7});
    std::tie(condition_.min_key, condition_.max_key) = std::tie(keys.min, keys.max);
    std::tie(condition_.min_value, condition_.max_value) = std::tie(values.min, values.max);
    for (const TestRecord& each : op.condition->tests) tests_.push_back(test(each));
    condition_.tests = tests_.data();
    condition_.test_count = tests_.size();
    if (op.aggregate) fill(*op.aggregate);
  }
  InC(const InC&) = delete;
  InC& operator=(const InC&) = delete;
  const isolde_operation* get() const { return &made_; }

 private:
  void fill(const AggregateRecord& from) {
    aggregate_.kind = static_cast<int>(from.kind);
    // The names of a case end with a zero byte.
    if (from.column) aggregate_.column = from.column->data();
    aggregate_.has_result = from.result ? 1 : 0;
    // A result that is not there must not be looked at.
    aggregate_.result = from.result.value_or(7);
    made_.aggregate = &aggregate_;
  }

  std::pair<const isolde_value*, std::size_t> list(std::span<const Scalar> scalars) {
    std::vector<isolde_value>& made = lists_.emplace_back();
    for (const Scalar& scalar : scalars) made.push_back(in_c(scalar));
    return {made.data(), made.size()};
  }

  std::pair<const isolde_column*, std::size_t> columns(std::span<const ColumnRecord> row) {
    std::vector<isolde_column>& made = columns_.emplace_back();
    for (const ColumnRecord& column : row) {
      // The names of a case end with a zero byte.
      made.push_back({column.name.data(), in_c(column.value)});
    }
    return {made.data(), made.size()};
  }

  isolde_test test(const TestRecord& from) {
    isolde_test made = {};
    if (from.column) made.column = from.column->data();
    made.is_null = from.is_null ? 1 : 0;
    // An end that is not set must not be looked at.
    made.min = made.max = 3;
    made.has_min = from.bounds && from.bounds->min != Value::kIntegerMin ? 1 : 0;
    made.has_max = from.bounds && (made.has_min == 0 || from.bounds->max != Value::kIntegerMax);
    if (made.has_min != 0) made.min = from.bounds->min;
    if (made.has_max != 0) made.max = from.bounds->max;
    made.has_in = from.in ? 1 : 0;
    if (from.in) std::tie(made.in, made.in_count) = list(*from.in);
    std::tie(made.not_in, made.not_in_count) = list(from.not_in);
    return made;
  }

  isolde_operation made_ = {};
  isolde_value sum_ = {};
  isolde_condition condition_ = {};
  isolde_aggregate aggregate_ = {};
  std::vector<isolde_row> rows_;
  std::vector<isolde_test> tests_;
  std::deque<std::vector<isolde_value>> lists_;
  std::deque<std::vector<isolde_column>> columns_;
};

/// A certificate about the history that C has built.
std::string certificate_by_c(const Case& told) {
  isolde_builder* const builder = isolde_builder_new();
  for (const Transaction& txn : told.txns) {
    isolde_builder_begin(builder, txn.session.c_str());
    for (const OperationRecord& op : txn.ops) isolde_builder_add(builder, InC(op).get());
  }
  isolde_history* history = nullptr;
  EXPECT_EQ(isolde_builder_finish(builder, &history, nullptr), ISOLDE_OK);
  isolde_options* const options = isolde_options_new();
  EXPECT_EQ(isolde_options_level(options, "read-committed", nullptr), ISOLDE_OK);
  isolde_options_min_committed(options, 0);
  isolde_report* report = nullptr;
  EXPECT_EQ(isolde_check(history, options, &report, nullptr), ISOLDE_OK);
  char* const certificate = isolde_report_certificate(report, "read-committed", nullptr);
  std::string copy = certificate == nullptr ? "" : certificate;
  isolde_free(certificate);
  isolde_report_free(report);
  isolde_options_free(options);
  isolde_history_free(history);
  isolde_builder_free(builder);
  return copy;
}

Result<History> by_recorder_of_c(const Case& told) {
  const io::TemporaryFolder folder;
  isolde_recorder* recorder = nullptr;
  const int deletes = told.version() == 2 ? 1 : 0;
  EXPECT_EQ(isolde_recorder_open(folder.path("h").c_str(), nullptr, nullptr, 0, deletes,
                                 &recorder, nullptr),
            ISOLDE_OK);
  std::map<std::string, isolde_session*> sessions;
  for (const char* const name : kSessions) {
    sessions[name] = isolde_recorder_session(recorder, name);
  }
  for (const Transaction& txn : told.txns) {
    isolde_session* const session = sessions[txn.session];
    isolde_session_begin(session);
    for (const OperationRecord& op : txn.ops) {
      EXPECT_EQ(isolde_session_add(session, InC(op).get(), nullptr), ISOLDE_OK);
    }
    isolde_session_end(session, ISOLDE_COMMITTED);
  }
  EXPECT_EQ(isolde_recorder_close(recorder, nullptr), ISOLDE_OK);
  for (const auto& [name, session] : sessions) isolde_session_free(session);
  isolde_recorder_free(recorder);
  return parse(without_times(folder.get("h")), "recorded");
}

std::string json(const Scalar& scalar) {
  if (scalar.kind() == Scalar::Kind::kNull) return "null";
  if (scalar.kind() == Scalar::Kind::kInteger) return std::to_string(scalar.number());
  std::string text;
  io::append_json_string(text, scalar.text());
  return text;
}

std::string json(std::span<const ColumnRecord> columns) {
  std::string text;
  for (const ColumnRecord& column : columns) {
    text += (text.empty() ? "" : ",") + json(Scalar(column.name)) + ':' + json(column.value);
  }
  return '{' + text + '}';
}

std::string json(std::span<const Scalar> scalars) {
  std::string text;
  for (const Scalar& scalar : scalars) text += (text.empty() ? "" : ",") + json(scalar);
  return '[' + text + ']';
}

std::string json(const TestRecord& test) {
  if (test.is_null) return "null";
  std::string text;
  const auto add = [&](const char* name, const std::string& part) {
    ((((text += text.empty() ? "" : ",") += '"') += name) += "\":") += part;
  };
  if (!test.not_in.empty()) add("not in", json(test.not_in));
  if (test.in) add("in", json(*test.in));
  if (test.bounds) add("max", std::to_string(test.bounds->max));
  if (test.bounds) add("min", std::to_string(test.bounds->min));
  if (text.empty()) add("not", "null");
  return '{' + text + '}';
}

std::string json(const ConditionRecord& condition) {
  std::string parts;
  const auto add = [&](const char* name, const std::string& part) {
    ((((parts += parts.empty() ? "" : ",") += '"') += name) += "\":") += part;
  };
  const auto bounds = [](const Predicate::Bounds& each) {
    return '[' + std::to_string(each.min) + ',' + std::to_string(each.max) + ']';
  };
  if (condition.equal.kind() != Scalar::Kind::kNull) add("equal", json(condition.equal));
  if (condition.values) add("values", bounds(*condition.values));
  if (condition.keys) add("keys", bounds(*condition.keys));
  std::string columns;
  for (const TestRecord& test : condition.tests) {
    if (!test.column) {
      add("keys", json(test));
    } else {
      columns += (columns.empty() ? "" : ",") + json(Scalar(*test.column)) + ':' + json(test);
    }
  }
  if (!columns.empty()) add("columns", '{' + columns + '}');
  return '{' + parts + '}';
}

std::string json(const AggregateRecord& aggregate, const ConditionRecord& condition) {
  constexpr const char* kNames[] = {"count", "exists", "sum", "min", "max"};
  std::string text = std::string("[\"") + kNames[static_cast<std::size_t>(aggregate.kind)] +
                     "\"," + json(condition) + ',';
  if (aggregate.column) text += json(Scalar(*aggregate.column)) + ',';
  if (!aggregate.result) return text + "null]";
  if (aggregate.kind != AggregateKind::kExists)
    return text + std::to_string(*aggregate.result) + ']';
  return text + (*aggregate.result == 1 ? "true]" : "false]");
}

std::string json(const OperationRecord& op) {
  std::string rows;
  for (const RowRecord& row : op.rows) {
    rows += (rows.empty() ? "[" : ",[") + json(row.key);
    if (row.value.kind() != Scalar::Kind::kNull) {
      rows += ',' + json(row.value);
    } else if (!row.columns.empty()) {
      rows += ',' + json(row.columns);
    }
    rows += ']';
  }
  const std::string key = json(op.key);
  const std::string content = op.columns ? json(*op.columns) : json(op.value);
  const std::string lock = op.lock == LockMode::kNone    ? "]"
                           : op.lock == LockMode::kShare ? R"(,{"lock":"share"}])"
                                                         : R"(,{"lock":"update"}])";
  switch (op.kind) {
    case RecordKind::kRead:
      return "[\"r\"," + key + ',' + content + lock;
    case RecordKind::kWrite:
      return "[\"w\"," + key + ',' + content + ']';
    case RecordKind::kAppend:
      return "[\"append\"," + key + ',' + json(op.value) + ']';
    case RecordKind::kReadList:
      return "[\"r\"," + key + ',' + json(op.elements) + lock;
    case RecordKind::kReadUnknown:
      return "[\"r\"," + key + ']';
    case RecordKind::kReadNot:
      return "[\"r\"," + key + ",{\"not\":" + json(op.value) + '}' + lock;
    case RecordKind::kDelete:
      return "[\"delete\"," + key + ']';
    case RecordKind::kAggregate:
      return json(*op.aggregate, *op.condition);
    case RecordKind::kInsertRefused:
      return "[\"refused\"," + key + ']';
    case RecordKind::kIncrement:
      return "[\"inc\"," + key + ',' + content + (sum_of(op) ? ',' + json(op.sum) : "") + ']';
    case RecordKind::kCompareAndSet:
    case RecordKind::kSelect:
      break;
  }
  return "[\"select\"," + json(*op.condition) + ",[" + rows + ']' + lock;
}

Result<History> by_text(const Case& told) {
  std::string text = told.version() == 2 ? "{\"isolde\":2,\"kind\":\"history\"}\n"
                                         : "{\"isolde\":1,\"kind\":\"history\"}\n";
  for (const Transaction& txn : told.txns) {
    text += "{\"session\":" + json(Scalar(txn.session)) + ",\"ops\":[";
    for (std::size_t op = 0; op < txn.ops.size(); ++op) {
      text += (op == 0 ? "" : ",") + json(txn.ops[op]);
    }
    text += "]}\n";
  }
  return parse(text, "text");
}

Result<History> by_binary(const History& history, bool compressed) {
  io::StringSink sink;
  EXPECT_TRUE(io::write_native_binary(history, sink, compressed).ok());
  return parse(sink.text(), "binary");
}

TEST(SameHistory, WhoeverWritesItDown) {
  const std::uint64_t cases = support::case_count(1000);
  std::uint64_t deleting = 0;
  std::uint64_t selecting = 0;
  std::uint64_t with_columns = 0;
  std::uint64_t decided = 0;
  std::uint64_t computing = 0;
  std::uint64_t refused = 0;
  std::uint64_t adding = 0;
  std::map<std::pair<RecordKind, LockMode>, std::uint64_t> locked;
  constexpr RecordKind kLocking[] = {RecordKind::kRead, RecordKind::kReadList,
                                     RecordKind::kReadNot, RecordKind::kSelect};
  constexpr LockMode kLocks[] = {LockMode::kShare, LockMode::kUpdate};
  for (std::uint64_t i = 0; i < cases; ++i) {
    const Case told(support::run_seed() + i * 0x9e3779b97f4a7c15ULL);
    deleting += told.has(RecordKind::kDelete) ? 1 : 0;
    selecting += told.has(RecordKind::kSelect) ? 1 : 0;
    const bool computes = told.has(RecordKind::kAggregate);
    with_columns += told.version() == 2 && !told.has(RecordKind::kDelete) && !computes ? 1 : 0;
    computing += computes ? 1 : 0;
    refused += told.has(RecordKind::kInsertRefused) ? 1 : 0;
    adding += told.has(RecordKind::kIncrement) ? 1 : 0;
    for (const RecordKind kind : kLocking) {
      for (const LockMode lock : kLocks) locked[{kind, lock}] += told.has(kind, lock) ? 1 : 0;
    }
    const Result<History> history = by_text(told);
    ASSERT_TRUE(history) << history.error().message;
    const std::string expected = written(history);
    ASSERT_EQ(written(Calls().history(told)), expected);
    ASSERT_EQ(written(by_records(told)), expected);
    ASSERT_EQ(written(by_recorder(told)), expected);
    ASSERT_EQ(written(by_recorder_of_c(told)), expected);
    ASSERT_EQ(written(by_binary(*history, i % 2 == 0)), expected);
    const std::string certificate = certificate_by_c(told);
    if (certificate.empty()) {
      // Two appends of one element leave the level undecided.
      const Result<Report> report =
          check(*history, {.levels = {Level::kReadCommitted}, .min_committed = 0});
      ASSERT_TRUE(report) << expected << report.error().message;
      ASSERT_EQ(report->levels()[0].verdict, Verdict::kUnknown) << expected;
      continue;
    }
    ++decided;
    const Result<Verification> verified = verify(*history, certificate);
    ASSERT_TRUE(verified) << expected << verified.error().message;
    ASSERT_TRUE(verified->proves) << expected << verified->reason;
  }
  EXPECT_TRUE(support::met(deleting, 4, cases));
  EXPECT_TRUE(support::met(selecting, 4, cases));
  EXPECT_TRUE(support::met(with_columns, 10, cases));
  EXPECT_TRUE(support::met(decided, 2, cases));
  EXPECT_TRUE(support::met(computing, 10, cases));
  EXPECT_TRUE(support::met(refused, 20, cases));
  EXPECT_TRUE(support::met(adding, 10, cases));
  for (const auto& [how, count] : locked) EXPECT_TRUE(support::met(count, 50, cases));
}

}  // namespace
}  // namespace isolde
