// Goal: linearizability of the classical examples, by each of the ways in which a key is
// decided, with proofs of the expected form. Method: histories by hand; the verifier's word on
// every proof.
#include "linear/linear.hpp"

#include <gtest/gtest.h>

#include "base/budget.hpp"
#include "check/check.hpp"
#include "linear/key_search.hpp"
#include "linear/key_table.hpp"
#include "linear/projection.hpp"
#include "linear/register_zones.hpp"
#include "support/history_dsl.hpp"
#include "support/proved.hpp"

namespace isolde::checker {
namespace {

using test::key;
using test::proved;
using test::rt;
using test::rw;
using test::txn;
using test::wr;
using test::ww;

CheckReport report_on(const History& history, std::int64_t clock_error_ns = 0) {
  CheckOptions options;
  options.levels = {Level::kLinearizable};
  options.clock_error_ns = clock_error_ns;
  base::Budget budget;
  return check(history, options, budget);
}

Proof proof_of(const History& history) {
  const CheckReport report = report_on(history);
  EXPECT_EQ(report.proofs.size(), 1U) << report.levels[0].reason;
  return report.proofs.at(0);
}

/// "holds" or "violated", proved; else why not.
std::string verdict(std::string_view text, std::int64_t clock_error_ns = 0) {
  const History history = support::parse(text);
  const CheckReport report = report_on(history, clock_error_ns);
  if (report.proofs.empty()) return report.levels[0].reason;
  return proved(history, Level::kLinearizable, report.proofs[0], clock_error_ns);
}

using Steps = std::vector<RefutationStep>;

Steps steps_of(std::string_view text) {
  const History history = support::parse(text);
  const Proof proof = proof_of(history);
  EXPECT_EQ(proved(history, Level::kLinearizable, proof), "violated");
  return std::get<Refutation>(proof).steps;
}

TEST(Linearizable, OverlappingOperationsMayComeInEitherOrder) {
  EXPECT_EQ(verdict("A: w(x=1) @0,10 ; B: r(x=_) @5,15"), "holds");
  EXPECT_EQ(verdict("A: w(x=1) @0,10 ; B: r(x=1) @5,15"), "holds");
  // Herlihy and Wing 1990, figure 1, as registers: the reads agree on one order.
  EXPECT_EQ(verdict("A: w(x=1) @0,30 ; B: w(x=2) @0,30 ; C: r(x=1) @10,20 | r(x=2) @25,40"),
            "holds");
  EXPECT_EQ(verdict("A: w(x=1) @0,30 ; B: w(x=2) @0,30 ; C: r(x=1) @10,20 | r(x=2) @40,50 ; "
                    "D: r(x=1) @60,70"),
            "violated");
}

TEST(Linearizable, AStaleReadIsACycleOfTwo) {
  const Steps steps = steps_of("A: w(x=1) @0,10 ; B: r(x=_) @20,30");
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].cycle, (std::vector<Edge>{rw(1, 0), rt(0, 1)}));
}

TEST(Linearizable, AReadMustNotGoBack) {
  EXPECT_EQ(verdict("A: w(x=1) @0,100 ; B: r(x=1) @10,20 ; C: r(x=_) @30,40"), "violated");
  EXPECT_EQ(verdict("A: w(x=1) @0,100 ; B: r(x=1) @10,20 ; C: r(x=_) @15,40"), "holds");
}

TEST(Linearizable, EveryKeyIsByItself) {
  // Not serializable in real time, but no key shows it (Herlihy and Wing: locality).
  EXPECT_EQ(verdict("A: w(y=1) @0,10 ; B: r(x=_) @20,30 ; C: r(y=_) w(x=1) @5,40"), "holds");
  EXPECT_EQ(verdict("A: r(x=_) w(y=1) @0,10 ; B: r(y=_) w(x=1) @0,10"), "holds");
}

TEST(Linearizable, ALostCompareAndSetIsACycleOfTwo) {
  const Steps steps = steps_of("A: r(x=_) w(x=1) @0,10 ; B: r(x=_) w(x=2) @0,10");
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].cycle, (std::vector<Edge>{rw(0, 1), rw(1, 0)}));
  EXPECT_EQ(verdict("I: w(x=7) @0,1 ; A: r(x=7) w(x=1) @0,10 ; B: r(x=7) w(x=2) @0,10"),
            "violated");
}

TEST(Linearizable, AChainOfCompareAndSetsMustNotGoBackInTime) {
  const Steps steps =
      steps_of("A: r(x=_) w(x=1) @20,90 ; B: r(x=1) w(x=2) @0,95 ; C: r(x=2) w(x=3) @5,10");
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].cycle, (std::vector<Edge>{wr(0, 1), wr(1, 2), rt(2, 0)}));
  // The path is cut short where something in between serves as well.
  EXPECT_EQ(steps_of("A: r(x=_) w(x=1) @20,90 ; B: r(x=1) w(x=2) @0,15 ; "
                     "C: r(x=2) w(x=3) @5,10")[0]
                .cycle.size(),
            2U);
}

TEST(Linearizable, CompareAndSetsInACircle) {
  const Steps steps =
      steps_of("A: r(x=3) w(x=1) @0,9 ; B: r(x=1) w(x=2) @0,9 ; C: r(x=2) w(x=3) @0,9");
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].cycle.size(), 3U);
}

TEST(Linearizable, TwoVersionsThatPrecedeEachOther) {
  // Each value was read after the other one's last read had begun.
  const Steps steps = steps_of(
      "A: w(x=1) @0,100 ; B: w(x=2) @0,100 ; C: r(x=1) @10,20 | r(x=2) @30,40 | r(x=1) @50,60");
  EXPECT_EQ(steps.size(), 2U);
}

TEST(Linearizable, ChainsThatPrecedeEachOther) {
  // The versions that show it are at opposite ends of both chains.
  const std::string a =
      "A: w(x=1) @0,200 ; B: r(x=1) w(x=2) @0,200 ; C: r(x=2) w(x=3) @0,200 ; ";
  const std::string p =
      "P: w(x=7) @0,200 ; Q: r(x=7) w(x=8) @0,200 ; R: r(x=8) w(x=9) @0,200 ; ";
  EXPECT_EQ(verdict(a + p + "S: r(x=1) @10,20 | r(x=9) @30,40"), "holds");
  for (const char* reads :
       {"S: r(x=1) @10,20 | r(x=9) @30,40 | r(x=3) @50,60",
        "S: r(x=1) @10,20 | r(x=7) @30,40 | r(x=3) @50,60",
        "S: r(x=3) @10,20 ; T: r(x=9) @12,20 | r(x=1) @50,60 ; U: r(x=7) @50,60",
        "S: r(x=1) @10,20 ; T: r(x=9) @12,20 | r(x=3) @50,60 ; U: r(x=7) @50,60",
        "S: r(x=2) @10,20 ; T: r(x=7) @12,20 | r(x=2) @50,60 ; U: r(x=9) @50,60"}) {
    EXPECT_EQ(verdict(a + p + reads), "violated") << reads;
  }
}

TEST(Linearizable, NothingComesBeforeTheInitialVersion) {
  EXPECT_EQ(verdict("A: w(x=1) @0,10 ; B: r(x=_) w(x=2) @0,50 ; C: r(x=2) w(x=3) @0,50 ; "
                    "D: r(x=3) @40,50 ; E: r(x=1) @5,15"),
            "violated");
}

TEST(Linearizable, UnknownOutcomesCountWhereTheyWereSeen) {
  EXPECT_EQ(verdict("A: w(x=1) ? @0,_ ; B: r(x=_) @20,30"), "holds");
  EXPECT_EQ(verdict("A: w(x=1) ? @0,_ ; B: r(x=1) @20,30 | r(x=_) @40,50"), "violated");
  EXPECT_EQ(verdict("A: w(x=1) ? @50,_ ; B: r(x=1) @20,30"), "violated");
  // Seen on one key says nothing about another one.
  EXPECT_EQ(verdict("A: w(x=1) r(y=9) ? @0,_ ; B: r(x=1) @20,30"), "holds");
}

TEST(Linearizable, ClockErrorMakesOperationsOverlap) {
  EXPECT_EQ(verdict("A: w(x=1) @0,10 ; B: r(x=_) @20,30", 9), "violated");
  EXPECT_EQ(verdict("A: w(x=1) @0,10 ; B: r(x=_) @20,30", 10), "holds");
}

TEST(Linearizable, ReadsThatNothingExplainsAreFindings) {
  const History history = support::parse("A: w(y=1) w(x=1) ! @0,10 ; B: r(y=_) r(x=1) @20,30");
  const Proof proof = proof_of(history);
  EXPECT_EQ(proved(history, Level::kLinearizable, proof), "violated");
  EXPECT_EQ(std::get<Finding>(proof),
            (Finding{FindingKind::kAbortedRead, txn(1), 1, 0, txn(0), 0}));
  EXPECT_EQ(verdict("A: w(x=1) w(x=2) @0,10 ; B: r(x=1) @20,30"), "violated");
  EXPECT_EQ(verdict("A: w(x=1) @0,10 ; B: r(x=_) r(y=_) r(x=1) @5,30"), "violated");
  EXPECT_EQ(verdict("A: w(x=1) r(x=2) @0,10 ; B: w(x=2) @0,10"), "violated");
}

TEST(Linearizable, Lists) {
  EXPECT_EQ(verdict("A: a(l=1) @0,10 ; B: a(l=2) @0,10 ; C: r(l=[2 1]) @20,30"), "holds");
  EXPECT_EQ(verdict("A: a(l=1) @0,10 ; B: a(l=2) @20,30 ; C: r(l=[2 1]) @40,50"), "violated");
  EXPECT_EQ(verdict("A: a(l=1) @0,10 ; C: r(l=[]) @20,30"), "violated");
  EXPECT_EQ(verdict("A: a(l=1) @0,10 ; B: a(l=1) @0,10 ; C: r(l=[1 1]) @20,30"), "holds");
  EXPECT_EQ(verdict("A: a(l=1) @0,10 ; B: a(l=1) @30,40 ; C: r(l=[1 1]) @20,25"), "violated");
}

TEST(Linearizable, RepeatedValuesAreSearched) {
  EXPECT_EQ(verdict("A: w(x=1) @0,10 ; B: w(x=2) @20,30 ; C: w(x=1) @40,50 ; D: r(x=1) @60,70"),
            "holds");
  EXPECT_EQ(verdict("A: w(x=1) @0,10 ; B: w(x=1) @0,10 ; C: w(x=2) @20,30 ; D: r(x=1) @40,50"),
            "violated");
  // An unknown write explains one read, and no more than one.
  EXPECT_EQ(verdict("A: w(x=1) @0,9 ; B: w(x=2) ? @0,_ ; C: w(x=2) @0,9 ; D: w(x=1) @20,29 ; "
                    "E: r(x=2) @40,49"),
            "holds");
  const History history = support::parse(
      "A: w(x=1) @0,9 ; B: w(x=2) ? @0,_ ; C: w(x=2) @0,9 ; D: w(x=1) @20,29 ; "
      "E: r(x=2) @40,49 | r(x=1) @50,59 ; F: r(x=1) @60,69");
  const Proof proof = proof_of(history);
  EXPECT_EQ(proved(history, Level::kLinearizable, proof), "violated");
  EXPECT_EQ(std::get<KeyExhaustion>(proof), (KeyExhaustion{key(0), txn(5)}));
}

TEST(Linearizable, WithoutTimesItDoesNotApply) {
  EXPECT_EQ(report_on(support::parse("A: w(x=1)")).levels[0].verdict, Verdict::kNotApplicable);
}

TEST(Linearizable, ItsRefutationServesStrictSerializability) {
  CheckOptions options;
  options.levels = {Level::kStrictSerializable, Level::kLinearizable};
  base::Budget budget;
  const History history = support::parse("A: w(x=1) @0,10 ; B: r(x=_) @20,30");
  const CheckReport report = check(history, options, budget);
  EXPECT_EQ(report.proofs.size(), 1U);
  for (const LevelReport& level : report.levels) {
    EXPECT_EQ(proved(history, level.level, report.proofs[level.proof]), "violated");
  }
}

// LEVELS.md: a row that does not match is a violation. By each of the ways in which a key is
// decided: zones, the key as a history of its own, all orders.
TEST(Linearizable, ARowMustMatchItsSelection) {
  EXPECT_EQ(verdict("A: w(1=3) @1,2 ; B: s(keys=1..1: 1=3) @3,4"), "holds");
  EXPECT_EQ(verdict("A: w(1=3) @1,2 ; B: s(keys=3..3: 1=3) @3,4"), "violated");
  EXPECT_EQ(verdict("A: w(1=3) @1,2 ; B: s(values=4..9: 1=3) @3,4"), "violated");
  EXPECT_EQ(verdict("A: w(1=3) s(equal=4: 1=3) @1,2"), "violated");
  // Repeated values, and a row that was left out.
  EXPECT_EQ(verdict("A: w(1=3) | w(1=3) @1,2 ; B: s(keys=3..3: 1=3) @3,4"), "violated");
  EXPECT_EQ(
      verdict("A: w(1=3) w(2=3) @1,2 ; B: s(values=4..9: 1=3) s(keys=1..1 equal=5:) @3,4"),
      "violated");
  EXPECT_EQ(verdict("A: w(1=3) @1,9 ; C: w(1=3) @1,9 ; D: w(1=4) @1,9 ; "
                    "B: s(equal=4: 1=3) s(equal=5:) @3,4 ; E: w(1=5) @1,9"),
            "violated");
}

TEST(Linearizable, AWrongRowOfATransactionThatMayHaveFailedSaysNothing) {
  EXPECT_EQ(verdict("A: w(1=3) @1,2 ; B: s(keys=3..3: 1=3) w(1=4) ? @3,4"), "holds");
  // On the key that was seen it took effect; on another one it need not have.
  EXPECT_EQ(verdict("A: w(1=3) @1,2 ; B: s(keys=3..3: 1=3) w(1=4) ? @3,4 ; C: r(1=4) @5,6"),
            "violated");
  EXPECT_EQ(verdict("A: w(1=3) @1,2 ; B: s(keys=3..3: 1=3) w(2=4) ? @3,4 ; C: r(2=4) @5,6"),
            "holds");
  EXPECT_EQ(verdict("A: w(1=3) @1,2 ; B: s(keys=3..3: 1=3) w(1=4) ? @3,4 ; "
                    "D: w(1=4) ? @3,4 ; C: r(1=4) @5,6"),
            "holds");
}

TEST(KeyTable, ListsOperationsByKey) {
  const History history = support::parse("A: w(x=1) w(y=1) r(x=1) ; B: r(x=?) r(y=1)");
  const KeyTable table(history);
  const auto text = [&](KeyId key) {
    std::string out;
    for (const KeyTable::Entry& entry : table.entries(key)) {
      ((out += std::to_string(entry.txn.raw())) += '.') += std::to_string(entry.op);
      out += ' ';
    }
    return out;
  };
  EXPECT_EQ(text(key(0)), "0.0 0.2 ");
  EXPECT_EQ(text(key(1)), "0.1 1.1 ");
  EXPECT_EQ(same_txn(table.entries(key(0)), 0).size(), 2U);
  EXPECT_EQ(same_txn(table.entries(key(1)), 0).size(), 1U);
}

TEST(KeyTable, IntervalsEndWhereThatCounts) {
  const History history = support::parse("A: nop @1,5 ; B: nop ? @1,5 ; C: nop @_,9 ; D: nop");
  const auto end = [&](std::uint32_t i, std::int64_t clock_error_ns) {
    return interval_of(history, txn(i), clock_error_ns).end;
  };
  EXPECT_EQ(end(0, 3), 8);
  EXPECT_EQ(end(0, kForever - 4), kForever);
  EXPECT_EQ(end(1, 0), kForever);
  EXPECT_EQ(end(3, 0), kForever);
  EXPECT_EQ(interval_of(history, txn(2), 0).start, kNoTime);
}

// A key that both ways leave open is open for what stopped the first one, where that could have
// decided it. Method: a first way that always stops, and too many orders.
TEST(Linearizable, AKeyIsLeftOpenForWhatStoppedIt) {
  std::string text = "R: r(x=1) @200,300 ; S: w(x=99) @150,160 ; T: w(x=1) @0,100";
  for (int i = 1; i < 19; ++i) {
    text += " ; T" + std::to_string(i) + ": w(x=" + std::to_string(i) + ") @0,100";
  }
  const History history = support::parse(text);
  const std::string stopped = "memory limit of 1 GiB reached";
  base::Budget budget;
  const LinearAnswer answer = decide_linear(
      history, 0,
      [&](const History&) {
        return StrictAnswer{std::nullopt, stopped};
      },
      budget);
  EXPECT_FALSE(answer.proof.has_value());
  EXPECT_EQ(answer.reason, stopped);
}

TEST(KeySearch, StopsWithItsBudget) {
  base::Budget budget;
  budget.cancel();
  ASSERT_FALSE(budget.look());
  const History history = support::parse("A: w(x=1) @0,10 ; B: w(x=1) @0,10");
  const KeyTable table(history);
  EXPECT_EQ(search_key(history, table.entries(key(0)), 0, budget).outcome,
            KeySearchAnswer::Outcome::kStopped);
}

TEST(Projection, NumbersOperationsAsInTheWholeHistory) {
  const History history = support::parse("A: w(y=1) w(x=1) ; B: w(y=2) ; C: r(y=2) r(x=5)");
  const KeyTable table(history);
  const Projection x(history, table.entries(key(1)));
  EXPECT_EQ(support::to_text(x.history()), ": w(x=1)\n: r(x=5)\n");
  const Finding finding = x.original(Finding{FindingKind::kUnwrittenRead, txn(1), 0, 0, {}, 0});
  EXPECT_EQ(finding.txn, txn(2));
  EXPECT_EQ(finding.op, 1U);
}

TEST(Projection, KeepsWhatTheKeyHeldAtTheStart) {
  const History history =
      support::parse("start(1=3 l=[1 2]) ; A: w(1=5) ; B: r(1=3) r(l=[1 2]) r(l=[])");
  const KeyTable table(history);
  const auto text = [&](std::uint32_t number) {
    const Projection one(history, table.entries(key(number)));
    return support::to_text(one.history());
  };
  EXPECT_EQ(text(0), "start(1=3)\n: w(1=5)\n: r(1=3)\n");
  EXPECT_EQ(text(1), "start(l=[1 2])\n: r(l=[1 2]) r(l=[])\n");
}

TEST(Projection, KeepsTheConditionOfARowThatDoesNotMatch) {
  const History history =
      support::parse("A: w(1=3) w(2=3) ; B: s(values=3..9: 1=3 2=3) s(keys=2..2: 1=3)");
  const KeyTable table(history);
  const Projection one(history, table.entries(key(0)));
  EXPECT_EQ(support::to_text(one.history()), ": w(1=3)\n: r(1=3) s(keys=2..2: 1=3)\n");
}

}  // namespace
}  // namespace isolde::checker
