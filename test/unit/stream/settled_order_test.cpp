#include "stream/settled_order.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "support/history_dsl.hpp"

namespace isolde::stream {
namespace {

/// How many entries of the order are settled, and who has begun in them and not committed, as
/// "3 b" for the second transaction.
std::string settled(std::string_view text, const std::vector<std::size_t>& order, int mentions,
                    std::int64_t before) {
  Witness witness;
  witness.mentions = mentions;
  for (const std::size_t txn : order) witness.order.push_back(TxnId::at(txn));
  const SettledOrder found = settled_order(support::parse(text), witness, before);
  std::string marks = std::to_string(found.count);
  for (std::size_t t = 0; t < found.begun.size(); ++t) {
    if (found.begun[t]) marks += std::string(" ") + static_cast<char>('a' + t);
  }
  return marks;
}

TEST(SettledOrder, EndsBeforeTheFirstThatHadNotEnded) {
  const std::string text = "A: w(x=1) @0,10\nB: w(y=1) @0,20\nC: w(z=1) @0,10";
  EXPECT_EQ(settled(text, {0, 1, 2}, 1, 15), "1");
  EXPECT_EQ(settled(text, {0, 2, 1}, 1, 15), "2");
  EXPECT_EQ(settled(text, {0, 1, 2}, 1, 21), "3");
  EXPECT_EQ(settled(text, {0, 1, 2}, 1, kForever), "3");
  EXPECT_EQ(settled("A: w(x=1) ? @0,_", {0}, 1, 100), "0");
}

TEST(SettledOrder, HasThoseThatWereReadFrom) {
  const std::string text =
      "A: w(x=1) @0,90\nB: r(x=1) w(y=1) @0,90\nC: r(y=1) @0,10\nD: w(x=2) @0,90";
  EXPECT_EQ(settled(text, {0, 1, 2, 3}, 1, 15), "3");
  // From the last writer before it, whoever wrote the same.
  EXPECT_EQ(settled(text, {3, 0, 1, 2}, 1, 15), "0");
}

TEST(SettledOrder, HasAllWhoAppendedToAListThatWasRead) {
  const std::string text =
      "A: a(x=1) ? @0,_\nB: a(x=2) @0,90\nC: r(x=[1 2]) @0,10\nD: a(x=3) ? @0,_\nE: r(x=[1 2]) "
      "@0,11";
  EXPECT_EQ(settled(text, {0, 1, 2, 4}, 1, 15), "4");
  // Nobody has read what comes last.
  EXPECT_EQ(settled(text, {0, 1, 2, 4, 3}, 1, 15), "4");
  EXPECT_EQ(settled(text, {0, 0, 1, 1, 2, 2}, 2, 15), "6");
}

TEST(SettledOrder, CutsBetweenSnapshotAndCommit) {
  const std::string text = "A: r(x=_) w(y=1) @0,10\nB: r(y=_) w(x=1) @0,30\nC: r(y=1) @0,12";
  EXPECT_EQ(settled(text, {0, 1, 1, 0, 2, 2}, 2, 15), "1 a");
  EXPECT_EQ(settled(text, {0, 1, 0, 2, 2, 1}, 2, 15), "1 a");
  EXPECT_EQ(settled(text, {0, 0, 2, 1, 1, 2}, 2, 15), "3 c");
  // A snapshot sees who had committed, not who had begun.
  EXPECT_EQ(settled("A: w(y=1) @0,90\nC: r(y=_) @0,12", {0, 1, 0, 1}, 2, 15), "0");
  EXPECT_EQ(settled("A: w(y=1) @0,90\nC: r(y=1) @0,12", {0, 0, 1, 1}, 2, 15), "4");
}

TEST(SettledOrder, DoesNotCutInTwoWhoMayNotHaveCommitted) {
  const std::string text = "A: w(y=1) ? @0,_\nB: w(x=1) @0,30\nC: r(y=1) @0,12\nD: w(z=1) @0,5";
  EXPECT_EQ(settled(text, {3, 3, 0, 1, 1, 0, 2, 2}, 2, 15), "2");
  // Nor one that comes to be cut by that.
  EXPECT_EQ(settled("A: w(y=1) ? @0,_\nB: w(x=1) @0,30\nC: r(y=1) r(z=1) @0,12\n"
                    "D: w(z=1) ? @0,_",
                    {3, 0, 3, 1, 1, 0, 2, 2}, 2, 15),
            "0");
}

}  // namespace
}  // namespace isolde::stream
