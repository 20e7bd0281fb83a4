// Violated levels by what went wrong: levels that fall by the same transactions doing the same
// wrong share one story, so that no output tells it twice.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "explain/report_model.hpp"
#include "explain/scenario.hpp"
#include "isolde/level.hpp"

namespace isolde::explain {

struct Story {
  std::vector<Level> levels;           ///< in the order of the outcomes
  const Scenario* scenario = nullptr;  ///< that of the first of them
  std::vector<Level> following = {};   ///< those whose verdict follows from another level's
  std::int64_t clock_error_ns = 0;     ///< as of those that assume most
  bool trusts_versions = false;        ///< one of them does
};

/// " The verdict of a, b follows from that of c. Real time counts with clocks up to 10ms
/// apart."; empty where each has a proof of its own that assumes nothing of clocks.
std::string basis_text(const Story& story);

/// The stories of all violated levels: what breaks the promise of the database first, then the
/// most damaging anomaly. The model outlives the result.
std::vector<Story> stories(const ReportModel& model);

/// The levels that a reader wants the story to be about: those that settings of the database
/// promise, where it violates some, then its own.
std::vector<Level> headline_levels(const ReportModel& model, const Story& story);

/// Those to tell to a reader, in the same order: of the weakest violated levels, with which
/// stronger ones fall, and the most damaging of all. Each has the weakest of its levels only.
/// The model outlives the result.
std::vector<Story> main_stories(const ReportModel& model);

/// Levels that are not decided, or not explained, for one reason.
struct OpenLevels {
  std::string_view reason;
  std::vector<Level> levels;
};

/// Those with the verdict, which is unknown or not-applicable. The outcomes outlive the result.
std::vector<OpenLevels> open_levels(std::span<const LevelOutcome> outcomes, Verdict verdict);

/// Those among `levels` that are violated and have no scenario. The outcomes outlive the
/// result.
std::vector<OpenLevels> unexplained(std::span<const LevelOutcome> outcomes,
                                    std::span<const Level> levels);

/// The type of an anomaly that nobody looked into.
inline constexpr std::string_view kUnexplained = "unexplained";

/// Which levels hold without having been put to the test, and why, as a sentence; empty when
/// there are none.
std::string untried_text(std::span<const LevelOutcome> outcomes,
                         const history::Evidence& evidence);

/// Which verdicts assume that clocks are apart, as a sentence; empty when none does.
std::string assumed_clocks_text(std::span<const LevelOutcome> outcomes);

/// "a, b, c".
std::string names_of(std::span<const Level> levels);

}  // namespace isolde::explain
