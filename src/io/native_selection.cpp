#include "io/native_selection.hpp"

#include <utility>

namespace isolde::io {

namespace ondemand = simdjson::ondemand;
using simdjson::SUCCESS;

constexpr const char* kRow =
    R"(a row of a selection is neither [key, value] nor [key, {columns}] nor [key]; a value )"
    R"(may have {"version":v} behind it)";

bool SelectionParser::check(simdjson::error_code code) {
  if (code == SUCCESS) return true;
  return fail_(std::string("malformed JSON: ") + simdjson::error_message(code));
}

bool SelectionParser::exclusion(ondemand::object object, Value& out) {
  constexpr const char* kExpected =
      R"(a read value has a column "not"; expected {"not":value} alone, or a row)";
  for (auto item : object) {
    ondemand::field field;
    if (!check(std::move(item).get(field))) return false;
    if (!field.key().unsafe_is_equal("not") || !out.is_null()) return fail_(kExpected);
    if (!read_scalar_(field.value(), R"(the value of "not")", out)) return false;
    if (out.is_null()) return fail_(R"(null cannot occur in {"not":value})");
  }
  return !out.is_null() || fail_(kExpected);
}

bool SelectionParser::result(ondemand::object object, OpKind& kind, Value& out) {
  ondemand::value excluded;
  const bool is_exclusion = object.find_field_unordered("not").get(excluded) == SUCCESS;
  if (!check(object.reset().error())) return false;
  kind = is_exclusion ? OpKind::kReadExcept : OpKind::kRead;
  return is_exclusion ? exclusion(object, out) : rows_.row(object, out);
}

/// Two bounds, or a test as of a column.
bool SelectionParser::keys(JsonValue value, Predicate& out) {
  ondemand::json_type type{};
  if (!check(value.type().get(type))) return false;
  if (type == ondemand::json_type::array) return bounds(value, out.keys);
  if (out.keys) return fail_("a condition occurs twice in a selection");
  return rows_.keys(value, out);
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
  if (name.unsafe_is_equal("keys")) return keys(field.value(), out);
  if (name.unsafe_is_equal("values")) return bounds(field.value(), out.values);
  if (name.unsafe_is_equal("columns")) return rows_.columns(field.value(), out);
  if (!name.unsafe_is_equal("equal")) {
    // What is not understood may leave out rows.
    return fail_(
        R"(unknown condition of a selection; expected "keys", "columns", "values" or "equal")");
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

bool SelectionParser::lock(JsonValue value, LockMode& out) {
  std::string_view mode;
  if (value.get_string().get(mode) == SUCCESS) {
    if (mode == "share") out = LockMode::kShare;
    if (mode == "update") out = LockMode::kUpdate;
  }
  return out != LockMode::kNone || fail_(R"("lock" is neither "share" nor "update")");
}

bool SelectionParser::extras(JsonValue value, Value& version, LockMode* lock) {
  const char* const expected =
      lock == nullptr ? R"(expected {"version":v} behind a value, and nothing else)"
                      : R"(expected {"version":v} behind a value, {"lock":"share"} or )"
                        R"({"lock":"update"} behind what was read, or both in one)";
  ondemand::object object;
  if (value.get_object().get(object) != SUCCESS) return fail_(expected);
  for (auto item : object) {
    ondemand::field field;
    if (!check(std::move(item).get(field))) return false;
    if (lock != nullptr && field.key().unsafe_is_equal("lock") && *lock == LockMode::kNone) {
      if (!this->lock(field.value(), *lock)) return false;
      continue;
    }
    if (!field.key().unsafe_is_equal("version") || !version.is_null()) return fail_(expected);
    if (!read_scalar_(field.value(), "a version", version)) return false;
    if (version.is_null()) return fail_("null cannot be a version");
  }
  return !version.is_null() || (lock != nullptr && *lock != LockMode::kNone) || fail_(expected);
}

/// [key, value], [key, row] or [key], and with the first two {"version":v}.
bool SelectionParser::row(ondemand::array row, LineTxn& txn) {
  std::size_t part = 0;
  for (auto item : row) {
    ondemand::value value;
    ondemand::object object;
    Value found;
    if (!check(item.get(value))) return false;
    if (++part > 3) return fail_(kRow);
    if (part == 3) {
      ondemand::json_type type{};
      if (!check(value.type().get(type))) return false;
      if (type != ondemand::json_type::object) return fail_(kRow);
      if (!extras(value, found, nullptr)) return false;
      txn.set_row_version(found);
      continue;
    }
    if (part == 2 && value.get_object().get(object) == SUCCESS) {
      if (!rows_.row(object, found)) return false;
    } else if (!read_scalar_(value, "a part of a row", found)) {
      return false;
    }
    if (found.is_null()) return fail_("null cannot occur in a row");
    txn.elements.push_back(found);
  }
  if (part == 1) txn.elements.push_back(rows_.key_alone());
  return part >= 1 || fail_(kRow);
}

bool SelectionParser::rows(JsonValue value, LineTxn& txn) {
  ondemand::array rows;
  if (value.get_array().get(rows) != SUCCESS) {
    return fail_("the rows of a selection are not an array");
  }
  for (auto item : rows) {
    ondemand::array each;
    if (item.get_array().get(each) != SUCCESS) {
      return fail_(kRow);
    }
    if (!row(each, txn)) return false;
  }
  return true;
}

}  // namespace isolde::io
