// What a database promised at its isolation setting, and whether it kept it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "explain/report_model.hpp"
#include "isolde/level.hpp"

namespace isolde::explain {

/// The promised level's outcome; null when there was no run, nothing was promised, or the level
/// is not among these. The outcomes outlive the result.
const LevelOutcome* promised_outcome(const std::optional<RunReport>& run,
                                     std::span<const LevelOutcome> levels);

/// "kept in this history", "BROKEN", "not decided"; says when nothing was put to the test.
std::string_view promise_verdict(const LevelOutcome& promised);

/// "PostgreSQL at serializable promises serializable: BROKEN", or why nothing is promised;
/// empty when there was no run.
std::string promise_text(const std::optional<RunReport>& run,
                         std::span<const LevelOutcome> levels);

/// A violation of these levels is a failure of the check: one of them was asked for, or what
/// the database promised falls with them. Else it is news.
bool is_failure(const ReportModel& input, std::span<const Level> violated);

}  // namespace isolde::explain
