// Executions: an order of transactions and the states that come from running them so (Crooks
// 2019, section 3.1), and the tests of the levels on them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "isolde/history.hpp"
#include "isolde/level.hpp"
#include "oracle/effects.hpp"

namespace isolde::oracle {

/// States are numbered; a run of them, both ends included.
struct StateRange {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// A transaction at its place in an execution.
struct Step {
  TxnId txn;
  /// Number of the state that it makes. The state before it, the parent, has one less.
  std::size_t position = 0;
  /// False when nobody asked where its reads come from; `reads` and `ops` are then empty.
  bool is_explained = false;
  /// Read states (sf to sl) of each external read. The first one is the state that its source
  /// made, 0 for the initial value: equal to the source's position. The last one is that before
  /// somebody writes the key again. Where a value was written once, these are all states before
  /// the transaction that show the value; otherwise there is one Step for each choice.
  std::vector<StateRange> reads;
  /// Read states of all operations in program order; for writes and internal reads all states.
  std::vector<StateRange> ops;
};

/// A growing execution: states s0, s1, ... and the transactions that made them. Every commit
/// test of a transaction looks only at the states before it, so an execution that passes is
/// built transaction by transaction.
class Execution {
 public:
  /// `included`: the transactions that a complete execution consists of. `only`: drop the
  /// operations on all other keys. `level`: refused inserts are what they are there; without,
  /// they say nothing.
  Execution(const History& history, std::vector<TxnId> included, std::int64_t clock_error_ns,
            std::optional<KeyId> only = std::nullopt, bool with_absent_rows = true,
            std::optional<Level> level = std::nullopt);
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  /// True when all included transactions are in.
  bool is_complete() const { return steps_.size() == included_.size(); }
  bool contains(TxnId txn) const;
  /// Puts the transaction next. Tests that ask where earlier reads came from (see passes) need
  /// a Step that explains them.
  void push(Step step);
  void push(TxnId txn) { push(bare_step(txn)); }
  void pop();

  const History& history() const { return *history_; }
  std::span<const TxnId> included() const { return included_; }
  std::span<const TxnId> order() const { return order_; }
  std::span<const Step> steps() const { return steps_; }
  /// states()[i] is the state after the first i transactions.
  std::span<const State> states() const { return states_; }
  const Effects& effects(TxnId txn) const { return effects_.at(txn); }

  /// Positions of the states in which the read would have returned what it did.
  std::vector<std::size_t> read_states(const Effects::Read& read) const;
  /// COMPLETE: positions of the states that all reads of the transaction can have used.
  std::vector<std::size_t> complete_states(TxnId txn) const;

  /// The transaction in the next place, reads not explained.
  Step bare_step(TxnId txn) const;
  /// The transaction in the next place, once for each way to choose the sources of its reads.
  /// None when a read has no read state (PREREAD fails).
  std::vector<Step> explained_steps(TxnId txn) const;

  /// Earlier in the same session.
  bool precedes_in_session(TxnId a, TxnId b) const;
  /// Ended before the other one started, clock error aside.
  bool precedes_in_time(TxnId a, TxnId b) const;
  /// By the orders that bind at the level.
  bool precedes(const LevelInfo& level, TxnId a, TxnId b) const;
  /// Every included transaction that precedes `txn` is among the first `position` ones.
  bool all_placed_by(std::size_t position, TxnId txn, const LevelInfo& level) const;

  /// Levels at which a transaction reads one state: positions of the states that can be the
  /// snapshot of `txn` when it comes next.
  std::vector<std::size_t> snapshot_states(const LevelInfo& level, TxnId txn) const;

  /// Commit test of the level for `txn` when it comes next. At the levels that ask where the
  /// reads of earlier transactions came from (parallel-snapshot-isolation and
  /// transactional-causal) these must have been pushed with their acceptable_steps().
  /// REQUIRES: a level that asks for one execution of all transactions.
  bool passes(Level level, TxnId txn) const;
  /// The ways in which it passes.
  std::vector<Step> acceptable_steps(Level level, TxnId txn) const;
  /// IRC of the thesis (App. G): inside the transaction, no read is of an older state than one
  /// before it had to be. REQUIRES: step.is_explained.
  bool reads_forward(const Step& step) const;

 private:
  std::size_t parent() const { return states_.size() - 1; }
  bool share_a_key(TxnId a, TxnId b) const;
  bool writes(std::size_t position, KeyId key) const;
  bool reads_hold_at(TxnId txn, std::size_t state) const;
  bool rows_were_replaced(TxnId txn) const;
  bool preread(TxnId txn) const;
  std::size_t replaced_by_next(KeyId key, std::size_t count) const;
  bool no_conflict(TxnId txn, std::size_t state) const;
  bool suits_database_times(bool is_up_to_date, TxnId txn, std::size_t state) const;
  std::vector<StateRange> possible_ranges(const Effects::Read& read) const;

  std::vector<Step> mixed_steps(const LevelInfo& level, TxnId txn) const;
  bool passes(const LevelInfo& level, const Step& step) const;
  bool keeps_view(const Step& step) const;
  bool obeys_axiom(const Step& step, const std::vector<bool>& causes) const;
  std::vector<bool> direct_causes(const LevelInfo& level, const Step& step) const;
  std::vector<bool> dependencies(const LevelInfo& level, const Step& step) const;
  template <typename Direct>
  std::vector<bool> closure(const Step& step, const Direct& direct) const;
  bool sees_causes(const LevelInfo& level, const Step& step) const;
  bool moves_forward(const LevelInfo& level, const Step& step) const;

  const History* history_;
  std::vector<TxnId> included_;
  std::int64_t clock_error_ns_;
  std::map<TxnId, Effects> effects_;
  std::vector<TxnId> order_;
  std::vector<Step> steps_;
  std::vector<State> states_;
};

}  // namespace isolde::oracle
