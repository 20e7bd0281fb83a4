// The ground truth: decides isolation levels by enumerating executions and evaluating the
// commit tests of Crooks 2019 ("A client-centric approach to transactional datastores",
// sections 3.1 to 3.3) word by word. Slow and obvious on purpose; for histories of a few
// transactions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "isolde/history.hpp"
#include "isolde/level.hpp"

namespace isolde::oracle {

/// Value of one key in one state: nothing while it is initial, one value for a register, the
/// elements of a list.
using Cell = std::vector<Value>;
/// Keys that are not initial.
using State = std::map<KeyId, Cell>;

/// A transaction's operations as the commit tests see them.
struct Effects {
  struct Read {
    KeyId key;
    Cell cell;
  };
  /// In program order: every read whose result depends on the state. For lists, what is left of
  /// the result without the transaction's own elements at its end.
  std::vector<Read> reads;
  /// What enters the next state: the last value for a register, all own elements for a list.
  std::map<KeyId, Cell> writes;
  /// False when a read contradicts the transaction's own earlier writes (INT).
  bool is_consistent = true;
};

Effects effects_of(const History& history, TxnId txn);

/// A growing execution: states s0, s1, ... and the transactions that made them. Every commit
/// test of a transaction looks only at the states before it, so an execution that passes is
/// built transaction by transaction.
class Execution {
 public:
  /// `included`: the transactions that a complete execution consists of.
  Execution(const History& history, std::vector<TxnId> included, std::int64_t clock_error_ns);

  /// True when all included transactions are in.
  bool is_complete() const { return order_.size() == included_.size(); }
  bool contains(TxnId txn) const;
  void push(TxnId txn);
  void pop();

  std::span<const TxnId> included() const { return included_; }
  std::span<const TxnId> order() const { return order_; }
  /// states()[i] is the state after the first i transactions.
  std::span<const State> states() const { return states_; }

  /// Positions of the states in which the read would have returned what it did.
  std::vector<std::size_t> read_states(const Effects::Read& read) const;
  /// COMPLETE: positions of the states that all reads of the transaction can have used.
  std::vector<std::size_t> complete_states(TxnId txn) const;

  /// Snapshot isolation levels: positions of the states that can be the snapshot of `txn` when
  /// it comes next.
  std::vector<std::size_t> snapshot_states(Level level, TxnId txn) const;

  /// Commit test of the level for `txn` when it comes next.
  bool passes(Level level, TxnId txn) const;

 private:
  const Effects& effects(TxnId txn) const { return effects_.at(txn); }
  std::size_t parent() const { return states_.size() - 1; }
  bool reads_hold_at(TxnId txn, std::size_t state) const;
  bool preread(TxnId txn) const;
  bool no_conflict(TxnId txn, std::size_t state) const;
  bool precedes_in_session(TxnId a, TxnId b) const;
  bool precedes_in_time(TxnId a, TxnId b) const;
  bool reads_atomic_view(TxnId txn) const;
  bool choose_sources(std::span<const Effects::Read> reads,
                      std::vector<std::size_t>& sources) const;
  template <typename Precedes>
  bool serializable(TxnId txn, const Precedes& precedes) const;
  template <typename Precedes>
  std::vector<std::size_t> snapshots(TxnId txn, const Precedes& precedes) const;
  template <typename Precedes>
  bool all_placed_by(std::size_t position, TxnId txn, const Precedes& precedes) const;

  const History* history_;
  std::vector<TxnId> included_;
  std::int64_t clock_error_ns_;
  std::map<TxnId, Effects> effects_;
  std::vector<TxnId> order_;
  std::vector<State> states_;
};

/// An execution that passes the level's commit test for each of its transactions: all committed
/// ones and some of the indeterminate ones. None when there is no such execution.
/// REQUIRES: at most 8 transactions that are not aborted.
std::optional<std::vector<TxnId>> brute_force_execution(const History& history, Level level,
                                                        std::int64_t clock_error_ns);

/// Whether the history satisfies the level.
bool brute_force_holds(const History& history, Level level, std::int64_t clock_error_ns);

}  // namespace isolde::oracle
