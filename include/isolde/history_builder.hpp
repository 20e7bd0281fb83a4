// HistoryBuilder: the only way to make a History.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "isolde/export.h"
#include "isolde/history.hpp"
#include "isolde/operation_record.hpp"
#include "isolde/status.hpp"

namespace isolde {

/// Builds a History transaction by transaction. Transactions of different sessions may come in
/// any order; those of one session must come in session order.
///
/// Use: session(), then for each transaction begin_txn(), operations, optionally set_*(); at
/// the end finish(). No single call fails: finish() returns the first problem, and status()
/// shows it early so that a reader can stop. What is passed in is copied. From one thread at a
/// time. COST: the time to copy, and to look a name up.
class ISOLDE_API HistoryBuilder {
 public:
  HistoryBuilder();
  ~HistoryBuilder();
  HistoryBuilder(HistoryBuilder&&) noexcept;
  HistoryBuilder& operator=(HistoryBuilder&&) noexcept;

  /// A hint at the final sizes.
  void reserve(std::size_t txns, std::size_t ops);

  /// The session of that name, created on first use.
  SessionId session(std::string_view name);
  /// The key of that name, created on first use. REQUIRES: name is not null.
  KeyId key(Value name);

  Value integer(std::int64_t number);
  Value string(std::string_view text);
  /// Any other JSON scalar by its literal text (0.5, true, 123456789012345678901234567890).
  /// Integers that fit 64 bits must go through integer() so that equal values stay equal.
  Value literal(std::string_view text);
  /// A row with columns, in any order. A column that holds null is one that the row does not
  /// have; read, it says so. Write and read rows with write() and read(); a read tells the
  /// columns that it returned, which need not be all. Names are strings of this builder. ERRORS
  /// (status()): a column twice; a value that is a row; the name "not".
  Value row(std::span<const ColumnValue> columns);

  /// What the register held before all transactions, live from the start; null: nothing, as
  /// without this call. ERRORS (status()): a key twice, the dead value.
  void set_initial(KeyId key, Value value);
  /// The same of a list; none: nothing.
  void set_initial_list(KeyId key, std::span<const Value> elements);

  /// A transaction, committed by default. `position_in_input` as in History.
  TxnId begin_txn(SessionId session, std::uint64_t position_in_input = 0);
  void set_status(TxnStatus status);
  void set_times(TxnTimes times);
  void set_database_times(DatabaseTimes times);
  void set_stated_level(Level level);
  void set_label(Value label);
  /// REQUIRES: a string of this builder, or null.
  void set_server(Value server);
  /// As History::completion_in_input().
  void set_completion_in_input(std::uint64_t position);

  /// Operations of the transaction begun last, in program order.
  void read(KeyId key, Value value);
  void write(KeyId key, Value value);
  /// The row is deleted: the key has no value until somebody writes it again.
  void remove(KeyId key);
  /// A number is added to that in the register, which becomes `sum`; none: the client never
  /// learned it. All that the register ever holds are integers of 62 bits, and it is not
  /// deleted; without initial contents it begins with 0, and a read of null is one of that.
  /// ERRORS (finish()): anything else; a selection may return or leave out a register with a
  /// sum that is not known.
  void increment(KeyId key, std::int64_t by, std::optional<std::int64_t> sum = {});
  /// Reads of the register may have been of a sum between these that is not known. For copies
  /// of parts of histories (History::open_numbers()).
  void hold_open(KeyId key, const Predicate::Bounds& numbers);
  /// A conditional write. Where it `found` nothing else, it took place: a read of `expected`
  /// and a write of `value`. Otherwise a read, of what was found, or of anything but
  /// `expected`. ERRORS (status()): a failure that found what was expected.
  enum class Swap : std::uint8_t { kDone, kFailed, kFound };
  void compare_and_set(KeyId key, Value expected, Value value, Swap swap = Swap::kDone,
                       Value found = {});
  void append(KeyId key, Value element);
  void read_list(KeyId key, std::span<const Value> elements);
  void read_unknown(KeyId key);
  /// An insert that failed, for there was a row with that key.
  void insert_refused(KeyId key);
  /// The database's own name for the version that the operation added last read or wrote, a
  /// scalar; null: unknown. ERRORS (status()): the operation is not a read or write of a
  /// register with a known result (rows of selections have theirs in Row); a row.
  void set_version(Value version);
  /// The operation added last, a selection or a read with a known result, has locked what it
  /// read. ERRORS (status()): any other operation.
  void set_lock(LockMode mode);
  /// The value of one version: two of these are equal when value and version are. For copies
  /// of histories whose versions are trusted (History::with_trusted_versions()).
  Value versioned(Value value, Value version);
  /// The key holds a list, whether or not an operation says so.
  void holds_list(KeyId key);
  /// A read of all rows that match the predicate; it returned `rows`, of each some columns.
  /// A row without columns tells its key alone.
  void select(const PredicateView& predicate, std::span<const Row> rows);
  /// A count, or a sum, minimum or maximum of integers of 62 bits, of the rows that the
  /// predicate selects. ERRORS (finish()): a value that it may be about is no such integer.
  void aggregate(const PredicateView& predicate, const Aggregate& aggregate);
  /// A read that returned nothing that the predicate selects, perhaps no row at all. A
  /// condition on keys is dropped. Files can express only predicates for one value.
  void read_except(KeyId key, const PredicateView& excluded);
  void read_except(KeyId key, Value excluded);

  /// REQUIRES: texts are strings of this builder, and there is a kind; a name unless kMoment.
  void add_event(const RecordedEvent& event);

  /// Initial contents as a record, before or between transactions. As add().
  void add_initial(const InitialRecord& record);
  /// Any of these as a record. Texts must be UTF-8, literals JSON numbers, true or false.
  void add(const OperationRecord& record);
  /// Notes a problem of the caller's own, for status() and finish().
  void refuse(std::string why);

  /// Appends what `other` has except its origin, as if the calls that built it had been made
  /// here; `position_offset` is added to its positions in the input. False when one of those
  /// calls would have failed: repeat them to learn which and why. Names may have been entered
  /// by then, transactions have not.
  bool append(const HistoryBuilder& other, std::uint64_t position_offset);

  std::size_t txn_count() const;  ///< so far
  std::size_t op_count() const;   ///< so far

  HistoryOrigin& origin();

  /// First problem so far: a key that is register and list, a null written, the dead value
  /// read, a row in a list, more than 2^32 - 2 of anything. The reader adds file and line to
  /// the message.
  const Status& status() const;

  /// Where it can be, which rows selections left out is not looked for
  /// (History::has_unlisted_rows()).
  void list_rows_later();
  /// To find what selections left out takes long: `go_on` is called now and then with the
  /// number of rows examined since, and stops the work by returning false. May be empty.
  using GoOn = std::function<bool(std::uint64_t rows)>;
  /// Once, last. ERRORS: as status(); also when a selection covers a list, or a version is no
  /// integer where the origin says that versions are ordered; kLimit when `go_on`
  /// stopped it; kUsage when it has given the history already, as does status() from then on.
  /// COST: linear in the history, selections by what they leave out aside.
  Result<History> finish(const GoOn& go_on = {});

 private:
  void check_condition(const PredicateView& predicate);
  void check_tests(const PredicateView& predicate);
  void add_to_key(const OperationRecord& record);

  struct ISOLDE_HIDDEN State;
  std::unique_ptr<State> state_;
};

}  // namespace isolde
