// Goal: the count of lost updates is one that every order of the versions allows.
#include "explain/lost_updates.hpp"

#include <gtest/gtest.h>

#include "support/history_dsl.hpp"

namespace isolde::explain {
namespace {

std::uint64_t lost(const char* text) { return lost_updates(support::parse(text)); }

TEST(LostUpdates, AreAllButTheLastOfThoseThatReadOneVersion) {
  EXPECT_EQ(lost("A: r(x=_) w(x=1) ; B: r(x=_) w(x=2)"), 1U);
  EXPECT_EQ(lost("A: r(x=_) w(x=1) ; B: r(x=_) w(x=2) ; C: r(x=_) w(x=3)"), 2U);
  EXPECT_EQ(lost("A: w(x=1) ; B: r(x=1) w(x=2) ; C: r(x=1) w(x=3) ; D: r(x=3) w(x=4)"), 1U);
  // Of two registers, and each but once of one that is written again.
  EXPECT_EQ(lost("A: r(x=_) r(y=_) w(x=1) w(y=1) ; B: r(y=_) r(x=_) w(y=2) w(x=2) w(x=3)"), 2U);
}

TEST(LostUpdates, CountsNothingThatIsNotSure) {
  EXPECT_EQ(lost("A: r(x=_) w(x=1) ; B: r(x=1) w(x=2)"), 0U);
  EXPECT_EQ(lost("A: r(x=_) w(x=1) ; B: r(x=_) w(x=2) !"), 0U);
  EXPECT_EQ(lost("A: r(x=_) w(x=1) ; B: w(x=2)"), 0U);
  EXPECT_EQ(lost("A: r(x=_) w(x=1) ; B: r(x=_)"), 0U);
  EXPECT_EQ(lost("A: r(x=_) w(y=1) ; B: r(x=_) w(y=2)"), 0U);
  // Two wrote the value, so the readers may have read different versions; nobody did.
  EXPECT_EQ(lost("A: w(x=1) ; B: w(x=1) ; C: r(x=1) w(x=2) ; D: r(x=1) w(x=3)"), 0U);
  EXPECT_EQ(lost("C: r(x=1) w(x=2) ; D: r(x=1) w(x=3)"), 0U);
  // What it read was its own, or read too late, or unknown before.
  EXPECT_EQ(lost("A: w(x=1) r(x=1) w(x=2) ; B: r(x=1) w(x=3)"), 0U);
  EXPECT_EQ(lost("A: w(x=1) r(x=_) ; B: r(x=_) w(x=3)"), 0U);
  EXPECT_EQ(lost("A: r(x=?) r(x=_) w(x=1) ; B: r(x=_) w(x=3)"), 0U);
  // It read the other one's version as well, or may have.
  EXPECT_EQ(lost("A: r(x=_) w(x=1) ; B: r(x=_) r(x=1) w(x=2)"), 0U);
  EXPECT_EQ(lost("A: r(x=_) w(x=1) ; B: r(x=_) r(x=?) w(x=2)"), 0U);
  EXPECT_EQ(lost("A: r(x=_) r(x=_) w(x=1) ; B: r(x=_) w(x=2)"), 1U);
  // Nothing may be there for two reasons; appends lose nothing.
  EXPECT_EQ(lost("A: r(x=_) w(x=1) ; B: r(x=_) w(x=2) ; C: d(x)"), 0U);
  EXPECT_EQ(lost("A: r(l=[]) a(l=1) ; B: r(l=[]) a(l=2)"), 0U);
}

}  // namespace
}  // namespace isolde::explain
