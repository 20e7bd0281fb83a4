// The parts of a native line that tell what a read was looking for: conditions and rows of
// selections, and {"not": value}.
#pragma once

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/native_line.hpp"
#include "io/native_rows.hpp"

namespace isolde::io {

class SelectionParser {
 public:
  using JsonValue = RowParser::JsonValue;
  using ReadScalar = RowParser::ReadScalar;
  using Fail = RowParser::Fail;

  SelectionParser(ReadScalar read_scalar, Fail fail, HistoryBuilder& builder)
      : read_scalar_(read_scalar), fail_(fail), rows_(read_scalar, fail, builder) {}

  // Each returns false after noting a problem.
  bool condition(JsonValue value, Predicate& out);
  /// Adds a key and a value for each row.
  bool rows(JsonValue value, LineTxn& txn);
  /// {"version":17,"lock":"update"}; `lock`: nullptr where there is none.
  bool extras(JsonValue value, Value& version, LockMode* lock);
  /// A read that did not return a value, {"not":value}, or a row.
  bool result(simdjson::ondemand::object object, OpKind& kind, Value& out);
  /// A row that is written.
  bool row(simdjson::ondemand::object object, Value& out) { return rows_.row(object, out); }

 private:
  bool check(simdjson::error_code code);
  bool field(simdjson::ondemand::field& field, Predicate& out);
  bool exclusion(simdjson::ondemand::object object, Value& out);
  bool keys(JsonValue value, Predicate& out);
  bool bounds(JsonValue value, std::optional<Predicate::Bounds>& out);
  bool row(simdjson::ondemand::array row, LineTxn& txn);
  bool lock(JsonValue value, LockMode& out);

  ReadScalar read_scalar_;
  Fail fail_;
  RowParser rows_;
};

}  // namespace isolde::io
