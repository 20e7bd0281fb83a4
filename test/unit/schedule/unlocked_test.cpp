#include "schedule/unlocked.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/history_dsl.hpp"

namespace isolde::schedule {
namespace {

History played(const char* text) {
  const Result<replay::Steps> steps = replay::parse_steps(text);
  EXPECT_TRUE(steps.ok()) << steps.error().message;
  Result<History> history = run_unlocked(*steps);
  EXPECT_TRUE(history.ok());
  return std::move(history).value();
}

/// Without times, in the notation of the tests.
std::string seen(const char* text) {
  support::PlainHistory plain = support::to_plain(played(text));
  for (support::PlainTxn& txn : plain) txn.times = {};
  return support::to_text(plain);
}

TEST(Unlocked, DoesEachStepWhenItComes) {
  EXPECT_EQ(seen("A: begin\nB: begin\nA: r(x)\nA: w(x, 1)\nB: r(x)\nB: append(l, a)\n"
                 "A: r(l)\nB: commit\nA: commit\n"),
            "B: r(x=1) a(l=a)\nA: r(x=_) w(x=1) r(l=[a])\n");
}

TEST(Unlocked, PutsBackWhatWasThereBeforeEachWrite) {
  EXPECT_EQ(seen("S: begin\nS: w(x, 1)\nS: append(l, 1)\nS: commit\n"
                 "A: begin\nA: w(x, 2)\nA: append(l, 2)\nB: begin\nB: w(x, 3)\nA: w(x, 4)\n"
                 "B: commit\nA: rollback\nF: begin\nF: r(x)\nF: r(l)\nF: commit\n"),
            "S: w(x=1) a(l=1)\nB: w(x=3)\nA: w(x=2) a(l=2) w(x=4) !\nF: r(x=1) r(l=[1])\n");
}

TEST(Unlocked, SelectsAndDeletesRows) {
  EXPECT_EQ(seen("A: begin\nA: w(1, 10)\nA: w(2, 20)\nA: select(values 15 to 25)\n"
                 "A: select(keys 1 to 1)\nA: delete(keys 2 to 9)\nA: d(2)\nA: select()\n"
                 "A: r(2)\nA: commit\n"),
            "A: w(1=10) w(2=20) s(values=15..25: 2=20) s(keys=1..1: 1=10) "
            "s(keys=2..9: 2=20) d(2) s(: 1=10) r(2=_)\n");
}

TEST(Unlocked, GivesUpWhatCannotCome) {
  EXPECT_EQ(seen("A: begin\nB: begin\nA: until r(x)=1\nB: w(x, 1)\nB: commit\nA: w(y, 1)\n"
                 "A: commit\nC: begin\nC: until r(x)=1\nC: w(y, 2)\nC: commit\n"),
            "A: r(x=_) !\nB: w(x=1)\nC: r(x=1) w(y=2)\n");
}

TEST(Unlocked, TellsWhenEachStepWas) {
  const History history = played("A: begin\nB: begin\nA: w(x, 1)\nA: commit\nB: commit\n");
  EXPECT_EQ(history.times(TxnId(0)).start, 0);
  EXPECT_EQ(history.times(TxnId(0)).end, 3500);
  EXPECT_EQ(history.times(TxnId(1)).start, 1000);
  EXPECT_EQ(history.times(TxnId(1)).end, 4500);
}

TEST(Unlocked, RefusesWhatAStoreCannotDo) {
  const auto refused = [](const char* text) {
    const Result<History> history = run_unlocked(*replay::parse_steps(text));
    return history.ok() ? "" : history.error().message;
  };
  EXPECT_EQ(refused("A: begin\nA: sql SELECT 1\nA: commit\n"),
            "sql SELECT 1: a store without locks has no language; play these steps on a "
            "database with SQL");
  EXPECT_EQ(refused("A: crash\nB: begin\nB: commit\n"),
            "crash: a store without locks has no servers to crash");
}

}  // namespace
}  // namespace isolde::schedule
