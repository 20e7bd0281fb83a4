// Finding open reads by their transaction.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "infer/observations.hpp"

namespace isolde::infer {

/// Which of Observations::open_reads() are a transaction's: those from begin() to end().
class OpenIndex {
 public:
  /// COST: linear in transactions and open reads.
  explicit OpenIndex(const Observations& seen) : first_(seen.txn_count() + 1) {
    const std::vector<OpenRead>& reads = seen.open_reads();
    std::uint32_t next = 0;
    for (std::size_t t = 0; t < first_.size(); ++t) {
      while (next < reads.size() && reads[next].txn.raw() < t) ++next;
      first_[t] = next;
    }
    ISOLDE_ASSERT(next == reads.size());
  }

  std::uint32_t begin(TxnId txn) const { return first_[txn.raw()]; }
  std::uint32_t end(TxnId txn) const { return first_[txn.raw() + 1]; }

 private:
  std::vector<std::uint32_t> first_;  // by transaction
};

constexpr std::uint32_t kNotOpen = 0xffffffffU;

/// Place in open_reads() of the read that is this operation; kNotOpen: it is not open. COST:
/// logarithmic.
inline std::uint32_t find_open(const Observations& seen, TxnId txn, std::uint32_t op) {
  const std::vector<OpenRead>& reads = seen.open_reads();
  const auto at = std::lower_bound(reads.begin(), reads.end(), std::pair(txn, op),
                                   [](const OpenRead& each, const auto& wanted) {
                                     return std::pair(each.txn, each.op) < wanted;
                                   });
  if (at == reads.end() || at->txn != txn || at->op != op) return kNotOpen;
  return static_cast<std::uint32_t>(at - reads.begin());
}

}  // namespace isolde::infer
