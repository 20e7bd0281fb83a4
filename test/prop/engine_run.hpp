// Running the engine on a plain history and collecting everything that is wrong with its
// answer, except the verdicts themselves.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "check/check.hpp"
#include "support/history_dsl.hpp"

namespace isolde::prop {

/// The combinations of CheckOptions' switches that tests rotate through.
inline constexpr std::uint64_t kVariantCount = 8;

struct Settings {
  std::uint64_t variant = 0;  ///< below kVariantCount
  std::int64_t clock_error_ns = 0;
  std::optional<Level> only;  ///< ask for this level alone
  std::uint64_t stop_after =
      0;  ///< this stage is reported and nothing is done any more; 0: never
  std::optional<Level> no_memory;  ///< this level runs out of memory in all of its stages

  bool are_limits() const { return stop_after > 0 || no_memory.has_value(); }
};

/// The level may stay undecided where nothing limits the check.
bool may_stay_open(const support::PlainHistory& plain, const LevelReport& row);

std::string describe(const Settings& settings);

struct Answer {
  /// One for each level in the order of all_levels(); kNotApplicable where not asked.
  std::vector<Verdict> verdicts;
  /// Empty when all is well: levels in order, each verdict with a proof that verifies, no
  /// verdict left open without need, verdicts monotone, and none open that follows from others.
  std::string complaint;
};

Answer run_engine(const support::PlainHistory& plain, const Settings& settings);

/// What became of proofs when their histories were changed.
struct Survival {
  std::uint64_t survived = 0;
  std::uint64_t fell = 0;
  std::string complaint;  ///< one that survived and is not true
};

/// Asks the verifier whether the engine's proofs about `plain` stand for histories that differ
/// a little; the oracle must agree with those that do.
void try_changes(const support::PlainHistory& plain, const CheckOptions& options,
                 std::uint64_t seed, Survival& survival);

/// Shrinks `plain` for as long as `complain` finds something, and renders the result for
/// people: the complaint, the seed, the shrunk history and the original one.
std::string report_failure(
    const support::PlainHistory& plain, std::uint64_t seed,
    const std::function<std::string(const support::PlainHistory&)>& complain);

}  // namespace isolde::prop
