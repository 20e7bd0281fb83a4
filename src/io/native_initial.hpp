// Initial contents in the header of the native format:
// [["x",1],["log",["a","b"]],[17,{"qty":3}]].
#pragma once

#include <simdjson.h>

#include <string>
#include <utility>

#include "io/native_rows.hpp"

namespace isolde::io {

class InitialParser {
 public:
  using JsonValue = RowParser::JsonValue;

  /// As those of RowParser.
  InitialParser(RowParser::ReadScalar read_scalar, RowParser::Fail fail,
                HistoryBuilder& builder)
      : read_scalar_(read_scalar),
        fail_(fail),
        builder_(builder),
        rows_(std::move(read_scalar), std::move(fail), builder) {}

  /// Tells the builder. False after noting a problem.
  bool parse(JsonValue value);

 private:
  bool check(simdjson::error_code code);
  bool pair(simdjson::ondemand::array pair);
  bool contents(JsonValue value, KeyId key);
  bool list(simdjson::ondemand::array list, KeyId key);

  RowParser::ReadScalar read_scalar_;
  RowParser::Fail fail_;
  HistoryBuilder& builder_;
  RowParser rows_;
};

/// Appends ,"initial":[...], or nothing.
void append_initial(std::string& out, const History& history);

}  // namespace isolde::io
