#include "api/c_operation.hpp"

#include <algorithm>
#include <span>

#include "history/aggregates.hpp"

namespace isolde::api {
namespace {

static_assert(static_cast<int>(RecordKind::kRead) == ISOLDE_READ &&
              static_cast<int>(RecordKind::kWrite) == ISOLDE_WRITE &&
              static_cast<int>(RecordKind::kAppend) == ISOLDE_APPEND &&
              static_cast<int>(RecordKind::kReadList) == ISOLDE_READ_LIST &&
              static_cast<int>(RecordKind::kReadUnknown) == ISOLDE_READ_UNKNOWN &&
              static_cast<int>(RecordKind::kReadNot) == ISOLDE_READ_NOT &&
              static_cast<int>(RecordKind::kSelect) == ISOLDE_SELECT &&
              static_cast<int>(RecordKind::kDelete) == ISOLDE_DELETE &&
              static_cast<int>(RecordKind::kAggregate) == ISOLDE_AGGREGATE &&
              static_cast<int>(RecordKind::kIncrement) == ISOLDE_INCREMENT &&
              static_cast<int>(RecordKind::kInsertRefused) == ISOLDE_INSERT_REFUSED);
static_assert(static_cast<int>(LockMode::kShare) == ISOLDE_SHARE_LOCK &&
              static_cast<int>(LockMode::kUpdate) == ISOLDE_UPDATE_LOCK);
static_assert(static_cast<int>(AggregateKind::kCount) == ISOLDE_COUNT &&
              static_cast<int>(AggregateKind::kExists) == ISOLDE_EXISTS &&
              static_cast<int>(AggregateKind::kSum) == ISOLDE_SUM &&
              static_cast<int>(AggregateKind::kMin) == ISOLDE_MIN &&
              static_cast<int>(AggregateKind::kMax) == ISOLDE_MAX);
using RecordedKind = RecordedAggregate::Kind;
static_assert(static_cast<int>(AggregateKind::kCount) ==
                  static_cast<int>(RecordedKind::kCount) &&
              static_cast<int>(AggregateKind::kExists) ==
                  static_cast<int>(RecordedKind::kExists) &&
              static_cast<int>(AggregateKind::kSum) == static_cast<int>(RecordedKind::kSum) &&
              static_cast<int>(AggregateKind::kMin) == static_cast<int>(RecordedKind::kMin) &&
              static_cast<int>(AggregateKind::kMax) == static_cast<int>(RecordedKind::kMax));

Scalar scalar_of(const isolde_value& value) {
  switch (value.kind) {
    case ISOLDE_INTEGER:
      return value.number;
    case ISOLDE_TEXT:
      return std::string_view(value.text, value.length);
    case ISOLDE_LITERAL:
      return Scalar::literal(std::string_view(value.text, value.length));
    case ISOLDE_NULL:
      break;
  }
  return {};
}

// Whether nothing that is counted is NULL.

bool is_whole(const isolde_value& value) {
  const bool is_text = value.kind == ISOLDE_TEXT || value.kind == ISOLDE_LITERAL;
  return !is_text || value.text != nullptr || value.length == 0;
}

bool is_whole(const isolde_column& column);
bool is_whole(const isolde_row& row);
bool is_whole(const isolde_test& test);

template <typename Part>
bool is_whole(const Part* parts, std::size_t count) {
  if (parts == nullptr) return count == 0;
  return std::all_of(parts, parts + count, [](const Part& part) { return is_whole(part); });
}

bool is_whole(const isolde_column& column) {
  return column.name != nullptr && is_whole(column.value);
}

bool is_whole(const isolde_row& row) {
  return is_whole(row.key) && is_whole(row.value) && is_whole(row.columns, row.column_count) &&
         (row.version == nullptr || is_whole(*row.version));
}

bool is_whole(const isolde_test& test) {
  return (test.has_in == 0 || is_whole(test.in, test.in_count)) &&
         is_whole(test.not_in, test.not_in_count);
}

bool is_whole(const isolde_condition& condition) {
  return is_whole(condition.equal) && is_whole(condition.tests, condition.test_count);
}

bool is_whole(const isolde_operation& from) {
  return is_whole(from.key) && is_whole(from.value) &&
         is_whole(from.elements, from.element_count) && is_whole(from.rows, from.row_count) &&
         is_whole(from.columns, from.column_count) &&
         (from.version == nullptr || is_whole(*from.version)) &&
         (from.sum == nullptr || is_whole(*from.sum)) &&
         (from.condition == nullptr || is_whole(*from.condition));
}

bool is_known(int aggregate) { return aggregate >= ISOLDE_COUNT && aggregate <= ISOLDE_MAX; }

AggregateRecord record_of(const isolde_aggregate& from) {
  AggregateRecord record{static_cast<AggregateKind>(from.kind), {}, {}};
  if (from.column != nullptr) record.column = from.column;
  if (from.has_result != 0) record.result = from.result;
  return record;
}

}  // namespace

Translated::Translated(const isolde_operation& from) {
  if (from.size != sizeof(isolde_operation)) {
    problem_ = "an operation has another size than this version of the library expects";
  } else if ((from.kind < ISOLDE_READ || from.kind > ISOLDE_INCREMENT) &&
             from.kind != ISOLDE_INSERT_REFUSED) {
    problem_ = "there is no such kind of operation";
  } else if (from.aggregate != nullptr && !is_known(from.aggregate->kind)) {
    problem_ = "there is no such kind of aggregate";
  } else if (from.lock < ISOLDE_NO_LOCK || from.lock > ISOLDE_UPDATE_LOCK) {
    problem_ = "there is no such lock";
  } else if (!is_whole(from)) {
    problem_ = "a text, a list, a row or a column that is counted is not there";
  } else if (from.sum != nullptr && from.kind != ISOLDE_INCREMENT) {
    problem_ = "only increments have a sum";
  } else if (from.column_count > 0 && from.has_columns == 0) {
    problem_ = "columns are counted without has_columns";
  } else {
    fill(from);
  }
}

std::span<const Scalar> Translated::scalars(const isolde_value* from, std::size_t count) {
  if (count == 0) return {};
  std::vector<Scalar>& made = scalars_.emplace_back();
  made.reserve(count);
  for (std::size_t i = 0; i < count; ++i) made.push_back(scalar_of(from[i]));
  return made;
}

std::span<const ColumnRecord> Translated::columns(const isolde_column* from,
                                                  std::size_t count) {
  if (count == 0) return {};
  std::vector<ColumnRecord>& made = columns_.emplace_back();
  made.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    made.push_back({from[i].name, scalar_of(from[i].value)});
  }
  return made;
}

TestRecord Translated::test(const isolde_test& from) {
  TestRecord test;
  if (from.column != nullptr) test.column = from.column;
  test.is_null = from.is_null != 0;
  if (from.has_min != 0 || from.has_max != 0) test.bounds = Predicate::Bounds{};
  if (from.has_min != 0) test.bounds->min = from.min;
  if (from.has_max != 0) test.bounds->max = from.max;
  if (from.has_in != 0) test.in = scalars(from.in, from.in_count);
  test.not_in = scalars(from.not_in, from.not_in_count);
  return test;
}

ConditionRecord Translated::condition(const isolde_condition& from) {
  ConditionRecord condition;
  if (from.has_keys != 0) condition.keys = {from.min_key, from.max_key};
  if (from.has_values != 0) condition.values = {from.min_value, from.max_value};
  condition.equal = scalar_of(from.equal);
  for (std::size_t i = 0; i < from.test_count; ++i) tests_.push_back(test(from.tests[i]));
  condition.tests = tests_;
  return condition;
}

void Translated::fill(const isolde_operation& from) {
  record_.kind = static_cast<RecordKind>(from.kind);
  record_.key = scalar_of(from.key);
  record_.value = scalar_of(from.value);
  record_.elements = scalars(from.elements, from.element_count);
  rows_.reserve(from.row_count);
  for (std::size_t i = 0; i < from.row_count; ++i) {
    const isolde_row& row = from.rows[i];
    rows_.push_back(
        {scalar_of(row.key), scalar_of(row.value), columns(row.columns, row.column_count), {}});
    if (row.version != nullptr) rows_.back().version = scalar_of(*row.version);
  }
  record_.rows = rows_;
  if (from.has_columns != 0) record_.columns = columns(from.columns, from.column_count);
  if (from.version != nullptr) record_.version = scalar_of(*from.version);
  if (from.sum != nullptr) record_.sum = scalar_of(*from.sum);
  record_.lock = static_cast<LockMode>(from.lock);
  if (from.condition != nullptr) record_.condition = condition(*from.condition);
  if (from.aggregate != nullptr) record_.aggregate = record_of(*from.aggregate);
}

namespace {

bool is_null(const Scalar& scalar) { return scalar.kind() == Scalar::Kind::kNull; }

bool fits_recorder(const Scalar& scalar) { return scalar.kind() != Scalar::Kind::kLiteral; }
bool fits_recorder(const ColumnRecord& column) { return fits_recorder(column.value); }
bool fits_recorder(const RowRecord& row);
bool fits_recorder(const TestRecord& test);

template <typename Part>
bool fits_recorder(std::span<const Part> parts) {
  return std::all_of(parts.begin(), parts.end(),
                     [](const Part& part) { return fits_recorder(part); });
}

bool fits_recorder(const RowRecord& row) {
  return fits_recorder(row.key) && fits_recorder(row.value) && fits_recorder(row.columns) &&
         (!row.version || fits_recorder(*row.version));
}

bool fits_recorder(const TestRecord& test) {
  return (!test.in || fits_recorder(*test.in)) && fits_recorder(test.not_in);
}

bool fits_recorder(const OperationRecord& operation) {
  const std::optional<ConditionRecord>& asked = operation.condition;
  return fits_recorder(operation.key) && fits_recorder(operation.value) &&
         fits_recorder(operation.sum) && fits_recorder(operation.elements) &&
         fits_recorder(operation.rows) &&
         (!operation.version || fits_recorder(*operation.version)) &&
         (!operation.columns || fits_recorder(*operation.columns)) &&
         (!asked || (fits_recorder(asked->equal) && fits_recorder(asked->tests)));
}

RecordedValue recorded(const Scalar& scalar) {
  if (is_null(scalar)) return RecordedValue::null();
  if (scalar.kind() == Scalar::Kind::kInteger) return scalar.number();
  return scalar.text();
}

std::vector<RecordedValue> recorded(std::span<const Scalar> scalars) {
  std::vector<RecordedValue> values;
  values.reserve(scalars.size());
  for (const Scalar& scalar : scalars) values.push_back(recorded(scalar));
  return values;
}

std::vector<RecordedColumn> recorded(std::span<const ColumnRecord> columns) {
  std::vector<RecordedColumn> row;
  row.reserve(columns.size());
  for (const ColumnRecord& column : columns)
    row.push_back({column.name, recorded(column.value)});
  return row;
}

std::optional<RecordedBounds> recorded(const std::optional<Predicate::Bounds>& bounds) {
  return bounds ? std::optional(RecordedBounds{bounds->min, bounds->max}) : std::nullopt;
}

/// A condition as the recorder takes it, while this and the record live.
class Asked {
 public:
  explicit Asked(const ConditionRecord& from) {
    for (const TestRecord& each : from.tests) {
      RecordedTest& test = tests_.emplace_back();
      test.column = each.column;
      test.is_null = each.is_null;
      test.bounds = recorded(each.bounds);
      if (each.in) test.in = lists_.emplace_back(recorded(*each.in));
      test.not_in = lists_.emplace_back(recorded(each.not_in));
    }
    condition_ = {.keys = recorded(from.keys),
                  .values = recorded(from.values),
                  .equal = recorded(from.equal),
                  .tests = tests_};
  }
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;
  const RecordedCondition& condition() const { return condition_; }

 private:
  std::deque<std::vector<RecordedValue>> lists_;
  std::vector<RecordedTest> tests_;
  RecordedCondition condition_;
};

/// REQUIRES: there is a condition.
void record_selection(RecordedSession& session, const OperationRecord& operation) {
  const Asked asked(*operation.condition);
  std::deque<std::vector<RecordedColumn>> columns;
  std::vector<RecordedRow> rows;
  rows.reserve(operation.rows.size());
  for (const RowRecord& row : operation.rows) {
    rows.push_back({recorded(row.key), recorded(row.value)});
    if (row.version) rows.back().version = recorded(*row.version);
    if (row.columns.empty()) continue;
    rows.back().columns = columns.emplace_back(recorded(row.columns));
  }
  session.select(asked.condition(), rows);
}

/// REQUIRES: there are a condition and an aggregate.
void record_aggregate(RecordedSession& session, const OperationRecord& operation) {
  const AggregateRecord& computed = *operation.aggregate;
  session.aggregate(Asked(*operation.condition).condition(),
                    {.kind = static_cast<RecordedKind>(computed.kind),
                     .column = computed.column,
                     .result = computed.result});
}

/// Why the aggregate cannot be recorded, or nullptr. The recorder would tell it at the end.
const char* trouble(const AggregateRecord& computed) {
  const Aggregate aggregate{computed.kind, {}, computed.result};
  if (computed.column && !aggregate.looks_at_values()) return "a count is of no column";
  return history::trouble(aggregate);
}

/// Why the increment cannot be recorded, or nullptr.
const char* trouble_of_increment(const OperationRecord& operation) {
  const auto is_number = [](const Scalar& scalar) {
    return scalar.kind() == Scalar::Kind::kInteger;
  };
  if (!is_number(operation.value) || !(is_null(operation.sum) || is_number(operation.sum))) {
    return "an increment adds an integer, and its sum is one or not known";
  }
  const bool is_small = is_small_number(operation.value.number()) &&
                        (is_null(operation.sum) || is_small_number(operation.sum.number()));
  return is_small ? nullptr : "what an increment adds, and its sum, are integers of 62 bits";
}

/// Of the condition and of what was computed, or nullptr.
const char* trouble_of_condition(const OperationRecord& operation) {
  const bool is_selection = operation.kind == RecordKind::kSelect;
  const bool is_aggregate = operation.kind == RecordKind::kAggregate;
  if ((is_selection || is_aggregate) != operation.condition.has_value()) {
    return is_selection   ? "a selection needs a condition"
           : is_aggregate ? "an aggregate needs a condition"
                          : "only selections and aggregates have a condition";
  }
  if (is_aggregate != operation.aggregate.has_value()) {
    return is_aggregate ? "an aggregate needs a result" : "only aggregates have such a result";
  }
  return is_aggregate ? trouble(*operation.aggregate) : nullptr;
}

}  // namespace

bool is_small_number(std::int64_t number) {
  return number >= RecordedBounds::kLeast && number <= RecordedBounds::kMost;
}

const char* recording_trouble(const OperationRecord& operation) {
  if (!fits_recorder(operation)) {
    return "only integers and texts can be recorded; encode others as text";
  }
  if (const char* const why = trouble_of_condition(operation)) return why;
  const bool takes_version = operation.kind == RecordKind::kRead ||
                             operation.kind == RecordKind::kWrite ||
                             operation.kind == RecordKind::kDelete;
  if (operation.version && (!takes_version || is_null(*operation.version))) {
    return "only reads, writes, deletions and rows have versions, and null is none";
  }
  const bool takes_lock =
      operation.kind == RecordKind::kRead || operation.kind == RecordKind::kReadList ||
      operation.kind == RecordKind::kReadNot || operation.kind == RecordKind::kSelect;
  if (operation.lock != LockMode::kNone && !takes_lock) {
    return "only selections and reads whose result is known have a lock";
  }
  if (operation.columns) {
    if (operation.kind != RecordKind::kRead && operation.kind != RecordKind::kWrite) {
      return "only reads and writes have columns, and rows of selections";
    }
    if (!is_null(operation.value)) {
      return "a row has a value beside columns; it has one or the other";
    }
  }
  if (operation.kind == RecordKind::kIncrement) {
    if (const char* const why = trouble_of_increment(operation)) return why;
  }
  // What has a condition has no key.
  return !is_null(operation.key) || operation.condition ? nullptr : "an operation needs a key";
}

const char* needs_deletes(const OperationRecord& operation) {
  const auto has_version = [](const RowRecord& row) { return row.version.has_value(); };
  if (operation.version || std::ranges::any_of(operation.rows, has_version)) {
    return "a version needs a recorder that was opened with `deletes`";
  }
  if (operation.lock != LockMode::kNone || operation.kind == RecordKind::kInsertRefused) {
    return "a lock or a refused insert needs a recorder that was opened with `deletes`";
  }
  if (operation.kind == RecordKind::kDelete) {
    return "a deletion needs a recorder that was opened with `deletes`";
  }
  if (operation.kind == RecordKind::kIncrement) {
    return "an increment needs a recorder that was opened with `deletes`";
  }
  if (operation.kind == RecordKind::kAggregate) {
    return "an aggregate needs a recorder that was opened with `deletes`";
  }
  const auto has_value = [](const RowRecord& row) { return !is_null(row.value); };
  const bool has_values = std::all_of(operation.rows.begin(), operation.rows.end(), has_value);
  if (operation.columns || !has_values ||
      (operation.condition && !operation.condition->tests.empty())) {
    return "a row with columns or by its key alone, or a test of a condition, needs a recorder "
           "that was opened with `deletes`";
  }
  return nullptr;
}

const char* record_version(RecordedSession& session, const OperationRecord& operation,
                           void (RecordedSession::*told)(RecordedValue)) {
  if (!operation.version || is_null(*operation.version)) return "null is no version";
  if (!fits_recorder(*operation.version)) {
    return "only integers and texts can be recorded; encode others as text";
  }
  (session.*told)(recorded(*operation.version));
  return nullptr;
}

static void record_operation(RecordedSession& session, const OperationRecord& operation) {
  const RecordedValue key = recorded(operation.key);
  const RecordedValue value = recorded(operation.value);
  switch (operation.kind) {
    case RecordKind::kRead:
      return operation.columns ? session.read_row(key, recorded(*operation.columns))
                               : session.read(key, value);
    case RecordKind::kWrite:
      return operation.columns ? session.write_row(key, recorded(*operation.columns))
                               : session.write(key, value);
    case RecordKind::kAppend:
      return session.append(key, value);
    case RecordKind::kReadList:
      return session.read_list(key, recorded(operation.elements));
    case RecordKind::kReadUnknown:
      return session.read_unknown(key);
    case RecordKind::kReadNot:
      return session.read_not(key, value);
    case RecordKind::kSelect:
      return record_selection(session, operation);
    case RecordKind::kDelete:
      return session.remove(key);
    case RecordKind::kAggregate:
      return record_aggregate(session, operation);
    case RecordKind::kInsertRefused:
      return session.insert_refused(key);
    case RecordKind::kIncrement:
      session.increment(key, operation.value.number());
      if (!is_null(operation.sum)) session.sum(operation.sum.number());
      return;
    case RecordKind::kCompareAndSet:
      break;  // recorders have none, nor has C
  }
}

void record(RecordedSession& session, const OperationRecord& operation) {
  record_operation(session, operation);
  if (operation.version) session.version(recorded(*operation.version));
  if (operation.lock != LockMode::kNone) {
    session.locked(operation.lock == LockMode::kShare ? RecordedLock::kShare
                                                      : RecordedLock::kUpdate);
  }
}

}  // namespace isolde::api
