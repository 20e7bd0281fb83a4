// One operation of a native line, by the book: ["w","x",1], ["delete","x"], ["select",{},[]].
#pragma once

#include <simdjson.h>

#include <string>
#include <utility>

#include "io/native_line.hpp"
#include "io/native_selection.hpp"

namespace isolde::io {

class OperationParser {
 public:
  using JsonValue = simdjson::ondemand::value;

  /// As those of SelectionParser.
  OperationParser(SelectionParser::ReadScalar read_scalar, SelectionParser::Fail fail,
                  HistoryBuilder& builder)
      : read_scalar_(read_scalar), fail_(fail), selections_(read_scalar, fail, builder) {}

  /// Adds the operation to the transaction. False after noting a problem.
  bool parse(simdjson::ondemand::array array, LineTxn& txn);

 private:
  bool check(simdjson::error_code code);
  bool kind(JsonValue value, LineOp& op, LineTxn& txn);
  bool second(JsonValue value, LineOp& op, Predicate& condition);
  bool third(JsonValue value, LineOp& op, LineTxn& txn);
  bool extras(JsonValue value, const char* other, const LineOp& op, LineTxn& txn);
  bool compare_and_set(int part, JsonValue value, LineOp& op);
  bool increment(int part, JsonValue value, LineOp& op, LineTxn& txn);
  bool aggregate(int part, JsonValue value, LineOp& op, LineTxn& txn);
  bool has_all(const LineOp& op, int part_count);
  bool result(JsonValue value, LineOp& op, LineTxn& txn);
  bool list(simdjson::ondemand::array list, LineOp& op, LineTxn& txn);

  SelectionParser::ReadScalar read_scalar_;
  SelectionParser::Fail fail_;
  SelectionParser selections_;
};

}  // namespace isolde::io
