// Evidence: how much of a history could have gone wrong. A verdict "holds" is worth what met:
// ten thousand transactions that never touch the same key hold at every level of every
// database. What is counted here does not decide anything; it says what the verdict rests on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/budget.hpp"
#include "isolde/history.hpp"
#include "isolde/level.hpp"

namespace isolde::history {

/// Counts of a history. All but `in_effect` are of its first transactions where it is large and
/// these have some of each: then `exact` is false, and the counts are lower bounds.
struct Evidence {
  /// Transactions that took effect and of which something is known: committed ones, and those
  /// with unknown outcome that a committed one has read from.
  std::uint64_t in_effect = 0;
  /// Two transactions, at least one of them in effect, used the same key, and one of them wrote
  /// it. A pair counts once for each such key.
  std::uint64_t meetings = 0;
  /// Of these, those of different sessions that overlapped in time; where the history has no
  /// times, all of different sessions, for they may have.
  std::uint64_t overlapping_meetings = 0;
  /// Reads that returned what a transaction of another session had written.
  std::uint64_t reads_from_others = 0;
  /// Writes of a key in effect, less one for each key: the versions that others replaced.
  std::uint64_t versions_replaced = 0;
  /// Some session had two transactions that took effect.
  bool sessions_go_on = false;
  bool has_times = false;
  bool exact = true;
};

enum class Trial : std::uint8_t {
  kTried,
  kUntried,
  kNotCounted  ///< nothing was found in the part that the limits left room to count
};

/// COST: O(m log m) for m operations and some 60 bytes for each; where the first `enough_ops`
/// of them have some of everything, for these only, which takes half a millisecond, and O(1)
/// for each other transaction. When the budget runs out, what was counted by then; when there
/// is no memory to count, the committed transactions alone.
Evidence evidence_of(const History& history, base::Budget& budget,
                     std::size_t enough_ops = std::size_t{1} << 12);

/// Whether the history puts the level to the test: something met that the level speaks of.
/// Real time, and sessions of more than one transaction, are about any two transactions of
/// which one writes what the other uses; the levels that are about isolation alone are only
/// tried by those that overlapped: a database without any isolation gives the rest right, as
/// long as it keeps one copy.
Trial trial(const Evidence& evidence, const LevelInfo& level);

/// "no two overlapping transactions used a key that one of them wrote": why levels are not
/// tried. REQUIRES: trial() says kUntried of one.
std::string why_untried(const Evidence& evidence);

/// What is taken for granted where the input is cut off and what is there violates a level.
inline constexpr std::string_view kViolatedPart =
    "a violation stands if what is missing writes no value a second time";

/// "4000 transactions took effect; 812 times two that overlapped met on a key ...", one line.
std::string to_text(const Evidence& evidence);

}  // namespace isolde::history
