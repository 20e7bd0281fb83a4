// One line of the native format, taken apart, and the quick way to take it apart.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isolde/history_builder.hpp"

namespace isolde::base {
class Budget;
}

namespace isolde::io {

struct LineOp {
  OpKind kind = OpKind::kRead;  ///< kReadAbsent: a selection as a whole, without a key;
                                ///< kReadMatch: an increment by `value`
  bool is_refused = false;      ///< kReadUnknown: an insert that was
  bool is_cas = false;        ///< kReadMatch: a compare-and-set in place of an increment, from
                              ///< `value` to `written`
  bool is_aggregate = false;  ///< kReadAbsent: `list_begin` is in LineTxn::aggregates
  Value key;
  Value value;  ///< kWrite: dead for a deletion
  Value written;
  HistoryBuilder::Swap swap = HistoryBuilder::Swap::kDone;
  Value found;                 ///< instead of `value`
  std::size_t list_begin = 0;  ///< kReadList, sum of an increment: LineTxn::elements
  std::size_t list_end = 0;    ///< kReadAbsent: rows there, each a key and a value
  std::size_t predicate = 0;   ///< kReadAbsent: in LineTxn::predicates
};

/// One transaction as its line tells it.
struct LineTxn {
  std::string session;
  TxnStatus status = TxnStatus::kCommitted;
  TxnTimes times;
  DatabaseTimes database_times;
  std::optional<Level> level;
  Value label;
  Value server;
  std::vector<LineOp> ops;
  std::vector<Value> elements;
  std::vector<Predicate> predicates;
  std::vector<Aggregate> aggregates;
  std::vector<Value> versions;          ///< by operation; may be shorter
  std::vector<LockMode> locks;          ///< likewise
  std::vector<Value> element_versions;  ///< by element, of the values of rows; may be shorter
  bool has_session = false;
  bool has_ops = false;

  /// Of the operation that is added next.
  void set_version(Value version) {
    versions.resize(ops.size() + 1);
    versions.back() = version;
  }
  void set_lock(LockMode mode) {
    locks.resize(ops.size() + 1);
    locks.back() = mode;
  }
  /// Of the row whose value is the last element.
  void set_row_version(Value version) {
    element_versions.resize(elements.size());
    element_versions.back() = version;
  }
  void clear();
};

bool is_blank(std::string_view line);
/// True when the line's first bracket is closed by its last character. Every proper prefix of a
/// JSON object fails this, which is what tells a torn line from a wrong one.
bool is_closed(std::string_view line);

/// Parses a line of the usual shape: known fields, each once, strings of plain ASCII without
/// escapes, integers below 10^18, rows and conditions of these. Returns false for everything
/// else, right or wrong; the caller then parses by the book, so that this function needs no
/// error messages. Values are interned in `builder`, nothing else is told to it. REQUIRES: the
/// character behind the line is readable and is a newline or NUL; `txn` is clear. ENSURES:
/// after false, `txn` may hold anything. Also false when `budget`, which is looked at every
/// megabyte, is exhausted.
bool parse_usual_line(std::string_view line, HistoryBuilder& builder, LineTxn& txn,
                      base::Budget& budget);

/// Tells the transaction to the builder whose values it has, or as much of it as the budget
/// has time for.
void add_line_txn(const LineTxn& txn, SessionId session, std::uint64_t position_in_input,
                  HistoryBuilder& builder, base::Budget& budget);

}  // namespace isolde::io
