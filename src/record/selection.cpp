// Rows with columns and selections: as docs/formats/native.md has them. What the reader would
// refuse is refused here, for when all is known nothing can be helped any more.
#include <algorithm>
#include <optional>
#include <span>

#include "history/aggregate_names.hpp"
#include "record/session_state.hpp"

namespace isolde {

using record::put;
using record::put_number;
using record::room_of;
using record::shown;
using record::text_room;

namespace {

constexpr const char* kBounds =
    "the bounds of a selection do not lie between -2^61 and 2^61 - 1";
constexpr std::size_t kMarks = 2;  // a comma, a colon

template <typename Part>
std::size_t room_of(std::span<const Part> parts);

std::size_t room_of(const RecordedColumn& column) {
  return text_room(column.name) + room_of(column.value) + kMarks;
}

constexpr std::string_view kVersion = R"(,{"version":)";

std::size_t room_of(const RecordedRow& row) {
  constexpr std::string_view kBrackets = "[,{}],";
  const std::size_t version =
      row.version.is_null() ? 0 : kVersion.size() + room_of(row.version) + 1;
  return room_of(row.key) + room_of(row.value) + room_of(row.columns) + version +
         kBrackets.size();
}

std::size_t room_of(const RecordedTest& test) {
  constexpr std::string_view kEmpty = R"("":{"min":,"max":,"in":[],"not in":[]},)";
  const std::span<const RecordedValue> in = test.in.value_or(std::span<const RecordedValue>());
  return text_room(test.column.value_or("keys")) + kEmpty.size() + 2 * record::kNumberRoom +
         room_of(in) + room_of(test.not_in);
}

template <typename Part>
std::size_t room_of(std::span<const Part> parts) {
  std::size_t room = 0;
  for (const Part& part : parts) room += room_of(part) + 1;
  return room;
}

std::size_t room_of(const RecordedCondition& condition) {
  constexpr std::string_view kEmpty = R"({"keys":[,],"values":[,],"equal":,"columns":{}})";
  return kEmpty.size() + 4 * record::kNumberRoom + room_of(condition.equal) +
         room_of(condition.tests);
}

bool are_valid(const std::optional<RecordedBounds>& bounds) {
  const auto fits = [](std::int64_t number) {
    return RecordedBounds::kLeast <= number && number <= RecordedBounds::kMost;
  };
  return !bounds || (fits(bounds->min) && fits(bounds->max));
}

using RecordedKind = RecordedAggregate::Kind;

/// The two are the same enumeration (api/c_operation.cpp).
std::string_view name_of(RecordedKind kind) {
  return history::name_of(static_cast<AggregateKind>(kind));
}

/// Else of how many rows there are.
bool looks_at_values(RecordedKind kind) { return kind >= RecordedKind::kSum; }

/// A name that stands twice, once they are sorted.
std::optional<std::string_view> twice_in(std::vector<std::string_view>& names) {
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  return twice == names.end() ? std::nullopt : std::optional(*twice);
}

char* put_bounds(char* at, std::string_view name, const RecordedBounds& bounds) {
  at = put_number(put(at, name), bounds.min);
  *at++ = ',';
  at = put_number(at, bounds.max);
  *at++ = ']';
  return at;
}

/// What is between the parts of an object or an array that began at `begin`.
char* put_comma(char* at, const char* begin) {
  if (at != begin) *at++ = ',';
  return at;
}

}  // namespace

bool RecordedSession::State::check(std::span<const RecordedColumn> columns) {
  if (!is_version_2("a row with columns")) return false;
  names.clear();
  for (const RecordedColumn& column : columns) {
    names.push_back(column.name);
    if (column.name != "not") continue;
    fail("a column cannot be called \"not\", which says what a read did not return");
    return false;
  }
  const std::optional<std::string_view> twice = twice_in(names);
  if (twice) fail("a row has column " + shown(*twice) + " twice");
  return !twice;
}

bool RecordedSession::State::check(const RecordedTest& test) {
  const auto is_null = [](const RecordedValue& value) { return value.is_null(); };
  const char* why = nullptr;
  if (test.is_null && (test.bounds || test.in || !test.not_in.empty())) {
    why = "a test for null asks for nothing else";
  } else if (test.is_null && !test.column) {
    why = "a test of the key for null selects nothing";
  } else if (!are_valid(test.bounds)) {
    why = kBounds;
  } else if ((test.in && std::ranges::any_of(*test.in, is_null)) ||
             std::ranges::any_of(test.not_in, is_null)) {
    why = "null is in no list of values; ask for it by a test for null";
  }
  if (why != nullptr) fail(why);
  return why == nullptr;
}

bool RecordedSession::State::check(const RecordedCondition& condition) {
  if (!are_valid(condition.keys) || !are_valid(condition.values)) {
    fail(kBounds);
    return false;
  }
  if (condition.tests.empty()) return true;
  if (!is_version_2("a test of a condition")) return false;
  names.clear();
  std::size_t of_key = condition.keys ? 1 : 0;
  for (const RecordedTest& test : condition.tests) {
    if (!check(test)) return false;
    if (test.column) {
      names.push_back(*test.column);
    } else if (++of_key == 2) {
      fail("a condition has two tests of the key; put bounds and the rest into one");
      return false;
    }
  }
  const std::optional<std::string_view> twice = twice_in(names);
  if (twice) fail("a condition names column " + shown(*twice) + " twice");
  return !twice;
}

bool RecordedSession::State::check(std::span<const RecordedRow> rows) {
  for (const RecordedRow& row : rows) {
    const bool is_key_alone = row.value.is_null() && row.columns.empty();
    if (row.key.is_null() || (is_key_alone && !recorder.deletes)) {
      fail(
          "a selection returned a row with null, which means that there is no row; encode the "
          "database's own NULL as text");
      return false;
    }
    if (!row.version.is_null() && !is_version_2("a version")) return false;
    if (row.columns.empty()) continue;
    if (!row.value.is_null()) {
      fail("a row has a value beside columns; it has one or the other");
      return false;
    }
    if (!check(row.columns)) return false;
  }
  return true;
}

bool RecordedSession::State::check(const RecordedAggregate& computed) {
  if (!is_version_2("an aggregate")) return false;
  const char* why = nullptr;
  if (!looks_at_values(computed.kind) && computed.column) {
    why = "a count is of rows and not of a column; ask for its nulls by a test";
  } else if (!looks_at_values(computed.kind) && !computed.result) {
    why = "a count is never null; of no rows it is 0";
  } else if (computed.kind == RecordedKind::kCount && *computed.result < 0) {
    why = "a count is never below 0";
  } else if (computed.kind == RecordedKind::kExists &&
             (*computed.result < 0 || *computed.result > 1)) {
    why = "whether rows exist is 1 or 0";
  }
  if (why != nullptr) fail(why);
  return why == nullptr;
}

char* RecordedSession::State::put_name(char* at, std::string_view column) {
  char* const end = record::put_text(at, column);
  if (end == nullptr) fail("the name of the column " + shown(column) + " is not UTF-8");
  return end;
}

char* RecordedSession::State::put_row(char* at, std::span<const RecordedColumn> columns) {
  *at++ = '{';
  const char* const begin = at;
  for (const RecordedColumn& column : columns) {
    at = put_name(put_comma(at, begin), column.name);
    if (at == nullptr) return at;
    *at++ = ':';
    at = put_value(at, column.value, true);
    if (at == nullptr) return at;
  }
  *at++ = '}';
  return at;
}

void RecordedSession::State::row(std::string_view kind, RecordedValue key,
                                 std::span<const RecordedColumn> columns) {
  constexpr std::string_view kBrackets = ",{}";
  operation(kind, key, room_of(columns) + kBrackets.size(), [&](char* at) -> char* {
    if (!check(columns)) return nullptr;
    *at++ = ',';
    return put_row(at, columns);
  });
}

char* RecordedSession::State::put_values(char* at, std::string_view name,
                                         std::span<const RecordedValue> values) {
  at = put(at, name);
  *at++ = '[';
  const char* const begin = at;
  for (const RecordedValue& value : values) {
    at = put_value(put_comma(at, begin), value, false);
    if (at == nullptr) return at;
  }
  *at++ = ']';
  return at;
}

char* RecordedSession::State::put_test(char* at, const RecordedTest& test) {
  if (test.is_null) return put(at, "null");
  if (!test.bounds && test.not_in.empty()) {
    if (!test.in) return put(at, R"({"not":null})");
    if (test.column && test.in->size() == 1) return put_value(at, test.in->front(), false);
  }
  *at++ = '{';
  const char* const begin = at;
  if (test.bounds) {
    // Bounds that leave everything open say that it is an integer.
    const bool has_min = test.bounds->min != RecordedBounds::kLeast;
    if (has_min) at = put_number(put(at, R"("min":)"), test.bounds->min);
    if (!has_min || test.bounds->max != RecordedBounds::kMost) {
      at = put_number(put(put_comma(at, begin), R"("max":)"), test.bounds->max);
    }
  }
  if (test.in) {
    at = put_values(put_comma(at, begin), R"("in":)", *test.in);
    if (at == nullptr) return at;
  }
  if (!test.not_in.empty()) {
    at = put_values(put_comma(at, begin), R"("not in":)", test.not_in);
    if (at == nullptr) return at;
  }
  *at++ = '}';
  return at;
}

/// That of the key, then those of columns: parts of a condition that is not empty unless it
/// ends in '{'.
char* RecordedSession::State::put_tests(char* at, std::span<const RecordedTest> tests) {
  for (const RecordedTest& test : tests) {
    if (test.column) continue;
    if (at[-1] != '{') *at++ = ',';
    at = put_test(put(at, R"("keys":)"), test);
    if (at == nullptr) return at;
  }
  bool any = false;
  for (const RecordedTest& test : tests) {
    if (!test.column) continue;
    if (any || at[-1] != '{') *at++ = ',';
    if (!any) at = put(at, R"("columns":{)");
    any = true;
    at = put_name(at, *test.column);
    if (at == nullptr) return at;
    *at++ = ':';
    at = put_test(at, test);
    if (at == nullptr) return at;
  }
  if (any) *at++ = '}';
  return at;
}

char* RecordedSession::State::put_condition(char* at, const RecordedCondition& condition) {
  *at++ = '{';
  const char* const begin = at;
  if (condition.keys) at = put_bounds(at, R"("keys":[)", *condition.keys);
  if (condition.values) {
    at = put_bounds(put_comma(at, begin), R"("values":[)", *condition.values);
  }
  if (!condition.equal.is_null()) {
    at = put_value(put(put_comma(at, begin), R"("equal":)"), condition.equal, false);
    if (at == nullptr) return at;
  }
  at = put_tests(at, condition.tests);
  if (at != nullptr) *at++ = '}';
  return at;
}

char* RecordedSession::State::put_rows(char* at, std::span<const RecordedRow> rows) {
  *at++ = '[';
  const char* const begin = at;
  for (const RecordedRow& row : rows) {
    at = put_comma(at, begin);
    *at++ = '[';
    at = put_value(at, row.key, false);
    if (at == nullptr) return at;
    if (!row.value.is_null()) {
      *at++ = ',';
      at = put_value(at, row.value, false);
    } else if (!row.columns.empty()) {
      *at++ = ',';
      at = put_row(at, row.columns);
    } else if (!row.version.is_null()) {
      at = put(at, ",{}");
    }
    if (at == nullptr) return at;
    if (!row.version.is_null()) {
      at = put_value(put(at, kVersion), row.version, false);
      if (at == nullptr) return at;
      *at++ = '}';
    }
    *at++ = ']';
  }
  *at++ = ']';
  return at;
}

void RecordedSession::State::select(const RecordedCondition& condition,
                                    std::span<const RecordedRow> rows) {
  constexpr std::string_view kSelect = R"(["select",)";
  constexpr std::size_t kBrackets = 4;  // and commas
  const std::size_t room = kSelect.size() + room_of(condition) + room_of(rows) + kBrackets;
  operation(room, [&](char* at) -> char* {
    if (!check(condition) || !check(rows)) return nullptr;
    at = put_condition(put(at, kSelect), condition);
    if (at == nullptr) return at;
    *at++ = ',';
    return put_rows(at, rows);
  });
}

void RecordedSession::State::aggregate(const RecordedCondition& condition,
                                       const RecordedAggregate& computed) {
  constexpr std::string_view kEmpty = R"(["exists",,"",])";
  const std::size_t room = kEmpty.size() + room_of(condition) +
                           text_room(computed.column.value_or("")) + record::kNumberRoom;
  operation(room, [&](char* at) -> char* {
    if (!check(condition) || !check(computed)) return nullptr;
    at = put(put(put(at, R"([")"), name_of(computed.kind)), R"(",)");
    at = put_condition(at, condition);
    if (at == nullptr) return at;
    *at++ = ',';
    if (computed.column) {
      at = put_name(at, *computed.column);
      if (at == nullptr) return at;
      *at++ = ',';
    }
    if (!computed.result) return put(at, "null");
    if (computed.kind == RecordedKind::kExists) {
      return put(at, *computed.result == 1 ? "true" : "false");
    }
    return put_number(at, *computed.result);
  });
}

}  // namespace isolde
