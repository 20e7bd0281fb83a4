#include "explain/writers.hpp"

#include <gtest/gtest.h>

#include "unit/explain/histories.hpp"

namespace isolde::explain {
namespace {

// Goal: of each key the last write of each transaction that was not undone.
TEST(Writers, KnowsWhoLeftAValue) {
  const History history =
      support::parse("A: w(x=1) w(y=1) w(x=2); B: w(x=2); C: w(x=2) !; D: w(x=1) w(x=1)");
  const Writers writers(history);
  const auto left = [&](std::uint32_t on, std::int64_t value) {
    std::vector<TxnId> who;
    for (const Writers::Left& one : writers.who_left(key(on), Value::integer(value))) {
      who.push_back(one.writer);
    }
    return who;
  };
  EXPECT_EQ(left(0, 2), (std::vector<TxnId>{txn(0), txn(1)}));
  EXPECT_EQ(left(0, 1), std::vector<TxnId>{txn(3)});
  EXPECT_EQ(left(1, 1), std::vector<TxnId>{txn(0)});
  EXPECT_TRUE(left(1, 2).empty());
}

// Goal: all values of a key, and nothing of its neighbours.
TEST(Writers, KnowsAllThatWasLeftToAKey) {
  const History history = support::parse("A: w(x=2) w(y=1); B: w(x=1); C: w(x=3) !; D: r(z=_)");
  const Writers writers(history);
  EXPECT_EQ(writers.all_left_to(key(0)).size(), 2U);
  EXPECT_EQ(writers.all_left_to(key(1)).size(), 1U);
  EXPECT_TRUE(writers.all_left_to(key(2)).empty());
}

// Goal: everybody who used a list, once, also where the keys around it are no lists.
TEST(Writers, KnowsTheUsersOfLists) {
  const History history = support::parse(
      "A: w(v=1) a(x=1) a(x=2); B: r(x=[1 2]) r(x=[1 2]); C: a(y=1) !; D: w(z=1)");
  const Writers writers(history);
  const auto users = [&](std::uint32_t of) {
    const std::span<const TxnId> found = writers.users_of_list(key(of));
    return std::vector<TxnId>(found.begin(), found.end());
  };
  EXPECT_TRUE(users(0).empty());
  EXPECT_EQ(users(1), (std::vector<TxnId>{txn(0), txn(1)}));
  EXPECT_EQ(users(2), std::vector<TxnId>{txn(2)});
  EXPECT_TRUE(users(3).empty());
}

bool in_effect(const char* text, std::uint32_t of) {
  const History history = support::parse(text);
  return Writers(history).took_effect(txn(of));
}

// Goal: an unknown outcome is known once somebody who took effect read what nobody else wrote.
TEST(Writers, KnowsWhoTookEffect) {
  EXPECT_TRUE(in_effect("A: w(x=1)", 0));
  EXPECT_FALSE(in_effect("A: w(x=1) !; B: r(x=1)", 0));
  EXPECT_FALSE(in_effect("A: w(x=1) ?", 0));
  EXPECT_TRUE(in_effect("A: w(x=1) ?; B: r(x=1)", 0));
  EXPECT_TRUE(in_effect("A: w(x=1) ?; B: r(x=1) w(x=1)", 0)) << "not from itself";
  EXPECT_FALSE(in_effect("A: w(x=1) ?; B: w(x=1) r(x=1)", 0)) << "its own write";
  EXPECT_FALSE(in_effect("A: w(x=1) ?; C: w(x=1) ?; B: r(x=1)", 0)) << "another may have been";
  EXPECT_FALSE(in_effect("A: w(x=1) ?; B: r(x=1) !", 0)) << "an aborted reader";
}

// Goal: those whose effect is known tell of others in turn.
TEST(Writers, FollowsReadsOfUnknownOutcome) {
  EXPECT_TRUE(in_effect("A: w(x=1) ?; B: r(x=1) w(y=2) ?; C: r(y=2)", 0));
  EXPECT_FALSE(in_effect("A: w(x=1) ?; B: r(x=1) w(y=2) ?; C: r(y=_)", 0));
}

// Goal: any element of a list tells, also behind one that the reader appended only later.
TEST(Writers, LooksAtAllElements) {
  EXPECT_TRUE(in_effect("A: a(x=1) ?; B: a(x=2); C: r(x=[1 2])", 0));
  EXPECT_TRUE(in_effect("A: a(x=4) ?; B: a(x=3); C: r(x=[1 3 4]) a(x=1)", 0));
  EXPECT_FALSE(in_effect("A: a(x=1) ?; B: a(x=1); C: r(x=[1])", 0)) << "two appends";
}

}  // namespace
}  // namespace isolde::explain
