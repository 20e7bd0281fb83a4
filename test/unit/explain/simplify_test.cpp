#include "explain/simplify.hpp"

#include <gtest/gtest.h>

#include "explain/core.hpp"
#include "explain/sight.hpp"
#include "unit/explain/histories.hpp"

namespace isolde::explain {
namespace {

constexpr BaseLevel kSnapshot = BaseLevel::kSnapshotIsolation;

// Goal: what a list shows is not supposed. Method: D read both appends in order, and the proof
// supposes that order to show that it cannot be, and then the other one.
TEST(Simplified, KnowsTheOrdersThatListsShow) {
  const History history =
      support::parse("A: a(l=1) w(x=1) ; B: r(x=_) a(l=2) ; D: r(l=[1 2]) ; E: a(l=3)");
  Refutation proof;
  proof.steps.push_back({{{txn(1), txn(0)}}, {ww(0, 1, 0), rw(1, 0, 1)}, {}});
  proof.steps.push_back({{{txn(0), txn(1)}}, {ww(1, 0, 0), so(0, 1)}, {}});
  proof.steps.push_back({{}, {}, {0, 1}});
  const Refutation simple = simplified(Writers(history), kSnapshot, proof);
  ASSERT_EQ(simple.steps.size(), 1U);
  EXPECT_TRUE(simple.steps[0].clause.empty());
  EXPECT_EQ(simple.steps[0].cycle, proof.steps[0].cycle);
  // Where parts of transactions may be seen, a list shows no order of transactions.
  EXPECT_EQ(simplified(Writers(history), BaseLevel::kCausal, proof).steps.size(), 2U);
}

// Goal: what a list shows counts in every step, also in one that combines others.
TEST(Simplified, KnowsTheOrdersThatListsShowWhereStepsCombine) {
  const History history =
      support::parse("A: a(l=1) w(x=1) ; B: r(x=_) a(l=2) w(z=2) ; C: w(z=3) ; D: r(l=[1 2])");
  Refutation proof;
  proof.steps.push_back({{{txn(1), txn(0)}, {txn(2), txn(1)}}, {ww(0, 1, 0), so(1, 2)}, {}});
  proof.steps.push_back({{{txn(1), txn(2)}}, {ww(2, 1, 2), so(1, 0), so(0, 2)}, {}});
  proof.steps.push_back({{{txn(1), txn(0)}}, {}, {0, 1}});
  proof.steps.push_back({{{txn(0), txn(1)}}, {ww(1, 0, 0), so(0, 1)}, {}});
  proof.steps.push_back({{}, {}, {2, 3}});
  const Refutation simple = simplified(Writers(history), BaseLevel::kSerializable, proof);
  ASSERT_EQ(simple.steps.size(), 3U);
  EXPECT_TRUE(simple.steps[2].clause.empty());
  EXPECT_EQ(simple.steps[2].from, (std::vector<std::uint32_t>{0, 1}));
}

// Goal: two transactions that rule out one of their orders come first, and later steps rest on
// it. Method: the longer step is first in the proof.
TEST(Simplified, PutsPairsFirst) {
  const History history = support::parse("A: w(x=1) ; B: w(x=2) ; C: r(x=1)");
  Refutation proof;
  proof.steps.push_back({{{txn(0), txn(1)}}, {ww(1, 0, 0), so(0, 2), so(2, 1)}, {}});
  proof.steps.push_back({{{txn(1), txn(0)}}, {ww(0, 1, 0), so(1, 0)}, {}});
  proof.steps.push_back({{}, {}, {0, 1}});
  const Refutation simple = simplified(Writers(history), kSnapshot, proof);
  ASSERT_EQ(simple.steps.size(), 2U);
  EXPECT_EQ(simple.steps[0], proof.steps[1]);
  EXPECT_TRUE(simple.steps[1].clause.empty());
  EXPECT_EQ(simple.steps[1].cycle, proof.steps[0].cycle);
}

// Goal: of an element that a list shows twice the first place counts, as it does to the
// verifier.
TEST(Simplified, TakesTheFirstPlaceOfAnElement) {
  const History history = support::parse("B: a(y=2) | a(y=1); C: r(y=[1 2 1])");
  Refutation proof;
  proof.steps.push_back({{{txn(0), txn(1)}}, {ww(1, 0, 0), so(0, 1)}, {}});
  proof.steps.push_back({{}, {ww(0, 1, 0), rw(1, 0, 0)}, {}});
  const Refutation simple = simplified(Writers(history), BaseLevel::kSerializable, proof);
  ASSERT_EQ(simple.steps.size(), 1U);
  EXPECT_EQ(simple.steps[0].cycle, proof.steps[0].cycle);
}

CoreStep step_of(std::vector<Edge> cycle) {
  CoreStep step;
  step.grounds.resize(cycle.size());
  step.facts.resize(cycle.size());
  step.cycle = std::move(cycle);
  return step;
}

std::string kinds(const CoreStep& step) {
  std::string text;
  for (const Edge& edge : step.cycle) {
    text += std::to_string(edge.from.raw()) + (edge.kind == EdgeKind::kSessionOrder ? "s"
                                               : edge.kind == EdgeKind::kRealTime   ? "t"
                                                                                    : "d");
  }
  return text;
}

// Goal: runs of session order and time become one edge, also across the cycle's seam; time
// within a session becomes session order; what time does not bear out stays.
TEST(Straighten, JoinsWhatLeadsOn) {
  const History history = support::parse(
      "A: w(x=1) @0,1 ; A: w(x=2) @2,3 ; A: w(x=3) @4,5 ; B: w(x=4) @8,9 ; B: w(x=5) @10,11 ;"
      "C: w(x=6) @12,13 ; C: w(x=7) @7,14");
  const Edge time_01 = rt(0, 1);
  const Edge time_23 = rt(2, 3);
  const Edge time_45 = rt(4, 5);
  CoreStep step = step_of({so(0, 1), so(1, 2), wr(2, 0, 0)});
  straighten(history, step);
  EXPECT_EQ(kinds(step), "0s2d");
  step = step_of({so(1, 2), wr(2, 0, 0), so(0, 1)});
  straighten(history, step);
  EXPECT_EQ(kinds(step), "2d0s");
  step = step_of({time_01, wr(1, 0, 0)});
  straighten(history, step);
  EXPECT_EQ(kinds(step), "0s1d");
  step = step_of({so(1, 2), time_23, so(3, 4), time_45, wr(5, 1, 0)});
  straighten(history, step);
  EXPECT_EQ(kinds(step), "1t5d");
  // The second of C had started before B's.
  step = step_of({time_45, so(5, 6), wr(6, 4, 0)});
  straighten(history, step);
  EXPECT_EQ(kinds(step), "4t5s6d");
  // The first of A may take effect after it ended.
  const History lost = support::parse("A: w(x=1) ? @0,1 | w(x=2) @2,3; B: w(x=3) @4,5");
  step = step_of({so(0, 1), rt(1, 2), wr(2, 0, 0)});
  straighten(lost, step);
  EXPECT_EQ(kinds(step), "0s1t2d");
  // The clocks contradict the session: what ended first came later in it.
  step = step_of({rt(1, 0), so(0, 1)});
  const History back = support::parse("A: w(x=1) @4,5 | w(x=2) @0,1");
  straighten(back, step);
  EXPECT_EQ(kinds(step), "1t0s");
}

// Goal: a path of causes is found and is as short as reads allow.
TEST(CausalPath, GoesByReadsAndThenBySessions) {
  const History reads = support::parse("A: w(x=1) ; B: r(x=1) w(y=2) ; C: r(y=2) r(x=_)");
  const std::vector<CausalStep> path = causal_path(Writers(reads), txn(0), txn(2));
  ASSERT_EQ(path.size(), 2U);
  EXPECT_EQ(path[0].to, txn(1));
  EXPECT_TRUE(path[1].key.is_some());
  const History sessions =
      support::parse("A: w(x=1) ; A: w(z=1) ; A: w(y=2) ; C: r(y=2) r(x=_)");
  const std::vector<CausalStep> other = causal_path(Writers(sessions), txn(0), txn(3));
  ASSERT_EQ(other.size(), 2U);
  EXPECT_TRUE(other[0].key.is_none());
  EXPECT_EQ(other[0].to, txn(2));
  EXPECT_TRUE(causal_path(Writers(reads), txn(2), txn(0)).empty());
}

}  // namespace
}  // namespace isolde::explain
