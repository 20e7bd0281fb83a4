#include "check/asked_levels.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "history/base_levels.hpp"
#include "level/level_traits.hpp"
#include "weak/mixed.hpp"

namespace isolde::checker {

std::vector<Level> asked_levels(const History& history, const CheckOptions& options) {
  std::vector<Level> levels;
  for (const LevelInfo& row : all_levels()) {
    // Mixed levels mean nothing for most histories.
    const bool is_usual = !checker::is_mixed(row.level) || history.has_stated_levels();
    const bool is_asked =
        options.levels.empty()
            ? is_usual
            : std::ranges::find(options.levels, row.level) != options.levels.end();
    if (is_asked) levels.push_back(row.level);
  }
  return levels;
}

std::vector<LevelReport> undecided_levels(const History& history, const CheckOptions& options) {
  std::vector<LevelReport> levels;
  for (const Level asked : asked_levels(history, options)) {
    LevelReport level;
    level.level = asked;
    if (needs_times(info(asked)) && !history.has_times()) {
      level.verdict = Verdict::kNotApplicable;
      level.reason = "the history has no start and end times";
    }
    if (checker::is_mixed(asked)) {
      if (std::string reason = why_not_mixed(history); !reason.empty()) {
        level.verdict = Verdict::kNotApplicable;
        level.reason = std::move(reason);
      }
    }
    levels.push_back(level);
  }
  return levels;
}

}  // namespace isolde::checker
