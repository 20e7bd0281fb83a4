// Goal: several histories together violate what one of them violates, hold what all decide, and
// were put to the test where one was.
#include "survey/findings.hpp"

#include <gtest/gtest.h>

#include "support/history_dsl.hpp"

namespace isolde::survey {
namespace {

using Word = Findings::Verdict;

class FindingsTest : public testing::Test {
 protected:
  void add(Verdict verdict, history::Trial trial = history::Trial::kTried,
           Level level = Level::kSerializable) {
    explain::ReportModel model{history_, {}, {}, {}, {}};
    model.sessions_respect_time = true;
    explain::LevelOutcome outcome;
    outcome.level = level;
    outcome.verdict = verdict;
    outcome.trial = trial;
    model.levels.push_back(outcome);
    findings_.add(model);
  }
  Word serializable() const { return findings_.verdict(Level::kSerializable); }

  const History history_ = support::parse("A: w(x=1)");
  Findings findings_;
};

TEST_F(FindingsTest, NothingIsKnownOfNothing) {
  EXPECT_EQ(serializable(), Word::kOpen);
  EXPECT_TRUE(findings_.strongest().empty());
}

TEST_F(FindingsTest, HeldWhereAllHoldAndOneWasATest) {
  add(Verdict::kHolds, history::Trial::kUntried);
  EXPECT_EQ(serializable(), Word::kUntried);
  add(Verdict::kHolds);
  EXPECT_EQ(serializable(), Word::kHeld);
  add(Verdict::kNotApplicable);
  EXPECT_EQ(serializable(), Word::kHeld);
}

TEST_F(FindingsTest, OneUndecidedLeavesItOpenAndOneViolationDecides) {
  add(Verdict::kHolds);
  add(Verdict::kUnknown);
  EXPECT_EQ(serializable(), Word::kOpen);
  add(Verdict::kViolated);
  EXPECT_EQ(serializable(), Word::kViolated);
  add(Verdict::kHolds);
  EXPECT_EQ(serializable(), Word::kViolated);
}

TEST_F(FindingsTest, StrongestAreThoseThatNoOtherImplies) {
  add(Verdict::kViolated, history::Trial::kTried, Level::kSerializable);
  add(Verdict::kHolds, history::Trial::kTried, Level::kSnapshotIsolation);
  add(Verdict::kHolds, history::Trial::kTried, Level::kReadCommitted);
  add(Verdict::kHolds, history::Trial::kTried, Level::kLinearizable);
  add(Verdict::kHolds, history::Trial::kUntried, Level::kStrictSerializable);
  const std::vector<Level> strongest = {Level::kSnapshotIsolation, Level::kLinearizable};
  EXPECT_EQ(findings_.strongest(), strongest);
}

TEST(PromiseWord, SaysWhatBecameOfIt) {
  EXPECT_EQ(promise_word(Word::kHeld), "kept in what was played");
  EXPECT_EQ(promise_word(Word::kViolated), "BROKEN");
  EXPECT_EQ(promise_word(Word::kOpen), "not decided");
  EXPECT_EQ(promise_word(Word::kUntried),
            "kept in what was played, which did not put it to the test");
}

}  // namespace
}  // namespace isolde::survey
