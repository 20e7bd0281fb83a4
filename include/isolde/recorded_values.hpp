// What clients send to a database and read from it, as a recorder takes it (recorder.hpp).
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isolde/language.hpp"

namespace isolde {

/// A key or a value: an integer of 64 bits or a text in UTF-8. The text is not copied and must
/// live until the call with it returns. Other bytes must be encoded (hexadecimal, base64),
/// always in the same way, so that what is equal stays equal.
class RecordedValue {
 public:
  /// Integers of any type whose values fit 64 bits with sign.
  template <std::integral Number>
  requires(!std::same_as<Number, bool> &&
           (std::signed_integral<Number> || sizeof(Number) < sizeof(std::int64_t)))
      RecordedValue(Number number)
      : number_(number) {}                                                    // NOLINT
  RecordedValue(std::string_view text) : text_(text), kind_(kText) {}         // NOLINT
  RecordedValue(const std::string& text) : RecordedValue(as_view(text)) {}    // NOLINT
  RecordedValue(const char* text) : RecordedValue(std::string_view(text)) {}  // NOLINT
  /// The initial value, as the result of a read only.
  static RecordedValue null() {
    RecordedValue value(0);
    value.kind_ = kNull;
    return value;
  }

  bool is_null() const { return kind_ == kNull; }
  bool is_text() const { return kind_ == kText; }
  /// REQUIRES: neither null nor text.
  std::int64_t number() const { return number_; }
  /// REQUIRES: is_text().
  std::string_view text() const { return text_; }

 private:
  enum Kind : std::uint8_t { kNull, kNumber, kText };
  static std::string_view as_view(const std::string& text) { return text; }
  std::int64_t number_ = 0;
  std::string_view text_;
  Kind kind_ = kNumber;
};

/// Integers from min to max, both included. REQUIRES: kLeast <= min and max <= kMost.
struct RecordedBounds {
  static constexpr std::int64_t kLeast = -(std::int64_t{1} << 61);
  static constexpr std::int64_t kMost = (std::int64_t{1} << 61) - 1;
  std::int64_t min = kLeast;
  std::int64_t max = kMost;
};

/// A column of a row. Null: it holds the database's NULL, or the row has no such column.
struct RecordedColumn {
  std::string_view name;  ///< in UTF-8; any but "not"
  RecordedValue value = RecordedValue::null();
};

/// What a column or the key must hold, by SQL's rules: null passes no test but that for null.
/// With none of these parts: anything but null.
struct RecordedTest {
  std::optional<std::string_view> column = {};  ///< its name; absent: the row's key
  bool is_null = false;                         ///< it holds null; then nothing else is asked
  std::optional<RecordedBounds> bounds = {};
  std::optional<std::span<const RecordedValue>> in = {};  ///< one of these, none of them null
  std::span<const RecordedValue> not_in = {};             ///< none of these, none of them null
};

/// What a row must meet to be selected: every part that is given. Texts, and integers that no
/// bounds can include, do not lie between bounds. Rows with columns lie within no bounds of
/// values, and no value equals them; rows without pass no test of a column.
struct RecordedCondition {
  std::optional<RecordedBounds> keys = {};
  std::optional<RecordedBounds> values = {};
  RecordedValue equal = RecordedValue::null();  ///< the value; null: any
  /// Of each column one at most; of the key one at most, and none beside `keys`.
  std::span<const RecordedTest> tests = {};
};

/// What a selection returned: the row's value, or those of its columns that it told; with
/// neither, the key alone.
struct RecordedRow {
  RecordedValue key;
  RecordedValue value = RecordedValue::null();
  std::span<const RecordedColumn> columns = {};
  RecordedValue version = RecordedValue::null();  ///< as RecordedSession::version(); null: none
};

/// What a statement computed from all rows that a condition selects.
struct RecordedAggregate {
  enum class Kind : std::uint8_t { kCount, kExists, kSum, kMin, kMax };
  Kind kind = Kind::kCount;
  /// Of a sum, minimum or maximum: a column of the rows; absent: their values.
  std::optional<std::string_view> column = {};
  /// kExists: 1 or 0. Absent: NULL, of no rows, which a count is not.
  std::optional<std::int64_t> result = {};
};

/// What a key held before all transactions: a value, the columns of a row, or the elements of a
/// list; one of them.
struct RecordedContents {
  RecordedValue key;
  RecordedValue value = RecordedValue::null();
  std::vector<RecordedColumn> columns = {};
  std::vector<RecordedValue> elements = {};
};

/// How a statement locked what it read: FOR SHARE, FOR UPDATE.
enum class RecordedLock : std::uint8_t { kShare, kUpdate };

}  // namespace isolde
