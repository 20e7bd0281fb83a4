// Operations as records: what HistoryBuilder::add() takes, one struct for all kinds.
//
// Records own nothing: what they point to is the caller's, who has them for one call in one
// thread. Errors: none here; the builder tells them. COST: constant.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "isolde/operation.hpp"

namespace isolde {

/// A key or a value as the caller has it: null, an integer of 64 bits, a text in UTF-8, or
/// another JSON scalar by its text (0.5, true). Texts are not copied: they must live until the
/// call with the scalar returns.
class Scalar {
 public:
  enum class Kind : std::uint8_t { kNull, kInteger, kText, kLiteral };

  Scalar() = default;
  template <std::integral Number>
  requires(!std::same_as<Number, bool> &&
           (std::signed_integral<Number> || sizeof(Number) < sizeof(std::int64_t)))
      Scalar(Number number)
      : number_(number), kind_(Kind::kInteger) {}                      // NOLINT
  Scalar(std::string_view text) : text_(text), kind_(Kind::kText) {}   // NOLINT
  Scalar(const std::string& text) : Scalar(std::string_view(text)) {}  // NOLINT
  Scalar(const char* text) : Scalar(std::string_view(text)) {}         // NOLINT
  /// The initial value.
  static Scalar null() { return {}; }
  static Scalar literal(std::string_view text) {
    Scalar scalar(text);
    scalar.kind_ = Kind::kLiteral;
    return scalar;
  }

  Kind kind() const { return kind_; }
  std::int64_t number() const { return number_; }
  std::string_view text() const { return text_; }

 private:
  std::int64_t number_ = 0;
  std::string_view text_;
  Kind kind_ = Kind::kNull;
};

enum class RecordKind : std::uint8_t {
  kRead,           ///< of a register; a null value is the initial one
  kWrite,          ///< of a register
  kAppend,         ///< of one element to a list
  kReadList,       ///< of all elements
  kReadUnknown,    ///< a read whose result never came
  kReadNot,        ///< a read that only showed that the value is another one
  kSelect,         ///< of all rows that the condition selects
  kDelete,         ///< of a register: it has no value from then on
  kAggregate,      ///< a count, sum, minimum or maximum of all rows that the condition selects
  kIncrement,      ///< a number that is added to that in a register
  kCompareAndSet,  ///< a write that takes place only where the register holds what is expected
  kInsertRefused,  ///< an insert that failed, for there was a row with that key
};

/// A column of a row. A null value: it holds null, or the row has no such column, which is the
/// same.
struct ColumnRecord {
  std::string_view name;  ///< in UTF-8; any but "not"
  Scalar value = {};
};

/// A row that a selection returned: its value, or those columns that it told. With neither it
/// told the key alone.
struct RowRecord {
  Scalar key;
  Scalar value = {};
  std::span<const ColumnRecord> columns = {};
  std::optional<Scalar> version = {};  ///< as OperationRecord::version
};

/// What a key held before all transactions: a value, the columns of a row, or the elements of a
/// list. With none of these nothing, as without a record.
struct InitialRecord {
  Scalar key;
  Scalar value = {};
  std::optional<std::span<const ColumnRecord>> columns = {};
  std::span<const Scalar> elements = {};
};

/// What a column or the key holds, by SQL's rules: null passes no test but that for null. With
/// none of these parts: anything but null.
struct TestRecord {
  std::optional<std::string_view> column = {};   ///< its name; absent: the row's key
  bool is_null = false;                          ///< it holds null; then nothing else is asked
  std::optional<Predicate::Bounds> bounds = {};  ///< an end that is not set is open
  std::optional<std::span<const Scalar>> in = {};  ///< one of these, none of them null
  std::span<const Scalar> not_in = {};             ///< none of these, none of them null
};

/// A condition on rows; each part that is there must hold. Rows without columns pass no test of
/// a column; those with columns lie within no bounds of values, and no value equals them.
struct ConditionRecord {
  std::optional<Predicate::Bounds> keys = {};
  std::optional<Predicate::Bounds> values = {};
  Scalar equal = {};                       ///< null: any value
  std::span<const TestRecord> tests = {};  ///< of each column one at most; of the key one
                                           ///< at most, and none beside `keys`
};

/// What a statement computed of the rows that its condition selects.
struct AggregateRecord {
  AggregateKind kind = AggregateKind::kCount;
  std::optional<std::string_view> column = {};  ///< of rows with columns; not of a count
  std::optional<std::int64_t> result = {};      ///< absent: null, of no rows; kExists: 1 or 0
};

/// Members that the kind does not mention stay as they are. Spans and texts are the caller's,
/// and must live until the call with the record returns.
struct OperationRecord {
  RecordKind kind = RecordKind::kRead;
  Scalar key = {};  ///< all kinds but kSelect and kAggregate
  /// kRead, kWrite, kAppend, kReadNot; kIncrement: what is added; kCompareAndSet: what was to
  /// be written.
  Scalar value = {};
  Scalar sum = {};                   ///< kIncrement: what became of the number; null: not known
  Scalar expected = {};              ///< kCompareAndSet: what had to be there; null: nothing
  bool has_failed = false;           ///< kCompareAndSet: it did not take place
  std::optional<Scalar> found = {};  ///< kCompareAndSet that has failed: what was there instead
  std::span<const Scalar> elements = {};          ///< kReadList
  std::optional<ConditionRecord> condition = {};  ///< kSelect, kAggregate
  std::optional<AggregateRecord> aggregate = {};  ///< kAggregate
  std::span<const RowRecord> rows = {};           ///< kSelect: what it returned
  /// kRead, kWrite: a row in place of a value. A write has all columns; a read those that it
  /// told, perhaps none: there was a row, and no more is known of it.
  std::optional<std::span<const ColumnRecord>> columns = {};
  /// kRead, kWrite, kDelete: the database's own name of the version that was read or written,
  /// such as PostgreSQL's xmin or etcd's revision; absent: unknown.
  std::optional<Scalar> version = {};
  /// kRead, kReadList, kReadNot, kSelect: how the statement locked what it read. It changes no
  /// verdict.
  LockMode lock = LockMode::kNone;
};

}  // namespace isolde
