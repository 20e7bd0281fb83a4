// Operations as boxes of a picture tell them: of rows the columns that tell their versions
// apart, of selections the rows that matter, and of long texts the beginning. What is left out
// is told where there is more room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "explain/evidence.hpp"
#include "explain/scenario.hpp"
#include "isolde/history.hpp"

namespace isolde::report {

class BriefTexts {
 public:
  /// Columns of a row, rows of a selection; bytes of a value, of a condition and of all.
  static constexpr std::size_t kColumns = 3;
  static constexpr std::size_t kRows = 4;
  static constexpr std::size_t kValueBytes = 24;
  static constexpr std::size_t kConditionBytes = 48;
  static constexpr std::size_t kTextBytes = 120;

  /// Keeps a reference to the history, which outlives it. COST: linear in the operations that
  /// matter and their rows.
  BriefTexts(const History& history, const explain::Scenario& scenario);

  /// Of one operation, of which `whole` is all.
  std::string of(explain::OpRef ref, const std::string& whole) const;

  /// Of a selection, of whose operations those with the numbers `named`, ascending, matter.
  std::string of_selection(TxnId txn, const Selection& selection,
                           std::span<const std::uint32_t> named) const;

 private:
  /// The row that the operation read or wrote, as far as it tells; null: it is about none.
  Value row_of(const Op& op) const;
  std::string row_text(KeyId key, Value row) const;
  std::string named_row(const Op& op, bool with_key) const;

  const History& history_;
  explain::OpRef wrong_;                          // is told of first
  std::map<KeyId, std::vector<Value>> decisive_;  // names of columns, ascending
};

}  // namespace isolde::report
