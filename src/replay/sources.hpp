// What the reads of a small history say about the order of its writes: where each read came
// from, and which of two writers of a key was first.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "isolde/history.hpp"
#include "replay/statements.hpp"

namespace isolde::replay {

/// One transaction's writes of one key.
struct Writer {
  TxnId txn;
  std::vector<std::uint32_t> ops;  ///< in program order
  bool aborted = false;
};

/// A read whose result is known, without what the transaction wrote itself.
struct ExternalRead {
  Place place;
  KeyId key;
  /// What it saw: the write of the value, for a list the writes of its elements in the list's
  /// order. Where several transactions wrote the value, each of them, and `ambiguous` is set.
  std::vector<Place> seen;
  bool ambiguous = false;
};

/// A read that tells only what it did not return: of a row that a condition did not find, or
/// that is not there, without what the transaction wrote itself. Some version is known not to
/// be what it read, and some other one may be.
struct Exclusion {
  Place place;
  KeyId key;
  bool initial = false;             ///< it may have read what was there before all transactions
  std::vector<std::size_t> fits;    ///< of these, by position in writers(key), it may have read
  std::vector<std::size_t> others;  ///< not of these; without the transaction itself
};

class Sources {
 public:
  explicit Sources(const History& history);

  /// In input order. Those of aborted transactions are among them.
  const std::vector<ExternalRead>& reads() const { return reads_; }
  /// Likewise. Where only writes that nobody was to see are left, they are among reads().
  const std::vector<Exclusion>& exclusions() const { return exclusions_; }
  /// In input order; all but the transactions that abort.
  const std::vector<Writer>& writers(KeyId key) const { return writers_[key.raw()]; }
  /// Pairs of positions in writers(key) of which the reads show that the first one's version is
  /// older: the second has read the first one's and then replaced it, or some transaction has
  /// read first this one and then that one, or a list has them in this order, or a list has the
  /// first one's element and a longer one or none has the second's. With all that follows from
  /// these, and without pairs that are shown in both orders.
  bool older(KeyId key, std::size_t first, std::size_t second) const {
    const Order& order = older_[key.raw()];
    return order.known[first * order.count + second] != 0;
  }
  /// Position of the transaction in writers(key).
  std::optional<std::size_t> position(KeyId key, TxnId txn) const;

 private:
  struct Order {
    std::size_t count = 0;
    std::vector<char> known;
  };

  void find_writers();
  void find_reads();
  void find_read(TxnId txn, std::uint32_t op);
  void find_list_read(TxnId txn, std::uint32_t op);
  void find_exclusion(TxnId txn, std::uint32_t op);
  void find_dirty_read(TxnId txn, std::uint32_t op);
  void find_orders();
  void order_registers(KeyId key, Order& order) const;
  void order_by_readers(KeyId key, Order& order) const;
  void order_list(KeyId key, Order& order) const;
  bool wrote_before(TxnId txn, std::uint32_t op, KeyId key) const;

  const History& history_;
  std::vector<std::vector<Writer>> writers_;      // by key
  std::vector<std::vector<Writer>> all_writers_;  // aborted ones too
  std::vector<ExternalRead> reads_;
  std::vector<Exclusion> exclusions_;
  std::vector<Order> older_;  // by key
};

}  // namespace isolde::replay
