// Goal: view edges are those of the axioms, and only the nearest ones. Method: hand histories.
#include "weak/visible.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/proved.hpp"

namespace isolde::checker {
namespace {

using test::av;
using test::cv;
using test::mv;
using test::Observed;
using enum Level;

std::vector<Edge> direct(const Observed& observed, Level level,
                         std::int64_t clock_error_ns = 0) {
  base::Budget budget;
  return direct_views(observed.seen, info(level), clock_error_ns, budget);
}

std::vector<Edge> causal(const Observed& observed, bool real_time = false) {
  base::Budget budget;
  infer::Encoding encoding;
  encoding.role.has_anti_dependencies = false;
  encoding.session_order = true;
  encoding.real_time = real_time;
  const infer::EventGraph past(observed.seen, encoding, budget);
  return causal_views(past, budget);
}

using Edges = std::vector<Edge>;

TEST(Views, WhatWasReadEarlierIsVisibleLater) {
  const Observed fractured("A: w(x=1) w(y=1) ; B: w(y=2) ; C: r(x=1) r(y=2)");
  EXPECT_EQ(direct(fractured, kMonotonicAtomicView), (Edges{mv(0, 1, 1, 2)}));
  EXPECT_EQ(direct(fractured, kReadAtomic), (Edges{av(0, 1, 1, 2)}));
  EXPECT_EQ(direct(fractured, kReadCommitted), Edges());
  const Observed before("A: w(x=1) w(y=1) ; B: w(y=2) ; C: r(y=2) r(x=1)");
  EXPECT_EQ(direct(before, kMonotonicAtomicView), Edges());
  EXPECT_EQ(direct(before, kReadAtomic), (Edges{av(0, 1, 1, 2)}));
}

// Nobody knows in which order a selection looked at its rows.
TEST(Views, WhatASelectionReadIsVisibleAfterItOnly) {
  const Observed inside("A: w(1=1) w(2=1) ; B: w(2=2) ; C: s(: 1=1 2=2) s(: 1=1 2=2)");
  EXPECT_EQ(direct(inside, kMonotonicAtomicView), (Edges{mv(0, 1, 1, 2)}));
  EXPECT_EQ(direct(inside, kReadAtomic), (Edges{av(0, 1, 1, 2), av(0, 1, 1, 2)}));
  const Observed alone("A: w(1=1) w(2=1) ; B: w(2=2) ; C: s(: 1=1 2=2)");
  EXPECT_EQ(direct(alone, kMonotonicAtomicView), Edges());
  EXPECT_EQ(direct(alone, kReadAtomic), (Edges{av(0, 1, 1, 2)}));
  const Observed left_out("A: w(1=1) w(2=1) ; C: s(: 1=1)");
  EXPECT_EQ(direct(left_out, kMonotonicAtomicView), Edges());
  const Observed before("A: w(1=1) w(2=1) ; C: r(1=1) s(: 1=1)");
  EXPECT_EQ(direct(before, kMonotonicAtomicView), (Edges{mv(0, 0, 1, 1)}));
  const Observed after("A: w(1=1) w(2=1) ; C: s(: 1=1) r(2=_)");
  EXPECT_EQ(direct(after, kMonotonicAtomicView), (Edges{mv(0, 0, 1, 1)}));
}

TEST(Views, MissingAnInitialValueIsAnEdgeToItself) {
  const Observed observed("A: w(x=1) w(y=1) ; B: r(x=1) r(y=_)");
  EXPECT_EQ(direct(observed, kMonotonicAtomicView), (Edges{mv(0, 0, 1, 1)}));
}

// The source writes more keys than the reader reads, so its reads are gone through instead.
TEST(Views, AHugeSourceIsLookedUp) {
  const Observed observed(
      "A: w(x=1) w(y=1) w(z=1) w(u=1) w(v=1) ; B: w(y=2) ; C: r(x=1) r(y=2)");
  EXPECT_EQ(direct(observed, kMonotonicAtomicView), (Edges{mv(0, 1, 1, 2)}));
  EXPECT_EQ(direct(observed, kReadAtomic), (Edges{av(0, 1, 1, 2)}));
}

TEST(Views, OfASessionTheLastWriterCounts) {
  const Observed observed("A: w(x=1) | w(x=2) | r(x=3) ; B: w(x=3)");
  EXPECT_EQ(direct(observed, kStrongSessionReadAtomic), (Edges{av(1, 3, 0, 2)}));
  EXPECT_EQ(direct(observed, kReadAtomic), Edges());
}

TEST(Views, OfThoseThatHadEndedTheLastOnesCount) {
  // A ended before B started; B and C overlap; D starts after all of them.
  const Observed observed(
      "A: w(x=1) @1,2 ; B: w(x=2) @3,6 ; C: w(x=3) @4,5 ; D: r(x=4) @10,11 ; E: w(x=4) @1,12");
  EXPECT_EQ(direct(observed, kStrongReadAtomic), (Edges{av(1, 4, 0, 3), av(2, 4, 0, 3)}));
  EXPECT_EQ(direct(observed, kStrongReadAtomic, 4), (Edges{av(2, 4, 0, 3), av(0, 4, 0, 3)}))
      << "with a clock error nobody surely precedes another, and B may end after D starts";
  // What was read is no cover for those before it.
  const Observed stale("A: w(x=1) @1,2 ; B: w(x=2) @3,4 ; C: r(x=2) @5,6");
  EXPECT_EQ(direct(stale, kStrongReadAtomic), (Edges{av(0, 1, 0, 2)}));
}

TEST(Views, CausesAreFollowed) {
  // A caused B caused C, which misses A's write.
  const Observed observed("A: w(x=1) ; B: r(x=1) w(y=1) ; C: r(y=1) r(x=2) ; D: w(x=2)");
  EXPECT_EQ(causal(observed), (Edges{cv(0, 3, 0, 2)}));
  EXPECT_EQ(direct(observed, kReadAtomic), Edges());
  const Observed initial("A: w(x=1) ; B: r(x=1) w(y=1) ; C: r(y=1) r(x=_)");
  EXPECT_EQ(causal(initial), (Edges{cv(0, 0, 0, 2)}));
}

TEST(Views, WhatPrecedesTheSourceAnywayGetsNoEdge) {
  const Observed observed("A: w(x=1) | w(x=2) ; B: r(x=2)");
  EXPECT_EQ(causal(observed), Edges());
}

TEST(Views, RealTimeCanBeACause) {
  const Observed observed("A: w(x=1) @1,2 ; B: w(x=2) @1,9 ; C: r(x=2) @3,4");
  EXPECT_EQ(causal(observed), Edges());
  EXPECT_EQ(causal(observed, true), (Edges{cv(0, 1, 0, 2)}));
}

TEST(Views, ACircleHasNoViews) {
  EXPECT_EQ(causal(Observed("A: w(x=1) r(y=1) ; B: r(x=1) w(y=1)")), Edges());
}

}  // namespace
}  // namespace isolde::checker
