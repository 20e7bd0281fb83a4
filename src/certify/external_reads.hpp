// What the reads of one transaction say about the others.
//
// A transaction sees its own earlier writes. A register read after an own write of the key is
// *internal*: it must return the last value written. Every other register read is *external*:
// it shows what the database held. A list read is external too, but only in its front part: the
// transaction's own appends so far must be the end of the list, in their order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "isolde/history.hpp"

namespace isolde::certify {

struct ExternalRead {
  std::uint32_t op = 0;  ///< index in the transaction
  KeyId key;
  Value value;                  ///< register: null = the initial value
  std::span<const Value> list;  ///< list key: the part in front of the own appends

  bool is_initial() const { return value.is_null() && list.empty(); }
};

/// Splits transactions one after the other; each split() replaces what the last one left.
class ReadSplitter {
 public:
  explicit ReadSplitter(const History& history);

  /// COST: linear in the transaction's operations and list elements.
  void split(TxnId txn);

  /// In program order.
  const std::vector<ExternalRead>& external() const { return external_; }
  /// Reads that disagree with the transaction's own earlier writes, in program order. They are
  /// left out of external().
  const std::vector<std::uint32_t>& inconsistent() const { return inconsistent_; }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;

  /// The last own write of a key so far, if `txn` is the transaction being split.
  struct OwnWrite {
    TxnId txn;
    std::uint32_t op = kNone;
  };

  std::uint32_t last_own_write(TxnId txn, KeyId key) const;
  void split_list_read(TxnId txn, std::uint32_t at);

  const History& history_;
  std::vector<OwnWrite> own_write_;           // by key
  std::vector<std::uint32_t> earlier_write_;  // by op: the own write of the same key before it
  std::vector<ExternalRead> external_;
  std::vector<std::uint32_t> inconsistent_;
};

}  // namespace isolde::certify
