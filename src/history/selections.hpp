// Which rows a selection could have returned. HistoryBuilder asks once all keys and values of
// the history are known.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "isolde/history.hpp"

namespace isolde::history {

class RowIndex {
 public:
  /// `ops`: all operations of the history, whose names and kinds of keys are known. COST: sorts
  /// the written keys and values.
  RowIndex(const History& history, std::span<const Op> ops);

  /// Registers that the predicate selects with some value written to them, ascending by name.
  /// COST: logarithmic, and linear in the smaller of the writes whose key fits and the writes
  /// whose value fits.
  void find(const Predicate& predicate, std::vector<KeyId>& keys) const;

  /// How many rows find() examines.
  std::size_t cost(const Predicate& predicate) const;

  /// A list whose name the predicate selects, or none.
  KeyId find_list(const Predicate& predicate) const;

 private:
  using Rank = std::uint32_t;  // place of a written key among all by name
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t size() const { return end - begin; }
  };

  Range ranks(const Predicate& predicate) const;
  Range values(const Predicate& predicate) const;
  bool selects_some(const Predicate& predicate, Rank rank) const;

  const History& history_;
  std::vector<KeyId> keys_;         // by rank
  std::size_t integer_count_ = 0;   // these come first
  std::vector<std::size_t> begin_;  // by rank: CSR into values_
  std::vector<Value> values_;       // written to the key
  std::vector<std::pair<Value, Rank>> by_value_;
  std::vector<KeyId> lists_;  // by name, those named by integers
  KeyId some_list_;
};

}  // namespace isolde::history
