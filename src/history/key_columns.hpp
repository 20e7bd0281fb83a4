// Which columns the versions of each key have. A read of a row that tells them all tells the
// version as a whole.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "isolde/history.hpp"

namespace isolde::history {

class KeyColumns {
 public:
  /// `ops`: all operations of the history, aborted ones included. Initial contents are
  /// versions, too. COST: linear in the columns written; nothing for a history without rows.
  KeyColumns(const History& history, std::span<const Op> ops);

  /// The read, of this row, tells all of any version of the key. REQUIRES: is_row(read).
  bool tells_all(KeyId key, Value read) const;
  /// The row's columns, and null for those that it lacks and other versions of the key have.
  std::vector<ColumnValue> with_nulls(KeyId key, Value row) const;

 private:
  struct Written {
    std::vector<Value> columns;  // ascending by slot
    Value last;
    bool has_scalars = false;  // a version without columns
  };
  /// A version of the key.
  void add(KeyId of, Value value);
  static std::size_t place_of(const std::vector<Value>& columns, Value name);

  const History& history_;
  std::unordered_map<std::uint32_t, Written> written_;  // by key
};

}  // namespace isolde::history
