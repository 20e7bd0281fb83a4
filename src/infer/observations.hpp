// Observations: what a history determines at every level: which transactions took effect, which
// write each read saw, the order in which list elements were appended, and the reads that no
// order of transactions can explain (findings).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "base/csr.hpp"
#include "history/certificate.hpp"
#include "infer/deletions.hpp"
#include "infer/sources.hpp"
#include "infer/write_numbers.hpp"
#include "isolde/history.hpp"

namespace isolde::infer {

/// An external read: of a key that the transaction had not written before, or for lists the
/// part of the result before its own elements.
struct ReadFrom {
  KeyId key;
  WriteId source;  ///< none = the initial version
};

/// An external read of a register that has several possible sources, or whose own transaction
/// is doubtful.
struct OpenRead {
  TxnId txn;
  std::uint32_t op = 0;
  KeyId key;
  std::uint32_t place = 0;  ///< how many of Observations::reads(txn) come before it
  bool is_initial = false;  ///< it may have returned the initial version
  std::uint32_t list = SourceLists::kEmpty;  ///< of the writes it may have returned
  std::uint32_t own = Sources::kNowhere;     ///< the transaction's own write in that list
};

/// Invariants: O1 only included transactions have reads and writes; O2 the source of a read is
/// a write of the same key by another transaction; O3 write ids ascend with transaction, and
/// within a transaction with key; O4 no two writes are of the same transaction and key.
class Observations {
 public:
  std::size_t txn_count() const { return included_.size(); }
  bool is_included(TxnId txn) const { return included_[txn.raw()] != 0; }
  std::size_t included_count() const { return included_count_; }

  std::size_t write_count() const { return writes_.size(); }
  TxnId writer(WriteId write) const { return writes_.writer(write); }
  /// None for the initial version.
  TxnId writer_or_none(WriteId write) const {
    return write.is_none() ? TxnId::none() : writer(write);
  }
  KeyId written_key(WriteId write) const { return writes_.key(write); }
  /// First and one past the last write of the transaction.
  WriteId first_write(TxnId txn) const { return writes_.first(txn); }
  /// The transaction's writes, ascending by key.
  WriteRange writes(TxnId txn) const { return {first_write(txn), end_write(txn)}; }
  WriteId end_write(TxnId txn) const { return writes_.end(txn); }
  /// Prefetches what writer() reads, and written_key() for the writer's other writes.
  void prefetch(WriteId write) const {
    writes_.prefetch_writer(write);
    writes_.prefetch_key(write);
  }
  /// Prefetches what writer() reads.
  void prefetch_writer(WriteId write) const { writes_.prefetch_writer(write); }
  /// Prefetches what locating readers() of a write reads.
  void prefetch_readers(WriteId write) const { readers_.prefetch(write.raw()); }
  /// Prefetches what first_write() and end_write() read.
  void prefetch_writes(TxnId txn) const { writes_.prefetch_writes(txn); }
  /// The transaction's write of the key, or none. COST: logarithmic in its writes.
  WriteId find_write(TxnId txn, KeyId key) const { return writes_.find(txn, key); }

  /// Calls visit(before, after) with the writes of each key that both transactions write. COST:
  /// linear in their writes.
  template <typename Visit>
  void for_each_common_key(const VersionOrder& order, const Visit& visit) const {
    WriteId a = first_write(order.before);
    WriteId b = first_write(order.after);
    const WriteId a_end = end_write(order.before);
    const WriteId b_end = end_write(order.after);
    while (a != a_end && b != b_end) {
      const KeyId key_a = written_key(a);
      const KeyId key_b = written_key(b);
      if (key_a == key_b) visit(a, b);
      if (key_a <= key_b) a = WriteId(a.raw() + 1);
      if (key_b <= key_a) b = WriteId(b.raw() + 1);
    }
  }

  /// External reads in program order, including those that repeat an earlier one.
  std::span<const ReadFrom> reads(TxnId txn) const { return reads_.row(txn.raw()); }
  /// The read's place in program order, comparable with others of the transaction and, where
  /// the history has selections, with History::step(). Reads of one selection share it.
  std::uint32_t step(TxnId txn, std::size_t read) const {
    if (read_steps_.empty()) return static_cast<std::uint32_t>(read);
    return read_steps_[reads_.row_begin(txn.raw()) + read];
  }
  /// One past the last read of the same step. COST: logarithmic in reads(txn).
  std::size_t end_of_step(TxnId txn, std::size_t read) const {
    if (read_steps_.empty()) return read + 1;
    const auto begin = read_steps_.begin() + reads_.row_begin(txn.raw());
    const auto end = begin + static_cast<std::ptrdiff_t>(reads(txn).size());
    const std::uint32_t own = begin[static_cast<std::ptrdiff_t>(read)];
    return static_cast<std::size_t>(std::upper_bound(begin, end, own) - begin);
  }
  /// Transactions that read this write, ascending.
  std::span<const TxnId> readers(WriteId write) const { return readers_.row(write.raw()); }
  /// Transactions that read the key's initial version, ascending.
  std::span<const TxnId> initial_readers(KeyId key) const {
    return initial_readers_.row(key.raw());
  }
  std::span<const TxnId> readers(WriteId source, KeyId key) const {
    return source.is_none() ? initial_readers(key) : readers(source);
  }
  /// Writes of the key, ascending.
  std::span<const WriteId> writes_of(KeyId key) const { return key_writes_.row(key.raw()); }
  const base::Csr<WriteId>& writes_by_key() const { return key_writes_; }
  /// List keys: writes that some list read shows, in version order; the key's other writes come
  /// after all of these. Empty for registers.
  std::span<const WriteId> list_order(KeyId key) const { return list_order_.row(key.raw()); }
  bool is_list(KeyId key) const { return history_->is_list(key); }
  /// The write leaves its key deleted.
  bool is_dead(WriteId write) const {
    return !deletions_.dead.empty() && deletions_.dead[write.raw()] != 0;
  }
  /// Some transaction may have written a key that was deleted.
  bool has_deletions() const { return !deletions_.dead.empty(); }
  /// Nobody else deletes the key, so that what is between the two in its version order is live.
  bool no_others_delete(KeyId key, TxnId a, TxnId b) const {
    if (deletions_.deleters.empty()) return true;
    const Deleters& deleters = deletions_.deleters[key.raw()];
    const auto fits = [&](TxnId txn) { return txn.is_none() || txn == a || txn == b; };
    return !deleters.are_more && fits(deleters.first) && fits(deleters.second);
  }
  /// Whoever leaves the key deleted has taken effect.
  bool all_deleters_are_certain(KeyId key) const {
    return deletions_.deleters.empty() || !deletions_.deleters[key.raw()].are_doubtful;
  }
  /// Two writes of a key, `before` first: where writers must not overlap, the second writer has
  /// seen the first one's write, for no row was deleted and inserted again on the way.
  bool must_see(WriteId before, WriteId after) const {
    return deletions_.dead.empty() ||
           (!is_dead(before) &&
            no_others_delete(written_key(before), writer(before), writer(after)));
  }
  /// COST: linear in keys.
  bool has_lists() const {
    bool any = false;
    for (std::size_t k = 0; k < history_->key_count() && !any; ++k) any = is_list(KeyId::at(k));
    return any;
  }
  /// Position of a list key's write in list_order(); kUnseen for appends that no read shows.
  std::uint32_t list_rank(WriteId write) const { return list_rank_[write.raw()]; }
  static constexpr std::uint32_t kUnseen = 0xffffffffU;

  /// observe_open() only. Ascending by transaction and operation; not in reads().
  const std::vector<OpenRead>& open_reads() const { return open_reads_; }
  /// Ascending; none and not initial: nothing explains the read.
  Sources sources(const OpenRead& read) const {
    return {source_lists_.list(read.list), read.own};
  }
  const SourceLists& source_lists() const { return source_lists_; }
  /// observe_open() only: included here, but it counts only if somebody read from it, which is
  /// open. All its register reads are open reads.
  bool is_doubtful(TxnId txn) const { return !doubtful_.empty() && doubtful_[txn.raw()] != 0; }

  const History& history() const { return *history_; }

  /// A violation of every level, or none.
  const std::optional<Finding>& finding() const { return finding_; }
  /// A violation of the levels that reads_repeatably(), or none.
  const std::optional<Finding>& non_repeatable() const { return non_repeatable_; }
  /// Why the history does not determine its read-from relation; empty when it does. Then only
  /// finding() means anything.
  const std::string& ambiguity() const { return ambiguity_; }

 private:
  friend class ObservationsBuilder;
  friend class PartBuilder;

  const History* history_ = nullptr;
  std::vector<std::uint8_t> included_;
  std::vector<std::uint8_t> doubtful_;  // by transaction, or empty
  std::vector<OpenRead> open_reads_;
  std::size_t included_count_ = 0;
  WriteNumbers writes_;
  base::Csr<ReadFrom> reads_;
  std::vector<std::uint32_t> read_steps_;  // by place in reads_, or empty without selections
  base::Csr<TxnId> readers_;
  base::Csr<TxnId> initial_readers_;
  base::Csr<WriteId> key_writes_;
  base::Csr<WriteId> list_order_;
  std::vector<std::uint32_t> list_rank_;  // by write, empty without lists
  Deletions deletions_;
  std::optional<Finding> finding_;
  std::optional<Finding> non_repeatable_;
  std::string ambiguity_;
  SourceLists source_lists_;  // of open_reads_
};

/// Resolves the history. The history must outlive the result. When the budget runs out the
/// result has an ambiguity and no finding, and nothing else in it means anything. COST: linear
/// expected time in operations and list elements. The result does not depend on the number of
/// threads.
Observations observe(const History& history, base::Budget& budget, unsigned threads = 1);

/// The same where values repeat: reads with several possible sources are listed as open instead
/// of ending in an ambiguity, and indeterminate transactions that these may have read from are
/// included as doubtful. Lists must still determine who appended what.
Observations observe_open(const History& history, base::Budget& budget);

/// The same once the sources of open reads are chosen: `source_of` gives a read's source. Reads
/// for which `counts` is given and false are left out.
using SourceOf = std::function<TxnId(TxnId reader, std::uint32_t op)>;
using ReadCounts = std::function<bool(TxnId reader, std::uint32_t op)>;
Observations observe_chosen(const History& history, const SourceOf& source_of,
                            base::Budget& budget, const ReadCounts& counts = {});

}  // namespace isolde::infer
