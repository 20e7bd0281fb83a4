// What the engine and the explanation call a violation.
#pragma once

#include <map>

#include "base/budget.hpp"
#include "check/check.hpp"
#include "explain/scenario.hpp"

namespace isolde::explain {

/// The anomaly of each violated level among `levels` (all when empty).
inline std::map<Level, Anomaly> named_anomalies(const History& history,
                                                std::vector<Level> levels) {
  CheckOptions options;
  options.levels = std::move(levels);
  base::Budget budget;
  const CheckReport report = check(history, options, budget);
  std::map<Level, Anomaly> found;
  for (const LevelReport& level : report.levels) {
    if (level.verdict != Verdict::kViolated) continue;
    const Certificate certificate{level.level, history.digest(), 0, report.proofs[level.proof]};
    found[level.level] = make_scenario(history, certificate).anomaly;
  }
  return found;
}

}  // namespace isolde::explain
