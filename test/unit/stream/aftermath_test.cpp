// Goal: what is left out behind a violation, and which reads say nothing. That rounds then find
// an order of the rest is the subject of test/prop/stream_anew_prop.cpp.
#include "stream/aftermath.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/history_dsl.hpp"

namespace isolde::stream {
namespace {

/// By transaction: - for one that counts, x for one that is left out.
std::string left_out(const Aftermath& aftermath, const std::string& text) {
  const History history = support::parse(text);
  std::string out;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    out += aftermath.is_before(history, TxnId::at(t)) ? 'x' : '-';
  }
  return out;
}

/// By operation: x for a read that says nothing, - for all others.
std::string theirs(Aftermath aftermath, const std::string& text) {
  aftermath.settle();
  const History history = support::parse(text);
  const std::vector<bool> reads = aftermath.reads_in(history);
  std::string out;
  for (std::size_t i = 0; i < history.op_count(); ++i) {
    out += !reads.empty() && reads[i] ? 'x' : '-';
  }
  return out;
}

TEST(Aftermath, BeginsWithWhoStartsLater) {
  const Aftermath aftermath(100, 0, nullptr);
  EXPECT_EQ(left_out(aftermath, "A: w(x=1) @100,101\nB: w(x=2) @101,102\nC: w(x=3)"), "x-x");
  const Aftermath by_poor_clocks(100, 7, nullptr);
  EXPECT_EQ(left_out(by_poor_clocks, "A: w(x=1) @107,109\nB: w(x=2) @108,109"), "x-");
}

TEST(Aftermath, KnowsWhatMayStillBeRead) {
  Aftermath aftermath(100, 0, nullptr);
  aftermath.add(
      support::parse("A: w(x=1) @50,100\n"  // is over: what it wrote, a key may hold
                     "B: w(x=2) @50,101\n"
                     "C: w(x=3) ? @50,_\n"
                     "D: w(x=4) ! @50,101\n"
                     "E: w(x=5) @50,_\n"
                     "F: w(x=6) ? @50,60\n"
                     "G: w(x=7) @101,110\n"
                     "H: w(k=v7) @50,101"));
  EXPECT_EQ(theirs(aftermath,
                   "A: r(x=1) r(x=2) r(x=3) r(x=4) r(x=5) r(x=6) r(x=7) r(y=2) w(x=2) r(x=_) "
                   "r(k=v7) r(k=v8) @200,210"),
            "-xx-xx----x-");
}

TEST(Aftermath, LeavesElementsOutOfLists) {
  Aftermath aftermath(100, 0, nullptr);
  aftermath.add(support::parse("A: a(x=1) a(y=2) @50,101"));
  aftermath.settle();
  const History history = support::parse("A: r(x=[3 1 2]) r(y=[1 2]) r(x=[]) @200,210");
  EXPECT_TRUE(aftermath.reads_in(history).empty());
  Joiner joiner;
  joiner.edit_lists(aftermath.without_theirs(history));
  joiner.add(history, 0, kAll, kEnterNothing);
  const Result<History> left = joiner.finish();
  ASSERT_TRUE(left.ok());
  EXPECT_EQ(support::to_text(*left), "A: r(x=[3 2]) r(y=[1]) r(x=[]) @200,210\n");
}

TEST(Aftermath, WhatWasLeftOutBeforeStaysSo) {
  Aftermath first(100, 0, nullptr);
  first.add(support::parse("A: w(x=1) ? @50,_"));
  first.settle();
  Aftermath second(200, 0, &first);
  EXPECT_FALSE(second.is_settled());
  second.add(support::parse("A: w(x=2) ? @150,_\nB: w(x=1) ? @150,_"));
  EXPECT_EQ(theirs(second, "A: r(x=1) r(x=2) r(x=3) @300,310"), "xx-");
}

}  // namespace
}  // namespace isolde::stream
