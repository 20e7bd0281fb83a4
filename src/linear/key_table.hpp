// Operations by key, for the levels decided key by key: which transactions use a key, and what
// each does to it as one atomic step between two moments.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/csr.hpp"
#include "infer/read_walk.hpp"
#include "isolde/history.hpp"

namespace isolde::checker {

/// Operations with a known result, by key; in the order of transactions, and within one in
/// program order.
class KeyTable {
 public:
  struct Entry {
    TxnId txn;
    std::uint32_t op = 0;  ///< position in the transaction
  };

  /// COST: two passes over the operations.
  explicit KeyTable(const History& history);

  std::span<const Entry> entries(KeyId key) const { return entries_.row(key.raw()); }

 private:
  base::Csr<Entry> entries_;
};

/// A row that its selection does not select. COST: little where there are no selections.
inline bool is_unselected_row(const History& history, KeyTable::Entry entry) {
  return history.has_selections() && infer::is_unselected_row(history, entry.txn, entry.op);
}

/// The part of the entries, from `from` on, that belongs to one transaction.
inline std::span<const KeyTable::Entry> same_txn(std::span<const KeyTable::Entry> entries,
                                                 std::size_t from) {
  std::size_t end = from;
  while (end < entries.size() && entries[end].txn == entries[from].txn) ++end;
  return entries.subspan(from, end - from);
}

/// Later than any start.
inline constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

/// One transaction precedes another in real time exactly when its `end` is before the other's
/// `start`. The end includes the clock error, and is kForever where no end counts; an unknown
/// start is kNoTime, which is before every end.
struct Interval {
  std::int64_t start = kNoTime;
  std::int64_t end = kForever;
};

Interval interval_of(const History& history, TxnId txn, std::int64_t clock_error_ns);

}  // namespace isolde::checker
