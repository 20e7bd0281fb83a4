#include "report/story.hpp"

#include <gtest/gtest.h>

#include "explain/narrate.hpp"
#include "unit/explain/histories.hpp"

namespace isolde::report {
namespace {

using explain::LevelOutcome;
using explain::rw;

LevelOutcome violated(Level level, explain::Scenario scenario) {
  scenario.level = level;
  return {level, Verdict::kViolated, {}, {}, std::move(scenario)};
}

// Goal: one story for all levels that fall by it, told in the words of the text for people.
TEST(Story, IsToldOnce) {
  const History history = explain::write_skew();
  const explain::Scenario scenario =
      explain::make_scenario(history, explain::write_skew_proof());
  const std::vector<LevelOutcome> outcomes = {
      violated(Level::kStrictSerializable, scenario),
      violated(Level::kSerializable, scenario),
      {Level::kSnapshotIsolation, Verdict::kHolds, {}, {}, {}}};
  const std::vector<Level> weakest = {Level::kSerializable};
  const std::vector<Story> stories = tell_stories(history, outcomes, weakest);
  ASSERT_EQ(stories.size(), 1U);
  EXPECT_EQ(stories[0].levels,
            (std::vector<Level>{Level::kStrictSerializable, Level::kSerializable}));
  EXPECT_EQ(stories[0].text, explain::narrate(history, *outcomes[1].scenario, {}));
  ASSERT_EQ(stories[0].arrows.size(), 2U);
  EXPECT_EQ(stories[0].arrows[0].because,
            "T1 read the initial value of y, which T2 replaced by 2");
  ASSERT_EQ(stories[0].chapters.size(), 1U);
  EXPECT_EQ(stories[0].chapters[0].arrows, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(stories[0].chapters[0].heading, "");
}

// Goal: what breaks the weakest level comes first.
TEST(Story, BeginsWithTheWeakestLevel) {
  const History history = support::parse(
      "A: r(x=_) r(y=_) w(x=1) ; B: r(x=_) r(y=_) w(y=2) ; C: w(z=1) ! ; D: r(z=1)");
  const Finding aborted{FindingKind::kAbortedRead, TxnId(3), 0, 0, TxnId(2), 0};
  const std::vector<LevelOutcome> outcomes = {
      violated(Level::kSerializable,
               explain::make_scenario(history, explain::write_skew_proof())),
      violated(Level::kReadCommitted,
               explain::make_scenario(history, {Level::kReadCommitted, 0, 0, aborted}))};
  const std::vector<Level> weakest = {Level::kReadCommitted};
  const std::vector<Story> stories = tell_stories(history, outcomes, weakest);
  ASSERT_EQ(stories.size(), 2U);
  EXPECT_EQ(stories[0].levels, weakest);
  EXPECT_EQ(stories[0].finding, "T1 read z = 1, which only the aborted T2 wrote");
  // A finding is one arrow, from the writer to the reader.
  ASSERT_EQ(stories[0].arrows.size(), 1U);
  EXPECT_EQ(stories[0].arrows[0].kind, "wr");
  EXPECT_EQ(stories[0].arrows[0].from, TxnId(2));
  EXPECT_EQ(stories[0].arrows[0].to, TxnId(3));
  EXPECT_EQ(stories[1].levels, std::vector<Level>{Level::kSerializable});
}

// Goal: a proof by cases has a chapter for each cycle, headed by what the cycle refutes.
TEST(Story, TellsCasesApart) {
  const History history =
      support::parse("A: w(x=1) w(y=1) ; B: w(x=2) w(y=2) ; C: r(x=1) r(y=2)");
  const VersionOrder first{TxnId(0), TxnId(1)};
  const VersionOrder second{TxnId(1), TxnId(0)};
  const Certificate proof = explain::certificate(
      Level::kSerializable, {{{second}, {explain::wr(1, 2, 1), rw(2, 1, 0, TxnId(0))}, {}},
                             {{first}, {explain::wr(0, 2, 0), rw(2, 0, 1, TxnId(1))}, {}},
                             {{}, {}, {0, 1}}});
  const std::vector<LevelOutcome> outcomes = {
      violated(Level::kSerializable, explain::make_scenario(history, proof))};
  const std::vector<Story> stories = tell_stories(history, outcomes, {});
  ASSERT_EQ(stories.size(), 1U);
  ASSERT_EQ(stories[0].chapters.size(), 3U);
  const auto names = [&](std::size_t at) { return stories[0].chapters[at].heading; };
  EXPECT_NE(names(0), names(1));
  EXPECT_EQ(names(0).rfind("Suppose T", 0), 0U) << names(0);
  EXPECT_EQ(stories[0].chapters[1].number, 2U);
  EXPECT_EQ(stories[0].chapters[0].arrows, (std::vector<std::size_t>{0, 1}));
  EXPECT_TRUE(stories[0].arrows[1].assumed);
  EXPECT_EQ(stories[0].chapters[0].conclusion, "T1 wrote x before T3");
  // What the reader of the missed write read instead is not part of the cycle.
  ASSERT_EQ(stories[0].chapters[0].evidence.size(), 1U);
  const Arrow& source = stories[0].arrows[stories[0].chapters[0].evidence[0]];
  EXPECT_EQ(source.kind, "wr");
  EXPECT_EQ(source.from, TxnId(0));
  EXPECT_EQ(source.to, TxnId(2));
  // The step that joins the cases has its place, though it has no cycle.
  const Chapter& last = stories[0].chapters[2];
  EXPECT_TRUE(last.arrows.empty());
  EXPECT_EQ(last.conclusion, "From steps 1 and 2: a contradiction");
  EXPECT_EQ(last.from, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(last.txns.size(), 3U);
}

// Goal: a reader that missed part of a transaction is drawn with what it saw of it and what it
// missed, and not as an arrow from a transaction to itself.
TEST(Story, DrawsWhatWasSeenAndMissed) {
  const History history = support::parse("A: w(x=1) w(y=1) ; B: r(x=1) r(y=_)");
  const Edge torn{TxnId(0), TxnId(0), EdgeKind::kAtomicView, KeyId(1), TxnId(1)};
  const std::vector<LevelOutcome> outcomes = {violated(
      Level::kReadAtomic,
      explain::make_scenario(history, explain::cycle_certificate(Level::kReadAtomic, {torn})))};
  const std::vector<Story> stories = tell_stories(history, outcomes, {});
  ASSERT_EQ(stories.size(), 1U);
  ASSERT_EQ(stories[0].arrows.size(), 2U);
  EXPECT_EQ(stories[0].arrows[0].kind, "wr");
  EXPECT_EQ(stories[0].arrows[0].because, "T2 read x = 1, which T1 wrote");
  EXPECT_EQ(stories[0].arrows[1].kind, "rw");
  EXPECT_EQ(stories[0].arrows[1].from, TxnId(1));
  EXPECT_EQ(stories[0].arrows[1].because,
            "T2 read the initial value of y, which T1 replaced by 1");
  EXPECT_EQ(stories[0].chapters[0].arrows, (std::vector<std::size_t>{0, 1}));
  EXPECT_TRUE(stories[0].chapters[0].evidence.empty());
}

}  // namespace
}  // namespace isolde::report
