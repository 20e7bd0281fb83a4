// Goal: aggregates are wrong along an execution exactly where its states give another result,
// and an explanation names items whose sources suffice. Method: histories by hand.
#include "search/groups.hpp"

#include <gtest/gtest.h>

#include "support/proved.hpp"

namespace isolde::checker {
namespace {

using test::txn;

std::size_t wrong_along(const char* text, Level level, Witness witness) {
  const History history = support::parse(text);
  base::Budget budget;
  return wrong_results(history, info(level), witness, budget).size();
}

constexpr const char* kPhantom = "A: w(1=5) ; B: s(get=count: 1) s(get=count: 2) ; C: w(2=5)";

TEST(Groups, AStateGivesOneCount) {
  const Witness middle{1, {txn(0), txn(1), txn(2)}};
  const Witness last{1, {txn(0), txn(2), txn(1)}};
  EXPECT_EQ(wrong_along(kPhantom, Level::kSerializable, middle), 1U);
  EXPECT_EQ(wrong_along(kPhantom, Level::kSerializable, last), 1U);
}

// Each count may be of a state of its own, but not of one to come.
TEST(Groups, AtReadCommittedAnEarlierStateIsChosen) {
  const History history = support::parse(kPhantom);
  base::Budget budget;
  Witness last{1, {txn(0), txn(2), txn(1)}};
  EXPECT_TRUE(wrong_results(history, info(Level::kReadCommitted), last, budget).empty());
  EXPECT_FALSE(last.sources.empty());
  EXPECT_EQ(wrong_along(kPhantom, Level::kReadCommitted, {1, {txn(0), txn(1), txn(2)}}), 1U);
}

TEST(Groups, SnapshotsCountAtTheirBegin) {
  constexpr const char* kText = "A: w(1=5) ; B: s(get=sum: 5) w(3=1) ; C: w(2=5)";
  EXPECT_EQ(wrong_along(kText, Level::kSnapshotIsolation,
                        {2, {txn(0), txn(0), txn(1), txn(2), txn(2), txn(1)}}),
            0U);
  EXPECT_EQ(wrong_along(kText, Level::kSnapshotIsolation,
                        {2, {txn(0), txn(0), txn(2), txn(2), txn(1), txn(1)}}),
            1U);
}

TEST(Groups, OwnWritesCount) {
  EXPECT_EQ(wrong_along("A: w(1=5) ; B: w(1=7) s(get=sum: 7)", Level::kSerializable,
                        {1, {txn(0), txn(1)}}),
            0U);
  EXPECT_EQ(wrong_along("A: w(1=5) ; B: w(1=7) s(get=sum: 5)", Level::kSerializable,
                        {1, {txn(0), txn(1)}}),
            1U);
}

TEST(Groups, ResultsThatNoVersionsGiveAreFound) {
  base::Budget budget;
  const auto found = [&](const char* text) {
    return impossible_result(support::parse(text), budget).has_value();
  };
  EXPECT_TRUE(found("A: w(1=5) ; B: s(get=sum: 6)"));
  EXPECT_FALSE(found("A: w(1=5) ; B: s(get=sum: 5)"));
  EXPECT_TRUE(found("A: w(1=5) ! ; B: s(get=sum: 5)"));
  EXPECT_FALSE(found("A: w(1=5) ; B: s(get=sum: 6) ?"));
  EXPECT_TRUE(found("A: s(get=count: 1)"));
}

TEST(Groups, AnExplanationNamesNoMoreThanItNeeds) {
  const History history = support::parse("A: w(1=5) w(2=5) w(3=5) ; B: s(get=count: 1)");
  base::Budget budget;
  const infer::Observations seen = infer::observe_open(history, budget);
  const Groups groups(seen, budget);
  ASSERT_EQ(groups.all().size(), 1U);
  const Groups::Group& group = groups.all().front();
  ASSERT_EQ(group.items.size(), 3U);
  // All three read what A wrote, but two are enough to be more than one.
  const auto needed = groups.explain(
      group,
      [&](const Groups::Item& item) -> std::optional<infer::WriteId> {
        return seen.sources(seen.open_reads()[item.read])[0];
      },
      [](const Groups::Item&) { return true; });
  ASSERT_TRUE(needed.has_value());
  EXPECT_EQ(needed->size(), 2U);
  // One alone says nothing.
  const auto none = groups.explain(
      group,
      [&](const Groups::Item& item) -> std::optional<infer::WriteId> {
        if (item.read != group.items[0].read) return std::nullopt;
        return seen.sources(seen.open_reads()[item.read])[0];
      },
      [](const Groups::Item&) { return true; });
  EXPECT_FALSE(none.has_value());
}

}  // namespace
}  // namespace isolde::checker
