#include "explain/story.hpp"

#include <gtest/gtest.h>

#include "io/reader.hpp"
#include "support/history_dsl.hpp"
#include "unit/explain/reported.hpp"

namespace isolde::explain {
namespace {

// Goal: one story for one wrong, however many levels it breaks; another one beside it.
// Method: a write skew of A and B, and an aborted read by C.
TEST(Story, JoinsLevelsThatFallTogether) {
  const History history = support::parse(
      "A: r(x=_) w(y=1)\n"
      "B: r(y=_) w(x=1)\n"
      "D: w(z=1) !\n"
      "C: r(z=1)");
  const ReportModel input = report_on(history, {Level::kStrongSessionSerializable,
                                                Level::kSerializable, Level::kReadCommitted});
  const std::vector<Story> all = stories(input);
  ASSERT_EQ(all.size(), 1U);  // the aborted read ends all three at once
  EXPECT_EQ(all[0].scenario->anomaly.name, "aborted read");
  EXPECT_EQ(names_of(all[0].levels),
            "strong-session-serializable, serializable, read-committed");
  const std::vector<Story> weakest = main_stories(input);
  ASSERT_EQ(weakest.size(), 1U);
  EXPECT_EQ(names_of(weakest[0].levels), "read-committed");
}

TEST(Story, TellsDifferentStoriesApart) {
  const History history = support::parse(
      "A: r(x=_) w(y=1)\n"
      "B: r(y=_) w(x=1)\n"
      "C: r(u=_) w(u=1)\n"
      "D: r(u=_) w(u=2)");
  const ReportModel input =
      report_on(history, {Level::kSnapshotIsolation, Level::kPrefixConsistency});
  const std::vector<Story> all = stories(input);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(names_of(all[0].levels), "snapshot-isolation");

  // Two outcomes made by hand: same levels, other transactions.
  const History skew = support::parse("A: r(x=_) w(y=1)\nB: r(y=_) w(x=1)\nC: r(y=_)");
  std::vector<LevelOutcome> outcomes(2);
  const ReportModel first = report_on(skew, {Level::kSerializable});
  outcomes[0] = first.levels[0];
  outcomes[1] = first.levels[0];
  outcomes[1].scenario->txns.back().txn = TxnId(2);
  ReportModel both = report_on(skew, {Level::kSerializable});
  both.levels = outcomes;
  EXPECT_EQ(stories(both).size(), 2U);
}

// Goal: what breaks the promise comes before what does more damage.
TEST(Story, ABrokenPromiseComesFirst) {
  const History history = support::parse(
      "A: r(u=_) w(u=1)\n"
      "B: r(u=_) w(u=2)\n"
      "C: w(x=1) w(y=1)\n"
      "D: r(x=1) r(y=_)");
  ReportModel input = report_on(history);
  ASSERT_EQ(stories(input).front().scenario->anomaly.name, "lost update");
  input.promise = Promise{"db", "best", Level::kReadAtomic, ""};
  EXPECT_NE(stories(input).front().scenario->anomaly.name, "lost update");
  EXPECT_NE(main_stories(input).front().scenario->anomaly.name, "lost update");
  input.promise = Promise{"db", "best", Level::kReadCommitted, ""};
  EXPECT_EQ(stories(input).front().scenario->anomaly.name, "lost update");
}

// Goal: a story is about the levels that people can set, where it ends some.
TEST(Story, NamesTheSettingsOfTheDatabase) {
  const auto headline = [](std::string_view database) {
    std::string text = R"({"isolde":1,"kind":"history","database":")";
    (text += database) += "\"}\n";
    text += R"({"session":"A","ops":[["r","x",null],["w","x",1]]}
{"session":"B","ops":[["r","x",null],["w","x",2]]})";
    base::Budget budget;
    const Result<History> history = io::read_bytes(text, "h", "native", budget);
    const ReportModel input = report_on(*history);
    return names_of(headline_levels(input, main_stories(input).front()));
  };
  EXPECT_EQ(headline("PostgreSQL 15.20"),
            "snapshot-isolation, serializable, parallel-snapshot-isolation");
  EXPECT_EQ(headline("MariaDB 10.11"), "serializable, parallel-snapshot-isolation");
  EXPECT_EQ(headline(""), "parallel-snapshot-isolation");
}

// Lost updates are told although fractured reads end weaker levels, and they come first.
TEST(Story, TheMostDamagingAnomalyComesFirst) {
  const History history = support::parse(
      "A: r(u=_) w(u=1)\n"
      "B: r(u=_) w(u=2)\n"
      "C: w(x=1) w(y=1)\n"
      "D: r(x=1) r(y=_)");
  const ReportModel input = report_on(
      history, {Level::kStrongSessionParallelSnapshotIsolation,
                Level::kParallelSnapshotIsolation, Level::kReadAtomic, Level::kReadCommitted});
  ASSERT_EQ(input.weakest_violated, std::vector{Level::kReadAtomic});
  // Whichever of the two wrongs the engine met first at the stronger levels.
  const ReportModel lost = report_on(support::parse("A: r(u=_) w(u=1)\nB: r(u=_) w(u=2)"),
                                     {Level::kParallelSnapshotIsolation});
  ReportModel both{history, input.levels, input.strongest, input.weakest_violated, {}};
  for (LevelOutcome& outcome : both.levels) {
    if (outcome.level == Level::kReadAtomic || !outcome.is_violated()) continue;
    outcome.scenario = lost.levels[0].scenario;
  }
  const std::vector<Story> told = main_stories(both);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].scenario->anomaly.name, "lost update");
  EXPECT_EQ(names_of(told[0].levels), "parallel-snapshot-isolation");
  EXPECT_EQ(names_of(told[1].levels), "read-atomic");
}

TEST(Story, GroupsWhatIsOpenByReason) {
  const std::vector<LevelOutcome> outcomes = {
      {Level::kStrictSerializable, Verdict::kNotApplicable, "no times", {}, {}},
      {Level::kSerializable, Verdict::kUnknown, "timeout", {}, {}},
      {Level::kSnapshotIsolation, Verdict::kUnknown, "timeout", {}, {}},
      {Level::kReadCommitted, Verdict::kUnknown, "memory", {}, {}},
      {Level::kReadUncommitted, Verdict::kHolds, "", {}, {}}};
  const std::vector<OpenLevels> open = open_levels(outcomes, Verdict::kUnknown);
  ASSERT_EQ(open.size(), 2U);
  EXPECT_EQ(open[0].reason, "timeout");
  EXPECT_EQ(names_of(open[0].levels), "serializable, snapshot-isolation");
  EXPECT_EQ(names_of(open[1].levels), "read-committed");
}

TEST(Story, TellsWhatWasNotPutToTheTest) {
  const auto row = [](Level level, Verdict verdict, bool is_tried) {
    LevelOutcome outcome{level, verdict, "", {}, {}};
    outcome.trial = is_tried ? history::Trial::kTried : history::Trial::kUntried;
    return outcome;
  };
  const std::vector<LevelOutcome> apart = {
      row(Level::kStrictSerializable, Verdict::kHolds, true),
      row(Level::kSerializable, Verdict::kHolds, false),
      row(Level::kReadCommitted, Verdict::kUnknown, false)};
  history::Evidence evidence;
  evidence.meetings = 1;
  evidence.has_times = true;
  EXPECT_EQ(
      untried_text(apart, evidence),
      "no two overlapping transactions used a key that one of them wrote, so serializable "
      "was not put to the test; more sessions at once on fewer keys would do that");
  const std::vector<LevelOutcome> strangers = {
      row(Level::kSerializable, Verdict::kHolds, false),
      row(Level::kReadCommitted, Verdict::kHolds, false)};
  EXPECT_EQ(untried_text(strangers, history::Evidence()),
            "no two transactions used a key that one of them wrote, so no level that holds was "
            "put to the test; more sessions at once on fewer keys would do that");
  EXPECT_EQ(untried_text(std::span(apart).first(1), evidence), "");
}

}  // namespace
}  // namespace isolde::explain
