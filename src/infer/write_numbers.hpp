// WriteNumbers: numbers the writes that others can see: one per key for each transaction that
// counts, ascending by transaction and key.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "isolde/history.hpp"

namespace isolde::infer {

/// The final write of one key by one included transaction (all appends to a list together).
using WriteId = Index<struct WriteTag>;

/// Consecutive writes, as a range.
class WriteRange {
 public:
  class Iterator {
   public:
    explicit Iterator(WriteId at) : at_(at) {}
    WriteId operator*() const { return at_; }
    Iterator& operator++() {
      at_ = WriteId(at_.raw() + 1);
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    WriteId at_;
  };

  WriteRange(WriteId first, WriteId end) : first_(first), end_(end) {}
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return Iterator(end_); }
  bool empty() const { return first_ == end_; }

 private:
  WriteId first_;
  WriteId end_;
};

class WriteNumbers {
 public:
  WriteNumbers() = default;
  /// `counts` tells of each transaction whether its writes count. COST: linear in the
  /// operations, sorting those of each transaction.
  WriteNumbers(const History& history, std::span<const std::uint8_t> counts, unsigned threads);

  /// The keys that each transaction writes, ascending; `begin` has the place of its first, and
  /// one more entry at the end.
  WriteNumbers(std::vector<std::uint32_t> begin, std::vector<KeyId> keys);

  std::size_t size() const { return key_.size(); }
  TxnId writer(WriteId write) const { return txn_[write.raw()]; }
  KeyId key(WriteId write) const { return key_[write.raw()]; }
  /// First and one past the last write of the transaction.
  WriteId first(TxnId txn) const { return WriteId(begin_[txn.raw()]); }
  WriteId end(TxnId txn) const { return WriteId(begin_[txn.raw() + 1]); }
  /// What the transaction writes, ascending.
  std::span<const KeyId> keys(TxnId txn) const {
    const std::uint32_t begin = begin_[txn.raw()];
    return std::span<const KeyId>(key_).subspan(begin, begin_[txn.raw() + 1] - begin);
  }
  /// How many of the ascending keys are below `key`. COST: logarithmic.
  static std::size_t rank(std::span<const KeyId> keys, KeyId key) {
    if (keys.size() > kShort) {
      return static_cast<std::size_t>(std::lower_bound(keys.begin(), keys.end(), key) -
                                      keys.begin());
    }
    // No branch to mispredict.
    std::size_t rank = 0;
    for (const KeyId each : keys) rank += each < key ? 1 : 0;
    return rank;
  }
  /// The transaction's write of the key, or none. COST: logarithmic in its writes.
  WriteId find(TxnId txn, KeyId key) const;

  void prefetch_writer(WriteId write) const { __builtin_prefetch(&txn_[write.raw()]); }
  void prefetch_key(WriteId write) const { __builtin_prefetch(&key_[write.raw()]); }
  void prefetch_writes(TxnId txn) const { __builtin_prefetch(&begin_[txn.raw()]); }

 private:
  static constexpr std::size_t kShort = 16;

  std::vector<std::uint32_t> begin_;  // by transaction, and one more
  std::vector<KeyId> key_;
  std::vector<TxnId> txn_;
};

}  // namespace isolde::infer
