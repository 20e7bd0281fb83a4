// Goal: every level has its text, and its examples show what they say. Method: engine and
// oracle decide the examples; each proof of the engine is verified.
#include "explain/level_guide.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/budget.hpp"
#include "certify/verify.hpp"
#include "check/check.hpp"
#include "io/native.hpp"
#include "isolde/history_builder.hpp"
#include "oracle/brute.hpp"
#include "support/applies.hpp"

namespace isolde::explain {
namespace {

History history_of(const LevelExample& example) {
  io::Inputs inputs;
  inputs.name = "example";
  inputs.files.push_back(io::Input::padded("example", native_text(example)));
  base::Budget budget;
  Result<History> history = io::read_native(inputs, budget);
  EXPECT_TRUE(history.ok()) << history.error().message;
  return history.ok() ? std::move(history).value() : *HistoryBuilder().finish();
}

std::string name_of(const LevelExample& example) {
  return std::string(info(example.level).name) + ", " + std::string(example.anomaly);
}

TEST(LevelGuide, HasATextForEveryLevel) {
  for (const LevelInfo& row : all_levels()) {
    const BaseGuide& text = guide(row.base);
    for (const std::string_view part : {text.definition, text.source, text.claims, text.cost}) {
      EXPECT_TRUE(part.ends_with('.')) << row.name << ": " << part;
      EXPECT_EQ(part.find("  "), std::string_view::npos) << row.name << ": " << part;
    }
    const bool prefixed = row.name.starts_with("strong-session-") ||
                          (row.real_time && row.level != Level::kLinearizable);
    EXPECT_EQ(form_text(row).empty(), !prefixed) << row.name;
    EXPECT_FALSE(examples_of(row.level).empty());
  }
}

TEST(LevelGuide, ExamplesStandInTheOrderOfLevels) {
  EXPECT_TRUE(std::is_sorted(
      all_examples().begin(), all_examples().end(),
      [](const LevelExample& a, const LevelExample& b) { return a.level < b.level; }));
}

TEST(LevelGuide, ExamplesAreWhatTheySayByTheOracle) {
  for (const LevelExample& example : all_examples()) {
    const History history = history_of(example);
    ASSERT_TRUE(support::applies(example.level, history)) << name_of(example);
    EXPECT_FALSE(oracle::brute_force_holds(history, example.level, 0)) << name_of(example);
    for (const Level level : satisfied_levels(example)) {
      ASSERT_TRUE(support::applies(level, history)) << name_of(example);
      EXPECT_FALSE(implies(level, example.level, false)) << name_of(example);
      EXPECT_TRUE(oracle::brute_force_holds(history, level, 0))
          << name_of(example) << " at " << info(level).name;
    }
  }
}

// Where the engine decides the level at all.
TEST(LevelGuide, ExamplesAreWhatTheySayByTheEngine) {
  for (const LevelExample& example : all_examples()) {
    const History history = history_of(example);
    base::Budget budget;
    const CheckReport report = check(history, {}, budget);
    const std::vector<Level> satisfied = satisfied_levels(example);
    for (const LevelReport& row : report.levels) {
      const std::string what = name_of(example) + " at " + std::string(info(row.level).name);
      if (row.verdict == Verdict::kUnknown) {
        EXPECT_EQ(row.reason, "not decided yet") << what;
      }
      if (row.level == example.level) {
        EXPECT_NE(row.verdict, Verdict::kHolds) << what;
        EXPECT_NE(row.verdict, Verdict::kNotApplicable) << what;
      }
      if (std::find(satisfied.begin(), satisfied.end(), row.level) != satisfied.end()) {
        EXPECT_NE(row.verdict, Verdict::kViolated) << what;
        EXPECT_NE(row.verdict, Verdict::kNotApplicable) << what;
      }
      if (row.verdict != Verdict::kHolds && row.verdict != Verdict::kViolated) continue;
      const Certificate proof{row.level, history.digest(), 0, report.proofs[row.proof]};
      const certify::VerifyResult verified = certify::verify(history, proof);
      EXPECT_TRUE(verified.proves) << what << ": " << verified.reason;
    }
  }
}

// An example is worth something where it passes a level right below.
TEST(LevelGuide, ExamplesSatisfyALevelNextToTheirs) {
  for (const LevelExample& example : all_examples()) {
    const std::vector<Level> below = next_weaker(example.level);
    const std::vector<Level> satisfied = satisfied_levels(example);
    const bool one = std::any_of(below.begin(), below.end(), [&](Level level) {
      return std::any_of(satisfied.begin(), satisfied.end(),
                         [&](Level strong) { return implies(strong, level, false); });
    });
    EXPECT_TRUE(one || below.empty()) << name_of(example);
  }
}

TEST(LevelGuide, NeighboursSpanTheWholeOrder) {
  for (const LevelInfo& row : all_levels()) {
    for (const LevelInfo& other : all_levels()) {
      if (row.level == other.level) continue;
      const std::vector<Level> below = next_weaker(row.level);
      const bool reached = std::any_of(below.begin(), below.end(), [&](Level next) {
        return implies(next, other.level, false);
      });
      EXPECT_EQ(reached, implies(row.level, other.level, false))
          << row.name << " and " << other.name;
      const std::vector<Level> above = next_stronger(other.level);
      const bool from_above = std::any_of(above.begin(), above.end(), [&](Level next) {
        return implies(row.level, next, false);
      });
      EXPECT_EQ(from_above, implies(row.level, other.level, false))
          << row.name << " and " << other.name;
    }
  }
}

}  // namespace
}  // namespace isolde::explain
