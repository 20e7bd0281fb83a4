// Rows with columns and conditions on columns, as JSON: in lines of the native format, and in
// texts of the binary one.
#pragma once

#include <simdjson.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "isolde/history_builder.hpp"

namespace isolde::io {

class RowParser {
 public:
  using JsonValue = simdjson::ondemand::value;
  /// Both return false after noting a problem. The text names the place of a scalar.
  using ReadScalar = std::function<bool(JsonValue, std::string_view, Value&)>;
  using Fail = std::function<bool(std::string)>;

  /// REQUIRES: `builder` outlives this.
  RowParser(ReadScalar read_scalar, Fail fail, HistoryBuilder& builder)
      : read_scalar_(std::move(read_scalar)), fail_(std::move(fail)), builder_(builder) {}

  // Each returns false after noting a problem.

  /// {"qty":3,"state":null}
  bool row(simdjson::ondemand::object object, Value& out);
  /// What a selection returned that tells the keys of its rows only.
  Value key_alone() { return builder_.row({}); }
  /// Adds {"qty":{"min":1},"state":"open"} as tests of columns.
  bool columns(JsonValue value, Predicate& out);
  /// Adds {"in":[1,2]}, or 1, as the test of the key.
  bool keys(JsonValue value, Predicate& out);

 private:
  bool check(simdjson::error_code code);
  bool test(JsonValue value, Predicate::Test& out);
  bool test(simdjson::ondemand::object object, Predicate::Test& out);
  bool part(simdjson::ondemand::field& field, Predicate::Test& out, unsigned& seen);
  bool values(JsonValue value, std::vector<Value>& out);

  ReadScalar read_scalar_;
  Fail fail_;
  HistoryBuilder& builder_;
};

/// The history has deletions, rows with columns, versions, initial contents, aggregates,
/// locks, refused inserts or conditions that version 1 of the native formats does not know.
bool needs_version_2(const History& history);

/// Appends the value as JSON.
void append_value(std::string& out, const History& history, Value value);
/// Appends the row as a JSON object.
void append_row(std::string& out, const History& history, std::span<const ColumnValue> columns);
/// Appends the test as the JSON that RowParser reads.
void append_test(std::string& out, const History& history, const PredicateView::Test& test);
/// Appends "columns":{...} with all tests of columns, or nothing.
void append_column_tests(std::string& out, const History& history,
                         const PredicateView& predicate);

}  // namespace isolde::io
