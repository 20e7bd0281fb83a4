// What a transaction reads and writes, as the tests of the levels see it.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "isolde/history.hpp"

namespace isolde::oracle {

/// Value of one key in one state: nothing while there is none, one value for a register, the
/// elements of a list.
using Cell = std::vector<Value>;
/// Keys that hold something.
using State = std::map<KeyId, Cell>;

/// A transaction's operations as the tests see them. Reads whose result the client never
/// learned are left out: they ask nothing.
struct Effects {
  struct Read {
    KeyId key;
    Cell cell;
    /// If there is one, all that is known: whether it may have returned that version, null if
    /// there was none.
    std::function<bool(Value)> may_be = {};
    /// Ascends in program order, and is the same for all that one selection read.
    std::size_t moment = 0;
    bool shows(const Cell& found) const {
      if (!may_be) return found == cell;
      return may_be(found.empty() ? Value() : found.back());
    }
  };
  /// A selection as a whole.
  struct Query {
    PredicateView predicate;
    std::map<KeyId, Op> rows;
    std::map<KeyId, Cell> own;  ///< what the transaction had written before
  };
  /// In program order: every external read, one whose result depends on the state. For lists,
  /// what is left of the result without the transaction's own elements at its end. What one
  /// selection read has no order.
  std::vector<Read> reads;
  /// What enters the next state: the last value for a register, all own elements for a list.
  std::map<KeyId, Cell> writes;
  /// All operations in program order: position in `reads`, or kNoRead for a write or an
  /// internal read.
  std::vector<std::size_t> ops;
  static constexpr std::size_t kNoRead = ~std::size_t{0};
  /// Rows that matched at the start and that a selection left out, where it is not asked what
  /// the state shows: by then somebody had left a version that does not match.
  struct Replaced {
    KeyId key;
    PredicateView predicate;
  };
  std::vector<Replaced> replaced;
  /// The selections. Their parts are among the reads as well: the rows, and for each other key
  /// that the predicate selects a read that is known not to have returned a match.
  std::vector<Query> queries;
  /// False when a read contradicts the transaction's own earlier writes (INT), or a selection
  /// returned a row that does not match. With `only`: a read or row of that key.
  bool is_consistent = true;
};

/// The query may return in the state what it returned.
bool is_answer(const History& history, const Effects::Query& query, const State& state);

/// Without `with_absent_rows` nothing is known of the rows that selections left out, but for
/// those that the transaction wrote itself, and `replaced`. With `only`: what is left when the
/// operations on other keys are dropped; of a selection its row of the key, if it returned one,
/// or else that it did not return the key.
/// With `refusals_count`: a refused insert has seen some row of its key.
Effects effects_of(const History& history, TxnId txn, std::optional<KeyId> only = std::nullopt,
                   bool with_absent_rows = true, bool refusals_count = false);

/// What the keys hold before all transactions.
State first_state(const History& history);

/// The value of the key; the empty cell while there is none.
const Cell& cell_at(const State& state, KeyId key);

/// Def. 1 of the thesis: the state that the transaction makes of `state`.
State transition(const State& state, const Effects& effects, const History& history);

}  // namespace isolde::oracle
