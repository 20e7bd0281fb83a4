// Goal: a cell claims what its play shows and no more. Method: made-up results of steps and
// verdicts, one for each outcome, and for each way in which a play shows nothing.
#include "survey/cell.hpp"

#include <gtest/gtest.h>

#include "replay/steps.hpp"

namespace isolde::survey {
namespace {

using replay::StepResult;
using State = StepResult::State;

/// A lost update, and C, which brings the evidence.
constexpr std::string_view kSteps =
    "A: begin\nB: begin\nA: w(x, 1)\nB: w(x, 2)\nA: commit\nB: commit\nC: begin\nC: r(x)\n"
    "C: commit\n";
constexpr std::size_t kWriteOfB = 3;
constexpr std::size_t kCommitOfA = 4;
constexpr std::size_t kCommitOfB = 5;
constexpr std::size_t kReadOfC = 7;

class CellTest : public testing::Test {
 protected:
  CellTest()
      : steps_(replay::parse_steps(kSteps).value()),
        numbering_(steps_.history, replay::Numbering::Sessions::kNames) {
    scenario_.anomalies = {"lost update"};
    scenario_.must_commit = {"C"};
    for (std::size_t i = 0; i < steps_.steps.size(); ++i) {
      StepResult result;
      result.state = State::kDone;
      result.done_at = i;
      results_.push_back(result);
    }
    judgement_.verdict = Verdict::kHolds;
  }

  Play play() const { return {numbering_, steps_.steps, results_}; }
  Finding found(const db::DeadlockWords& deadlock = {}, bool is_alone = true) const {
    return find(scenario_, play(), judgement_, deadlock, is_alone, promised_);
  }
  void refuse(std::size_t step, std::string message) {
    results_[step].state = State::kAborted;
    results_[step].message = std::move(message);
  }
  void wait(std::size_t step, std::size_t until) {
    results_[step].waited = true;
    results_[step].done_at = until;
  }
  void violate(std::string anomaly) {
    judgement_.verdict = Verdict::kViolated;
    judgement_.violation =
        Violation{Level::kSerializable, std::move(anomaly), "label", "A and B did it", ""};
  }

  replay::Steps steps_;
  replay::Numbering numbering_;
  std::vector<StepResult> results_;
  std::optional<Level> promised_;
  Scenario scenario_;
  Judgement judgement_;
};

TEST_F(CellTest, CleanWhereAllWentThrough) {
  EXPECT_EQ(found().outcome, Outcome::kConsistent);
  EXPECT_FALSE(unexplained_wait(play()));
}

TEST_F(CellTest, OccursByTheProofAlone) {
  violate("lost update");
  EXPECT_EQ(found().outcome, Outcome::kOccurs);
  for (const std::optional<Level> promised :
       {std::optional<Level>(), std::optional(Level::kSnapshotIsolation)}) {
    promised_ = promised;
    EXPECT_EQ(found().how,
              "A and B did it (violates serializable, which the setting does not promise)");
  }
  for (const Level promised : {Level::kSerializable, Level::kStrictSerializable}) {
    promised_ = promised;
    EXPECT_EQ(found().how,
              "A and B did it (violates serializable, which the setting promises)");
  }
  // Whatever else happened.
  wait(kWriteOfB, kCommitOfA);
  refuse(kReadOfC, "no");
  EXPECT_EQ(found().outcome, Outcome::kOccurs);
}

TEST_F(CellTest, AnotherAnomalyIsNotTheScenarios) {
  violate("aborted read");
  EXPECT_EQ(found().outcome, Outcome::kOther);
}

TEST_F(CellTest, BlockedUntilAnotherSessionEnds) {
  wait(kWriteOfB, kCommitOfA);
  EXPECT_EQ(found().outcome, Outcome::kBlocked);
  EXPECT_EQ(found().how, "step 4, B: w(x, 2), waited for step 5, A: commit");
  EXPECT_FALSE(unexplained_wait(play()));
}

TEST_F(CellTest, AWaitThatNobodyEndsIsNotExplained) {
  wait(kWriteOfB, kWriteOfB);
  EXPECT_EQ(unexplained_wait(play()), kWriteOfB);
  // The end of the session's own transaction, and steps that only go on, explain nothing.
  wait(kReadOfC, kReadOfC + 1);
  results_[kWriteOfB] = results_.front();
  EXPECT_EQ(unexplained_wait(play()), kReadOfC);
  // Refused after it has waited: for too long, or because of a deadlock.
  refuse(kReadOfC, "no");
  EXPECT_FALSE(unexplained_wait(play()));
}

TEST_F(CellTest, AbortedWhateverWaitedBefore) {
  wait(kWriteOfB, kCommitOfA);
  refuse(kWriteOfB, "could not serialize access (SQLSTATE 40001)");
  const Finding finding = found();
  EXPECT_EQ(finding.outcome, Outcome::kAborted);
  EXPECT_EQ(finding.message, "could not serialize access (SQLSTATE 40001)");
  EXPECT_EQ(finding.how,
            "step 4, B: w(x, 2), waited for step 5, A: commit, and was refused: could not "
            "serialize access (SQLSTATE 40001)");
}

TEST_F(CellTest, DeadlockWhereTheDatabaseSaysNothingElse) {
  const db::DeadlockWords words{.words = "SQLSTATE 40P01"};
  const db::DeadlockWords of_one{.words = "error 1213", .only_alone = true};
  refuse(kWriteOfB, "deadlock detected (SQLSTATE 40P01)");
  EXPECT_EQ(found(words).outcome, Outcome::kDeadlock);
  EXPECT_EQ(found(words, false).outcome, Outcome::kDeadlock);
  EXPECT_EQ(found(of_one).outcome, Outcome::kAborted);
  EXPECT_EQ(found().outcome, Outcome::kAborted);  // no words are known
  refuse(kWriteOfB, "Deadlock found when trying to get lock (error 1213)");
  EXPECT_EQ(found(of_one, true).outcome, Outcome::kDeadlock);
  EXPECT_EQ(found(of_one, false).outcome, Outcome::kAborted);  // Galera's certification
}

TEST_F(CellTest, NothingIsShownWithoutTheEvidence) {
  refuse(kReadOfC, "no");
  EXPECT_EQ(found().outcome, Outcome::kNotPlayed);
  EXPECT_EQ(found().how, "step 8, C: r(x), was to bring the evidence and did not: no");
}

TEST_F(CellTest, NothingIsShownWhereTheConnectionWasLost) {
  refuse(kWriteOfB, "server closed the connection");
  results_[kWriteOfB].is_disconnected = true;
  EXPECT_EQ(found().outcome, Outcome::kNotPlayed);
}

TEST_F(CellTest, NothingIsShownWhereAnOutcomeIsUnknown) {
  results_[kCommitOfB].state = State::kUnknown;
  results_[kCommitOfB].message = "no answer";
  EXPECT_EQ(found().outcome, Outcome::kNotPlayed);
}

TEST_F(CellTest, NothingIsShownWithoutAVerdict) {
  for (const Verdict verdict : {Verdict::kUnknown, Verdict::kNotApplicable}) {
    judgement_ = {verdict, "time limit reached", {}};
    EXPECT_EQ(found().outcome, Outcome::kNotPlayed);
    EXPECT_EQ(found().how, "not decided: time limit reached");
  }
}

TEST(Outcome, HasAWordAndAMeaning) {
  EXPECT_EQ(name(Outcome::kOccurs), "occurs");
  EXPECT_EQ(name(Outcome::kConsistent), "clean");
  for (const Outcome outcome :
       {Outcome::kBlocked, Outcome::kDeadlock, Outcome::kAborted, Outcome::kConsistent}) {
    EXPECT_TRUE(is_prevented(outcome));
    EXPECT_TRUE(meaning(outcome).starts_with("prevented: "));
  }
  for (const Outcome outcome : {Outcome::kOccurs, Outcome::kOther, Outcome::kNotPlayed}) {
    EXPECT_FALSE(is_prevented(outcome));
  }
}

}  // namespace
}  // namespace isolde::survey
