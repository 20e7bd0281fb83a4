#include "history/verdicts.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "history/base_levels.hpp"

namespace isolde {

std::vector<std::int64_t> sums_of(const CheckReport& report, const LevelReport& level) {
  const bool rests_on_sums = level.verdict == Verdict::kHolds && !report.sums.empty();
  return rests_on_sums ? report.sums[level.sums] : std::vector<std::int64_t>();
}

std::vector<Level> strongest_held(const CheckReport& report) {
  std::vector<Level> strongest;
  for (const LevelReport& level : report.levels) {
    if (level.verdict != Verdict::kHolds) continue;
    const bool implied = std::any_of(strongest.begin(), strongest.end(), [&](Level other) {
      return implies_there(other, level.level, report.sessions_respect_time, report.rows);
    });
    if (!implied) strongest.push_back(level.level);
  }
  return strongest;
}

/// Repeatable read differs from serializability in predicate reads only: where both are
/// violated, in the same form, naming the better known one is enough.
static bool is_same_as_serializable(const CheckReport& report, const LevelReport& level) {
  const LevelInfo& row = info(level.level);
  return disregards_left_out_rows(row.base) &&
         std::any_of(report.levels.begin(), report.levels.end(), [&](const LevelReport& each) {
           const LevelInfo& other = info(each.level);
           return other.base == BaseLevel::kSerializable &&
                  other.session_order == row.session_order && other.real_time == row.real_time;
         });
}

std::vector<Level> weakest_violated(const CheckReport& report) {
  std::vector<Level> weakest;
  for (std::size_t i = report.levels.size(); i-- > 0;) {
    const LevelReport& level = report.levels[i];
    if (level.verdict != Verdict::kViolated || is_same_as_serializable(report, level)) continue;
    const bool implied = std::any_of(weakest.begin(), weakest.end(), [&](Level other) {
      return implies_there(level.level, other, report.sessions_respect_time, report.rows);
    });
    if (!implied) weakest.push_back(level.level);
  }
  std::reverse(weakest.begin(), weakest.end());
  return weakest;
}

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kHolds:
      return "holds";
    case Verdict::kViolated:
      return "violated";
    case Verdict::kUnknown:
      return "unknown";
    case Verdict::kNotApplicable:
      return "not-applicable";
  }
  return "unknown";
}

}  // namespace isolde
