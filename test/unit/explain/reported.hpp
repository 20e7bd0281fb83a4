// What the program would write about a history: decided by the engine, explained, put together.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "check/check.hpp"
#include "explain/report_model.hpp"
#include "explain/scenario.hpp"

namespace isolde::explain {

/// All levels when `levels` is empty. The history outlives the result.
inline ReportModel report_on(const History& history, std::vector<Level> levels = {}) {
  CheckOptions options;
  options.levels = std::move(levels);
  base::Budget budget;
  const CheckReport report = check(history, options, budget);
  ReportModel input{history, {}, strongest_held(report), weakest_violated(report), {}};
  input.asked = !options.levels.empty();
  input.sessions_respect_time = report.sessions_respect_time;
  input.rows = report.rows;
  input.evidence = history::evidence_of(history, budget);
  for (const LevelReport& level : report.levels) {
    input.levels.push_back({level.level, level.verdict, level.reason, {}, {}});
    input.levels.back().trial = history::trial(input.evidence, info(level.level));
    if (level.verdict != Verdict::kViolated) continue;
    input.levels.back().scenario =
        make_scenario(history, {level.level, history.digest(), 0, report.proofs[level.proof]});
  }
  return input;
}

}  // namespace isolde::explain
