// Tables whose rows have several columns, and what clients ask of them: what workloads plan,
// drivers send and runs put on record.
//
// A history has one space of keys. The row of that id in the table of that number is the key
// number * 2^40 + id, so that a range of keys is a whole table. Every row has a stamp besides
// its columns, a number that each change replaces by one that nothing else has: who reads a
// stamp knows which version it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "isolde/operation.hpp"

namespace isolde::table {

using Cell = std::optional<std::int64_t>;  ///< empty: NULL

/// Columns hold integers or NULL.
struct Column {
  std::string_view name;  ///< no word of SQL, and none of id, stamp, was, was_version
  std::optional<std::int64_t> least = {};     ///< the database lets nothing smaller in
  bool indexed = false;                       ///< where the data source asks for indexes
  bool unique = false;                        ///< likewise, and no number stands twice
  std::optional<std::size_t> refers_to = {};  ///< an earlier table, of which it is an id
};

struct Table {
  std::string_view name;
  std::span<const Column> columns;
};

inline constexpr unsigned kIdBits = 40;
inline constexpr std::size_t kTablesMost = 10;

/// REQUIRES: 0 <= id < 2^40.
constexpr std::int64_t key_of(std::size_t table, std::int64_t id) {
  return (static_cast<std::int64_t>(table) << kIdBits) | id;
}
constexpr std::size_t table_of(std::int64_t key) {
  return static_cast<std::size_t>(key >> kIdBits);
}
/// All keys of a table.
constexpr Predicate::Bounds keys_of(std::size_t table) {
  return {key_of(table, 0), key_of(table + 1, 0) - 1};
}

/// What a column or the id must hold. NULL passes no test but is_null.
struct Test {
  static constexpr std::size_t kId = ~std::size_t{0};
  std::size_t column = kId;
  bool is_null = false;  ///< then nothing else counts
  Cell least = {};
  Cell most = {};
  std::vector<std::int64_t> in = {};  ///< one of these; empty: any
};

/// All of these tests, at most one of a column; none: all rows.
using Condition = std::vector<Test>;

/// What an UPDATE does to a column: sets it, or adds to it what it holds.
struct Assignment {
  std::size_t column = 0;
  Cell value = {};
  bool adds = false;
};

using Lock = LockMode;

/// What a statement computes from all rows that meet its condition.
struct Computed {
  AggregateKind kind = AggregateKind::kCount;
  std::size_t column = 0;  ///< of a sum, minimum or maximum
};

/// What a statement asks. Each kind of statement looks at its own parts.
struct Request {
  std::size_t table = 0;
  Condition where = {};                   ///< select, aggregate, update, delete
  Computed computed = {};                 ///< aggregate
  std::vector<std::size_t> columns = {};  ///< select: what to return; empty: all
  std::uint32_t limit = 0;                ///< select: so many rows with the lowest ids; 0: all
  Lock lock = Lock::kNone;                ///< select
  bool skip_locked = false;               ///< select: without the rows that others have locked
  std::vector<Assignment> set = {};  ///< update; upsert: where there is a row. Of a column once
  std::int64_t id = 0;               ///< insert, upsert
  bool takes_fresh_id = false;       ///< the id is the stamp that it gets
  bool may_meet = false;         ///< insert: the transaction goes on where a row is in its way
  std::vector<Cell> cells = {};  ///< insert, upsert: all columns
};

struct Row {
  std::int64_t id = 0;
  std::int64_t stamp = 0;
  std::vector<Cell> cells = {};  ///< all columns, or those that were asked for
  /// The database's own name of the version, where it was asked for and is told.
  Cell version = {};
  friend bool operator==(const Row&, const Row&) = default;
};

/// What a select returned.
struct Selected {
  std::vector<Row> rows;
  /// No other row met the condition: no limit was reached, no locked row skipped.
  bool is_whole = true;
  Lock lock = Lock::kNone;  ///< what the statement asked of the database
};

/// A row that an update or an upsert has changed.
struct Change {
  Row after;
  /// The stamp of the version that it replaced; empty: there was no row.
  Cell replaced = {};
  Cell replaced_version = {};  ///< likewise Row::version
  friend bool operator==(const Change&, const Change&) = default;
};

}  // namespace isolde::table
