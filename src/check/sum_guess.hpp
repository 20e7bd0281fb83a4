// Guesses at the sums of increments that are not known. They decide nothing: what is checked
// with them has its own proof.
#pragma once

#include <cstdint>
#include <vector>

#include "history/certificate.hpp"
#include "isolde/history.hpp"

namespace isolde::base {
class Budget;
}

namespace isolde::checker {

/// Each result is for History::with_sums(), but for numbers that the key cannot hold.
class SumGuess {
 public:
  using Numbers = std::vector<std::int64_t>;

  /// COST: linear in the history, and sorting.
  SumGuess(const History& history, base::Budget& budget);

  /// Searches for an order of all transactions in which all that was read is there: within
  /// sessions and real time, with a limited effort. Where it finds none, does so for each key
  /// and the transactions that use it; where there is none, either, as by_time().
  Numbers by_search() const;
  /// As the execution leaves them.
  Numbers along(const Witness& witness) const;
  /// In the order in which transactions ended; where a read returned another number, it goes on
  /// from that.
  Numbers by_time() const;
  /// The same, but a read came from the last increment before it.
  Numbers from_reads() const;

 private:
  /// What one operation says of a key, or does to it.
  struct Act {
    enum class Kind : std::uint8_t { kRead, kWrite, kAdd };
    Kind kind = Kind::kRead;
    std::uint32_t key = 0;    ///< of keys_
    std::int64_t number = 0;  ///< kAdd: what is added
    std::size_t sum = 0;      ///< kAdd: which of the results
  };
  /// All that one transaction did to one key, or to all.
  struct Use {
    TxnId txn;
    std::vector<Act> acts;
    bool reads = false;  ///< some number before it writes one
    bool writes = false;

    void add(const Act& act);
  };
  struct Key {
    std::int64_t first = 0;
    std::vector<Use> uses;  ///< in the order of the input, but of what was aborted
  };
  class Search;

  void run(const Key& key, const std::vector<std::size_t>& order, Numbers& sums) const;
  std::vector<std::size_t> order_by_end(const Key& key) const;

  const History& history_;
  base::Budget& budget_;
  Numbers aborted_;         ///< a number for each increment that was aborted, 0 for others
  std::vector<Key> keys_;   ///< those with sums that are not known
  std::vector<Use> whole_;  ///< all that each transaction did to them; empty when there is one
};

}  // namespace isolde::checker
