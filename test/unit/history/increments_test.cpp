// Goal: an increment is a read and a write of numbers as far as the history tells them, and
// what it does not tell stays open. Method: transactions by hand.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "history/stats.hpp"
#include "isolde/history_builder.hpp"

namespace isolde {
namespace {

class Increments : public testing::Test {
 protected:
  KeyId x() { return builder_.key(builder_.string("x")); }
  static Value number(std::int64_t of) { return Value::integer(of); }
  void begin(TxnStatus status = TxnStatus::kCommitted) {
    builder_.begin_txn(builder_.session("s"));
    builder_.set_status(status);
  }
  void add(std::int64_t by, std::optional<std::int64_t> sum = {}) {
    builder_.increment(x(), by, sum);
  }
  void read(std::int64_t of) { builder_.read(x(), number(of)); }
  void write(std::int64_t of) { builder_.write(x(), number(of)); }
  History finish() {
    Result<History> history = builder_.finish();
    EXPECT_TRUE(history.ok()) << (history.ok() ? "" : history.error().message);
    return std::move(history).value();
  }
  std::string problem() {
    const Result<History> history = builder_.finish();
    builder_ = {};
    return history.ok() ? "" : history.error().message;
  }
  static std::string text(const History& history) {
    std::string all;
    for (const Op& op : history.all_ops())
      all += (all.empty() ? "" : " ") + history.op_text(op);
    return all;
  }

  HistoryBuilder builder_;
};

TEST_F(Increments, WithSumsAreReadsAndWrites) {
  begin();
  add(3, 8);
  begin();
  add(-1, -1);
  const History history = finish();
  EXPECT_EQ(text(history), "r(x)=5 w(x)=8 r(x)=0 w(x)=-1");
  EXPECT_EQ(history.open_increments(), 0U);
  EXPECT_EQ(history.open_numbers(KeyId(0)), nullptr);
  ASSERT_EQ(history.increments().size(), 2U);
  EXPECT_EQ(history.increments()[1].op, 2U);
  EXPECT_EQ(history.increments()[1].by, -1);
  EXPECT_EQ(history.initial(KeyId(0)), number(0));
}

TEST_F(Increments, NullIsTheNumberThatTheKeyBeginsWith) {
  begin();
  add(1, 1);
  builder_.read(x(), Value::null());
  EXPECT_EQ(text(finish()), "r(x)=0 w(x)=1 r(x)=0");
}

TEST_F(Increments, WhatTheTransactionDidTellsSums) {
  begin();
  write(4);
  add(3);
  add(2);
  begin();
  add(1);
  add(10);
  read(16);
  add(1);
  begin();
  add(2);
  add(5, 20);
  add(1);
  const History history = finish();
  EXPECT_EQ(text(history),
            "w(x)=4 r(x)=4 w(x)=7 r(x)=7 w(x)=9 "
            "r(x)=5 w(x)=6 r(x)=6 w(x)=16 r(x)=16 r(x)=16 w(x)=17 "
            "r(x)=13 w(x)=15 r(x)=15 w(x)=20 r(x)=20 w(x)=21");
  EXPECT_EQ(history.open_increments(), 0U);
}

TEST_F(Increments, OthersStayOpen) {
  begin();
  read(7);
  add(1);
  write(2);
  read(2);
  begin(TxnStatus::kAborted);
  add(100);
  begin();
  add(-3);
  const History history = finish();
  EXPECT_EQ(text(history),
            "r(x)=7 r(x)=? w(x)=? + 1 (#1) w(x)=2 r(x)=2 r(x)=? w(x)=? + 100 (#2) r(x)=? "
            "w(x)=? - 3 (#3)");
  EXPECT_EQ(history.open_increments(), 3U);
  // From 0 and 2 that are there; what was aborted adds nothing.
  ASSERT_NE(history.open_numbers(KeyId(0)), nullptr);
  EXPECT_EQ(*history.open_numbers(KeyId(0)), (Predicate::Bounds{-3, 3}));
  const auto ops = history.all_ops();
  EXPECT_FALSE(history.fits(ops[0], ops[2].value));  // 7 is too much
  EXPECT_TRUE(history.fits(ops[4], ops[2].value));
  EXPECT_TRUE(history.fits(ops[4], number(2)));
  EXPECT_FALSE(history.fits(ops[4], number(1)));
  EXPECT_FALSE(history.fits_initial(ops[4]));
  EXPECT_TRUE(history.fits_initial(ops[1]));
  EXPECT_TRUE(history.fits(ops[1], number(2)));
}

TEST_F(Increments, SumsCanBeFilledIn) {
  begin();
  add(1);
  begin();
  add(2);
  builder_.read(builder_.key(builder_.string("y")), Value::null());
  begin();
  read(3);
  const History history = finish();
  const Result<History> filled = history.with_sums(std::vector<std::int64_t>{3, 2});
  ASSERT_TRUE(filled.ok()) << filled.error().message;
  EXPECT_EQ(text(*filled), "r(x)=2 w(x)=3 r(x)=0 w(x)=2 r(y)=initial r(x)=3");
  EXPECT_EQ(filled->open_increments(), 0U);
  EXPECT_EQ(filled->text(KeyId(1)), "y");
  for (const std::vector<std::int64_t>& wrong :
       {std::vector<std::int64_t>{3}, {3, 2, 1}, {4, 2}, {3, -1}}) {
    EXPECT_FALSE(history.with_sums(wrong).ok());
  }
  EXPECT_NE(history.digest(), filled->digest());
}

TEST_F(Increments, KeysAreNumbersThroughout) {
  const auto refuses = [&](const auto& act, const std::string& part) {
    begin();
    add(1);
    act();
    const std::string why = problem();
    EXPECT_NE(why.find(part), std::string::npos) << why;
  };
  refuses([&] { builder_.write(x(), builder_.string("a")); }, "something else than integers");
  refuses([&] { builder_.read(x(), builder_.literal("0.5")); }, "something else than integers");
  refuses([&] { builder_.remove(x()); }, "deleted");
  refuses([&] { builder_.append(x(), number(1)); }, "register");
  refuses([&] { builder_.set_initial(x(), builder_.string("a")); }, "begins with");
  refuses([&] { builder_.set_version(number(1)); }, "no version");
  refuses([&] { builder_.select(Predicate{}, {}); }, "a selection or an aggregate covers");
  refuses([&] { add(1, Value::kIntegerMin); }, "62 bits");
  refuses([&] { read(Value::kIntegerMin); }, "62 bits");
}

TEST_F(Increments, SelectionsMayCoverKnownNumbers) {
  begin();
  add(1, 1);
  begin();
  Predicate ones;
  ones.equal = number(1);
  builder_.select(ones, {});
  const History history = finish();
  EXPECT_EQ(history.ops(TxnId(1)).size(), 1U);
  ASSERT_EQ(history.increments().size(), 1U);
}

TEST_F(Increments, PlacesCountWhatSelectionsLeftOut) {
  const KeyId y = builder_.key(builder_.string("y"));
  begin();
  Predicate those;
  Predicate::Test test;
  test.in = {builder_.string("y")};
  those.tests.push_back(test);
  builder_.select(those, {});
  builder_.write(y, number(1));
  add(2);
  const History history = finish();
  ASSERT_EQ(history.increments().size(), 1U);
  EXPECT_EQ(history.increments()[0].op, 2U);
  EXPECT_EQ(history.all_ops()[3].key, KeyId(1));
  const Result<History> filled = history.with_sums(std::vector<std::int64_t>{2});
  ASSERT_TRUE(filled.ok());
  EXPECT_EQ(filled->all_ops().size(), history.all_ops().size());
}

TEST_F(Increments, AreCounted) {
  begin();
  add(1);
  add(2);
  begin();
  add(1, 4);
  const history::HistoryStats stats = history::stats_of(finish());
  EXPECT_EQ(stats.increments, 3U);
  EXPECT_EQ(stats.open_increments, 2U);
  EXPECT_EQ(stats.reads, 3U);
  EXPECT_EQ(stats.writes, 3U);
  EXPECT_EQ(stats.negative_reads, 0U);
}

}  // namespace
}  // namespace isolde
