// Goal: where reads came from and who replaced whom, as far as the reads show it and no
// further.
#include "replay/sources.hpp"

#include <gtest/gtest.h>

#include "support/history_dsl.hpp"

namespace isolde::replay {
namespace {

/// Whether the reads show that the first transaction wrote the only key before the second one.
bool is_older(const char* text, std::uint32_t first, std::uint32_t second) {
  const History history = support::parse(text);
  const Sources sources(history);
  const auto a = sources.position(KeyId(0), TxnId(first));
  const auto b = sources.position(KeyId(0), TxnId(second));
  return a && b && sources.older(KeyId(0), *a, *b);
}

TEST(Sources, AReadLeadsToItsWriter) {
  const History history = support::parse("A: w(x=1) w(x=2) ; B: r(x=1) w(x=3) r(x=3) r(y=_)");
  const Sources sources(history);
  // Not the read of its own write.
  ASSERT_EQ(sources.reads().size(), 2U);
  EXPECT_EQ(sources.reads()[0].seen, (std::vector<Place>{{TxnId(0), 0}}));
  EXPECT_TRUE(sources.reads()[1].seen.empty());
}

TEST(Sources, EqualValuesLeaveItOpen) {
  const History history = support::parse("A: w(x=1) ; B: w(x=1) ; C: r(x=1)");
  const Sources sources(history);
  ASSERT_EQ(sources.reads().size(), 1U);
  EXPECT_TRUE(sources.reads()[0].ambiguous);
  EXPECT_EQ(sources.reads()[0].seen.size(), 2U);
}

TEST(Sources, WhatNobodyWroteComesFromNowhere) {
  const History history = support::parse("A: r(x=1)");
  EXPECT_TRUE(Sources(history).reads().empty());
}

TEST(Sources, WhoReadAndWroteIsLater) {
  const char* const kChain = "A: w(x=1) ; B: r(x=1) w(x=2) ; C: r(x=2) w(x=3) ; D: w(x=4)";
  EXPECT_TRUE(is_older(kChain, 0, 1));
  EXPECT_TRUE(is_older(kChain, 0, 2));
  EXPECT_FALSE(is_older(kChain, 1, 0));
  EXPECT_FALSE(is_older(kChain, 0, 3));
  EXPECT_FALSE(is_older(kChain, 3, 0));
}

TEST(Sources, WhatAReaderSeesNextIsNewer) {
  EXPECT_TRUE(is_older("A: w(x=1) ; B: w(x=2) ; C: r(x=2) r(x=1)", 1, 0));
  EXPECT_FALSE(is_older("A: w(x=1) ; B: w(x=2) ; C: r(x=2) r(x=1)", 0, 1));
  EXPECT_FALSE(is_older("A: w(x=1) ; B: w(x=2) ; C: r(x=2) | r(x=1)", 1, 0));
  // Only the deletion can have taken the row away.
  EXPECT_TRUE(
      is_older("start(1=9) B: d(1) ; A: w(1=5) ; C: s(keys=1..2: 1=5) s(keys=1..2:)", 1, 0));
}

TEST(Sources, WhatASelectionMissedIsNotOneOfItsRows) {
  const History history = support::parse(
      "A: w(3=5) ; B: r(3=5) w(3=50) ; C: s(values=0..9:) w(3=6) s(values=0..9: 3=6) ; "
      "D: w(3=51) !");
  const Sources sources(history);
  ASSERT_EQ(sources.exclusions().size(), 1U);  // not what C wrote itself
  const Exclusion& read = sources.exclusions()[0];
  EXPECT_TRUE(read.initial);
  EXPECT_EQ(read.place, (Place{TxnId(2), 0}));
  EXPECT_EQ(read.fits, (std::vector<std::size_t>{1}));
  EXPECT_EQ(read.others, (std::vector<std::size_t>{0}));
}

TEST(Sources, PairsInBothOrdersSayNothing) {
  const char* const kCircle = "A: r(x=2) w(x=1) ; B: r(x=1) w(x=2)";
  EXPECT_FALSE(is_older(kCircle, 0, 1));
  EXPECT_FALSE(is_older(kCircle, 1, 0));
}

TEST(Sources, ListsShowTheirOrder) {
  const char* const kList = "A: a(l=1) ; B: a(l=2) ; C: a(l=3) ; D: r(l=[2]) ; E: r(l=[2 1])";
  EXPECT_TRUE(is_older(kList, 1, 0));
  // What the longest list does not show comes later.
  EXPECT_TRUE(is_older(kList, 0, 2));
  EXPECT_TRUE(is_older(kList, 1, 2));
}

TEST(Sources, AbortedWritersAreNoVersions) {
  const History history = support::parse("A: w(x=1) ! ; B: r(x=1) w(x=2)");
  const Sources sources(history);
  EXPECT_FALSE(sources.position(KeyId(0), TxnId(0)).has_value());
  EXPECT_EQ(sources.reads()[0].seen, (std::vector<Place>{{TxnId(0), 0}}));
}

}  // namespace
}  // namespace isolde::replay
