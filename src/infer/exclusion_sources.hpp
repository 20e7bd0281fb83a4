// ExclusionSources: possible sources of negative reads (only values they did not return are
// known). The initial version is always possible; so is every final write of another value, and
// every deletion. The part common to readers of the same key and predicate is computed once.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/budget.hpp"
#include "base/csr.hpp"
#include "isolde/history.hpp"

namespace isolde::infer {

class ExclusionSources {
 public:
  /// COST: linear in the operations, nothing for a history without such reads.
  ExclusionSources(const History& history, base::Budget& budget);

  /// Transactions that did not abort and whose final write of the key the predicate does not
  /// select, ascending; may include the reader itself, which does not count. Empty: only the
  /// initial version is possible, or the budget ran out. Valid until the next call.
  /// REQUIRES: op.is_exclusion(). COST: linear in the key's writers, once for each key and
  /// predicate; for a predicate without a condition on values constant.
  std::span<const TxnId> find(const Op& op);
  /// Whether there is one besides the reader.
  bool any(TxnId reader, const Op& op);

 private:
  struct FinalWrite {
    TxnId txn;
    Value value;
  };

  const History& history_;
  base::Budget& budget_;
  base::Csr<FinalWrite> writes_;                                 // by key
  std::unordered_map<std::uint64_t, std::vector<TxnId>> known_;  // by key and predicate
};

}  // namespace isolde::infer
