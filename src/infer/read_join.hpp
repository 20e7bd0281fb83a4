// ReadJoin: which write each register read saw, in the easy case: exactly one write of the
// whole history wrote the value to the key, and it is a final one.
//
// A partitioned hash join, as in database systems (radix join: Manegold, Boncz, Kersten, TKDE
// 2002). Writes and reads are first partitioned by the hash of key and value into piles that
// fit in the cache, each filled from front to back; then each pile is joined with a small table
// of its own. A table of all writes would miss the cache for each write and each read. Piles
// are independent, so threads take them one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/budget.hpp"
#include "infer/write_numbers.hpp"
#include "isolde/history.hpp"

namespace isolde::infer {

class ReadJoin {
 public:
  /// `writes` numbers those of all transactions that did not abort. When the budget runs out,
  /// reads are left without source.
  /// COST: linear expected in the operations; at its peak about 16 bytes for each write and
  /// 20 for each read, of which 4 stay.
  ReadJoin(const History& history, const WriteNumbers& writes, base::Budget& budget,
           unsigned threads);

  /// Whether the operation takes part: a register read that returned a value.
  static bool takes(const Op& op) {
    // Evaluates both: a branch would be mispredicted too often.
    return (static_cast<unsigned>(op.kind == OpKind::kRead) &
            static_cast<unsigned>(!op.value.is_null())) != 0;
  }
  /// How many operations that take part come before the transaction's first one.
  std::size_t first_read(TxnId txn) const { return read_begin_[txn.raw()]; }
  /// How many the transactions from number `first` to before `last` have.
  std::size_t read_count(std::size_t first, std::size_t last) const {
    return read_begin_[last] - read_begin_[first];
  }
  /// None when nobody wrote the value, when several writes wrote it, and when the only one
  /// aborted or wrote again. May be the reader's own.
  WriteId source(std::size_t read) const { return sources_[read]; }

  /// Maps all sources through `change`, which is never called for none.
  template <typename Change>
  void renumber(const Change& change) {
    for (WriteId& source : sources_) {
      if (source.is_some()) source = change(source);
    }
  }

 private:
  std::vector<std::uint32_t> read_begin_;  // by transaction
  std::vector<WriteId> sources_;
};

/// The reads of one transaction, queried in program order.
class PlainReads {
 public:
  PlainReads(const History& history, const ReadJoin& joined, TxnId txn)
      : joined_(joined), ops_(history.ops(txn)), read_(joined.first_read(txn)) {}

  /// As ReadJoin::source(). REQUIRES: ReadJoin::takes(ops[op]); operations ascend.
  WriteId source(std::size_t op) {
    for (; op_ < op; ++op_) read_ += ReadJoin::takes(ops_[op_]) ? 1 : 0;
    return joined_.source(read_);
  }

 private:
  const ReadJoin& joined_;
  std::span<const Op> ops_;
  std::size_t read_;
  std::size_t op_ = 0;
};

}  // namespace isolde::infer
