// Evidence: how much of a history could have gone wrong. A verdict "holds" is worth as much as
// transactions met: ten thousand that never touch the same key satisfy every level on every
// database. These counts decide nothing; they show what the verdict rests on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/budget.hpp"
#include "isolde/history.hpp"
#include "isolde/level.hpp"

namespace isolde::history {

/// Counts of a history. In a large history whose first transactions have some of each, all but
/// `in_effect` count only these: then `exact` is false, and the counts are lower bounds.
struct Evidence {
  /// Transactions known to have taken effect: committed ones, and those with unknown outcome
  /// that a committed one has read from.
  std::uint64_t in_effect = 0;
  /// Two transactions in effect used the same key, and one of them wrote it; or one in effect
  /// used what an aborted one wrote. A pair counts once for each such key.
  std::uint64_t meetings = 0;
  /// Of these, those of different sessions that overlapped in time; without times, all of
  /// different sessions, because they may have.
  std::uint64_t overlapping_meetings = 0;
  /// Reads that returned what a transaction of another session had written.
  std::uint64_t reads_from_others = 0;
  /// No other read may have done so. False where rows were read in part, or lists of rows did
  /// not tell their values, and versions of several sessions fit.
  bool reads_are_sure = true;
  /// Writes of a key in effect, less one for each key: the versions that others overwrote.
  std::uint64_t versions_replaced = 0;
  /// Inserts of transactions in effect that were refused by a row that was there.
  std::uint64_t refused_inserts = 0;
  /// Some session had two transactions that took effect.
  bool sessions_go_on = false;
  bool has_times = false;
  bool exact = true;
};

enum class Trial : std::uint8_t {
  kTried,
  kUntried,
  kNotCounted  ///< nothing found in the part that the limits allowed to count
};

/// Of these mostly some have some of everything (evidence_of()).
inline constexpr std::size_t kEnoughOps = std::size_t{1} << 12;

/// COST: O(m log m) for m operations and some 60 bytes for each; where the first `enough_ops`
/// of them have some of everything, for these only, which takes half a millisecond, and O(1)
/// for each other transaction. When the budget runs out, the counts so far; without memory to
/// count, the committed transactions only. Where rows that selections left out are unlisted,
/// meetings with those are missing; and `only_left_out` tells which transactions returned none
/// and left some out, ascending: these learned something, too.
Evidence evidence_of(const History& history, base::Budget& budget,
                     std::size_t enough_ops = kEnoughOps,
                     std::span<const TxnId> only_left_out = {});

/// Whether the history tests the level: some meeting concerns it. Real time, and sessions of
/// more than one transaction, concern any two transactions of which one writes what the other
/// uses. Levels about isolation alone are tested only by those that overlapped: a database
/// without any isolation gets the rest right, as long as it keeps one copy.
Trial trial(const Evidence& evidence, const LevelInfo& level);

/// "no two overlapping transactions used a key that one of them wrote": why levels are untried.
/// REQUIRES: trial() returns kUntried for one.
std::string why_untried(const Evidence& evidence);
/// What puts levels to the test, a clause behind why_untried().
inline constexpr std::string_view kHowToTry =
    "more sessions at once on fewer keys would do that";

/// The assumption when the input is cut off and the rest violates a level.
inline constexpr std::string_view kViolatedPart =
    "a violation stands if what is missing writes no value a second time";

/// "4000 transactions took effect; 812 times two that overlapped met on a key ...", one line.
std::string to_text(const Evidence& evidence);

}  // namespace isolde::history
