// What a transaction reads and writes, as the tests of the levels see it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "isolde/history.hpp"

namespace isolde::oracle {

/// Value of one key in one state: nothing while it is initial, one value for a register, the
/// elements of a list.
using Cell = std::vector<Value>;
/// Keys that are not initial.
using State = std::map<KeyId, Cell>;

/// A transaction's operations as the tests see them. Reads whose result the client never
/// learned are left out: they ask nothing.
struct Effects {
  struct Read {
    KeyId key;
    Cell cell;
  };
  /// In program order: every external read, one whose result depends on the state. For lists,
  /// what is left of the result without the transaction's own elements at its end.
  std::vector<Read> reads;
  /// What enters the next state: the last value for a register, all own elements for a list.
  std::map<KeyId, Cell> writes;
  /// All operations in program order: position in `reads`, or kNoRead for a write or an
  /// internal read.
  std::vector<std::size_t> ops;
  static constexpr std::size_t kNoRead = ~std::size_t{0};
  /// False when a read contradicts the transaction's own earlier writes (INT).
  bool is_consistent = true;
};

/// With `only`: what is left when the operations on other keys are dropped.
Effects effects_of(const History& history, TxnId txn, std::optional<KeyId> only = std::nullopt);

/// The value of the key; the empty cell while it is initial.
const Cell& cell_at(const State& state, KeyId key);

/// Def. 1 of the thesis: the state that the transaction makes of `state`.
State transition(const State& state, const Effects& effects, const History& history);

}  // namespace isolde::oracle
