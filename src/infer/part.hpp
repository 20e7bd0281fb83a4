// Part: some of what was observed of a history, numbered anew, as if it had been observed of a
// history of its own. Sources are carried over and not looked up again, so no values are
// needed. A part has no operations, so that real time between users of one key (per-key strict
// serializability) is left out in it; that makes it weaker, not wrong.
//
// What is refuted in a part is refuted in the whole. Transactions and reads may be left out, as
// long as each remaining read keeps its source: a witness for the whole, restricted to the
// part, is a witness for the part, since each read still finds its version with no write in
// between. The order of a list's elements is restricted likewise. So each edge of the part is
// one of the whole, and what refutes the part refutes the whole, step by step
// (docs/ALGORITHMS.md, section 3).
//
// The numbers of keys and writes keep their order, so that both are found by bisection, without
// tables as large as the whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "infer/observations.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::infer {

class Part {
 public:
  /// No finding and no ambiguity. Its history() has sessions, times and keys, but no
  /// operations.
  const Observations& seen() const { return seen_; }
  const History& history() const { return *history_; }
  std::size_t op_count() const { return op_count_; }

  /// What a transaction or key of the part is in the whole; none for none.
  TxnId whole(TxnId txn) const { return txn.is_none() ? txn : txns_[txn.raw()]; }
  KeyId whole(KeyId key) const { return key.is_none() ? key : keys_[key.raw()]; }

 private:
  friend class PartBuilder;

  std::unique_ptr<const History> history_;  // has one address for seen_
  Observations seen_;
  std::vector<TxnId> txns_;
  std::vector<KeyId> keys_;
  std::size_t op_count_ = 0;
};

/// Transactions, reads and writes are given by their numbers in the whole. Use: session(); for
/// each transaction of the part begin(), then read() and write(); at the end finish().
class PartBuilder {
 public:
  /// REQUIRES: `whole` has no finding and no ambiguity, and outlives this object.
  explicit PartBuilder(const Observations& whole) : whole_(whole) {}

  /// The part's session of that name.
  SessionId session(std::string_view name) { return builder_.session(name); }
  /// A transaction of the part that stands for `txn` or some of it. REQUIRES: those of a
  /// session come in session order.
  TxnId begin(TxnId txn, SessionId session, TxnTimes times);
  /// A read of `txn` of the transaction begun last, the i-th of Observations::reads(). Left out
  /// when the part does not have its source.
  void read(TxnId txn, std::size_t i);
  /// REQUIRES: writes come in ascending order.
  void write(WriteId write);
  /// REQUIRES: called once, last. COST: n log n in what was given.
  Part finish();

 private:
  WriteId number(WriteId whole) const;
  KeyId number(KeyId whole) const;
  void drop_reads_without_source();
  void number_keys();
  void number_writes_and_reads();
  void number_deletions();
  void index_writes();
  void index_lists();
  void index_reads();

  const Observations& whole_;
  HistoryBuilder builder_;
  std::vector<ReadFrom> reads_;
  std::vector<std::uint32_t> steps_;       // by read
  std::vector<WriteId> writes_;            // ascending
  std::vector<std::uint32_t> read_begin_;  // by transaction
  std::vector<std::uint32_t> write_begin_;
  Part part_;
};

/// The included ones of these transactions, with all their writes and what they read from each
/// other or from the initial version. REQUIRES: ascending; as PartBuilder.
Part restriction(const Observations& whole, std::span<const TxnId> txns);

}  // namespace isolde::infer
