// Which value each key held at which time, as far as the supposed places of transactions tell.
//
// Time is cut into bins. Each transaction is in each bin with some chance, and by these chances
// it reads and writes there. The track of a key is then a chain of states: its value before a
// bin stays until writes of the bin replace it, and reads tell what it is, except that each is
// wrong with some chance, the *doubt*. One pass forward and one backward over the bins give the
// chance of each value at each time, and how well one more read or write would fit there
// (forward-backward: Rabiner, Proc. IEEE 77(2), 1989). A read fits where the key probably held
// what it returned. A write fits where what is read later expects its value more than others.
//
// The initial version of a key is one state, and so are all values that no read may have
// returned. Reads tell nothing here if the history determines their source, or if they may have
// returned several values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/budget.hpp"
#include "base/csr.hpp"
#include "infer/observations.hpp"

namespace isolde::checker {

/// Invariants: V1 the states of a key have consecutive numbers: the initial version, values
/// that nobody may have read, then one for each list of sources.
class ValueTracks {
 public:
  /// A read or a write of a transaction.
  struct Use {
    std::uint32_t state = 0;
    bool is_write = false;
  };

  /// COST: linear in reads and writes.
  ValueTracks(const infer::Observations& seen, base::Budget& budget);

  /// Of all keys that open reads have.
  std::size_t state_count() const { return key_of_.size(); }
  std::span<const Use> uses(TxnId txn) const { return uses_.row(txn.raw()); }

  /// Forgets all transactions. COST: linear in bins times states, as is the memory.
  void start(std::size_t bin_count);
  /// The transaction is in this bin and those that follow with these chances.
  void add(TxnId txn, std::size_t first_bin, std::span<const float> chances) {
    count(txn, first_bin, chances, 1);
  }
  void remove(TxnId txn, std::size_t first_bin, std::span<const float> chances) {
    count(txn, first_bin, chances, -1);
  }
  /// Of the transactions that are there now. False when the budget ran out. COST: linear in
  /// bins times states.
  bool follow(float doubt);

  /// By bin how well this read or write would fit there: at least a share of the doubt.
  /// REQUIRES: follow().
  std::span<const float> fits(Use use) const {
    const std::vector<float>& fits = use.is_write ? write_fits_ : read_fits_;
    return std::span(fits).subspan(use.state * bins_, bins_);
  }

 private:
  struct Key {
    std::uint32_t first = 0;  // of its states
    std::uint32_t count = 0;
  };
  /// What a bin's writes do to a key.
  struct Change {
    float kept = 1;  // the chance that none of them replaces what was there before
    float met = 1;   // the chance that none has yet, at any moment of the bin
    float put =
        1;  // times what is expected to write a value: the chance that it is there after
    float set = 0;  // the same of any moment of the bin
  };

  void count(TxnId txn, std::size_t first_bin, std::span<const float> chances, float sign);
  static Change change_by(float written);
  void forward(const Key& key, float doubt);
  void backward(const Key& key, float doubt);

  base::Budget& budget_;
  std::vector<Key> keys_;              // that open reads have
  std::vector<std::uint32_t> key_of_;  // by state: in keys_
  base::Csr<Use> uses_;                // by transaction
  std::size_t bins_ = 0;
  // By key, bin and state: the expected number of reads and writes.
  std::vector<float> reads_;
  std::vector<float> writes_;
  // By state and bin.
  std::vector<float> read_fits_;
  std::vector<float> write_fits_;
  // Of the key in hand, by bin: what its writes do, and by bin and state: the chance to be in
  // it before, and how half of the bin's reads speak for it.
  std::vector<Change> changes_;
  std::vector<float> before_;
  std::vector<float> told_;
};

}  // namespace isolde::checker
