#include "io/native_rows.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>
#include <vector>

#include "io/scalar_text.hpp"

namespace isolde::io {

namespace ondemand = simdjson::ondemand;
using simdjson::SUCCESS;

bool RowParser::check(simdjson::error_code code) {
  if (code == SUCCESS) return true;
  return fail_(std::string("malformed JSON: ") + simdjson::error_message(code));
}

bool RowParser::row(ondemand::object object, Value& out) {
  std::vector<ColumnValue> columns;
  for (auto item : object) {
    ondemand::field field;
    std::string_view name;
    ColumnValue column;
    if (!check(std::move(item).get(field)) || !check(field.unescaped_key().get(name))) {
      return false;
    }
    column.name = builder_.string(name);
    if (!read_scalar_(field.value(), "a column of a row", column.value)) return false;
    columns.push_back(column);
  }
  out = builder_.row(columns);
  return true;
}

bool RowParser::columns(JsonValue value, Predicate& out) {
  ondemand::object object;
  if (value.get_object().get(object) != SUCCESS) {
    return fail_(R"("columns" of a selection is not an object)");
  }
  for (auto item : object) {
    ondemand::field field;
    std::string_view name;
    Predicate::Test test;
    if (!check(std::move(item).get(field)) || !check(field.unescaped_key().get(name))) {
      return false;
    }
    test.column = builder_.string(name);
    if (!this->test(field.value(), test)) return false;
    out.tests.push_back(std::move(test));
  }
  return true;
}

bool RowParser::keys(JsonValue value, Predicate& out) {
  for (const Predicate::Test& other : out.tests) {
    if (other.column.is_null()) return fail_("a condition occurs twice in a selection");
  }
  Predicate::Test test;
  if (!this->test(value, test)) return false;
  out.tests.push_back(std::move(test));
  return true;
}

/// null, a scalar, or an object.
bool RowParser::test(JsonValue value, Predicate::Test& out) {
  ondemand::object object;
  if (value.get_object().get(object) == SUCCESS) return test(object, out);
  Value wanted;
  if (!read_scalar_(value, "a condition on a column", wanted)) return false;
  if (wanted.is_null()) {
    out.is_null = true;
  } else {
    out.in = {wanted};
  }
  return true;
}

bool RowParser::test(ondemand::object object, Predicate::Test& out) {
  unsigned seen = 0;
  for (auto item : object) {
    ondemand::field field;
    if (!check(std::move(item).get(field)) || !part(field, out, seen)) return false;
  }
  return seen != 0 || fail_("a condition on a column is empty");
}

bool RowParser::values(JsonValue value, std::vector<Value>& out) {
  ondemand::array array;
  if (value.get_array().get(array) != SUCCESS) {
    return fail_(R"(expected an array of values behind "in" and "not in")");
  }
  for (auto item : array) {
    ondemand::value each;
    Value scalar;
    if (!check(item.get(each)) || !read_scalar_(each, "a value of a condition", scalar)) {
      return false;
    }
    if (scalar.is_null()) {
      return fail_(R"(null is in no list of values; ask for it as {"column":null})");
    }
    out.push_back(scalar);
  }
  return true;
}

bool RowParser::part(ondemand::field& field, Predicate::Test& out, unsigned& seen) {
  constexpr std::string_view kNames[] = {"min", "max", "in", "not", "not in"};
  std::string_view name;
  if (!check(field.unescaped_key().get(name))) return false;
  unsigned part = 0;
  while (part < std::size(kNames) && kNames[part] != name) ++part;
  if (part == std::size(kNames)) {
    return fail_("unknown condition on a column " + printable_excerpt(name) +
                 R"(; expected "min", "max", "in", "not" or "not in")");
  }
  if ((seen >> part & 1U) != 0) return fail_("a condition occurs twice in a selection");
  seen |= 1U << part;
  if (part == 2) return values(field.value(), out.in.emplace());
  if (part == 4) return values(field.value(), out.not_in);
  if (part == 3) {
    Value excluded;
    if (!read_scalar_(field.value(), R"(the value of "not")", excluded)) return false;
    // Null passes no other test, so "not null" needs no mark of its own.
    if (!excluded.is_null()) out.not_in.insert(out.not_in.begin(), excluded);
    return true;
  }
  std::int64_t end = 0;
  if (field.value().get_int64().get(end) != SUCCESS) {
    return fail_(R"("min" and "max" of a condition are integers)");
  }
  if (!out.bounds) out.bounds = Predicate::Bounds{};
  (part == 0 ? out.bounds->min : out.bounds->max) = end;
  return out.bounds->are_valid() ||
         fail_("the bounds of a selection do not lie between -2^61 and 2^61 - 1");
}

bool needs_version_2(const History& history) {
  return history.origin().rows_are_deleted || history.has_rows() || history.has_versions() ||
         history.has_initial_contents() || history.has_aggregates() ||
         history.has_increments() || history.has_locks() || history.has_refused_inserts() ||
         std::any_of(history.predicates().begin(), history.predicates().end(),
                     [](const PredicateView& predicate) { return !predicate.tests.empty(); });
}

void append_value(std::string& out, const History& history, Value value) {
  value = history.plain(value);
  switch (value.kind()) {
    case Value::Kind::kNull:
      out += "null";
      break;
    case Value::Kind::kInteger: {
      char digits[24];
      const std::to_chars_result end =
          std::to_chars(digits, digits + sizeof digits, value.as_integer());
      out.append(digits, end.ptr);
      break;
    }
    case Value::Kind::kString:
      append_json_string(out, history.pooled_text(value));
      break;
    case Value::Kind::kLiteral:
      out += history.pooled_text(value);
      break;
  }
}

void append_row(std::string& out, const History& history,
                std::span<const ColumnValue> columns) {
  out += '{';
  for (const ColumnValue& column : columns) {
    if (out.back() != '{') out += ',';
    append_value(out, history, column.name);
    out += ':';
    append_value(out, history, column.value);
  }
  out += '}';
}

namespace {

void append_values(std::string& out, const History& history, std::span<const Value> values) {
  out += '[';
  for (const Value value : values) {
    if (out.back() != '[') out += ',';
    append_value(out, history, value);
  }
  out += ']';
}

}  // namespace

void append_test(std::string& out, const History& history, const PredicateView::Test& test) {
  const bool is_one = test.in && test.in->size() == 1 && !test.bounds && test.not_in.empty();
  if (test.is_null) {
    out += "null";
  } else if (is_one) {
    append_value(out, history, test.in->front());
  } else if (!test.in && !test.bounds && test.not_in.empty()) {
    out += R"({"not":null})";
  } else {
    out += '{';
    const auto add = [&](std::string_view name) {
      if (out.back() != '{') out += ',';
      ((out += '"') += name) += R"(":)";
    };
    // Bounds that leave everything open say that it is an integer.
    if (test.bounds && test.bounds->min != Value::kIntegerMin) {
      add("min");
      append_value(out, history, Value::integer(test.bounds->min));
    }
    if (test.bounds &&
        (test.bounds->max != Value::kIntegerMax || test.bounds->min == Value::kIntegerMin)) {
      add("max");
      append_value(out, history, Value::integer(test.bounds->max));
    }
    if (test.in) {
      add("in");
      append_values(out, history, *test.in);
    }
    if (test.not_in.size() == 1) {
      add("not");
      append_value(out, history, test.not_in.front());
    } else if (!test.not_in.empty()) {
      add("not in");
      append_values(out, history, test.not_in);
    }
    out += '}';
  }
}

void append_column_tests(std::string& out, const History& history,
                         const PredicateView& predicate) {
  if (!predicate.asks_for_columns()) return;
  out += R"("columns":{)";
  for (const PredicateView::Test& test : predicate.tests) {
    if (test.column.is_null()) continue;
    if (out.back() != '{') out += ',';
    append_value(out, history, test.column);
    out += ':';
    append_test(out, history, test);
  }
  out += '}';
}

}  // namespace isolde::io
