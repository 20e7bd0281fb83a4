#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <vector>

#include "oracle/brute.hpp"
#include "oracle/second_opinion.hpp"
#include "support/random_history.hpp"

namespace isolde::oracle {
namespace {

// Goal: random histories are worth testing with. Method: count verdicts of the oracle, and
// histories that tell a level from the next weaker ones.
TEST(RandomHistory, GivesBothVerdictsOftenAtEveryLevel) {
  constexpr std::uint64_t kSeeds = 2000;
  std::vector<std::array<bool, 8>> verdicts;
  std::vector<bool> has_times;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const History history = support::build(support::random_history(seed));
    has_times.push_back(history.has_times());
    verdicts.push_back({});
    for (std::size_t level = 0; level < 8; ++level) {
      verdicts.back()[level] = brute_force_holds(history, all_levels()[level].level, 0);
    }
  }
  for (std::size_t level = 0; level < 8; ++level) {
    const LevelInfo& row = all_levels()[level];
    int held = 0, all = 0;
    std::array<int, 8> apart = {};
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      if (row.real_time && !has_times[i]) continue;
      ++all;
      held += verdicts[i][level] ? 1 : 0;
      for (std::size_t other = 0; other < 8; ++other) {
        apart[other] += verdicts[i][level] && !verdicts[i][other] ? 1 : 0;
      }
    }
    std::printf("%-36s %4d of %d (%2d %%), apart from:", std::string(row.name).c_str(), held,
                all, 100 * held / all);
    for (const int count : apart) std::printf(" %4d", count);
    std::printf("\n");
    for (std::size_t other = 0; other < 8; ++other) {
      const bool is_implied = implies(row.level, all_levels()[other].level, true);
      EXPECT_TRUE(is_implied || apart[other] > 0) << row.name << all_levels()[other].name;
    }
    EXPECT_GE(held * 5, all) << row.name;
    EXPECT_LE(held * 5, all * 4) << row.name;
  }
}

// Goal: the oracle's verdicts form the hierarchy that implies() promises. Method: random
// histories, all pairs of levels, with and without duplicate values.
TEST(Oracle, StrongerLevelsImplyWeakerOnes) {
  for (std::uint64_t seed = 10'000; seed < 20'000; ++seed) {
    base::Rng rng(seed);
    support::RandomHistoryOptions options = support::random_options(rng);
    if (seed % 4 == 0) options.duplicate_share = 0.3;
    const support::PlainHistory plain = support::random_history(rng, options);
    const History history = support::build(plain);
    const auto clock_error_ns = static_cast<std::int64_t>(rng.below(2) * rng.below(12));
    const bool in_turn = support::sessions_respect_time(plain, clock_error_ns);
    std::array<bool, 8> holds = {};
    for (std::size_t level = 0; level < 8; ++level) {
      holds[level] = brute_force_holds(history, all_levels()[level].level, clock_error_ns);
    }
    for (const LevelInfo& strong : all_levels()) {
      for (const LevelInfo& weak : all_levels()) {
        if (!implies(strong.level, weak.level, in_turn)) continue;
        const bool is_kept = !holds[static_cast<std::size_t>(strong.level)] ||
                             holds[static_cast<std::size_t>(weak.level)];
        ASSERT_TRUE(is_kept) << strong.name << " holds, " << weak.name << " does not; seed "
                             << seed << "\n"
                             << support::to_text(plain);
      }
    }
  }
}

// Goal: the oracle agrees with definitions that share neither idea nor code with it (Adya's
// graphs; events of a multiversion database). Method: random histories.
TEST(Oracle, AgreesWithSecondDefinitions) {
  for (std::uint64_t seed = 20'000; seed < 30'000; ++seed) {
    base::Rng rng(seed);
    support::RandomHistoryOptions options = support::random_options(rng);
    options.txn_count = std::min<std::uint64_t>(options.txn_count, seed % 10 == 0 ? 5 : 4);
    const support::PlainHistory plain = support::random_history(rng, options);
    ASSERT_FALSE(support::has_duplicate_writes(plain)) << seed;
    const History history = support::build(plain);
    const auto clock_error_ns = static_cast<std::int64_t>(rng.below(2) * rng.below(12));
    for (const LevelInfo& level : all_levels()) {
      const bool second = level.base == BaseLevel::kSnapshotIsolation
                              ? holds_by_events(plain, level.level, clock_error_ns)
                              : holds_by_dependencies(plain, level.level, clock_error_ns);
      ASSERT_EQ(brute_force_holds(history, level.level, clock_error_ns), second)
          << level.name << ", clock error " << clock_error_ns << ", seed " << seed << "\n"
          << support::to_text(plain);
    }
  }
}

}  // namespace
}  // namespace isolde::oracle
