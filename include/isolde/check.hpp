// check(): from a history to a verdict with a proof for each level.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "isolde/certificate.hpp"
#include "isolde/history.hpp"
#include "isolde/level.hpp"

namespace isolde::base {
class Budget;
}

namespace isolde {

enum class Verdict : std::uint8_t {
  kHolds,
  kViolated,
  kUnknown,        ///< a limit was reached, or the input does not determine the answer
  kNotApplicable,  ///< the level needs something the history does not carry (times)
};

struct CheckOptions {
  /// Levels to decide; empty means classify: decide all of them.
  std::vector<Level> levels;
  /// Real time counts only when the gap between two transactions is larger than this.
  std::int64_t clock_error_ns = 0;
  /// Use times and heuristics only after the exact stages; for tests that drive the search.
  /// Never changes a verdict.
  bool skip_guess = false;
  bool skip_saturation = false;
  /// Conflicts that a search may meet in its first round; each further one has four times as
  /// many.
  std::uint64_t first_conflicts = 4096;
  /// Number of threads, including the calling one; never changes a result.
  unsigned threads = 1;
  /// Called now and then with a short description of the current work; may be empty.
  std::function<void(std::string_view)> progress;
};

struct LevelReport {
  Level level = Level::kSerializable;
  Verdict verdict = Verdict::kUnknown;
  /// kUnknown, kNotApplicable: why. Otherwise empty.
  std::string reason;
  /// kHolds, kViolated: position in CheckReport::proofs.
  std::size_t proof = 0;
};

struct CheckStatistics {
  std::uint64_t included_txns = 0;
  std::uint64_t saturation_rounds = 0;
  std::uint64_t derived_orders = 0;
  std::uint64_t decided_pairs = 0;  ///< pairs of writers handed to the solver
  std::uint64_t conflicts = 0;
};

struct CheckReport {
  std::vector<LevelReport> levels;  ///< in the order of all_levels()
  std::vector<Proof> proofs;        ///< shared by the levels they prove
  /// In each session, transactions that may have taken effect follow one another in real time.
  bool sessions_respect_time = false;
  /// Some selection left out a row; then repeatable read implies less: implies_there().
  bool rows_left_out = false;
  CheckStatistics statistics;
};

/// Decides the levels. `budget` stops the work; levels not decided by then are kUnknown.
CheckReport check(const History& history, const CheckOptions& options, base::Budget& budget);

/// Levels that hold and are implied by no other level that holds.
std::vector<Level> strongest_held(const CheckReport& report);
/// Levels that are violated and imply no other violated level.
std::vector<Level> weakest_violated(const CheckReport& report);

std::string_view name(Verdict verdict);

}  // namespace isolde
