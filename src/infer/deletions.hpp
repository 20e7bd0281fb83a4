// Deletions: which writes leave their key deleted, and who deletes each key. Where writers of a
// key must not overlap it makes a difference whether somebody deleted a row in between.
#pragma once

#include <cstdint>
#include <vector>

#include "base/budget.hpp"
#include "isolde/history.hpp"
#include "isolde/index.hpp"

namespace isolde::infer {

class Observations;

/// Who leaves a key deleted, as far as two of them can be told.
struct Deleters {
  TxnId first;
  TxnId second;
  bool are_more = false;
  bool are_doubtful = false;  ///< some may not have taken effect, or are not here

  void add(TxnId txn) {
    if (first.is_none() || first == txn) {
      first = txn;
    } else if (second.is_none() || second == txn) {
      second = txn;
    } else {
      are_more = true;
    }
  }
};

/// Both are empty where nothing is deleted.
struct Deletions {
  std::vector<std::uint8_t> dead;  ///< by write
  std::vector<Deleters> deleters;  ///< by key
};

/// Whoever may have taken effect counts, so that nothing more is known of a key than the
/// history says. REQUIRES: the writes are numbered. COST: linear where rows are deleted, else
/// constant.
Deletions find_deletions(const Observations& seen, base::Budget& budget);

}  // namespace isolde::infer
