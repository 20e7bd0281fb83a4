// The last value that each transaction wrote to a key, for partial reads.
#pragma once

#include <map>
#include <vector>

#include "certify/external_reads.hpp"
#include "isolde/history.hpp"

namespace isolde::certify {

class FinalWrites {
 public:
  /// Transactions that aborted are left out. COST: linear in the history; nothing when it has
  /// no such reads.
  explicit FinalWrites(const History& history);

  /// Transactions that wrote last what the read can have returned, ascending. The reader may be
  /// among them. REQUIRES: read.partial. COST: linear in the key's writers, once for each key
  /// and knowledge.
  const std::vector<TxnId>& fitting(const ExternalRead& read);

 private:
  struct Write {
    TxnId txn;
    Value value;
  };

  const History& history_;
  std::vector<std::vector<Write>> writes_;                    // by key
  std::vector<std::map<Partial, std::vector<TxnId>>> known_;  // by key
  const std::vector<TxnId> none_;
};

}  // namespace isolde::certify
