// Goal: a check decides the levels that were asked for, or all that mean something, and tells
// at once which do not apply. Method: hand histories.
#include "check/asked_levels.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/history_dsl.hpp"

namespace isolde::checker {
namespace {

const LevelReport* find(const std::vector<LevelReport>& levels, Level level) {
  const auto at = std::ranges::find(levels, level, &LevelReport::level);
  return at == levels.end() ? nullptr : &*at;
}

TEST(AskedLevels, AreThoseThatMeanSomething) {
  const History plain = support::parse("A: w(x=1)");
  const std::vector<Level> all = asked_levels(plain, {});
  EXPECT_TRUE(std::ranges::find(all, Level::kSerializable) != all.end());
  for (const Level level : all) EXPECT_NE(info(level).base, BaseLevel::kMixed);
  const std::vector<Level> stated = asked_levels(support::parse("A: w(x=1) %ser"), {});
  EXPECT_GT(stated.size(), all.size());
}

TEST(AskedLevels, ComeInTheirOrder) {
  CheckOptions options;
  options.levels = {Level::kReadCommitted, Level::kSerializable};
  const std::vector<Level> asked = asked_levels(support::parse("A: w(x=1)"), options);
  EXPECT_EQ(asked, (std::vector<Level>{Level::kSerializable, Level::kReadCommitted}));
}

TEST(AskedLevels, TellWhatDoesNotApply) {
  const auto untimed = undecided_levels(support::parse("A: w(x=1)"), {});
  const LevelReport* const strict = find(untimed, Level::kStrictSerializable);
  ASSERT_NE(strict, nullptr);
  EXPECT_EQ(strict->verdict, Verdict::kNotApplicable);
  EXPECT_EQ(strict->reason, "the history has no start and end times");
  EXPECT_EQ(find(untimed, Level::kSerializable)->verdict, Verdict::kUnknown);
  const auto timed = undecided_levels(support::parse("A: w(x=1) @1,2"), {});
  EXPECT_EQ(find(timed, Level::kStrictSerializable)->verdict, Verdict::kUnknown);
}

}  // namespace
}  // namespace isolde::checker
