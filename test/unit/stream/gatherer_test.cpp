// Parts that are put together until a round is worth its while.
#include "stream/gatherer.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "group_files.hpp"
#include "stream/gathered.hpp"
#include "unit/io/temporary_folder.hpp"

namespace isolde::stream {
namespace {

using Sizes = std::vector<std::size_t>;

class GathererTest : public testing::Test {
 protected:
  void groups(std::size_t count, std::size_t txns) {
    for (std::size_t i = 0; i < count; ++i) {
      Group group;
      for (std::size_t t = 0; t < txns; ++t) group.starts.push_back(10 * number_ + 1);
      group.open_since = 10 * number_ + 5;
      append(path_, group_text(number_++, group));
    }
  }
  void open(bool follows = false) {
    Result<std::unique_ptr<Source>> source = open_source(path_, {.follows = follows});
    ASSERT_TRUE(source.ok());
    source_ = std::move(*source);
    options_.follows = follows;
    gatherer_.emplace(*source_, options_);
  }
  std::optional<Part> next(std::size_t open = 0) {
    Result<std::optional<Part>> part = gatherer_->next(open, budget_);
    problem_ = part.ok() ? "" : part.error().message;
    return part.ok() ? std::move(*part) : std::nullopt;
  }
  Sizes sizes(std::size_t open = 0) {
    Sizes sizes;
    while (const std::optional<Part> part = next(open)) {
      sizes.push_back(part->history.txn_count());
    }
    return sizes;
  }

  io::TemporaryFolder folder_;
  std::string path_ = folder_.path("h");
  std::uint32_t number_ = 0;
  GathererOptions options_{10, 1000};
  base::Budget budget_;
  std::unique_ptr<Source> source_;
  std::optional<Gatherer> gatherer_;
  std::string problem_;
};

TEST_F(GathererTest, GathersUntilItIsEnough) {
  groups(7, 3);
  open();
  EXPECT_EQ(sizes(), (Sizes{12, 9}));
  open();
  EXPECT_EQ(sizes(9), (Sizes{12, 9}));
  open();  // where more are open, more are enough
  EXPECT_EQ(sizes(10), (Sizes{21}));
  options_.ops = 6;  // each has one
  open();
  EXPECT_EQ(sizes(), (Sizes{6, 6, 6, 3}));
  EXPECT_EQ(source_->position().files.front().before.groups, 7U);
}

TEST_F(GathererTest, TellsSinceWhenOthersAreOpenBehindTheLastOne) {
  groups(5, 3);
  open();
  const std::optional<Part> part = next();
  ASSERT_TRUE(part);
  EXPECT_EQ(part->open_since, 35);
  EXPECT_EQ(gatherer_->position()->files.front().before.groups, 4U);
  const History& history = part->history;
  ASSERT_EQ(history.txn_count(), 12U);
  for (std::size_t t = 0; t < 12; ++t) {
    const auto start = static_cast<std::int64_t>(10 * (t / 3) + 1);
    EXPECT_EQ(history.times(TxnId::at(t)).start, start);
    EXPECT_EQ(history.ops(TxnId::at(t)).front().value.as_integer(), start);
  }
  EXPECT_EQ(history.session_count(), 1U);
}

TEST_F(GathererTest, DoesNotWaitLongWhereItFollows) {
  groups(1, 3);
  options_.patience = std::chrono::milliseconds(60);
  open(true);
  const std::optional<Part> part = next();
  ASSERT_TRUE(part);
  EXPECT_EQ(part->history.txn_count(), 3U);
  // Nor where there is always something.
  options_.txns = 1'000'000;
  options_.patience = std::chrono::milliseconds(1);
  open(true);
  groups(2000, 1);
  const std::optional<Part> first = next();
  ASSERT_TRUE(first);
  EXPECT_LT(first->history.txn_count(), 2000U);
  base::Budget budget(0.1, 0);
  groups(0, 0);
  Sizes all;
  while (true) {
    const auto more = gatherer_->next(0, budget);
    if (!more.ok()) break;
    ASSERT_TRUE(*more);
    all.push_back((*more)->history.txn_count());
  }
  EXPECT_TRUE(budget.exhausted());
}

TEST_F(GathererTest, WhatCannotBeJoinedComesByItself) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session("s"));
  builder.set_times({21, 22});
  builder.increment(builder.key(builder.string("count")), 1);
  io::StringSink sink;
  io::BinaryGroup about;
  about.number = 2;
  ASSERT_TRUE(
      io::write_native_binary(std::move(builder.finish()).value(), sink, true, about).ok());
  groups(2, 2);
  append(path_, sink.text());
  number_ = 3;
  groups(2, 1);
  open();
  EXPECT_EQ(next()->history.txn_count(), 4U);
  EXPECT_FALSE(gatherer_->position());
  const std::optional<Part> count = next();
  ASSERT_TRUE(count);
  EXPECT_TRUE(count->history.has_increments());
  EXPECT_EQ(gatherer_->position()->files.front().before.groups, 3U);
  EXPECT_EQ(sizes(), (Sizes{2}));
}

TEST_F(GathererTest, AnErrorComesBehindWhatWasThereBefore) {
  groups(2, 2);
  append(path_, "something else");
  open();
  const std::optional<Part> part = next();
  ASSERT_TRUE(part);
  EXPECT_EQ(part->history.txn_count(), 4U);
  EXPECT_FALSE(next());
  EXPECT_NE(problem_, "");
}

TEST(Gathered, HoldsWhatRoundsKnow) {
  const auto holds = [](const auto& fill) {
    HistoryBuilder builder;
    builder.begin_txn(builder.session("s"));
    builder.set_times({1, 2});
    fill(builder, builder.key(builder.string("x")));
    const Result<History> history = builder.finish();
    EXPECT_TRUE(history.ok());
    return Gathered::can_hold(*history);
  };
  EXPECT_TRUE(holds([](HistoryBuilder& b, KeyId x) { b.write(x, b.integer(1)); }));
  EXPECT_TRUE(holds([](HistoryBuilder& b, KeyId x) { b.read(x, Value::null()); }));
  EXPECT_TRUE(holds([](HistoryBuilder& b, KeyId x) { b.read_unknown(x); }));
  EXPECT_TRUE(holds([](HistoryBuilder& b, KeyId x) { b.append(x, b.integer(1)); }));
  EXPECT_FALSE(holds([](HistoryBuilder& b, KeyId x) { b.increment(x, 1); }));
  EXPECT_FALSE(holds([](HistoryBuilder& b, KeyId x) { b.insert_refused(x); }));
  EXPECT_FALSE(holds([](HistoryBuilder& b, KeyId x) { b.remove(x); }));
  EXPECT_FALSE(holds([](HistoryBuilder& b, KeyId) { b.origin().truncated = true; }));
  EXPECT_FALSE(holds([](HistoryBuilder& b, KeyId) {
    Predicate all;
    all.keys = Predicate::Bounds{1, 2};
    b.select(all, {});
  }));
  HistoryBuilder timeless;
  timeless.begin_txn(timeless.session("s"));
  EXPECT_FALSE(Gathered::can_hold(*timeless.finish()));
  EXPECT_TRUE(Gathered::can_hold(*HistoryBuilder().finish()));
}

}  // namespace
}  // namespace isolde::stream
