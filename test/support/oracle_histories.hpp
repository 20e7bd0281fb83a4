// Histories with known verdicts, for the levels of level.hpp: the examples of Crooks' thesis
// ("A client-centric approach to transactional datastores", 2019) and the textbook anomalies it
// discusses. The oracle is tested against this table, and so is the engine.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "isolde/level.hpp"

namespace isolde::support {

struct OracleHistory {
  std::string_view id;
  std::string_view what;
  std::string_view text;  ///< notation of history_dsl.hpp
  /// One letter for each level in the order of enum Level: 'Y' holds, 'n' violated, '-' does
  /// not apply (a real-time level and no times).
  std::string_view verdicts;
};

std::span<const OracleHistory> oracle_histories();

std::optional<bool> expected_verdict(const OracleHistory& history, Level level);

}  // namespace isolde::support
