// Deadlines: where it is said within which time a transaction of unknown outcome takes effect,
// or never does, which of them nobody can read from any more.
//
// Such a transaction has its effect, if ever, before all that start behind its deadline. Once
// one of these has read or overwritten a key and is settled, all that is yet to come stands
// behind it, and does not see any more what was written there by the deadline. That is so of a
// register; of a list an append hides nothing, and only a read of it tells.
//
// No verdict rests on what was said (docs/ALGORITHMS.md, "Rounds"): to forget somebody from
// whom nobody has read takes nothing away from an order, and a violation is shown of what came.
// Where it is wrong, what is read of a transaction that was forgotten is unknown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "isolde/history.hpp"
#include "stream/boundary.hpp"

namespace isolde::stream {

/// COST: 8 bytes a key, where something is said.
class Deadlines {
 public:
  /// `within_ns`: from the last time that is known of a transaction; kNoTime: nothing is said.
  Deadlines(std::int64_t within_ns, std::int64_t clock_error_ns)
      : within_ns_(within_ns), clock_error_ns_(clock_error_ns) {}

  /// Of those that come next.
  void raise_clock_error(std::int64_t clock_error_ns) { clock_error_ns_ = clock_error_ns; }

  bool are_told() const { return within_ns_ != kNoTime; }

  /// The transaction of that history, whose keys these are, is settled.
  void settle(const History& history, TxnId txn, std::span<const Boundary::Key> keys);

  /// All that the transaction wrote was read or overwritten by settled ones that started behind
  /// its deadline. `keys`: by the history's. REQUIRES: its outcome is unknown.
  bool has_passed(const History& history, TxnId txn, std::span<const Boundary::Key> keys) const;

  /// By transaction, among those for which `which` is true: its outcome is unknown, and that is
  /// so. COST: a look at each key and each of their writes.
  std::vector<bool> passed_among(const History& open, const std::vector<bool>& which,
                                 Boundary& boundary) const;

  /// By Boundary::place(): the latest start of those that are settled and have read or
  /// overwritten the key; kNoTime: none.
  const std::vector<std::int64_t>& uses() const { return uses_; }
  void restore(std::vector<std::int64_t> uses) { uses_ = std::move(uses); }

 private:
  std::int64_t deadline(TxnTimes times) const;

  std::int64_t within_ns_;
  std::int64_t clock_error_ns_;
  std::vector<std::int64_t> uses_;
};

}  // namespace isolde::stream
