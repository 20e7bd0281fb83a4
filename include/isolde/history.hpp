// The history: what clients sent to a database and what they saw, as sessions of transactions
// of operations. A History is immutable and cheap to share between threads; HistoryBuilder
// (history_builder.hpp) is the only way to make one.
//
// Terms (docs/LEVELS.md has the glossary): a *session* is one client's sequence of
// transactions, one at a time; a *transaction* is a sequence of operations with one outcome; an
// *operation* reads or writes one key. A key is either a register (write replaces the value) or
// a list (append adds an element at the end, a read returns the whole list).
//
// Ownership: what a member returns by reference, span or view lives as long as the history;
// copies and texts are the caller's. Threads: every member may be called from several at once.
// Errors: none, where a comment tells of none. REQUIRES: ids, operations, selections and values
// are of this history. COST, where a comment says nothing: linear in the text or copy that
// comes out, with a look at each part of the notation; else constant.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isolde/event.hpp"
#include "isolde/export.h"
#include "isolde/history_tables.hpp"
#include "isolde/index.hpp"
#include "isolde/level.hpp"
#include "isolde/operation.hpp"
#include "isolde/origin.hpp"
#include "isolde/status.hpp"
#include "isolde/times.hpp"

namespace isolde {

/// An immutable history. Transactions are numbered in the order of the input; a session's
/// transactions are in session order.
///
/// Invariants: H1 every transaction belongs to exactly one session and appears once in it;
/// H2 a key is used either as a register or as a list, never as both; H3 written values and
/// appended elements are not null, and where a row may have been deleted a read that found none
/// is a kReadExcept of any value; H4 session order agrees with
/// input order; H5 a kReadAbsent is part of exactly one selection; H6 a selection covers no
/// list; H7 a read of a row is a kRead when it tells all columns of all
/// versions of its key, and a kReadMatch otherwise; H8 of a key with initial contents, a kRead
/// of null and an empty list are reads of these; a read that found nothing is a kReadExcept of
/// any value, one that may be of the initial value or of a write of the same value is a
/// kReadMatch (read_value()), and a list that does not begin with the initial one has null in
/// front.
class ISOLDE_API History : HistoryTables {
 public:
  History() = default;  ///< without anything
  std::size_t session_count() const { return session_names_.size(); }
  std::size_t txn_count() const { return txn_status_.size(); }
  std::size_t op_count() const { return ops_.size(); }
  std::size_t key_count() const { return keys_.size(); }

  const std::string& session_name(SessionId session) const {
    return session_names_[session.raw()];
  }
  /// The session's transactions in session order.
  std::span<const TxnId> session_txns(SessionId session) const {
    return span_of(session_txns_, session_begin_, session.raw());
  }

  SessionId session_of(TxnId txn) const { return txn_session_[txn.raw()]; }
  /// Position of the transaction in its session, from 0.
  std::uint32_t position_of(TxnId txn) const { return txn_position_[txn.raw()]; }
  TxnStatus status(TxnId txn) const { return txn_status_[txn.raw()]; }
  /// In program order.
  std::span<const Op> ops(TxnId txn) const { return span_of(ops_, op_begin_, txn.raw()); }
  /// Those of all transactions, one behind the other.
  std::span<const Op> all_ops() const { return ops_; }
  /// Index of the transaction's first operation in the whole history's operation array.
  std::uint32_t first_op(TxnId txn) const { return op_begin_[txn.raw()]; }

  /// True when at least one transaction has a start or end time.
  bool has_times() const { return !txn_times_.empty(); }
  TxnTimes times(TxnId txn) const {
    return txn_times_.empty() ? TxnTimes{} : txn_times_[txn.raw()];
  }
  /// True when at least one transaction has a database time.
  bool has_database_times() const { return !txn_database_times_.empty(); }
  DatabaseTimes database_times(TxnId txn) const {
    return txn_database_times_.empty() ? DatabaseTimes{} : txn_database_times_[txn.raw()];
  }
  /// True when at least one transaction states its level.
  bool has_stated_levels() const { return !txn_level_.empty(); }
  /// The level that was requested for the transaction; none when not recorded.
  std::optional<Level> stated_level(TxnId txn) const {
    if (txn_level_.empty() || txn_level_[txn.raw()] == 0) return std::nullopt;
    return static_cast<Level>(txn_level_[txn.raw()] - 1);
  }
  /// The input's own name for the transaction; null when it has none.
  Value label(TxnId txn) const { return txn_label_.empty() ? Value() : txn_label_[txn.raw()]; }
  bool has_servers() const { return !txn_server_.empty(); }
  /// The server that the transaction ran on, as its logs name it: a string; null: unknown.
  Value server(TxnId txn) const {
    return txn_server_.empty() ? Value() : txn_server_[txn.raw()];
  }
  /// Where the transaction begins in the input: line number from 1 (text), byte offset
  /// (binary), or its own number from 1, as the origin says; 0 when unknown.
  std::uint64_t position_in_input(TxnId txn) const {
    if (!txn_input_.empty()) return txn_input_[txn.raw()];
    return origin_.positions_are_numbers ? txn.raw() + std::uint64_t{1} : 0;
  }
  /// The line of its completion, in a log of invocations and completions; else 0.
  std::uint64_t completion_in_input(TxnId txn) const {
    return txn_completion_.empty() ? 0 : txn_completion_[txn.raw()];
  }

  /// What happened beside the transactions, in the order of the input.
  std::span<const RecordedEvent> events() const { return events_; }
  Value key_name(KeyId key) const { return keys_[key.raw()]; }
  bool is_list(KeyId key) const { return key_is_list_[key.raw()] != 0; }
  /// Some key had contents before all transactions.
  bool has_initial_contents() const { return !key_initial_.empty(); }
  /// What the register held before all transactions; null: nothing.
  Value initial(KeyId key) const {
    return key_initial_.empty() ? Value() : key_initial_[key.raw()];
  }
  /// The same of a list.
  std::span<const Value> initial_list(KeyId key) const;
  /// The key had contents before all transactions.
  bool has_initial(KeyId key) const {
    return !initial(key).is_null() || !initial_list(key).empty();
  }
  /// What a kRead returned, as the client saw it: the initial value in place of null.
  Value seen(const Op& op) const { return op.value.is_null() ? initial(op.key) : op.value; }
  /// The list that a kReadList returned, as the client saw it.
  std::vector<Value> seen_list(const Op& op) const;
  /// A list that does not begin with what the key held before all transactions.
  bool lacks_initial_list(const Op& op) const {
    return op.kind == OpKind::kReadList && !list(op).empty() && list(op).front().is_null();
  }
  /// The value that a kReadMatch returned as a whole, where that is the initial one and may
  /// have been written, too; null where it tells less.
  Value read_value(const Op& op) const;
  /// Elements that a kReadList operation saw behind those that the list began with.
  std::span<const Value> list(const Op& op) const {
    const std::uint64_t slot = op.value.bits();
    return std::span<const Value>(list_values_)
        .subspan(list_begin_[slot], list_begin_[slot + 1] - list_begin_[slot]);
  }

  bool has_increments() const { return !increments_.empty(); }
  /// In the order of all_ops(). None in histories made from others (without_absent_reads() and
  /// the like), where they are reads and writes.
  std::span<const Increment> increments() const { return increments_; }
  /// How many increments there are whose sum is not known.
  std::size_t open_increments() const { return open_increments_; }
  /// Between which numbers that of an increment of the key lies whose sum is not known; null:
  /// it has none. COST: constant.
  const Predicate::Bounds* open_numbers(KeyId key) const {
    const bool has_any =
        !key_open_.empty() && key_open_[key.raw()].min <= key_open_[key.raw()].max;
    return has_any ? &key_open_[key.raw()] : nullptr;
  }
  /// The history as if clients had learned the sums of all increments: `sums` are those of the
  /// ones that are not known, in order. Transactions, operations, keys and sessions have the
  /// same numbers. ERRORS: kBadInput when there are more or fewer, or one is not between
  /// open_numbers(). COST: as building the history.
  Result<History> with_sums(std::span<const std::int64_t> sums) const;

  /// The transaction's selections in program order.
  std::span<const Selection> selections(TxnId txn) const {
    if (selection_begin_.empty()) return {};
    return span_of(selections_, selection_begin_, txn.raw());
  }
  /// The selection that the operation is part of, or null. COST: logarithmic in their number.
  const Selection* selection_of(TxnId txn, std::size_t op) const;
  /// The operation's place in program order; those of one selection share the first one's.
  std::uint32_t step(TxnId txn, std::uint32_t op) const {
    const Selection* const selection = selection_of(txn, op);
    return selection == nullptr ? op : selection->first;
  }
  bool has_selections() const { return !selections_.empty(); }
  /// Which rows selections left out is not among the operations: there is no kReadAbsent, each
  /// Selection::absents is 0. So it is after HistoryBuilder::list_rows_later(), until
  /// list_rows(). Such a history says less than it should, and is for those who look for it.
  bool has_unlisted_rows() const { return rows_are_unlisted_; }
  using ListRows = std::function<bool(std::uint64_t rows)>;
  /// As HistoryBuilder::finish() would have. ERRORS, COST: likewise; on an error the history is
  /// of no use.
  Status list_rows(const ListRows& go_on);
  /// A kReadAbsent, or a kRead, for these alone, in place, until unlist_rows(), which allocates
  /// nothing. Locks stay. REQUIRES: has_unlisted_rows(); `rows` ascend by transaction and
  /// selection. COST: linear, both.
  void list_rows_for_now(std::span<const LeftOutRow> rows);
  void unlist_rows();
  /// How a read by key locked (selections: Selection::lock); in histories made from others, as
  /// by without_absent_reads(), none did. COST, also of the next: logarithmic in such reads.
  LockMode lock(const Op& op) const;
  /// A kReadUnknown (or of with_current_reads()) that was an insert, and failed for the key.
  bool is_refused_insert(const Op& op) const;
  bool has_refused_inserts() const { return !refused_inserts_.empty(); }
  /// With refused inserts as reads of some row, kReadMatch, but for lists and open_numbers();
  /// `counts`: by transaction. All numbers are the same. COST: copies the history.
  History with_current_reads(const std::vector<bool>& counts) const;
  bool has_locks() const;
  const PredicateTable& predicates() const { return *predicates_; }
  bool has_aggregates() const { return !aggregates_.empty(); }
  /// What the selection computed, or null where it returned rows.
  const Aggregate* aggregate(const Selection& selection) const {
    return selection.is_aggregate() ? &aggregates_[selection.aggregate] : nullptr;
  }
  /// Of a partial read: what a kReadAbsent or kReadExcept did not return, or what the row of a
  /// kReadMatch was selected by.
  PredicateView predicate(const Op& op) const { return predicate_of(op.partial()); }
  /// A kReadMatch also returned a row with these columns, ascending by name: all that it told.
  std::span<const ColumnValue> read_columns(const Op& op) const {
    return columns_read(op.partial());
  }
  /// These as a row. REQUIRES: op.kind is kReadMatch, and there are some.
  static Value read_row(const Op& op) { return read_row(op.partial()); }
  /// The predicate selects a row whose key it selects and that holds `value`: null and dead
  /// values, and columns of what is no row, never. COST: linear in the predicate and the row.
  bool selects(const PredicateView& predicate, Value value) const {
    value = plain(value);
    if (predicate.tests.empty()) return predicate.selects_value(value);
    return selects_columns(predicate, value);
  }
  /// The partial read of the key may have returned the version that holds `value`, null for the
  /// initial one. COST: as selects().
  bool fits(KeyId key, const Partial& read, Value value) const;
  /// REQUIRES: op.is_partial().
  bool fits(const Op& op, Value value) const { return fits(op.key, op.partial(), value); }
  /// The register read may have returned the initial version. COST: as selects().
  bool fits_initial(const Op& op) const {
    return op.is_partial() ? fits(op, Value()) : op.value.is_null();
  }
  /// The read tells its version at most in part, and may have returned one that a transaction
  /// made, perhaps a missing one. REQUIRES: op.is_partial().
  bool may_have_seen_a_write(const Op& op) const {
    return origin_.rows_are_deleted || op.kind == OpKind::kReadMatch ||
           predicate(op).asks_for_value();
  }
  /// A read by key that found no row where rows are deleted; elsewhere it is a kRead of null.
  bool found_nothing(const Op& op) const {
    return op.kind == OpKind::kReadExcept && predicate(op) == Predicate{};
  }
  /// The read of an increment whose sum is not known.
  bool is_of_any_number(const Op& op) const {
    if (op.kind != OpKind::kReadExcept) return false;
    const std::optional<Predicate::Bounds> excluded = predicate(op).values;
    return excluded && excluded->min > excluded->max;
  }

  /// Some value is a row with columns.
  bool has_rows() const { return !row_of_slot_.empty(); }
  /// The value is a row with columns: [["w",17,{"qty":3}]]. Columns that hold null are left out
  /// of what is written, so that two such rows are equal exactly when their columns are.
  bool is_row(Value value) const {
    return value.kind() == Value::Kind::kLiteral && value.slot() < row_of_slot_.size() &&
           row_of_slot_[value.slot()] != 0;
  }
  /// Some operation has a version.
  bool has_versions() const { return !op_version_.empty(); }
  /// The database's own name for the version that the operation read or wrote, a scalar; null:
  /// unknown. REQUIRES: the operation is one of all_ops().
  Value version(const Op& op) const {
    return has_versions() ? op_version_[static_cast<std::size_t>(&op - ops_.data())] : Value();
  }
  /// The same with versions taken for true: the value of an operation with a known version is
  /// that of this version alone, and equal to no other. ERRORS: kBadInput when versions
  /// contradict values (docs/LEVELS.md). COST: linear.
  Result<History> with_trusted_versions() const;
  /// This is such a history, and some write has a version.
  bool trusts_versions() const { return !versioned_.empty(); }
  /// What was written or read, whichever version of it.
  Value plain(Value value) const { return trusts_versions() ? plain_of(value) : value; }
  /// Of a value of one version alone, else null.
  Value trusted_version(Value value) const;
  /// The row's columns, ascending by name. REQUIRES: is_row(value).
  std::span<const ColumnValue> columns(Value value) const {
    return span_of(*columns_, *column_begin_, row_of_slot_[value.slot()] - 1);
  }
  /// What the column of the row holds; null where it has none. REQUIRES: is_row(row). COST:
  /// linear in the row.
  Value column(Value row, Value name) const {
    for (const ColumnValue& each : columns(row)) {
      if (each.name == name) return each.value;
    }
    return {};
  }
  /// Without each kReadAbsent whose key the transaction did not write before, but for those in
  /// `kept` (ascending, as places in all_ops()). An aggregate without all of its items has no
  /// result there. `numbers`: by place in all_ops() there, the number here. COST: linear.
  History without_absent_reads(std::span<const std::uint32_t> kept,
                               std::vector<std::uint32_t>& numbers) const;
  /// With the reads of that session alone (none: of all), and statuses by transaction.
  History with_reads_of(SessionId session, std::span<const TxnStatus> statuses) const;
  /// As without_absent_reads(), with less said by those in `kept`, whose rows matched at first:
  /// that somebody had left a version that does not. `stands_for`: by number of the key behind
  /// those of this history, the row's key. REQUIRES: none of `kept` is of a key that the
  /// transaction wrote before, or fits_initial(). COST: linear, and predicates for each write.
  History with_replaced_rows(std::span<const std::uint32_t> kept,
                             std::vector<std::uint32_t>& numbers,
                             std::vector<KeyId>& stands_for) const;

  /// Characters of a string or literal value. REQUIRES: value.kind() is kString or kLiteral.
  std::string_view pooled_text(Value value) const {
    return std::string_view(*pool_chars_)
        .substr(pool_begin_[value.slot()],
                pool_begin_[value.slot() + 1] - pool_begin_[value.slot()]);
  }
  /// The value as JSON text: null, 42, "text", 0.5.
  std::string json(Value value) const;
  /// The value for people, printable (history/texts.hpp): strings without quotes.
  std::string text(Value value) const;
  /// The name in all texts, printable: the input's label, with # in front unless it is a string
  /// (#943), or else session and position in it (s1:4).
  std::string txn_name(TxnId txn) const;
  /// "s1:4", even where the transaction has a label. Printable.
  std::string place_name(TxnId txn) const;
  /// The operation for people, printable: r(x)=1, w(x)=2, append(x, 3), r(x)=[1 2].
  std::string op_text(const Op& op) const;
  /// The key for people: its name, or "orders/5" where it is known to be a row of a table.
  std::string text(KeyId key) const;
  /// The value of the register for people, as the history's notation has it: "balance 70 (#3)".
  std::string text(KeyId key, Value value) const;
  /// The condition for people: "keys 1 to 9 with values 0 to 5", "all rows".
  std::string text(const PredicateView& predicate) const;
  std::string text(const PredicateView::Test& test) const;
  /// A statement and its result, for people: "count(rows with state open) = 3".
  std::string text(const Selection& selection) const;

  const HistoryOrigin& origin() const { return origin_; }

  /// 64-bit digest of sessions, transactions, operations, statuses and times (not of file
  /// names, positions or events). A certificate carries it so that it cannot be checked against
  /// another history by mistake. Not cryptographic. COST: linear.
  std::uint64_t digest() const;

 private:
  friend class HistoryBuilder;
  friend class VersionTruster;

  bool rows_may_be_unlisted() const;
  /// `excluded`: by selection, the predicate that rows left out do not match.
  Status list_rows(std::span<const std::uint32_t> excluded, const ListRows& go_on);

  /// All but the operations.
  explicit History(const HistoryTables& tables) : HistoryTables(tables) {}
  const Versioned* find_versioned(Value value) const;
  Value plain_of(Value value) const;
  Value add_versioned(Versioned versioned);
  /// with_current_reads() by refused insert, in their order.
  History with_refused_inserts_read(const std::vector<bool>& which) const;
  bool may_be_sum(KeyId key, Value written, Value number) const;
  std::string read_text(const Op& read) const;
  std::string excluded_text(const PredicateView& excluded) const;
  bool selects_columns(const PredicateView& predicate, Value value) const;
  PredicateView predicate_of(const Partial& read) const {
    return predicates_[static_cast<std::uint32_t>(read.what)];
  }
  /// In place of a row: it told no columns, but the value as a whole, `equal` of the predicate.
  static constexpr std::uint64_t kNoRow = 0xffffffffU;
  std::span<const ColumnValue> columns_read(const Partial& read) const {
    if (read.what >> 32 == kNoRow) return {};
    return columns(read_row(read));
  }
  /// The row that a kReadMatch returned, with all columns that it told.
  static Value read_row(const Partial& read) {
    return Value::pooled(Value::Kind::kLiteral, static_cast<std::uint32_t>(read.what >> 32));
  }

  template <typename T>
  static std::span<const T> span_of(const std::vector<T>& values,
                                    const std::vector<std::uint32_t>& begin,
                                    std::size_t index) {
    return std::span<const T>(values).subspan(begin[index], begin[index + 1] - begin[index]);
  }

  std::vector<Op> ops_;
  std::vector<Value> op_version_;  // by operation; empty without any
  std::vector<Increment> increments_;
  std::size_t open_increments_ = 0;
  std::vector<LockedRead> locked_reads_;        // ascending by operation
  std::vector<std::uint32_t> refused_inserts_;  // operations, ascending
};

}  // namespace isolde
