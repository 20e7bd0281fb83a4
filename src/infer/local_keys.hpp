// LocalKeys: the operations of one transaction that use the same key. Tables over all keys of
// the history would be large, and each thread would need its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/ways.hpp"
#include "isolde/history.hpp"

namespace isolde::infer {

class LocalKeys {
 public:
  /// By operation: the first one of the transaction that uses the same key. Valid until the
  /// next call. COST: linear expected; short transactions by comparing all with all.
  std::span<const std::uint32_t> first_uses(std::span<const Op> ops) {
    first_.resize(ops.size());
    if (ops.size() > base::ways().short_txn) {
      by_table(ops);
      return first_;
    }
    // Without branches on keys, which are unpredictable.
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
      std::uint32_t first = i;
      for (std::uint32_t j = i; j-- > 0;) first = ops[j].key == ops[i].key ? j : first;
      first_[i] = first;
    }
    return first_;
  }

 private:
  void by_table(std::span<const Op> ops);

  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> cells_;  // operations by hash of their key
};

}  // namespace isolde::infer
