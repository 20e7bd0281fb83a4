// What the reads of one transaction say about the others.
//
// A transaction sees its own earlier writes. A register read after an own write of the key is
// *internal*: it must return the last value written. Every other register read is *external*:
// it shows what the database held. A list read is external too, but only in its front part: the
// transaction's own appends so far must be the end of the list, in their order.
//
// Partial reads: of some only is known which values they did not return (a row that a selection
// left out, and a read of "not this"), of others some columns of a row or what it was selected
// by. After an own write such a read is internal too. Where it means nothing that rows of
// others were left out, those reads are passed over, but for rows that matched at the start.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "isolde/history.hpp"
#include "isolde/level.hpp"

namespace isolde::certify {

struct ExternalRead {
  TxnId txn;
  std::uint32_t op = 0;  ///< index in the transaction
  KeyId key;
  Value value;                  ///< register: null = the initial value
  std::span<const Value> list;  ///< list key: the part in front of the own appends
  /// If there is one, all that is known of what a register read returned.
  std::optional<Partial> partial = std::nullopt;

  /// It returned the initial value or the empty list.
  bool is_initial() const { return value.is_null() && list.empty() && !partial; }
  /// A transaction may have made what the read found, perhaps one that is missing. REQUIRES:
  /// partial.
  bool may_be_of_a_write(const History& history) const {
    return history.may_have_seen_a_write(history.ops(txn)[op]);
  }
  /// Register: the read can have returned the initial version.
  bool fits_initial(const History& history) const { return fits(history, Value()); }
  /// Register: the read can have returned `found`, null for the initial value.
  bool fits(const History& history, Value found) const {
    return partial ? history.fits(key, *partial, found) : value == found;
  }
};

/// The read is a row of a selection whose condition does not select it, by its key or by what
/// was returned of it. No state explains it.
bool is_wrong_row(const History& history, TxnId txn, std::uint32_t op);

/// Splits transactions one after the other; each split() replaces what the last one left.
class ReadSplitter {
 public:
  explicit ReadSplitter(const History& history, bool with_absent_rows = true);

  /// COST: linear in the transaction's operations and list elements.
  void split(TxnId txn);

  /// In program order.
  const std::vector<ExternalRead>& external() const { return external_; }
  /// Reads that disagree with the transaction's own earlier writes, and rows that do not match
  /// what they were selected by, in program order. They are left out of external().
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
  void split_partial(TxnId txn, std::uint32_t at);
  void find_wrong_rows(TxnId txn);

  const History& history_;
  const bool with_absent_rows_;
  std::vector<bool> is_wrong_row_;            // by op
  std::vector<OwnWrite> own_write_;           // by key
  std::vector<std::uint32_t> earlier_write_;  // by op: the own write of the same key before it
  std::vector<ExternalRead> external_;
  std::vector<std::uint32_t> inconsistent_;
};

}  // namespace isolde::certify
