// The parts of a native line that tell what a read was looking for: conditions and rows of
// selections, and {"not": value}.
#pragma once

#include <simdjson.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isolde/history.hpp"

namespace isolde::io {

class SelectionParser {
 public:
  using JsonValue = simdjson::ondemand::value;
  /// Both return false after noting a problem. The text names the place of a scalar.
  using ReadScalar = std::function<bool(JsonValue, std::string_view, Value&)>;
  using Fail = std::function<bool(std::string)>;

  SelectionParser(ReadScalar read_scalar, Fail fail)
      : read_scalar_(std::move(read_scalar)), fail_(std::move(fail)) {}

  // Each returns false after noting a problem.
  bool condition(JsonValue value, Predicate& out);
  /// Adds a key and a value for each row.
  bool rows(JsonValue value, std::vector<Value>& out);
  /// The value that was not read.
  bool exclusion(simdjson::ondemand::object object, Value& out);

 private:
  bool check(simdjson::error_code code);
  bool field(simdjson::ondemand::field& field, Predicate& out);
  bool bounds(JsonValue value, std::optional<Predicate::Bounds>& out);
  bool row(simdjson::ondemand::array row, std::vector<Value>& out);

  ReadScalar read_scalar_;
  Fail fail_;
};

}  // namespace isolde::io
