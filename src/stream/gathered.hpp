// Gathered: parts one behind the other as one part.
#pragma once

#include <cstddef>
#include <optional>

#include "isolde/history.hpp"
#include "isolde/status.hpp"
#include "stream/joiner.hpp"

namespace isolde::stream {

/// A part alone stays as it is. Of several the result is what Joiner makes of them: operations
/// and times, statuses and sessions, and the origin of the first one.
class Gathered {
 public:
  /// Rounds know what it has, and no part of that is lost here: registers, with times.
  static bool can_hold(const History& part);

  /// The part that comes next. Initial contents are those of all parts. REQUIRES:
  /// can_hold(part) unless it is the only one. ERRORS: kBadInput: initial contents of a key are
  /// not those that an earlier part tells. COST: a copy of the part, but of the first one
  /// alone.
  Status add(History part);

  bool is_empty() const { return count_ == 0; }
  std::size_t txn_count() const { return txn_count_; }
  std::size_t op_count() const { return op_count_; }

  /// All of them; is empty then. REQUIRES: not is_empty(). ERRORS: as HistoryBuilder::finish().
  Result<History> take();

 private:
  Status join(const History& part, TxnNumber first);

  std::size_t count_ = 0;
  std::size_t txn_count_ = 0;
  std::size_t op_count_ = 0;
  std::optional<History> only_;
  std::optional<Joiner> joiner_;
};

}  // namespace isolde::stream
