// A notation for small histories in tests, and the plain, editable form behind it.
//
//   A: r(x=_) w(x=1) | r(x=1) ; B: w(y=2)
//   C: a(l=1) r(l=[1]) ! @10,20
//
// history       lines or parts between ';', each `session: transactions`. A session that comes
//               again goes on where it stopped. Transactions are numbered in text order.
// transactions  separated by '|'.
// transaction   operations separated by spaces, or `nop` for none; then, in any order, one of
//               `!` (aborted) and `?` (indeterminate), and `@start,end` (times; `_` = none)
//               and `~start,commit` (times of the database), `%level` (the stated level).
// operation     i(key+3) and i(key+-3), increments whose sum nobody learned;
//               w(key=value)  d(key)  a(key=element)  r(key=value)  r(key=[element ...]); `_`
// as the
//               value of a read is no row (the initial value, or deleted), `?` a result the
//               client never learned,
//               `<>value` any but this one;
//               s(keys=1..9 values=0..5 equal=7: key=value ...) is a selection with the rows
//               that it returned, each of its conditions being optional;
//               s(keys=1..9 get=sum.qty: 5) is an aggregate of such rows and its result: count,
//               exists, and sum, min and max of values or of a column; `_` is null.
// rows          a value may be a row, `qty:1/state:new`, where `_` stands for null, and a read
// and a
//               row of a selection name some of its columns, `/` none; a selection then has
//               cols=qty:1..3/state:!new, with `!` for not, and `_` and `!_` for null and not.
// contents      start(key=value key=[element ...]) before all transactions: what keys held then
// names         keys, values and sessions are words of letters, digits, '-' and '.'. A value or
//               key that is an integer becomes a number, any other word a string.
// comments      from '#' to the end of the line.
//
// Errors in the notation are errors in a test: they print where and what, and abort.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isolde/history.hpp"

namespace isolde::support {

/// A selection. Ranges are words like "1..9"; empty = no such condition.
struct PlainSelection {
  std::string keys;
  std::string values;
  std::string equal;
  std::string columns;                                    ///< "qty:1..3/state:!new"
  std::vector<std::pair<std::string, std::string>> rows;  ///< keys and values
  std::string get = {};                                   ///< an aggregate: "count", "sum.qty"
  std::string result = {};                                ///< of it; empty: null
  friend bool operator==(const PlainSelection&, const PlainSelection&) = default;
};

/// The words as numbers and as they are.
bool selects_key(const PlainSelection& selection, const std::string& key);
/// Nothing matches the empty value.
bool selects_value(const PlainSelection& selection, const std::string& value);

/// Rows with columns, as words.
bool is_row(const std::string& word);
std::map<std::string, std::string> columns_of(const std::string& row);
/// A version may be what a read returned that told these columns; of other words: it is it.
bool agrees(const std::string& told, const std::string& version);
/// The selection may return a row that tells this: what it does not tell may be anything.
bool may_return(const PlainSelection& selection, const std::string& key,
                const std::string& told);

/// The row is among those that the condition selects.
bool is_selected(const PlainSelection& selection, const std::string& key,
                 const std::string& value);

struct PlainOp {
  OpKind kind = OpKind::kRead;    ///< kReadAbsent: a selection as a whole
  std::string key;                ///< empty for selections
  std::string value;              ///< kRead: empty = no row. kWrite: empty = a deletion.
                                  ///< kReadExcept: what it is not. Not for lists and unknown
                                  ///< reads.
  std::vector<std::string> list;  ///< kReadList only
  PlainSelection selection = {};  ///< kReadAbsent only
  bool adds = false;              ///< an increment by the value; to_plain() knows none
  friend bool operator==(const PlainOp&, const PlainOp&) = default;
};

struct PlainTxn {
  std::string session;
  TxnStatus status = TxnStatus::kCommitted;
  TxnTimes times;
  DatabaseTimes database_times;
  std::optional<Level> level;
  std::vector<PlainOp> ops;
};

/// Transactions in the order of the input; those of one session in session order.
struct PlainHistory : std::vector<PlainTxn> {
  using std::vector<PlainTxn>::vector;
  /// What keys held before all transactions: a kWrite or a kReadList for each.
  std::vector<PlainOp> start;
  bool truncated = false;        ///< what came behind is missing
  bool lacks_deletions = false;  ///< deletions may be among that
};

PlainHistory parse_plain(std::string_view text);
/// `lists_rows_later`: HistoryBuilder::list_rows_later().
History build(const PlainHistory& plain, bool lists_rows_later = false);
PlainHistory to_plain(const History& history);

/// build(parse_plain(text)).
History parse(std::string_view text);

/// One transaction a line, in the notation above; parse() gives the same history back.
std::string to_text(const PlainHistory& plain);
std::string to_text(const History& history);

}  // namespace isolde::support
