#include "explain/supply.hpp"

#include <gtest/gtest.h>

#include "explain/supply_text.hpp"
#include "unit/explain/histories.hpp"

namespace isolde::explain {
namespace {

using Why = Supply::Why;

std::optional<Unsupplied> unsupplied(std::string_view text) {
  return find_unsupplied(support::parse(text), key(0));
}

TEST(Unsupplied, SaysWhyEachWriteIsOut) {
  const auto read = unsupplied(
      "A: w(x=1) @1,2 ; B: w(x=2) @3,4 ; C: r(x=1) @5,6 ; D: w(x=1) @7,8 ; E: r(x=2) @3,9");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->reader, txn(2));
  ASSERT_EQ(read->supplies.size(), 2U);
  EXPECT_EQ(read->supplies[0].why, Why::kReplaced);
  EXPECT_EQ(read->supplies[0].writer, txn(0));
  EXPECT_EQ(read->supplies[0].by, txn(1));
  EXPECT_EQ(read->supplies[1].why, Why::kTooLate);
  EXPECT_EQ(read->supplies[1].writer, txn(3));
}

// Goal: what a compare-and-set found must have been there. Method: the only write of 3 found 2
// after 1 had been written for good, and nobody wrote 2 then.
TEST(Unsupplied, FollowsWhatWritersNeeded) {
  const auto lacking =
      unsupplied("A: w(x=2) @1,2 ; C: w(x=1) @4,5 ; B: r(x=2) w(x=3) @6,20 ; E: r(x=3) @8,9");
  ASSERT_TRUE(lacking);
  // B's own read comes later, for it ends later.
  EXPECT_EQ(lacking->reader, txn(3));
  ASSERT_EQ(lacking->supplies.size(), 1U);
  EXPECT_EQ(lacking->supplies[0].why, Why::kLacking);
  ASSERT_EQ(lacking->supplies[0].needs.size(), 1U);
  EXPECT_EQ(lacking->supplies[0].needs[0].by, txn(1));
}

TEST(Unsupplied, NobodyWroteIt) {
  const auto read = unsupplied("A: w(x=2) @1,2 ; B: r(x=3) @3,4");
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->supplies.empty());
  const auto initial = unsupplied("A: w(x=2) @1,2 ; B: r(x=_) @3,4");
  ASSERT_TRUE(initial);
  EXPECT_TRUE(initial->supplies.at(0).writer.is_none());
}

TEST(Unsupplied, NotWhereSomethingIsPossible) {
  EXPECT_FALSE(unsupplied("A: w(x=2) @1,5 ; B: r(x=_) @3,4"));
  EXPECT_FALSE(unsupplied("A: w(x=2) ? @1,2 ; B: w(x=3) @3,4 ; C: r(x=2) @5,6"));
  EXPECT_FALSE(unsupplied("A: w(x=2) ; B: r(x=3)")) << "no times";
  EXPECT_FALSE(unsupplied("A: a(x=2) @1,2 ; B: r(x=[]) @3,4")) << "lists";
}

std::string told(std::string_view text) {
  const History history = support::parse(text);
  const auto read = find_unsupplied(history, key(0));
  if (!read) return "nothing";
  std::string words = unsupplied_text(history, Names(history), *read) + "\n";
  for (const SupplyLine& line : supply_lines(history, Names(history), *read)) {
    words += std::string(2 * line.depth, ' ') + line.text + "\n";
  }
  return words;
}

TEST(SupplyText, TellsWhyEachWriteIsOut) {
  EXPECT_EQ(told("A: w(x=1) @1,2 ; B: w(x=2) @3,4 ; C: r(x=1) @5,6 ; D: w(x=1) @7,8"),
            "C:0 read x = 1, which was not there at any time while it ran: B:0 had written 2 "
            "before, and nobody wrote 1 between the two\n"
            "A:0 wrote 1, but B:0 came between, which wrote 2.\n"
            "D:0 wrote 1, but started only afterwards.\n");
  EXPECT_EQ(told("A: w(x=2) @1,2 ; B: r(x=3) @3,4"),
            "B:0 read x = 3, which was not there at any time while it ran\n"
            "Nobody else wrote 3.\n");
  EXPECT_EQ(told("A: w(x=2) @1,2 ; B: r(x=_) @3,4"),
            "B:0 read the initial value of x, which was not there at any time while it ran: "
            "A:0 had written 2 before\n"
            "Nobody had written at the beginning, but A:0 came between, which wrote 2.\n");
}

// Goal: of several writes with one reason the nearest is named, and on which side the others
// are.
TEST(SupplyText, CountsWritersOnTheirSide) {
  EXPECT_EQ(told("A: w(x=1) @1,2 ; A: w(x=1) @3,4 ; B: w(x=2) @5,6 ; C: r(x=1) @7,8 ; "
                 "D: w(x=1) @9,10 ; D: w(x=1) @11,12 ; D: w(x=1) @13,14"),
            "C:0 read x = 1, which was not there at any time while it ran: B:0 had written 2 "
            "before, and nobody wrote 1 between the two\n"
            "A:1, and 1 other before it, wrote 1, but B:0 came between, which wrote 2.\n"
            "D:0, and 2 others after it, wrote 1, but started only afterwards.\n");
}

TEST(SupplyText, IndentsWhatWritersNeeded) {
  EXPECT_EQ(told("A: w(x=2) @1,2 ; C: w(x=1) @4,5 ; B: r(x=2) w(x=3) @6,20 ; E: r(x=3) @8,9"),
            "E:0 read x = 3, which was not there at any time while it ran\n"
            "B:0 wrote 3 after it had found 2, which was not there:\n"
            "  A:0 wrote 2, but C:0 came between, which wrote 1.\n");
}

// Goal: nobody is said to have written nothing who did. B wrote 3 between C's write and E's
// read, after it had found what was not there.
TEST(SupplyText, DoesNotDenyWritesThatNeededSomething) {
  const std::string text = told(
      "A: w(x=2) @1,2 ; A: w(x=3) @2,3 ; C: w(x=1) @4,5 ; B: r(x=2) w(x=3) @6,20 ; E: r(x=3) "
      "@8,9");
  EXPECT_NE(text.find("C:0 had written 1 before\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("nobody wrote"), std::string::npos) << text;
}

}  // namespace
}  // namespace isolde::explain
