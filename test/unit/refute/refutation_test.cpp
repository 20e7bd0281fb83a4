// Goal: lost updates are found, short cycles are short, and what a stage leaves behind becomes
// a refutation that the verifier accepts. Method: hand histories with known cycles.
#include "refute/refutation.hpp"

#include <gtest/gtest.h>

#include "order/guess.hpp"
#include "search/version_theory.hpp"
#include "support/proved.hpp"

namespace isolde::checker {
namespace {

using infer::Encoding;
using test::Observed;
using test::proved;
using test::txn;
using enum Level;

const Encoding kSession{.session_order = true};

TEST(LostUpdate, IsFoundForEveryKindOfVersion) {
  for (const char* text : {
           "A: r(x=_) w(x=1) ; B: r(x=_) w(x=2)",
           "A: w(x=1) ; B: r(x=1) w(x=2) ; C: r(x=1) ; D: r(x=1) w(x=3)",
           "A: r(l=[]) a(l=1) ; B: r(l=[]) a(l=2)",
           "A: a(l=1) ; B: r(l=[1]) a(l=2) ; C: r(l=[1]) a(l=3) ; D: r(l=[1 2])",
       }) {
    const Observed observed(text);
    const auto found = find_lost_update(observed.seen, true);
    ASSERT_TRUE(found.has_value()) << text;
    for (const LevelInfo& level : all_levels()) {
      if (level.base > BaseLevel::kSnapshotIsolation || level.real_time) continue;
      EXPECT_EQ(proved(*observed.history, level.level, *found), "violated") << text;
    }
  }
}

TEST(LostUpdate, IsNotFoundWhereThereIsNone) {
  for (const char* text : {
           "A: nop",
           "A: r(x=_) w(x=1) ; B: r(x=_)",
           "A: w(x=1) ; B: w(x=2)",
           "A: r(x=_) w(x=1) ; B: r(x=1) w(x=2) ; C: r(x=2) w(x=3)",
           "A: r(x=_) w(x=1) ; B: r(x=_) w(x=2) !",
           "A: r(x=_) r(y=_) w(x=1) ; B: r(x=_) r(y=_) w(y=1)",
       }) {
    EXPECT_FALSE(find_lost_update(Observed(text).seen, true).has_value()) << text;
  }
}

TEST(Refutation, ShortCyclesAreShort) {
  // A cycle of two transactions next to one of four.
  const Observed observed(
      "A: w(a=1) r(d=1) ; B: r(a=1) w(b=1) ; C: r(b=1) w(c=1) ; D: r(c=1) w(d=1) ; "
      "E: w(e=1) r(f=1) ; F: r(e=1) w(f=1)");
  base::Budget budget;
  const EventGraph events(observed.seen, {}, budget);
  EXPECT_EQ(find_short_cycle(events, budget).size(), 2U);
}

TEST(RefutationDeathTest, NeedsACycle) {
  const Observed observed("A: w(x=1) ; B: r(x=1)");
  base::Budget budget;
  const EventGraph events(observed.seen, {}, budget);
  EXPECT_DEATH(find_short_cycle(events, budget), "check");
}

TEST(Refutation, FromACertainCycleIsOneStep) {
  const Observed observed("A: r(x=_) r(y=_) w(x=1) ; B: r(x=_) r(y=_) w(y=2)");
  base::Budget budget;
  EventGraph events(observed.seen, {}, budget);
  const Refutation refutation = RefutationBuilder(events, {}, budget).from_cycle();
  ASSERT_EQ(refutation.steps.size(), 1U);
  EXPECT_EQ(refutation.steps[0].cycle.size(), 2U);
  EXPECT_EQ(proved(*observed.history, kSerializable, refutation), "violated");
}

TEST(Refutation, FromDerivedOrdersNamesThemFirst) {
  for (const bool split : {false, true}) {
    const Observed observed("A: w(x=1) | w(x=2) w(y=1) ; B: r(y=1) r(x=1)");
    Encoding encoding = kSession;
    encoding.role.snapshot = split;
    base::Budget budget;
    EventGraph events(observed.seen, encoding, budget);
    prune::Saturation saturation(events, budget);
    ASSERT_EQ(saturation.run(), prune::Saturation::Outcome::kCycle);
    const prune::Derivation derived = saturation.take();
    const Refutation refutation = RefutationBuilder(events, derived, budget).from_cycle();
    ASSERT_GE(refutation.steps.size(), 2U);
    EXPECT_EQ(refutation.steps.front().clause.size(), 1U);
    EXPECT_TRUE(refutation.steps.back().clause.empty());
    EXPECT_EQ(proved(*observed.history,
                     split ? kStrongSessionSnapshotIsolation : kStrongSessionSerializable,
                     refutation),
              "violated");
  }
}

TEST(Refutation, FromConflictsFollowsTheSolver) {
  const Observed observed(
      "A: w(x=1) w(y=1) ; B: w(x=2) w(y=2) ; C: r(x=1) r(y=2) ; D: r(x=2) r(y=1)");
  base::Budget budget;
  EventGraph events(observed.seen, {}, budget);
  VersionTheory theory(events, {}, order_by_time(events, budget), budget);
  solver::Solver solver(theory, budget);
  theory.connect(solver);
  ASSERT_EQ(solver.solve(), solver::Answer::kUnsat);
  const Refutation refutation =
      RefutationBuilder(events, {}, budget)
          .from_conflicts(solver, theory.lemmas(), [&](solver::Lit lit, RefutationStep& step) {
            step.clause.push_back(theory.order_of(lit));
          });
  EXPECT_TRUE(refutation.steps.back().clause.empty());
  EXPECT_EQ(proved(*observed.history, kSerializable, refutation), "violated");
}

}  // namespace
}  // namespace isolde::checker
