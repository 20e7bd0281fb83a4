// Goal: the engine is right. Method: random small histories; its verdicts must be the oracle's,
// and each of its proofs must convince the verifier. Failures are shrunk before they are
// printed.
#include <gtest/gtest.h>

#include <cstdio>

#include "base/budget.hpp"
#include "base/hash.hpp"
#include "certify/verify.hpp"
#include "oracle/brute.hpp"
#include "prop/engine_run.hpp"
#include "support/oracle_histories.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"

namespace isolde::prop {
namespace {

using support::PlainHistory;

// What is wrong with the engine's answer; empty when nothing is.
std::string complain(const PlainHistory& plain, const Settings& settings) {
  const Answer answer = run_engine(plain, settings);
  if (!answer.complaint.empty()) return answer.complaint + " (" + describe(settings) + ")";
  const History history = support::build(plain);
  for (const LevelInfo& level : all_levels()) {
    const Verdict verdict = answer.verdicts[static_cast<std::size_t>(level.level)];
    if (verdict != Verdict::kHolds && verdict != Verdict::kViolated) continue;
    const bool holds = oracle::brute_force_holds(history, level.level, settings.clock_error_ns);
    if (holds != (verdict == Verdict::kHolds)) {
      return std::string(level.name) + ": the engine says " + std::string(name(verdict)) +
             ", the oracle says the opposite (" + describe(settings) + ")";
    }
  }
  return "";
}

struct Case {
  std::uint64_t seed;
  PlainHistory plain;
  Settings settings;
};

Case make_case(std::uint64_t number, double duplicate_share) {
  Case made{base::mix2(support::run_seed(), number), {}, {}};
  base::Rng rng(made.seed);
  support::RandomHistoryOptions options = support::random_options(rng);
  options.duplicate_share = duplicate_share;
  made.plain = support::random_history(rng, options);
  made.settings.clock_error_ns = static_cast<std::int64_t>(rng.below(2) * rng.below(12));
  made.settings.variant = number % kVariantCount;
  return made;
}

// True when the engine is right; reports otherwise.
bool passes(const Case& tried) {
  if (complain(tried.plain, tried.settings).empty()) return true;
  ADD_FAILURE() << report_failure(tried.plain, tried.seed, [&](const PlainHistory& smaller) {
    return complain(smaller, tried.settings);
  });
  return false;
}

// Goal: whatever was not looked at, no verdict is left open that follows from another one; and
// what is not open is right. Method: the check is stopped in a stage chosen at random; repeated
// values and single switches leave levels open too.
TEST(Engine, VerdictsAreClosedUnderImplication) {
  for (std::uint64_t i = 0; i < support::case_count(20'000); ++i) {
    Case tried = make_case((std::uint64_t{70} << 32) + i, i % 2 == 0 ? 0.4 : 0);
    base::Rng rng(base::mix2(tried.seed, 2));
    if (i % 4 < 3) tried.settings.stop_after = 1 + rng.below(40);
    if (!passes(tried)) return;
  }
}

TEST(Engine, ClassifiesAsTheOracleDoes) {
  for (std::uint64_t i = 0; i < support::case_count(20'000); ++i) {
    if (!passes(make_case(i, 0))) return;
  }
}

TEST(Engine, DecidesSingleLevelsAsTheOracleDoes) {
  for (const LevelInfo& level : all_levels()) {
    for (std::uint64_t i = 0; i < support::case_count(10'000); ++i) {
      const auto row = static_cast<std::uint64_t>(level.level);
      Case tried = make_case(((row + 1) << 32) + i, 0);
      tried.settings.only = level.level;
      if (!passes(tried)) return;
    }
  }
}

// Which levels may stay undecided then is a matter of engine_run.
TEST(Engine, ClassifiesAsTheOracleDoesWhereValuesRepeat) {
  for (std::uint64_t i = 0; i < support::case_count(20'000); ++i) {
    const double share = i % 2 == 0 ? 0.15 : 0.5;
    if (!passes(make_case((std::uint64_t{9} << 32) + i, share))) return;
  }
}

TEST(Engine, DecidesSingleLevelsAsTheOracleDoesWhereValuesRepeat) {
  for (const LevelInfo& level : all_levels()) {
    for (std::uint64_t i = 0; i < support::case_count(10'000); ++i) {
      const auto row = static_cast<std::uint64_t>(level.level);
      const double share = i % 2 == 0 ? 0.15 : 0.5;
      Case tried = make_case(((row + 1001) << 32) + i, share);
      tried.settings.only = level.level;
      if (!passes(tried)) return;
    }
  }
}

TEST(Engine, AgreesWithTheLiterature) {
  for (const support::OracleHistory& row : support::oracle_histories()) {
    for (std::uint64_t variant = 0; variant < kVariantCount; ++variant) {
      Settings settings;
      settings.variant = variant;
      const Answer answer = run_engine(support::parse_plain(row.text), settings);
      EXPECT_EQ(answer.complaint, "") << row.id;
      for (const LevelInfo& level : all_levels()) {
        const std::optional<bool> expected = support::expected_verdict(row, level.level);
        const Verdict verdict = !expected   ? Verdict::kNotApplicable
                                : *expected ? Verdict::kHolds
                                            : Verdict::kViolated;
        EXPECT_EQ(name(answer.verdicts[static_cast<std::size_t>(level.level)]), name(verdict))
            << row.id << " at " << level.name << ", " << describe(settings);
      }
    }
  }
}

TEST(Engine, AcceptsTheEmptyHistory) {
  EXPECT_EQ(complain({}, {}), "");
  EXPECT_EQ(complain(support::parse_plain("A: nop"), {}), "");
  EXPECT_EQ(complain(support::parse_plain("A: w(x=1) ! ; B: r(x=1) ?"), {}), "");
}

// Goal: a proof says what it says of this history only. Method: change the history a little and
// ask the verifier whether the engine's proof still stands; if so, the oracle must agree.
// Unlike random proofs, these are nearly right, and have several steps.
TEST(Engine, ProofsThatSurviveAChangeAreStillTrue) {
  Survival survival;
  for (std::uint64_t i = 0; i < support::case_count(3'000); ++i) {
    const Case tried = make_case((std::uint64_t{10} << 32) + i, 0);
    CheckOptions options;
    options.clock_error_ns = tried.settings.clock_error_ns;
    options.skip_guess = i % 2 == 0;
    options.skip_saturation = i % 4 < 2;
    try_changes(tried.plain, options, tried.seed, survival);
    ASSERT_EQ(survival.complaint, "");
  }
  std::printf("%llu proofs survived, %llu fell\n",
              static_cast<unsigned long long>(survival.survived),
              static_cast<unsigned long long>(survival.fell));
}

}  // namespace
}  // namespace isolde::prop
