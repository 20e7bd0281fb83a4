// What a database promised at its isolation setting, and whether it kept it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "explain/report_model.hpp"
#include "isolde/level.hpp"

namespace isolde::explain {

/// What the recording tells of a promise; nothing where it tells neither that nor why there is
/// none.
std::optional<Promise> recorded_promise(const HistoryOrigin& origin);

/// The promised level's outcome; null when no promise is known, nothing was promised, or the
/// level is not among those of the model, which outlives the result.
const LevelOutcome* promised_outcome(const ReportModel& model);

/// "kept in this history", "BROKEN", "not decided"; says when nothing was put to the test.
std::string_view promise_verdict(const LevelOutcome& promised);

/// "PostgreSQL at serializable promises serializable: BROKEN", or what it is held to, or why
/// nothing is promised; empty when no promise is known.
std::string promise_text(const ReportModel& model);

/// Where the isolation has the name of a violated level that was not promised: a sentence that
/// they are not the same. Else empty.
std::string namesake_text(const ReportModel& model);

/// The promised level falls with one of these, which are violated.
bool breaks_promise(const ReportModel& model, std::span<const Level> violated);

/// The same, and the makers of the database gave the promise.
bool is_defect(const ReportModel& model, std::span<const Level> violated);

/// A violation of these levels is a failure of the check: one of them was asked for, or what
/// the database promised falls with them. Else it is news.
bool is_failure(const ReportModel& input, std::span<const Level> violated);

}  // namespace isolde::explain
