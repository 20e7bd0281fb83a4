// Looks up, in the history, the operations that an edge or a version order rests on. Used for
// sentences only: when a proof claims what the history does not show, the lookups return
// nothing and the sentence becomes vaguer; it is the verifier's business to reject such proofs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "isolde/certificate.hpp"
#include "isolde/history.hpp"

namespace isolde::explain {

/// One operation of one transaction.
struct OpRef {
  TxnId txn;
  std::uint32_t op = 0;  ///< index in the transaction
};

const Op& op_at(const History& history, OpRef ref);

/// What a list read shows in front of the reader's own elements.
std::span<const Value> before_own_elements(const History& history, TxnId reader,
                                           const Op& read);

/// The write of `key` in `txn` that others see: the last one.
std::optional<OpRef> final_write(const History& history, TxnId txn, KeyId key);

/// The read of `key` in `reader`, from operation `begin` on, that saw `writer`'s version (the
/// initial one when none).
std::optional<OpRef> read_of(const History& history, TxnId reader, KeyId key, TxnId writer,
                             std::uint32_t begin = 0);

/// The first read in `reader` that saw a version by `writer`.
std::optional<OpRef> read_of(const History& history, TxnId reader, TxnId writer);

/// What shows that `order.before` precedes `order.after` in the version order of shared keys.
struct DirectOrder {
  OpRef read;  ///< a read in `after` of what `before` wrote, or a list read that shows both
  KeyId key;
};
/// COST: linear in the history when both append to one key, else in the two transactions.
std::optional<DirectOrder> direct_order(const History& history, VersionOrder order);

/// The first key, in the order of `first`'s operations, that both write.
std::optional<KeyId> common_written_key(const History& history, TxnId first, TxnId second);

/// Indexes of operations of `txn` on any of `keys`, in program order.
std::vector<std::uint32_t> ops_on(const History& history, TxnId txn,
                                  const std::vector<KeyId>& keys);

}  // namespace isolde::explain
