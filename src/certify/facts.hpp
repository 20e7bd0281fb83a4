// What a history says beyond doubt, for proofs that a level is violated. Such a proof has to
// hold however the open questions are answered: which indeterminate transactions took effect,
// and which of several transactions with the same value a read saw. So everything here leaves
// out what has more than one answer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isolde/history.hpp"

namespace isolde::certify {

/// A read whose source is beyond doubt.
struct SourcedRead {
  std::uint32_t op = 0;
  KeyId key;
  TxnId writer;  ///< none = the initial value or empty list
};

/// Invariants: F1 a transaction is certain when it committed, or when it is the only one that
/// can have written what a certain transaction read from outside; F2 only certain transactions
/// have reads here, and their writers are certain and other transactions.
class Facts {
 public:
  /// COST: time linear in the history but for sorting each transaction's keys; about 60 bytes
  /// for each written value.
  explicit Facts(const History& history, bool with_absent_rows = true);

  /// The transaction took effect.
  bool certain(TxnId txn) const { return certain_[txn.raw()]; }
  /// In program order.
  std::span<const SourcedRead> reads(TxnId txn) const {
    return std::span(reads_).subspan(read_begin_[txn.raw()],
                                     read_begin_[txn.raw() + 1] - read_begin_[txn.raw()]);
  }
  /// An external read of `key` by `reader` saw what `writer` left (none: the initial value).
  bool read_from(TxnId reader, TxnId writer, KeyId key) const;
  /// The same for any key. REQUIRES: writer is not none.
  bool read_from(TxnId reader, TxnId writer) const;
  bool writes(TxnId txn, KeyId key) const { return find_write(txn, key) != nullptr; }
  /// The lists that were read show that `before` appended to some key before `after` did.
  /// REQUIRES: both are certain.
  bool listed_before(TxnId before, TxnId after) const;

 private:
  struct Builder;

  /// Place of a transaction in the longest list of the key that a certain transaction read from
  /// outside: index of an element that only it can have appended, or one of these.
  static constexpr std::uint32_t kAbsent = 0xffffffffU;   // none of its elements is there
  static constexpr std::uint32_t kUnclear = 0xfffffffeU;  // others appended the same elements
  struct Write {
    KeyId key;
    std::uint32_t place = kAbsent;
  };

  std::span<const Write> writes_of(TxnId txn) const {
    return std::span(writes_).subspan(write_begin_[txn.raw()],
                                      write_begin_[txn.raw() + 1] - write_begin_[txn.raw()]);
  }
  const Write* find_write(TxnId txn, KeyId key) const;

  std::vector<bool> certain_;
  std::vector<std::size_t> read_begin_;  // CSR into reads_
  std::vector<SourcedRead> reads_;
  std::vector<std::size_t> write_begin_;  // CSR into writes_, by key within a transaction
  std::vector<Write> writes_;
};

}  // namespace isolde::certify
