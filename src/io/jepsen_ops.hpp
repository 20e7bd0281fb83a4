// Jepsen's log of operations on its way into a history, whatever its syntax. An operation is an
// :invoke entry and the next entry of the same process, its completion:
//
//   :ok    it happened; values come from the completion
//   :fail  it did not happen: an aborted transaction with the writes of the invocation
//   :info  or no completion at all: it may have happened, at any time after the invocation; the
//          writes of the invocation, reads unknown. The process is not used again; should its
//          id come back all the same, that is another session.
//
// Times are made strictly increasing along the log, because it is the order of entries that
// says what completed before what was invoked, and entries may share a :time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "isolde/history_builder.hpp"
#include "isolde/status.hpp"

namespace isolde::base {
class Budget;
}

namespace isolde::io {

enum class JepsenType : std::uint8_t { kInvoke, kOk, kFail, kInfo };

/// :ok, ok and the other three. False for anything else.
bool parse_jepsen_type(std::string_view text, JepsenType& type);

/// One entry of a client.
struct JepsenEntry {
  JepsenType type = JepsenType::kInvoke;
  bool has_process = false;
  bool has_time = false;
  std::int64_t process = 0;
  std::int64_t time = 0;
  Value index;             ///< :index, null when absent
  std::uint64_t line = 0;  ///< where the entry begins
  std::string_view f;      ///< :f without the colon, empty when absent
  std::string_view value;  ///< the form behind :value, empty when absent
  std::uint64_t value_line = 0;
};

/// Where a syntax's reader puts the operations of a transaction.
class JepsenOps {
 public:
  virtual ~JepsenOps() = default;
  virtual void write(Value key, Value value) = 0;
  virtual void append(Value key, Value element) = 0;
  virtual void read(Value key, Value value) = 0;
  virtual void read_list(Value key, std::span<const Value> elements) = 0;

 protected:
  JepsenOps() = default;
  JepsenOps(const JepsenOps&) = default;
  JepsenOps& operator=(const JepsenOps&) = default;
};

/// An operation of the log: what was invoked, and how it ended.
struct JepsenOperation {
  std::size_t number = 0;                   ///< in the order of first entries
  const JepsenEntry* first = nullptr;       ///< the invocation, or a completion without one
  const JepsenEntry* completion = nullptr;  ///< may be `first`
  JepsenType end = JepsenType::kInfo;       ///< not kInvoke

  /// Says what it did: what it returned, or else what it was to do.
  const JepsenEntry& source() const { return end == JepsenType::kOk ? *completion : *first; }
};

/// What operations of a workload did, as operations of a transaction.
class JepsenWorkload {
 public:
  virtual ~JepsenWorkload() = default;
  /// Of the transaction that the builder has just begun.
  virtual Status pass_on(const JepsenOperation& operation) = 0;

 protected:
  JepsenWorkload() = default;
  JepsenWorkload(const JepsenWorkload&) = default;
  JepsenWorkload& operator=(const JepsenWorkload&) = default;
};

/// What list-append and rw-register need from a syntax.
class JepsenSyntax {
 public:
  virtual ~JepsenSyntax() = default;
  /// True when the entry's value is nil or absent.
  virtual bool has_no_value(const JepsenEntry& entry) = 0;
  /// True when the value looks like operations: a non-empty sequence of sequences.
  virtual bool has_operations(const JepsenEntry& entry) = 0;
  /// Parses the value. REQUIRES: there is one.
  virtual Status read_operations(const JepsenEntry& entry, JepsenOps& ops) = 0;
  /// The workloads that this syntax's reader covers, for whoever has another one.
  virtual std::string_view covered() const = 0;

 protected:
  JepsenSyntax() = default;
  JepsenSyntax(const JepsenSyntax&) = default;
  JepsenSyntax& operator=(const JepsenSyntax&) = default;
};

class InitialValues;
class JepsenLog;

/// Operations that are transactions: list-append and rw-register.
class JepsenTransactions final : public JepsenWorkload {
 public:
  /// REQUIRES: all outlive this.
  JepsenTransactions(HistoryBuilder& builder, std::string_view file, JepsenSyntax& syntax)
      : builder_(builder), file_(file), syntax_(syntax) {}

  /// Before the log is passed on, where keys may begin with other values than nil: has
  /// `initial` find them. It must outlive this.
  Status find_initial_values(const JepsenLog& log, InitialValues& initial,
                             base::Budget& budget);

  Status pass_on(const JepsenOperation& operation) override;

 private:
  Status hand_to(const JepsenOperation& operation, JepsenOps& ops);

  HistoryBuilder& builder_;
  std::string_view file_;
  JepsenSyntax& syntax_;
  const InitialValues* initial_ = nullptr;  // null: nil
};

/// "r", "w", "append" or their like with a meaning.
enum class JepsenOpKind : std::uint8_t { kRead, kWrite, kAppend, kPredicate, kOther };
JepsenOpKind parse_jepsen_op(std::string_view name);

/// What to say about an operation that is not covered.
std::string uncovered_operation(JepsenOpKind kind, std::string_view name);

/// :f as people write it; anything else escaped.
std::string shown_function(std::string_view f);

class JepsenLog {
 public:
  /// REQUIRES: builder and file outlive the log.
  JepsenLog(HistoryBuilder& builder, std::string_view file) : builder_(builder), file_(file) {}

  /// Adds the next entry of the log. ERRORS: a process invokes while its last operation is
  /// open; times beyond 64 bits.
  Status add(JepsenEntry entry);

  std::size_t size() const { return txns_.size(); }
  /// REQUIRES: number < size(). Valid until the next add().
  JepsenOperation operation(std::size_t number) const;
  /// Entries are in the order of their times; without this they may not be those of events.
  bool has_invocations() const { return lone_completions_ == 0; }
  std::string_view file() const { return file_; }

  /// Hands the transactions to the builder, in order of their first entry.
  Status pass_on(JepsenWorkload& workload, base::Budget& budget);

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  struct Txn {
    std::size_t first = 0;           ///< entry: the invocation, or a completion without one
    std::size_t completion = kNone;  ///< entry
    std::uint32_t life = 0;          ///< how often the process id was retired before
  };
  struct Process {
    std::size_t open_txn = kNone;
    std::uint32_t life = 0;
  };

  Status set_time(JepsenEntry& entry);
  Status pass_on_txn(std::size_t number, JepsenWorkload& workload);
  std::string session_name(std::size_t number) const;
  TxnTimes times_of(const Txn& txn) const;

  HistoryBuilder& builder_;
  std::string_view file_;
  std::vector<JepsenEntry> entries_;
  std::vector<Txn> txns_;
  std::unordered_map<std::int64_t, Process> processes_;
  Process nameless_;  ///< entries without :process
  std::int64_t last_time_ = kNoTime;
  bool any_time_ = false;  ///< an entry says when it happened
  std::uint64_t lone_completions_ = 0;
  std::uint64_t returned_processes_ = 0;
};

}  // namespace isolde::io
