// Histories with known verdicts, for the levels of level.hpp: the examples of Crooks' thesis
// ("A client-centric approach to transactional datastores", 2019) and the textbook anomalies it
// discusses; and derived ones, so that for each two levels of which one does not imply the
// other some history holds at the one and not at the other. The oracle is tested against this
// table, and so is the engine.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "isolde/level.hpp"

namespace isolde::support {

struct OracleHistory {
  std::string_view id;
  std::string_view what;
  std::string_view text;  ///< notation of history_dsl.hpp
  /// A group of letters for each base level, in the order of the table's heading. In a group of
  /// three: with real time, with session order, plain; where a base level has only one or two
  /// of these forms, only their letters. 'Y' holds, 'n' violated, '-' does not apply. Levels
  /// that came later have rows of their own.
  std::string_view verdicts;
};

std::span<const OracleHistory> oracle_histories();

/// Whether the table has the level's verdicts.
bool has_verdicts(Level level);

/// Nothing where the level does not apply. REQUIRES: a history of oracle_histories(), and
/// has_verdicts(level).
std::optional<bool> expected_verdict(const OracleHistory& history, Level level);

/// One letter for each level in the order of all_levels(), as in `verdicts`.
std::string verdict_letters(const OracleHistory& history);

}  // namespace isolde::support
