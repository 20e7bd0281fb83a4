// The part of a history that concerns one key, as its own history; translates proofs about it
// to the whole.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "history/certificate.hpp"
#include "isolde/history.hpp"
#include "linear/key_table.hpp"

namespace isolde::checker {

class Projection {
 public:
  /// Transactions that use the key, aborted ones too, with their operations on it. All are in
  /// one session, whose order means nothing. A row that its selection does not select stays
  /// one; other rows are reads. What a read did not return is left out: a proof of a violation
  /// counts for the whole, an order for all else. REQUIRES: there are entries,
  /// and both outlive this.
  Projection(const History& history, std::span<const KeyTable::Entry> entries);

  const History& history() const { return projected_; }

  std::vector<TxnId> original(std::span<const TxnId> order) const;
  Finding original(const Finding& finding) const;
  Refutation original(const Refutation& refutation) const;

 private:
  TxnId original(TxnId txn) const { return txn.is_none() ? txn : txns_[txn.raw()]; }
  std::uint32_t original_op(TxnId txn, std::uint32_t op) const {
    return entries_[begin_[txn.raw()] + op].op;
  }

  std::span<const KeyTable::Entry> entries_;
  KeyId key_;
  std::vector<TxnId> txns_;         // by projected transaction
  std::vector<std::size_t> begin_;  // its first entry
  History projected_;
};

}  // namespace isolde::checker
