// Which values nobody recorded has written. What rounds make of it is the subject of
// test/prop/stream_prop.cpp.
#include "stream/unrecorded.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "support/history_dsl.hpp"

namespace isolde::stream {
namespace {

struct Found {
  std::string keys;
  bool has_reread = false;
};

/// In a round of the last text, of which `kept` are in memory.
Found unrecorded(const std::vector<std::string>& texts, std::size_t kept,
                 bool can_reread = true) {
  Boundary boundary;
  std::deque<NumberedPart> all;
  TxnNumber first = 0;
  for (const std::string& text : texts) {
    all.push_back({support::parse(text), first});
    first += all.back().history.txn_count();
  }
  const std::deque<NumberedPart> parts(all.end() - static_cast<std::ptrdiff_t>(kept),
                                       all.end());
  const History& round = all.back().history;
  std::vector<Boundary::Key> keys;
  for (std::size_t i = 0; i < round.key_count(); ++i) {
    keys.push_back(boundary.key(round, KeyId::at(i)));
  }
  Reread reread;
  if (can_reread) {
    reread = [&](const Visit& visit) {
      for (const NumberedPart& part : all) visit(part.history, part.first);
      return ok_status();
    };
  }
  const Result<Unrecorded> result =
      find_unrecorded({round, keys, {}, {}, 0, parts, reread}, boundary);
  EXPECT_TRUE(result);
  Found found{"", result->has_reread};
  for (std::size_t i = 0; i < result->is_key.size(); ++i) {
    if (result->is_key[i]) found.keys += round.text(KeyId::at(i));
  }
  return found;
}

TEST(Unrecorded, IsWhatNobodyHasWritten) {
  EXPECT_EQ(
      unrecorded({"A: r(x=1) r(y=2) r(z=3) @0,1\nB: w(y=2) @0,1\nC: w(z=3) ! @0,1"}, 1).keys,
      "x");
  EXPECT_EQ(unrecorded({"A: r(x=1) ! @0,1\nB: r(y=_) r(z=?) @0,1"}, 1).keys, "");
  EXPECT_EQ(unrecorded({"A: r(x=1) w(x=2) @0,1\nB: r(x=2) @2,3"}, 1).keys, "x");
}

TEST(Unrecorded, IsAnElementThatNobodyHasAppended) {
  EXPECT_EQ(
      unrecorded({"A: r(x=[1]) r(y=[2 5]) r(z=[3]) @0,1\nB: a(y=2) a(z=3) ! @0,1"}, 1).keys,
      "xy");
  EXPECT_EQ(
      unrecorded({"start(x=[1])\nA: r(x=[1]) @0,1", "A: a(x=2) @2,3", "B: r(x=[1 2]) @4,5"}, 1)
          .keys,
      "");
  EXPECT_EQ(unrecorded({"A: r(x=[1]) ! @0,1"}, 1).keys, "");
}

TEST(Unrecorded, IsLookedForInAllThatCame) {
  const std::vector<std::string> texts = {"A: w(x=1) @0,1", "A: w(y=1) @2,3",
                                          "B: r(x=1) r(y=1) @4,5"};
  EXPECT_EQ(unrecorded(texts, 3).keys, "");
  EXPECT_FALSE(unrecorded(texts, 3).has_reread);
  EXPECT_EQ(unrecorded(texts, 1).keys, "");
  EXPECT_TRUE(unrecorded(texts, 1).has_reread);
  // Or counts as not recorded.
  EXPECT_EQ(unrecorded(texts, 1, false).keys, "xy");
  EXPECT_EQ(unrecorded(texts, 2, false).keys, "x");
  EXPECT_FALSE(unrecorded({"A: w(x=1) @0,1", "B: w(x=2) @2,3"}, 1).has_reread);
}

TEST(Unrecorded, IsNotWhatWasThere) {
  EXPECT_EQ(unrecorded({"start(x=1)\nA: r(x=1) @0,1"}, 1).keys, "");
  EXPECT_EQ(unrecorded({"start(x=1)\nA: w(x=2) @0,1\nB: r(x=1) @2,3"}, 1).keys, "");
  EXPECT_EQ(
      unrecorded({"start(x=1)\nA: r(x=1) @0,1", "start(x=7)\nA: r(x=7) @0,1"}, 1, false).keys,
      "");
}

}  // namespace
}  // namespace isolde::stream
