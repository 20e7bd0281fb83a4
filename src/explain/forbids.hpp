// Whether a promise rules out what happened: one answer for all sentences that give advice.
#pragma once

#include <cstdint>

#include "explain/harm.hpp"
#include "explain/report_model.hpp"
#include "explain/story.hpp"

namespace isolde::explain {

enum class Forbids : std::uint8_t {
  kNo,
  kWithOrder,  ///< only session order or real time forbids it, which the level does not have
  kYes,
};

/// The level, or one that implies it, holds in this history, so it allows all that happened.
bool holds_here(const ReportModel& model, Level level);

/// Whether the level forbids what the story tells.
Forbids forbids(const ReportModel& model, Level promised, const Story& story);

/// Where the history comes from, as far as advice depends on it.
Setup setup_of(const ReportModel& model);

}  // namespace isolde::explain
