#include "io/native_selection.hpp"

#include <utility>

namespace isolde::io {

namespace ondemand = simdjson::ondemand;
using simdjson::SUCCESS;

bool SelectionParser::check(simdjson::error_code code) {
  if (code == SUCCESS) return true;
  return fail_(std::string("malformed JSON: ") + simdjson::error_message(code));
}

bool SelectionParser::exclusion(ondemand::object object, Value& out) {
  constexpr const char* kExpected = R"(a read value is an object other than {"not":value})";
  for (auto item : object) {
    ondemand::field field;
    if (!check(std::move(item).get(field))) return false;
    if (!field.key().unsafe_is_equal("not") || !out.is_null()) return fail_(kExpected);
    if (!read_scalar_(field.value(), R"(the value of "not")", out)) return false;
    if (out.is_null()) return fail_(R"(null cannot occur in {"not":value})");
  }
  return !out.is_null() || fail_(kExpected);
}

bool SelectionParser::bounds(JsonValue value, std::optional<Predicate::Bounds>& out) {
  constexpr const char* kExpected = "the bounds of a selection are not two integers [min,max]";
  ondemand::array array;
  if (out) return fail_("a condition occurs twice in a selection");
  if (value.get_array().get(array) != SUCCESS) return fail_(kExpected);
  std::int64_t ends[2] = {0, 0};
  std::size_t count = 0;
  for (auto item : array) {
    ondemand::value end;
    if (!check(item.get(end))) return false;
    if (count == 2 || end.get_int64().get(ends[count]) != SUCCESS) return fail_(kExpected);
    ++count;
  }
  if (count != 2) return fail_(kExpected);
  out = Predicate::Bounds{ends[0], ends[1]};
  return out->are_valid() ||
         fail_("the bounds of a selection do not lie between -2^61 and 2^61 - 1");
}

bool SelectionParser::field(ondemand::field& field, Predicate& out) {
  const ondemand::raw_json_string name = field.key();
  if (name.unsafe_is_equal("keys")) return bounds(field.value(), out.keys);
  if (name.unsafe_is_equal("values")) return bounds(field.value(), out.values);
  if (!name.unsafe_is_equal("equal")) {
    // What is not understood may leave out rows.
    return fail_(R"(unknown condition of a selection; expected "keys", "values" or "equal")");
  }
  if (!out.equal.is_null()) return fail_("a condition occurs twice in a selection");
  if (!read_scalar_(field.value(), R"(the value of "equal")", out.equal)) return false;
  return !out.equal.is_null() || fail_(R"(null cannot be the value of "equal")");
}

bool SelectionParser::condition(JsonValue value, Predicate& out) {
  ondemand::object object;
  if (value.get_object().get(object) != SUCCESS) {
    return fail_("the condition of a selection is not an object");
  }
  for (auto item : object) {
    ondemand::field each;
    if (!check(std::move(item).get(each)) || !field(each, out)) return false;
  }
  return true;
}

/// [key, value]
bool SelectionParser::row(ondemand::array row, std::vector<Value>& out) {
  std::size_t part = 0;
  for (auto item : row) {
    ondemand::value value;
    Value scalar;
    if (part++ == 2) break;
    if (!check(item.get(value)) || !read_scalar_(value, "a part of a row", scalar)) {
      return false;
    }
    if (scalar.is_null()) return fail_("null cannot occur in a row");
    out.push_back(scalar);
  }
  return part == 2 || fail_("a row of a selection is not a pair [key, value]");
}

bool SelectionParser::rows(JsonValue value, std::vector<Value>& out) {
  ondemand::array rows;
  if (value.get_array().get(rows) != SUCCESS) {
    return fail_("the rows of a selection are not an array");
  }
  for (auto item : rows) {
    ondemand::array each;
    if (item.get_array().get(each) != SUCCESS) {
      return fail_("a row of a selection is not a pair [key, value]");
    }
    if (!row(each, out)) return false;
  }
  return true;
}

}  // namespace isolde::io
