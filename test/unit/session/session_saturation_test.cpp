// Goal: the events of one session, the orders that its reads force, and the names of its edges.
// Method: small histories by hand.
#include "session/session_saturation.hpp"

#include <gtest/gtest.h>

#include "session/session_graph.hpp"
#include "session/session_refutation.hpp"
#include "support/proved.hpp"

namespace isolde::checker {
namespace {

using test::Observed;
using test::proved;
using test::rw;
using test::so;
using test::txn;
using test::wr;
using test::ww;

// The session of a transaction at a level, saturated.
struct Saturated {
  Saturated(const char* text, BaseLevel base, std::uint32_t of)
      : observed(text),
        events(observed.seen, base, observed.history->session_of(txn(of)), budget),
        saturation(events, budget),
        order(saturation.run()) {}

  Refutation refutation() { return refute_session(events, saturation, budget); }

  Observed observed;
  base::Budget budget;
  SessionGraph events;
  SessionSaturation saturation;
  std::optional<std::vector<TxnId>> order;
};

TEST(SessionSaturation, NestedPastsBecomeAnOrder) {
  Saturated result("A: w(x=1) ; B: w(x=2) ; C: r(x=2) | r(x=1)", BaseLevel::kMonotonicReads, 2);
  ASSERT_TRUE(result.order.has_value());
  ASSERT_EQ(result.saturation.derived().size(), 1U);
  EXPECT_EQ(result.saturation.derived()[0].order, (VersionOrder{txn(1), txn(0)}));
  EXPECT_EQ(result.order->size(), 4U);
  EXPECT_EQ(result.order->front(), txn(1));
}

// That B precedes A is known only from C's last read; then B is in the past of its first ones.
TEST(SessionSaturation, GoesOnInRounds) {
  Saturated result("A: w(x=1) w(y=1) ; B: w(x=2) w(z=2) ; C: r(y=1) | r(z=_) | r(z=2) | r(x=1)",
                   BaseLevel::kMonotonicReads, 2);
  EXPECT_FALSE(result.order.has_value());
  EXPECT_EQ(result.saturation.rounds(), 2U);
  ASSERT_TRUE(result.saturation.impossible().has_value());
  const Refutation refutation = result.refutation();
  ASSERT_EQ(refutation.steps.size(), 2U);
  EXPECT_EQ(refutation.steps[0].clause, (std::vector<VersionOrder>{{txn(1), txn(0)}}));
  EXPECT_EQ(refutation.steps[0].cycle,
            (std::vector<Edge>{wr(1, 4, 2), so(4, 5), rw(5, 1, 0, txn(0))}));
  EXPECT_EQ(refutation.steps[1].cycle,
            (std::vector<Edge>{ww(1, 0), wr(0, 2, 1), so(2, 3), rw(3, 1, 2)}));
  EXPECT_EQ(proved(*result.observed.history, Level::kMonotonicReads, refutation), "violated");
}

// A version that the session read from and that came into its past later covers older ones.
TEST(SessionSaturation, LooksAtEachWriterOnce) {
  Saturated result(
      "A: w(x=1) | w(x=2) | w(x=3) | w(x=4) ; "
      "B: r(x=1) w(y=1) | r(x=2) w(y=2) | r(x=3) w(y=3) | r(x=4)",
      BaseLevel::kReadYourWrites, 4);
  ASSERT_TRUE(result.order.has_value());
  EXPECT_EQ(result.saturation.derived().size(), 3U);
}

TEST(SessionGraph, SaysWhatFollowsReads) {
  Saturated result("A: r(y=1) | w(x=1) ; B: r(x=1) | w(y=1)", BaseLevel::kWritesFollowReads, 0);
  EXPECT_FALSE(result.order.has_value());
  const Refutation refutation = result.refutation();
  EXPECT_TRUE(refutation.session.is_none());
  ASSERT_EQ(refutation.steps.size(), 1U);
  EXPECT_EQ(refutation.steps[0].cycle,
            (std::vector<Edge>{wr(1, 2, 1), so(2, 3), wr(3, 0, 0), so(0, 1)}));
  EXPECT_EQ(proved(*result.observed.history, Level::kWritesFollowReads, refutation),
            "violated");
}

}  // namespace
}  // namespace isolde::checker
