#include "stream/writers.hpp"

#include <gtest/gtest.h>

#include "support/history_dsl.hpp"

namespace isolde::stream {
namespace {

using Answer = Writers::Answer;

/// Who wrote what the first read of the first part returned, besides those, in all parts.
Answer others(const std::vector<std::string>& parts, const std::set<TxnNumber>& besides,
              bool keeps_them = true) {
  Boundary boundary;
  Writers writers(boundary, keeps_them ? std::set<TxnNumber>() : besides);
  const History asks = support::parse(parts.front());
  const Op& read = asks.ops(TxnId::at(0))[0];
  const Boundary::Key key = boundary.key(asks, read.key);
  const Value value = asks.seen(read);
  EXPECT_EQ(writers.others(asks, read.key, value, besides), Answer::kNotKnown);
  writers.look_for(asks, key, value);
  writers.look_for(asks, key, value);
  EXPECT_EQ(writers.size(), 1U);
  EXPECT_TRUE(writers.looks_for(asks, key, value));
  TxnNumber first = 0;
  for (const std::string& text : parts) {
    const History part = support::parse(text);
    writers.visit(part, first);
    first += part.txn_count();
  }
  return writers.others(asks, read.key, value, besides);
}

TEST(Writers, AreFoundInAllThatCame) {
  EXPECT_EQ(others({"A: r(x=1) @0,1"}, {}), Answer::kNobody);
  EXPECT_EQ(others({"A: r(x=1) @0,1", "A: w(x=2) w(y=1) @2,3"}, {}), Answer::kNobody);
  EXPECT_EQ(others({"A: r(x=1) @0,1", "A: w(x=2) w(x=1) @2,3"}, {}), Answer::kSomebody);
  EXPECT_EQ(others({"A: r(x=1) @0,1", "A: w(x=1) @2,3"}, {1}), Answer::kNobody);
  EXPECT_EQ(others({"A: r(x=1) @0,1", "A: w(x=1) @2,3\nA: w(x=1) @4,5"}, {1}),
            Answer::kSomebody);
}

TEST(Writers, AreThoseWhoMayHaveTakenEffect) {
  EXPECT_EQ(others({"A: r(x=1) @0,1", "A: w(x=1) @2,3 !"}, {}), Answer::kNobody);
  EXPECT_EQ(others({"A: r(x=1) @0,1", "A: w(x=1) @2,_ ?"}, {}), Answer::kSomebody);
  EXPECT_EQ(others({"A: r(x=1) @0,1", "start(x=1)"}, {}), Answer::kSomebody);
  // What the history itself tells of the start is nobody else's.
  EXPECT_EQ(others({"start(x=1)\nA: r(x=1) @0,1"}, {}), Answer::kNobody);
  EXPECT_EQ(others({"start(x=1)\nA: r(x=1) @0,1", "A: w(x=1) @2,3"}, {}), Answer::kSomebody);
}

/// The same of the last element of the list that was read.
Answer others_of_element(const std::string& asks_text, const std::string& part) {
  Boundary boundary;
  Writers writers(boundary, {});
  const History asks = support::parse(asks_text);
  const Op& read = asks.ops(TxnId::at(0))[0];
  const Value element = asks.seen_list(read).back();
  writers.look_for(asks, boundary.key(asks, read.key), element);
  writers.visit(support::parse(part), 0);
  return writers.others(asks, read.key, element, {});
}

TEST(Writers, OfAnElementMayHaveBeenThere) {
  EXPECT_EQ(others_of_element("A: r(l=[1 2]) @0,1", "start(l=[1 2])"), Answer::kSomebody);
  EXPECT_EQ(others_of_element("A: r(l=[1 2]) @0,1", "start(l=[1])"), Answer::kNobody);
  EXPECT_EQ(others_of_element("start(l=[1 2])\nA: r(l=[1 2]) @0,1", "start(l=[1 2])"),
            Answer::kNobody);
}

TEST(Writers, OfTextsAreFoundToo) {
  EXPECT_EQ(others({"A: r(x=a) @0,1", "A: w(x=a) @2,3"}, {}), Answer::kSomebody);
  EXPECT_EQ(others({"A: r(x=a) @0,1", "A: w(x=b) @2,3"}, {}), Answer::kNobody);
}

TEST(Writers, AreNotAllKept) {
  std::string many;
  std::set<TxnNumber> all;
  for (int i = 0; i < 40; ++i) {
    many += "A: w(x=1) @" + std::to_string(2 * i + 2) + "," + std::to_string(2 * i + 3) + "\n";
    all.insert(static_cast<TxnNumber>(i) + 1);
  }
  EXPECT_EQ(others({"A: r(x=1) @0,1", many}, all), Answer::kNotKnown);
  // Those who do not count take no room.
  EXPECT_EQ(others({"A: r(x=1) @0,1", many}, all, false), Answer::kNobody);
  EXPECT_EQ(others({"A: r(x=1) @0,1", many + "B: w(x=1) @90,91"}, all, false),
            Answer::kSomebody);
}

}  // namespace
}  // namespace isolde::stream
