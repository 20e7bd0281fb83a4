// What a naive reader expects: the transactions one after the other, each as a whole, in the
// order in which a script ends them. Every level allows that.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "isolde/history.hpp"
#include "replay/interleaving.hpp"

namespace isolde::replay {

/// What reads return, by transaction and operation; for other operations nothing.
class SerialRun {
 public:
  SerialRun(const History& history, std::span<const Step> steps);

  /// Registers: null is the initial value.
  Value value(TxnId txn, std::uint32_t op) const { return at(txn, op).value; }
  const std::vector<Value>& list(TxnId txn, std::uint32_t op) const { return at(txn, op).list; }
  /// What the transaction's selection returns: rows in the order of its operations.
  std::vector<Row> rows(TxnId txn, const Selection& selection) const;
  /// The same of an aggregate.
  std::optional<std::int64_t> computed(TxnId txn, const Selection& selection) const;
  /// Whether the history has the same for it.
  bool agrees(TxnId txn, const Selection& selection) const;
  /// Whether the history has the same for this read. Nothing is known of reads without result,
  /// so they agree; a read that only tells what it did not return agrees with anything else.
  bool agrees(TxnId txn, std::uint32_t op) const;

 private:
  struct Seen {
    Value value;
    std::vector<Value> list;
  };
  const Seen& at(TxnId txn, std::uint32_t op) const {
    return seen_[history_.first_op(txn) + op];
  }

  const History& history_;
  std::vector<Seen> seen_;  // by operation of the history
};

}  // namespace isolde::replay
