// Aggregates over a condition: what a version of a row contributes to one, and which results
// are possible when some versions are known and others are not.
#pragma once

#include <cstdint>

#include "isolde/history.hpp"

namespace isolde::history {

/// Why the result cannot be one of such an aggregate; null: it can.
const char* trouble(const Aggregate& aggregate);

/// What no item of the aggregate can have read, whatever the others read: all that the
/// condition selects where nothing counted, what is below the minimum or above the maximum;
/// else a predicate that selects nothing.
Predicate excluded_by(const Predicate& predicate, const Aggregate& aggregate);

/// What one version of a row contributes.
struct Share {
  bool counts = false;
  std::int64_t amount = 0;  ///< kSum, kMin, kMax: what the column holds
  friend bool operator==(const Share&, const Share&) = default;
};

/// `version`: of the key; null for the initial one. COST: linear in condition and row.
Share share_of(const History& history, const Selection& selection, KeyId key, Value version);

/// What an item may contribute when several versions are possible.
struct Span {
  bool may_count = false;
  bool must_count = false;
  std::int64_t least = 0;  ///< of those that count
  std::int64_t most = 0;
  bool may_be_result = false;  ///< some contributes what the aggregate returned

  /// One more possible version. `first`: there was none before.
  void add(const Share& share, const Aggregate& aggregate, bool first);
  static Span of(const Share& share, const Aggregate& aggregate) {
    Span span;
    span.add(share, aggregate, true);
    return span;
  }
};

/// All items together, as they are added and taken away.
class Tally {
 public:
  explicit Tally(const Aggregate& aggregate) : aggregate_(&aggregate) {}

  void add(const Span& item) { change(item, 1); }
  void remove(const Span& item) { change(item, -1); }

  /// The result is not excluded. Where each item has one version this says exactly whether it
  /// is right.
  bool allows() const;

 private:
  __extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using): clang warns of the other

  void change(const Span& item, std::int64_t by);
  /// It counts, and contributes less than the minimum or more than the maximum.
  bool breaks(const Span& item) const;

  const Aggregate* aggregate_;
  std::int64_t must_count_ = 0;  // items
  std::int64_t may_count_ = 0;
  std::int64_t may_be_result_ = 0;
  std::int64_t breaking_ = 0;
  Wide least_ = 0;  // sums
  Wide most_ = 0;
};

}  // namespace isolde::history
