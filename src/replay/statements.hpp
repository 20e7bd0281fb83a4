// What each transaction of a history sent to the database, one statement after the other: an
// operation, or a selection with all the operations that tell what it returned.
//
// A deletion by a condition is recorded as a selection and the deletions of its rows. Where all
// rows of a selection are deleted right behind it, it is taken for one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isolde/history.hpp"
#include "replay/step.hpp"

namespace isolde::replay {

/// An operation of a transaction.
struct Place {
  TxnId txn;
  std::uint32_t op = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

struct Statement {
  Step::Kind kind = Step::Kind::kOperation;  ///< or kSelect, kDeleteSelected, kAggregate
  std::uint32_t op = 0;                      ///< as Step::op
  friend bool operator==(const Statement&, const Statement&) = default;
};

/// How rows that a condition found are deleted.
enum class Deletions : std::uint8_t {
  kSelected,  ///< by the condition, in one statement
  kByKey,     ///< one after the other, behind the selection
};

class Statements {
 public:
  /// COST: linear.
  Statements(const History& history, Deletions deletions);

  /// In program order.
  std::span<const Statement> of(TxnId txn) const {
    const std::size_t begin = begin_[txn.raw()];
    return std::span<const Statement>(all_).subspan(begin, begin_[txn.raw() + 1] - begin);
  }
  /// Position, in of(), of the statement that the operation is part of.
  std::uint32_t position(const History& history, Place place) const {
    return position_[history.first_op(place.txn) + place.op];
  }
  /// Some statement deletes rows by a condition.
  bool delete_selected() const { return delete_selected_; }

 private:
  void add_txn(const History& history, TxnId txn, Deletions deletions);

  std::vector<Statement> all_;
  std::vector<std::size_t> begin_ = {0};  // by transaction, and one more
  std::vector<std::uint32_t> position_;   // by operation of the history
  bool delete_selected_ = false;
};

}  // namespace isolde::replay
