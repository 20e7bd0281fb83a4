// Operations of transactions: reads, writes, and reads by predicate.
//
// All are values that own what they hold; texts are in the pool of the history or builder that
// made the Value. Threads: as for any value: several may read one object. Errors: none. COST,
// where a comment says nothing: constant.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "isolde/export.h"
#include "isolde/index.hpp"

namespace isolde {

using KeyId = Index<struct KeyTag>;

/// A JSON scalar in eight bytes: null, an integer stored inline, or a reference into the
/// history's pool to a string or to the literal text of another scalar (a fraction, an integer
/// beyond 62 bits, true, false) or of a row (History::is_row). Two values of one history are
/// equal exactly when their bits are equal. There are two values of kind null, for there are
/// two ways not to be: null, that of a key which nobody has written, and dead, that of one
/// which somebody has deleted.
class Value {
 public:
  enum class Kind : std::uint8_t { kNull = 0, kInteger = 1, kString = 2, kLiteral = 3 };

  constexpr Value() = default;
  static constexpr Value null() { return Value(); }
  static constexpr Value dead() { return Value(std::uint64_t{1} << 2); }
  /// REQUIRES: kIntegerMin <= number <= kIntegerMax. HistoryBuilder::integer() takes any.
  static constexpr Value integer(std::int64_t number) {
    return Value((static_cast<std::uint64_t>(number) << 2) | 1U);
  }
  static constexpr Value pooled(Kind kind, std::uint32_t slot) {
    return Value((std::uint64_t{slot} << 2) | static_cast<std::uint64_t>(kind));
  }
  static constexpr Value from_bits(std::uint64_t bits) { return Value(bits); }

  static constexpr std::int64_t kIntegerMax = (std::int64_t{1} << 61) - 1;
  static constexpr std::int64_t kIntegerMin = -(std::int64_t{1} << 61);

  constexpr Kind kind() const { return static_cast<Kind>(bits_ & 3U); }
  constexpr bool is_null() const { return bits_ == 0; }
  constexpr bool is_dead() const { return *this == dead(); }
  /// Null or dead: no row.
  constexpr bool is_absent() const { return kind() == Kind::kNull; }
  /// REQUIRES: kind() == kInteger.
  constexpr std::int64_t as_integer() const { return static_cast<std::int64_t>(bits_) >> 2; }
  /// REQUIRES: kind() is kString or kLiteral.
  constexpr std::uint32_t slot() const { return static_cast<std::uint32_t>(bits_ >> 2); }
  constexpr std::uint64_t bits() const { return bits_; }

  friend constexpr bool operator==(Value, Value) = default;

 private:
  constexpr explicit Value(std::uint64_t bits) : bits_(bits) {}
  std::uint64_t bits_ = 0;
};

enum class OpKind : std::uint8_t {
  kRead,         ///< register read; null = the initial value (no write yet), History::initial()
  kWrite,        ///< register write, never null; dead = the row was deleted
  kAppend,       ///< list append of one element, never null
  kReadList,     ///< list read; the empty list is the initial value, see History::seen_list()
  kReadUnknown,  ///< a read whose result the client never learned; constrains nothing
  kReadAbsent,   ///< register, part of a selection that did not return the row
  kReadExcept,   ///< negative read of a register: only values it did not return are known;
                 ///< where rows are deleted, a read that found none
  kReadMatch,    ///< register: some columns of a row, or a row of which only is known by what
                 ///< condition it was selected, or the initial value, which is written, too
                 ///< (from kReadAbsent on reads are partial)
};

/// What a partial read tells of the version that it returned: History::fits().
struct Partial {
  std::uint64_t what = 0;    ///< Op::value
  bool is_negative = false;  ///< no row that the predicate selects; else one that it does
  friend auto operator<=>(const Partial&, const Partial&) = default;
};

/// A condition on rows, the WHERE of a query. A row is a register with its value; a register
/// that nobody has written, or that was deleted, is no row and matches nothing. PredicateView
/// tells what it selects.
struct Predicate {
  /// Both ends included.
  struct Bounds {
    std::int64_t min = Value::kIntegerMin;
    std::int64_t max = Value::kIntegerMax;
    friend bool operator==(const Bounds&, const Bounds&) = default;
    /// Both fit 62 bits. They select nothing where they are the wrong way round.
    bool are_valid() const {
      const auto fits = [](std::int64_t number) {
        return Value::kIntegerMin <= number && number <= Value::kIntegerMax;
      };
      return fits(min) && fits(max);
    }
    /// Only integers that fit 62 bits lie within bounds.
    bool contain(Value value) const {
      return value.kind() == Value::Kind::kInteger && min <= value.as_integer() &&
             value.as_integer() <= max;
    }
  };
  /// What a column holds, by SQL's rules: null passes no test but that for null.
  struct Test {
    Value column;          ///< its name, a string; null: the row's key
    bool is_null = false;  ///< it holds null; then nothing else is asked
    std::optional<Bounds> bounds;
    std::optional<std::vector<Value>> in;  ///< it holds one of these
    std::vector<Value> not_in;             ///< it holds none of these
    friend bool operator==(const Test&, const Test&) = default;
  };
  std::optional<Bounds> keys;
  std::optional<Bounds> values;
  Value equal;              ///< the row's value is this one; null = any value
  std::vector<Test> tests;  ///< of columns, and of the key; of each one at most
  friend bool operator==(const Predicate&, const Predicate&) = default;
};

/// A column of a row. Null: it holds SQL's null, or the row has no such column, which is the
/// same.
struct ColumnValue {
  Value name;  ///< a string
  Value value;
  friend bool operator==(const ColumnValue&, const ColumnValue&) = default;
};

/// What a statement computed from the rows that a condition selects.
enum class AggregateKind : std::uint8_t {
  kCount,   ///< how many there are
  kExists,  ///< whether there are any: 1 or 0
  kSum,     ///< of what the column holds, as kMin and kMax
  kMin,
  kMax,
};
inline constexpr std::size_t kAggregateKindCount =
    static_cast<std::size_t>(AggregateKind::kMax) + 1;

/// The result of a statement such as select sum(qty) ... where. As in SQL, rows whose column
/// holds null are in no sum, minimum or maximum.
struct Aggregate {
  AggregateKind kind = AggregateKind::kCount;
  Value column;  ///< of the rows; null: their value itself, or not looked at
  std::optional<std::int64_t> result;  ///< none: null, of no rows
  friend bool operator==(const Aggregate&, const Aggregate&) = default;

  /// It is about what a column holds, not about how many rows there are.
  bool looks_at_values() const { return kind >= AggregateKind::kSum; }
  /// Nothing counted: as a selection that returned no row.
  bool is_of_nothing() const { return looks_at_values() ? !result : result == 0; }
};

/// One operation, 16 bytes.
struct Op {
  /// kRead, kWrite, kAppend: the value or element. kReadList: see History::list. Partial reads:
  /// see History::predicate and History::read_columns.
  Value value;
  KeyId key;
  OpKind kind = OpKind::kRead;

  /// A read whose result is known.
  bool is_read() const { return kind == OpKind::kRead || kind == OpKind::kReadList; }
  /// A negative read of a register: it returned no value that History::predicate selects. The
  /// initial version is possible where that selects no initial contents of the key.
  bool is_exclusion() const {
    return kind == OpKind::kReadAbsent || kind == OpKind::kReadExcept;
  }
  /// A read of a register that does not tell the version as a whole: a negative read, or one of
  /// a row of which some columns or only a condition are known. History::fits() says of a
  /// version whether it may have returned that one.
  bool is_partial() const { return kind >= OpKind::kReadAbsent; }
  /// REQUIRES: is_partial().
  Partial partial() const { return {value.bits(), is_exclusion()}; }
  /// The client learned something about the item, or changed it.
  bool uses_item() const { return kind != OpKind::kReadUnknown; }
  bool is_write() const { return kind == OpKind::kWrite || kind == OpKind::kAppend; }
  bool is_delete() const { return kind == OpKind::kWrite && value.is_dead(); }
};
static_assert(sizeof(Op) == 16);

/// A statement that added to a number, such as update t set v = v + 3 or INCR: two operations,
/// a read of the number that it found and a write of the sum. Where the client never learned
/// the sum, the read is known to have returned some number, and the write has a value of its
/// own in place of the number (docs/LEVELS.md).
struct Increment {
  std::uint32_t op = 0;  ///< its read, in History::all_ops(); the write comes next
  std::int64_t by = 0;
  bool is_known = true;  ///< the sum is, from the client or by what its transaction did
};

/// What a statement did to the rows that it read besides reading them: SELECT ... FOR SHARE,
/// ... FOR UPDATE. It changes no verdict.
enum class LockMode : std::uint8_t { kNone, kShare, kUpdate };

/// A read by key that locked.
struct LockedRead {
  std::uint32_t op = 0;  ///< in History::all_ops()
  LockMode mode = LockMode::kNone;
};

/// A row that a selection returned.
struct Row {
  KeyId key;
  Value value;
  Value version = {};  ///< the database's own, as History::version()
};

/// A read of all rows that match a predicate, as operations of its transaction: from `first` on
/// a kRead or kReadMatch for each row that it returned, then a kReadAbsent for each other key
/// that some transaction of the history writes a matching value to, or that held one at the
/// start, ascending by name. All are
/// read at once: their order means nothing (History::step).
///
/// An aggregate returns no rows. Its operations are the kReadAbsents, its *items*: each read
/// some version of its row, of which alone is known what the result excludes whatever the
/// others read. What the result says of all items together is History::aggregate.
struct Selection {
  static constexpr std::uint32_t kNoAggregate = 0xffffffffU;

  std::uint32_t first = 0;  ///< index in the transaction
  std::uint32_t rows = 0;
  std::uint32_t absents = 0;
  std::uint32_t predicate = 0;  ///< for History::predicate
  std::uint32_t aggregate = kNoAggregate;
  LockMode lock = LockMode::kNone;  ///< what was asked for the rows
  bool is_aggregate() const { return aggregate != kNoAggregate; }
  std::uint32_t end() const { return first + rows + absents; }
};

}  // namespace isolde
