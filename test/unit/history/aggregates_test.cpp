// Goal: what items may contribute allows exactly the results that it can give, as far as bounds
// tell, and all of them where each item has one version. Method: items by hand.
#include "history/aggregates.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "history/copier.hpp"
#include "isolde/history_builder.hpp"
#include "support/history_dsl.hpp"

namespace isolde::history {
namespace {

using Versions =
    std::vector<std::optional<std::int64_t>>;  // what each contributes, if anything

Span span_of(const Versions& versions, const Aggregate& aggregate) {
  Span span;
  bool first = true;
  for (const auto& version : versions) {
    span.add(version ? Share{true, *version} : Share{}, aggregate, first);
    first = false;
  }
  return span;
}

bool allows(AggregateKind kind, std::optional<std::int64_t> result,
            const std::vector<Versions>& items) {
  const Aggregate aggregate{kind, {}, result};
  Tally tally(aggregate);
  for (const Versions& item : items) tally.add(span_of(item, aggregate));
  const bool allowed = tally.allows();
  // What is taken away again leaves no trace.
  for (const Versions& item : items) tally.remove(span_of(item, aggregate));
  for (const Versions& item : items) tally.add(span_of(item, aggregate));
  EXPECT_EQ(tally.allows(), allowed);
  return allowed;
}

constexpr std::nullopt_t kNone = std::nullopt;
using enum AggregateKind;

TEST(Aggregates, CountsLieBetweenWhatMustAndWhatMayCount) {
  const std::vector<Versions> items = {{1}, {1, kNone}, {kNone}};
  EXPECT_FALSE(allows(kCount, 0, items));
  EXPECT_TRUE(allows(kCount, 1, items));
  EXPECT_TRUE(allows(kCount, 2, items));
  EXPECT_FALSE(allows(kCount, 3, items));
  EXPECT_TRUE(allows(kExists, 1, items));
  EXPECT_FALSE(allows(kExists, 0, items));
  EXPECT_TRUE(allows(kExists, 0, {{1, kNone}}));
  EXPECT_FALSE(allows(kExists, 1, {{kNone}}));
}

TEST(Aggregates, SumsOfNothingAreNull) {
  EXPECT_TRUE(allows(kSum, kNone, {}));
  EXPECT_FALSE(allows(kSum, 0, {}));
  EXPECT_FALSE(allows(kSum, 0, {{kNone}}));
  EXPECT_TRUE(allows(kSum, 0, {{0}}));
  EXPECT_FALSE(allows(kSum, kNone, {{0}}));
  EXPECT_TRUE(allows(kMin, kNone, {{kNone, 4}}));
  EXPECT_FALSE(allows(kMax, kNone, {{4}}));
}

TEST(Aggregates, SumsLieBetweenTheLeastAndTheMost) {
  const std::vector<Versions> items = {{3, 7}, {kNone, -2}};
  EXPECT_TRUE(allows(kSum, 1, items));
  EXPECT_FALSE(allows(kSum, 0, items));
  EXPECT_TRUE(allows(kSum, 7, items));
  EXPECT_FALSE(allows(kSum, 8, items));
  // Beyond 64 bits there is no overflow.
  const Versions most = {Value::kIntegerMax};
  EXPECT_FALSE(allows(kSum, -8, {most, most, most, most, most, most, most, most}));
}

TEST(Aggregates, AMinimumIsHeldByOneAndByNoneBelow) {
  EXPECT_TRUE(allows(kMin, 2, {{2, 9}, {3}}));
  EXPECT_FALSE(allows(kMin, 2, {{3}, {4, kNone}}));
  EXPECT_FALSE(allows(kMin, 2, {{2}, {1}}));
  EXPECT_TRUE(allows(kMin, 2, {{2}, {1, kNone}}));
  EXPECT_TRUE(allows(kMax, 9, {{2, 9}, {3}}));
  EXPECT_FALSE(allows(kMax, 9, {{9}, {10}}));
}

// An item of a minimum cannot have read less, whatever the others read.
TEST(Aggregates, ResultsExcludeVersionsOfEachItem) {
  const History history = support::parse("A: w(1=4) ; B: s(values=0..9 get=min: 6)");
  const Selection& selection = history.selections(TxnId::at(1)).front();
  ASSERT_TRUE(selection.is_aggregate());
  ASSERT_EQ(selection.absents, 1U);
  const Op& item = history.ops(TxnId::at(1))[selection.first];
  EXPECT_FALSE(history.fits(item, Value::integer(4)));
  EXPECT_TRUE(history.fits(item, Value::integer(6)));
  EXPECT_TRUE(history.fits(item, Value::null()));
  EXPECT_EQ(share_of(history, selection, item.key, Value::integer(4)), (Share{true, 4}));
  EXPECT_EQ(share_of(history, selection, item.key, Value::integer(10)), Share{});
  EXPECT_EQ(share_of(history, selection, item.key, Value::dead()), Share{});
}

// What a key held at the start is a version of its row like any other.
TEST(Aggregates, InitialContentsAreItems) {
  const History history = support::parse(
      "start(1=4 2=6 3=b) A: s(values=0..9 get=min: 6) s(keys=1..9 get=count: 3)");
  const Selection& least = history.selections(TxnId::at(0))[0];
  ASSERT_EQ(least.absents, 2U);
  const std::span<const Op> ops = history.ops(TxnId::at(0));
  EXPECT_FALSE(history.fits_initial(ops[least.first]));
  EXPECT_TRUE(history.fits_initial(ops[least.first + 1]));
  EXPECT_EQ(share_of(history, least, ops[least.first].key, Value()), (Share{true, 4}));
  EXPECT_EQ(share_of(history, least, ops[least.first].key, Value::dead()), Share{});
  const Selection& all = history.selections(TxnId::at(0))[1];
  EXPECT_EQ(all.absents, 3U);
  EXPECT_EQ(share_of(history, all, ops[all.first + 2].key, Value()), (Share{true, 1}));
}

// A row whose column holds null, or that has none, counts for no sum.
TEST(Aggregates, NullsAreInNoSum) {
  const History history = support::parse("A: w(1=a:_/b:2) w(2=7) ; B: s(get=sum.a: _)");
  const Selection& selection = history.selections(TxnId::at(1)).front();
  for (const Op& write : history.ops(TxnId::at(0))) {
    EXPECT_EQ(share_of(history, selection, write.key, write.value), Share{});
  }
}

TEST(Aggregates, SumsOfOtherThanIntegersAreErrors) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session("a"));
  builder.write(builder.key(Value::integer(1)), builder.string("many"));
  builder.aggregate({}, {AggregateKind::kSum, {}, 1});
  const Result<History> history = builder.finish();
  ASSERT_FALSE(history.ok());
  EXPECT_NE(history.error().message.find("\"many\""), std::string::npos);
}

TEST(Aggregates, SumsOfOtherInitialContentsAreErrors) {
  HistoryBuilder builder;
  builder.set_initial(builder.key(Value::integer(1)), builder.string("many"));
  builder.begin_txn(builder.session("a"));
  builder.aggregate({}, {AggregateKind::kSum, {}, 1});
  const Result<History> history = builder.finish();
  ASSERT_FALSE(history.ok());
  EXPECT_NE(history.error().message.find("\"many\""), std::string::npos);
}

// Values of versions that are trusted are what the versions hold.
TEST(Aggregates, LookAtWhatVersionsHold) {
  HistoryBuilder builder;
  const KeyId key = builder.key(Value::integer(1));
  builder.begin_txn(builder.session("a"));
  builder.write(key, Value::integer(4));
  builder.set_version(Value::integer(17));
  builder.begin_txn(builder.session("b"));
  builder.aggregate({}, {AggregateKind::kSum, {}, 4});
  const Result<History> history = builder.finish();
  ASSERT_TRUE(history.ok());
  const Result<History> trusted = history->with_trusted_versions();
  ASSERT_TRUE(trusted.ok());
  ASSERT_TRUE(trusted->trusts_versions());
  const Selection& sum = trusted->selections(TxnId::at(1)).front();
  EXPECT_EQ(share_of(*trusted, sum, key, trusted->all_ops()[0].value), (Share{true, 4}));
  // Also in a copy.
  HistoryBuilder again;
  Copier copier(*trusted, again);
  copier.begin_txn(TxnId::at(0));
  copier.op(trusted->all_ops()[0], copier.key(key));
  copier.begin_txn(TxnId::at(1));
  again.aggregate(copier.predicate(trusted->predicates()[sum.predicate]),
                  copier.aggregate(*trusted->aggregate(sum)));
  EXPECT_TRUE(again.finish().ok());
}

}  // namespace
}  // namespace isolde::history
