// The verdicts of a check with their proofs, and what they come down to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "history/certificate.hpp"
#include "isolde/level.hpp"
#include "isolde/verdict.hpp"

namespace isolde {

/// Of a verdict whose proof is elsewhere, as the order of a history that was read in parts is.
inline constexpr std::size_t kNoProof = std::numeric_limits<std::size_t>::max();

struct LevelReport {
  Level level = Level::kSerializable;
  Verdict verdict = Verdict::kUnknown;
  /// kUnknown, kNotApplicable: why. Otherwise empty.
  std::string reason;
  /// kHolds, kViolated: position in CheckReport::proofs; kNoProof: it is not there.
  std::size_t proof = 0;
  /// kHolds: position in CheckReport::sums, where the history has increments with sums that are
  /// not known.
  std::size_t sums = 0;
};

struct CheckStatistics {
  std::uint64_t included_txns = 0;
  std::uint64_t saturation_rounds = 0;
  std::uint64_t derived_orders = 0;
  std::uint64_t decided_pairs = 0;  ///< pairs of writers handed to the solver
  std::uint64_t conflicts = 0;

  /// What another part of the work took. Transactions count once, whatever is done about them.
  void add_work(const CheckStatistics& more) {
    saturation_rounds += more.saturation_rounds;
    derived_orders += more.derived_orders;
    decided_pairs += more.decided_pairs;
    conflicts += more.conflicts;
  }
};

struct CheckReport {
  std::vector<LevelReport> levels;  ///< in the order of all_levels()
  std::vector<Proof> proofs;        ///< shared by the levels they prove
  /// Sums of increments with which levels hold, as History::with_sums() takes them.
  std::vector<std::vector<std::int64_t>> sums = {};
  /// In each session, transactions that may have taken effect follow one another in real time.
  bool sessions_respect_time = false;
  /// Some selection left out a row; then repeatable read implies less: implies_there().
  RowFacts rows = {};
  CheckStatistics statistics;
};

/// The sums that the proof of the level rests on; mostly none.
std::vector<std::int64_t> sums_of(const CheckReport& report, const LevelReport& level);

/// Levels that hold and are implied by no other level that holds.
std::vector<Level> strongest_held(const CheckReport& report);
/// Levels that are violated and imply no other violated level.
std::vector<Level> weakest_violated(const CheckReport& report);

}  // namespace isolde
