// HistoryBuilder::add(): records become the builder's calls.
#include "isolde/operation_record.hpp"

#include <algorithm>
#include <charconv>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/utf8.hpp"
#include "isolde/history_builder.hpp"

namespace isolde {
namespace {

constexpr const char* kBoth = "a row has a value beside columns; it has one or the other";

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const base::Character next = base::first_character(text);
    if (!next.valid) return false;
    text.remove_prefix(next.bytes);
  }
  return true;
}

std::size_t digits(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
  return at;
}

/// A JSON number (RFC 8259, section 6).
bool is_json_number(std::string_view text) {
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  std::size_t at = digits(text, sign);
  if (at == sign || (text[sign] == '0' && at > sign + 1)) return false;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = at + 1;
    at = digits(text, fraction);
    if (at == fraction) return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    const bool has_sign = at + 1 < text.size() && (text[at + 1] == '+' || text[at + 1] == '-');
    const std::size_t exponent = at + (has_sign ? 2 : 1);
    at = digits(text, exponent);
    if (at == exponent) return false;
  }
  return at == text.size();
}

Value literal_value(HistoryBuilder& builder, std::string_view text) {
  if (text == "true" || text == "false") return builder.literal(text);
  if (!is_json_number(text)) {
    builder.refuse("a literal is neither a number nor true nor false");
    return builder.integer(0);
  }
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  // Where it fits, it has to equal the integer.
  if (error == std::errc() && stop == end) return builder.integer(number);
  return builder.literal(text);
}

Value value_of(HistoryBuilder& builder, const Scalar& scalar) {
  switch (scalar.kind()) {
    case Scalar::Kind::kInteger:
      return builder.integer(scalar.number());
    case Scalar::Kind::kText:
      if (is_utf8(scalar.text())) return builder.string(scalar.text());
      builder.refuse("a text is not UTF-8; encode other bytes, for example in hexadecimal");
      return builder.integer(0);
    case Scalar::Kind::kLiteral:
      return literal_value(builder, scalar.text());
    case Scalar::Kind::kNull:
      break;
  }
  return {};
}

bool is_null(const Scalar& scalar) { return scalar.kind() == Scalar::Kind::kNull; }

/// What is wrong with tests of a condition, or nothing.
const char* trouble(const ConditionRecord& condition) {
  bool tests_key = condition.keys.has_value();
  for (const TestRecord& test : condition.tests) {
    const bool asks_more = test.bounds || test.in || !test.not_in.empty();
    if (test.is_null && asks_more) return "a test for null asks for nothing else";
    if (!test.column && test.is_null) return "a test of the key for null selects nothing";
    if (!test.column && std::exchange(tests_key, true)) {
      return "a condition has two tests of the key; put bounds and the rest into one";
    }
    const std::span<const Scalar> in = test.in.value_or(std::span<const Scalar>());
    if (std::any_of(in.begin(), in.end(), is_null) ||
        std::any_of(test.not_in.begin(), test.not_in.end(), is_null)) {
      return "null is in no list of values; ask for it by a test for null";
    }
  }
  return nullptr;
}

/// What is wrong with a selection, or nothing.
const char* trouble_of_selection(const OperationRecord& record) {
  for (const RowRecord& row : record.rows) {
    if (is_null(row.key)) return "a row needs a key";
    if (!is_null(row.value) && !row.columns.empty()) return kBoth;
  }
  return trouble(*record.condition);
}

/// What is wrong with an aggregate, or nothing.
const char* trouble_of_aggregate(const OperationRecord& record) {
  const AggregateRecord& aggregate = *record.aggregate;
  const bool looks_at_values = Aggregate{aggregate.kind, {}, std::nullopt}.looks_at_values();
  if (aggregate.column && !looks_at_values) return "a count is of no column";
  return trouble(*record.condition);
}

/// What is wrong with the record itself, or nothing.
const char* trouble(const OperationRecord& record) {
  const bool is_selection = record.kind == RecordKind::kSelect;
  const bool takes_version = record.kind == RecordKind::kRead ||
                             record.kind == RecordKind::kWrite ||
                             record.kind == RecordKind::kDelete;
  if (record.version && !takes_version) return "only reads, writes and rows have versions";
  if (record.version && is_null(*record.version)) return "null is no version; leave it out";
  const bool is_read = record.kind == RecordKind::kRead ||
                       record.kind == RecordKind::kReadList ||
                       record.kind == RecordKind::kReadNot;
  if (record.lock != LockMode::kNone && !is_read && !is_selection) {
    return "only selections and reads whose result is known have a lock";
  }
  const bool is_cas = record.kind == RecordKind::kCompareAndSet;
  if (is_cas ? record.found && !record.has_failed : record.found || record.has_failed) {
    return "only a compare-and-set that has failed has found something else";
  }
  if (is_cas && is_null(record.value)) return "null is the initial value; it cannot be written";
  const bool is_aggregate = record.kind == RecordKind::kAggregate;
  if ((is_selection || is_aggregate) != record.condition.has_value()) {
    return record.condition ? "only selections and aggregates have a condition"
           : is_selection   ? "a selection needs a condition"
                            : "an aggregate needs a condition";
  }
  if (is_aggregate != record.aggregate.has_value()) {
    return is_aggregate ? "an aggregate needs a result" : "only aggregates have such a result";
  }
  if (record.columns) {
    const bool takes_rows =
        record.kind == RecordKind::kRead || record.kind == RecordKind::kWrite;
    if (!takes_rows) return "only reads and writes have columns, and rows of selections";
    if (!is_null(record.value)) return kBoth;
  }
  if (record.kind == RecordKind::kIncrement) {
    const auto is_number = [](const Scalar& scalar) {
      return scalar.kind() == Scalar::Kind::kInteger;
    };
    if (!is_number(record.value) || !(is_null(record.sum) || is_number(record.sum))) {
      return "an increment adds an integer, and its sum is one or not known";
    }
  }
  if (is_selection) return trouble_of_selection(record);
  if (is_aggregate) return trouble_of_aggregate(record);
  if (record.kind == RecordKind::kReadNot && is_null(record.value)) {
    return "a read that did not return null shows nothing; leave it out or say what it "
           "returned";
  }
  return is_null(record.key) ? "an operation needs a key" : nullptr;
}

Value name_of(HistoryBuilder& builder, std::string_view column) {
  if (is_utf8(column)) return builder.string(column);
  builder.refuse("the name of a column is not UTF-8");
  return builder.string("");
}

Value row_of(HistoryBuilder& builder, std::span<const ColumnRecord> columns) {
  std::vector<ColumnValue> row;
  row.reserve(columns.size());
  for (const ColumnRecord& column : columns) {
    const Value name = name_of(builder, column.name);
    row.push_back({name, value_of(builder, column.value)});
  }
  return builder.row(row);
}

/// What was read or written.
Value content_of(HistoryBuilder& builder, const OperationRecord& record) {
  return record.columns ? row_of(builder, *record.columns) : value_of(builder, record.value);
}

std::vector<Value> values_of(HistoryBuilder& builder, std::span<const Scalar> scalars) {
  std::vector<Value> values;
  values.reserve(scalars.size());
  for (const Scalar& scalar : scalars) values.push_back(value_of(builder, scalar));
  return values;
}

Predicate::Test test_of(HistoryBuilder& builder, const TestRecord& asked) {
  Predicate::Test test;
  if (asked.column) test.column = name_of(builder, *asked.column);
  test.is_null = asked.is_null;
  test.bounds = asked.bounds;
  if (asked.in) test.in = values_of(builder, *asked.in);
  test.not_in = values_of(builder, asked.not_in);
  return test;
}

Predicate condition_of(HistoryBuilder& builder, const ConditionRecord& asked) {
  Predicate condition{asked.keys, asked.values, value_of(builder, asked.equal), {}};
  for (const TestRecord& test : asked.tests) condition.tests.push_back(test_of(builder, test));
  return condition;
}

void aggregate(HistoryBuilder& builder, const OperationRecord& record) {
  Aggregate aggregate{record.aggregate->kind, {}, record.aggregate->result};
  if (record.aggregate->column) aggregate.column = name_of(builder, *record.aggregate->column);
  builder.aggregate(condition_of(builder, *record.condition), aggregate);
}

void select(HistoryBuilder& builder, const OperationRecord& record) {
  const Predicate condition = condition_of(builder, *record.condition);
  std::vector<Row> rows;
  rows.reserve(record.rows.size());
  for (const RowRecord& row : record.rows) {
    const KeyId key = builder.key(value_of(builder, row.key));
    const bool is_scalar = !is_null(row.value);
    rows.push_back({key,
                    is_scalar ? value_of(builder, row.value) : row_of(builder, row.columns),
                    row.version ? value_of(builder, *row.version) : Value()});
  }
  builder.select(condition, rows);
}

void read_list(HistoryBuilder& builder, KeyId key, std::span<const Scalar> seen) {
  builder.read_list(key, values_of(builder, seen));
}

void compare_and_set(HistoryBuilder& builder, KeyId key, const OperationRecord& record) {
  using Swap = HistoryBuilder::Swap;
  const Value expected = value_of(builder, record.expected);
  const Value value = value_of(builder, record.value);
  const Value found = record.found ? value_of(builder, *record.found) : Value();
  builder.compare_and_set(key, expected, value,
                          !record.has_failed ? Swap::kDone
                          : record.found     ? Swap::kFound
                                             : Swap::kFailed,
                          found);
}

}  // namespace

void HistoryBuilder::add_initial(const InitialRecord& record) {
  if (is_null(record.key)) return refuse("initial contents need a key");
  const int given = (is_null(record.value) ? 0 : 1) + (record.columns ? 1 : 0) +
                    (record.elements.empty() ? 0 : 1);
  if (given > 1) return refuse("a key begins with a value, with columns or with a list");
  const KeyId key = this->key(value_of(*this, record.key));
  if (!record.elements.empty()) return set_initial_list(key, values_of(*this, record.elements));
  set_initial(key,
              record.columns ? row_of(*this, *record.columns) : value_of(*this, record.value));
}

void HistoryBuilder::add(const OperationRecord& record) {
  if (txn_count() == 0) return refuse("an operation needs a transaction; begin one first");
  if (const char* const why = trouble(record)) return refuse(why);
  if (record.kind == RecordKind::kSelect) {
    isolde::select(*this, record);
    return set_lock(record.lock);
  }
  if (record.kind == RecordKind::kAggregate) return isolde::aggregate(*this, record);
  add_to_key(record);
  if (record.version) set_version(value_of(*this, *record.version));
  set_lock(record.lock);
}

void HistoryBuilder::add_to_key(const OperationRecord& record) {
  const KeyId key = this->key(value_of(*this, record.key));
  switch (record.kind) {
    case RecordKind::kRead:
      return read(key, content_of(*this, record));
    case RecordKind::kWrite:
      return write(key, content_of(*this, record));
    case RecordKind::kAppend:
      return append(key, value_of(*this, record.value));
    case RecordKind::kReadList:
      return isolde::read_list(*this, key, record.elements);
    case RecordKind::kReadUnknown:
      return read_unknown(key);
    case RecordKind::kReadNot:
      return read_except(key, value_of(*this, record.value));
    case RecordKind::kDelete:
      return remove(key);
    case RecordKind::kIncrement:
      return increment(key, record.value.number(),
                       is_null(record.sum) ? std::nullopt : std::optional(record.sum.number()));
    case RecordKind::kCompareAndSet:
      return isolde::compare_and_set(*this, key, record);
    case RecordKind::kInsertRefused:
      return insert_refused(key);
    case RecordKind::kSelect:
    case RecordKind::kAggregate:
      break;
  }
}

}  // namespace isolde
