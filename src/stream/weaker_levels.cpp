#include "stream/weaker_levels.hpp"

#include <algorithm>

#include "check/check.hpp"

namespace isolde::stream {
namespace {

/// Of a check at all levels, on the side of a verdict that stands: where values repeat, a level
/// may take longer than anybody waits. Most take a hundredth of it.
constexpr std::uint64_t kTicks = 200'000'000;
constexpr std::uint64_t kTicksPerOp = 20'000;

}  // namespace

std::vector<Level> also_violated(const Violation& violation, base::Budget& budget) {
  CheckOptions options;
  options.clock_error_ns = violation.certificate.clock_error_ns;
  std::vector<Level> found;
  const base::Budget::Allowance allowance(budget,
                                          kTicks + kTicksPerOp * violation.history.op_count());
  for (const LevelReport& level : check(violation.history, options, budget).levels) {
    const bool is_other = level.level != violation.certificate.level;
    if (is_other && level.verdict == Verdict::kViolated) found.push_back(level.level);
  }
  return found;
}

std::vector<Level> weakest(const std::vector<Level>& levels) {
  std::vector<Level> found;
  for (const Level level : levels) {
    const bool implies_other = std::ranges::any_of(levels, [&](Level other) {
      return other != level && implies(level, other, /*sessions_respect_time=*/true);
    });
    if (!implies_other) found.push_back(level);
  }
  return found;
}

}  // namespace isolde::stream
