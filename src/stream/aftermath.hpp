// Aftermath: where rounds begin anew, behind a violation.
//
// What keys hold then, nobody knows: an order of what came before is missing. So rounds begin
// as beside a database that was in use before, with transactions that started after all that
// had come, and learn from reads what was there. Between the two are transactions that had
// started by then and were not over: what one of these wrote may be read later, or be
// overwritten by what came before it. They are left out, and what is read of their writes says
// nothing; of a list that was read, what they appended is left out. What remains has an order
// if the whole has one: that order without them. For whoever started later stands behind all
// that had ended before, and so finds in a key what the last of those wrote, or one of those
// left out, or one that counts; the first of these is one value for each key, which is what
// rounds learn.
//
// Rounds need this to find an order, and for nothing else: a violation stands by itself, and is
// looked for in what came as it came (stream/suspects.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "isolde/history.hpp"
#include "isolde/times.hpp"
#include "stream/joiner.hpp"

namespace isolde::stream {

/// REQUIRES: one of the history's all_ops().
inline std::size_t op_place(const History& history, const Op& op) {
  return static_cast<std::size_t>(&op - history.all_ops().data());
}

class Aftermath {
 public:
  /// What is kept.
  struct State {
    std::int64_t ended = kNoTime;      ///< whoever ended by then is over
    std::int64_t since = kNoTime;      ///< whoever started by then is left out
    std::vector<std::uint64_t> cells;  ///< hashes of keys with values that may be read
    bool is_settled = false;
  };

  /// `latest`: of the times of all that came. Real time counts only for gaps larger than the
  /// error. What was left out before may still be read.
  Aftermath(std::int64_t latest, std::int64_t clock_error_ns, const Aftermath* before);
  explicit Aftermath(State state) : state_(std::move(state)) {}

  const State& state() const { return state_; }
  std::int64_t since() const { return state_.since; }

  /// Whether it is left out.
  bool is_before(const History& history, TxnId txn) const {
    return history.times(txn).start <= state_.since;
  }
  /// What those of the history wrote that are left out, and were not over, may be read. COST: a
  /// hash of each of their writes.
  void add(const History& history);
  /// All have come that are left out. COST: sorts what they wrote.
  void settle();
  /// settle() was called.
  bool is_settled() const { return state_.is_settled; }

  /// By operation of the history: a read of what one of those wrote, or that tells no value, so
  /// that it may be one. Empty: there is none. Not of lists.
  /// REQUIRES: is_settled(). COST: a hash of what is read, and a search of it.
  std::vector<bool> reads_in(const History& history) const;
  /// For lists of the history: what they are without the elements that those appended. Both
  /// must outlive it. REQUIRES: is_settled(). COST: as above, for each element.
  Joiner::EditList without_theirs(const History& history) const;

 private:
  State state_;
};

}  // namespace isolde::stream
