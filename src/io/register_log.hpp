// Register histories whose formats say how a read shows the initial state by a value (most say
// 0), on their way into a HistoryBuilder, where only null means initial. What such a value
// means can be decided only when all writes are known, hence this stop in between.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/hash.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::base {
class Budget;
}

namespace isolde::io {

/// Use: session(), then for each transaction begin() and operations; at the end pass_on().
///
/// The initial value of a key is what an initial transaction wrote to it, or 0 for the other
/// keys when the rules say so. Reads of the initial value become null, unless a transaction
/// that may have committed writes the same value to the key, which a note tells. Where the
/// rules say 0, the value is an ordinary one for that key then (dbcop's rule for version 0).
/// Where an initial transaction wrote it, a read may have seen either, so its value is unknown
/// (unless its own transaction wrote the key before).
class RegisterLog {
 public:
  struct Rules {
    bool zero_is_initial = false;
    /// When exactly one session consists of a single transaction that does nothing but write 0,
    /// that transaction is the initial one (PolySI's and AWDIT's generators write it out).
    bool find_initial = false;
    /// Without an initial transaction, the first value read from a key that nobody wrote, or
    /// tried to, is its initial one, unless reads show the initial state otherwise (Viper).
    bool unwritten_is_initial = false;
  };

  RegisterLog(HistoryBuilder& builder, Rules rules) : builder_(builder), rules_(rules) {}

  std::uint32_t session(std::string_view name);

  void begin(std::uint32_t session, std::uint64_t position);
  void set_status(TxnStatus status) { txns_.back().status = status; }
  void set_label(Value label) { txns_.back().label = label; }
  void set_times(TxnTimes times) { txns_.back().times = times; }
  /// The transaction begun last holds initial values.
  void set_initial() { txns_.back().initial = true; }

  void read(KeyId key, Value value) { add({value, key, OpKind::kRead}); }
  /// REQUIRES: value is not null.
  void write(KeyId key, Value value) { add({value, key, OpKind::kWrite}); }
  /// An operation of the transaction begun last did not take effect and is left out.
  void add_failed() { ++txns_.back().failed; }
  /// The same; whoever reads the value has not read an initial one.
  void add_failed_write(KeyId key, Value value) {
    add_failed();
    failed_writes_.insert({key, value});
  }
  void read_unknown(KeyId key) { add({Value(), key, OpKind::kReadUnknown}); }

  /// Hands everything to the builder; false when the budget is exhausted. REQUIRES: called
  /// once, last.
  bool pass_on(base::Budget& budget);

 private:
  struct Txn {
    std::uint32_t session = 0;
    TxnStatus status = TxnStatus::kCommitted;
    bool initial = false;
    Value label;
    TxnTimes times;
    std::uint64_t position = 0;
    std::size_t op_begin = 0;
    std::size_t failed = 0;
  };
  /// What the initial state holds for a key.
  struct Initial {
    Value value;
    std::size_t last_writer = static_cast<std::size_t>(-1);  ///< so far while passing on
    bool written_out = false;                                ///< by an initial transaction
    bool written_again = false;
  };

  /// A value of a key.
  struct Version {
    KeyId key;
    Value value;
    friend bool operator==(const Version&, const Version&) = default;
  };
  struct VersionHash {
    std::size_t operator()(const Version& version) const {
      return base::mix2(version.key.raw(), version.value.bits());
    }
  };

  void add(Op op);
  bool writes_only_zeros(std::size_t txn) const;
  void find_initial_txn();
  bool collect_initial_values(base::Budget& budget);
  bool take_unwritten_as_initial(base::Budget& budget);
  void note_interpretation();
  void pass_on_op(std::size_t txn, const Op& op);
  std::size_t op_end(std::size_t txn) const {
    return txn + 1 < txns_.size() ? txns_[txn + 1].op_begin : ops_.size();
  }

  HistoryBuilder& builder_;
  Rules rules_;
  std::vector<std::string> session_names_;
  std::unordered_map<std::string, std::uint32_t> session_slots_;
  std::vector<Txn> txns_;
  std::vector<Op> ops_;
  std::size_t key_bound_ = 0;     ///< above every key seen
  std::vector<Initial> initial_;  ///< by key
  std::unordered_set<Version, VersionHash> failed_writes_;
  std::uint64_t unwritten_ = 0;  ///< keys with an initial value that only reads show
};

}  // namespace isolde::io
