// Goal: textbook anomalies come in the order in which a database can show them. Method: whole
// orders by hand; that orders keep what they must is tried on random histories in
// test/prop/interleaving_prop.cpp.
#include "replay/interleaving.hpp"

#include <gtest/gtest.h>

#include <string>

#include "replay/wording.hpp"
#include "support/history_dsl.hpp"

namespace isolde::replay {
namespace {

/// "A begin, A r(x), B begin, ...".
std::string order_of(const char* text) {
  const History history = support::parse(text);
  const Numbering numbering(history);
  const Wording wording(numbering, Notation::kNames);
  std::string all;
  for (const Step& step : Interleaving(history).steps()) {
    all += (all.empty() ? "" : ", ") + numbering.session(step.txn) + " " + wording.step(step);
  }
  return all;
}

TEST(Interleaving, LostUpdate) {
  EXPECT_EQ(order_of("A: r(x=_) w(x=1) ; B: r(x=_) w(x=2)"),
            "A begin, A r(x), B begin, B r(x), A w(x, 1), A commit, B w(x, 2), B commit");
}

TEST(Interleaving, WriteSkew) {
  EXPECT_EQ(order_of("A: r(x=_) r(y=_) w(x=1) ; B: r(x=_) r(y=_) w(y=2)"),
            "A begin, A r(x), A r(y), B begin, B r(x), B r(y), B w(y, 2), B commit, A w(x, 1), "
            "A commit");
}

// B, which saw neither, must read before either commits, C between the two.
TEST(Interleaving, ReadOnlyAnomaly) {
  EXPECT_EQ(order_of("A: r(x=_) r(y=_) w(x=1) ; B: r(y=_) w(y=2) ; C: r(x=_) r(y=2)"),
            "A begin, A r(x), A r(y), B begin, B r(y), B w(y, 2), B commit, C begin, C r(x), "
            "C r(y), C commit, A w(x, 1), A commit");
}

TEST(Interleaving, LongFork) {
  EXPECT_EQ(order_of("A: w(x=1) ; B: w(y=1) ; C: r(x=1) r(y=_) ; D: r(x=_) r(y=1)"),
            "D begin, D r(x), A begin, A w(x, 1), A commit, C begin, C r(x), C r(y), C commit, "
            "B begin, B w(y, 1), B commit, D r(y), D commit");
}

TEST(Interleaving, NonRepeatableRead) {
  EXPECT_EQ(order_of("A: r(x=_) r(x=1) ; B: w(x=1)"),
            "A begin, A r(x), B begin, B w(x, 1), B commit, A r(x), A commit");
}

// The dirty value is read while it is there.
TEST(Interleaving, AbortedAndIntermediateReads) {
  EXPECT_EQ(order_of("A: w(x=1) w(y=1) ! ; B: r(x=1)"),
            "A begin, A w(x, 1), A w(y, 1), B begin, B r(x), B commit, A rollback");
  EXPECT_EQ(order_of("A: w(x=1) w(x=2) ; B: r(x=1)"),
            "A begin, A w(x, 1), B begin, B r(x), B commit, A w(x, 2), A commit");
}

// Each has read from the other, which no order of commits allows.
TEST(Interleaving, CircularInformationFlow) {
  EXPECT_EQ(order_of("A: w(x=1) r(y=1) ; B: w(y=1) r(x=1)"),
            "A begin, A w(x, 1), B begin, B w(y, 1), B r(x), B commit, A r(y), A commit");
}

TEST(Interleaving, ListsComeInTheirOrder) {
  EXPECT_EQ(order_of("A: a(l=1) ; B: a(l=2) ; C: r(l=[2 1]) ; D: r(l=[2])"),
            "B begin, B append(l, 2), B commit, D begin, D r(l), D commit, A begin, "
            "A append(l, 1), A commit, C begin, C r(l), C commit");
}

TEST(Interleaving, TimesAndSessionsBind) {
  EXPECT_EQ(order_of("A: r(x=_) @10,20 ; B: w(x=1) @1,5"),
            "B begin, B w(x, 1), B commit, A begin, A r(x), A commit");
  EXPECT_EQ(order_of("A: w(x=1) | r(x=_)"),
            "A begin, A w(x, 1), A commit, A begin, A r(x), A commit");
  // An unknown outcome can come late, so time does not bind it; it is committed.
  EXPECT_EQ(order_of("A: w(x=1) ? @1,5 ; B: r(x=_) @10,20"),
            "B begin, B r(x), B commit, A begin, A w(x, 1), A commit");
}

// Its snapshot must hold A and not C, so it begins between the two.
TEST(Interleaving, ATransactionBeginsWhereItsSnapshotIs) {
  EXPECT_EQ(order_of("A: w(x=1) ; B: r(x=1) r(y=_) ; C: r(x=1) w(y=1)"),
            "A begin, A w(x, 1), A commit, B begin, B r(x), B r(y), B commit, C begin, C r(x), "
            "C w(y, 1), C commit");
}

TEST(Interleaving, EmptyTransactionsBeginAndCommit) {
  EXPECT_EQ(order_of("A: nop"), "A begin, A commit");
}

// The selection that did not return the row comes before its insert, the one that did after.
TEST(Interleaving, Phantoms) {
  EXPECT_EQ(order_of("A: s(keys=1..9:) s(keys=1..9: 3=5) ; B: w(3=5)"),
            "A begin, A select(keys 1 to 9), B begin, B w(3, 5), B commit, "
            "A select(keys 1 to 9), A commit");
  EXPECT_EQ(order_of("B: w(3=5) | d(3) ; A: s(keys=1..9: 3=5) s(keys=1..9:)"),
            "A begin, A w(3, 5), A commit, B begin, B select(keys 1 to 9), A begin, A d(3), "
            "A commit, B select(keys 1 to 9), B commit");
  // An update takes the row out of the condition, and another one back.
  EXPECT_EQ(order_of("B: w(3=5) | r(3=5) w(3=50) | r(3=50) w(3=6) ; "
                     "A: s(values=0..9: 3=5) s(values=0..9:) s(values=0..9: 3=6)"),
            "A begin, A w(3, 5), A commit, A begin, A r(3), B begin, B select(values 0 to 9), "
            "A w(3, 50), A commit, A begin, A r(3), B select(values 0 to 9), A w(3, 6), "
            "A commit, B select(values 0 to 9), B commit");
}

// Each finds nobody and inserts: both look before either commits.
TEST(Interleaving, SkewOfConditions) {
  EXPECT_EQ(order_of("A: s(keys=1..9:) w(1=5) ; B: s(keys=1..9:) w(2=6)"),
            "A begin, A select(keys 1 to 9), B begin, B select(keys 1 to 9), B w(2, 6), "
            "B commit, A w(1, 5), A commit");
}

// What counts nothing has missed all rows.
TEST(Interleaving, Aggregates) {
  EXPECT_EQ(order_of("A: s(keys=1..9 get=count: 0) w(1=5) ; B: s(keys=1..9 get=sum: _) w(2=6)"),
            "A begin, A count(keys 1 to 9), B begin, B sum(keys 1 to 9), B w(2, 6), B commit, "
            "A w(1, 5), A commit");
}

// The row is there before all transactions and then gone.
TEST(Interleaving, WhatWasThereIsDeletedFirst) {
  EXPECT_EQ(order_of("start(3=5) A: s(keys=1..9:) ; B: d(3)"),
            "B begin, B d(3), B commit, A begin, A select(keys 1 to 9), A commit");
  // Nobody was to see a deletion that is taken back.
  EXPECT_EQ(order_of("start(3=5) A: s(keys=1..9:) ; B: d(3) !"),
            "B begin, B d(3), A begin, A select(keys 1 to 9), A commit, B rollback");
}

// It may have been missed before the insert or after the deletion. The clocks say when.
TEST(Interleaving, TheLastTimeBeforeTheReaderEndedIsTaken) {
  EXPECT_EQ(order_of("A: s(keys=1..9:) @20,60 ; B: w(3=5) @10,30 | d(3) @32,50"),
            "B begin, B w(3, 5), B commit, B begin, B d(3), B commit, A begin, "
            "A select(keys 1 to 9), A commit");
  EXPECT_EQ(order_of("A: s(keys=1..9:) @20,40 ; B: w(3=5) @10,30 | d(3) @32,50"),
            "A begin, A select(keys 1 to 9), A commit, B begin, B w(3, 5), B commit, "
            "B begin, B d(3), B commit");
  // But not where something else contradicts.
  EXPECT_EQ(order_of("A: s(keys=1..9:) s(keys=1..9: 3=5) @20,60 ; B: w(3=5) @10,30 | "
                     "d(3) @32,50"),
            "A begin, A select(keys 1 to 9), B begin, B w(3, 5), B commit, "
            "A select(keys 1 to 9), A commit, B begin, B d(3), B commit");
}

TEST(Interleaving, ADeletionByConditionIsOneStep) {
  EXPECT_EQ(order_of("A: w(3=5) ; B: s(keys=1..9: 3=5) d(3)"),
            "A begin, A w(3, 5), A commit, B begin, B delete(keys 1 to 9), B commit");
}

TEST(Interleaving, RefusesWhatItCannotPlay) {
  EXPECT_TRUE(can_be_replayed(support::parse("A: s(keys=1..9: 1=5) ; B: w(1=5)")).ok());
  EXPECT_TRUE(can_be_replayed(support::parse("A: s(equal=5: 1=5) ; B: w(1=5)")).ok());
  const Status named = can_be_replayed(support::parse("A: s(equal=foo: 1=foo) ; B: w(1=foo)"));
  ASSERT_FALSE(named.ok());
  EXPECT_NE(named.error().message.find("value is foo"), std::string::npos);
  EXPECT_TRUE(can_be_replayed(support::parse("A: s(keys=1..9 get=count: 0) w(1=foo)")).ok());
  const Status columns = can_be_replayed(support::parse("A: w(x=a:1)"));
  ASSERT_FALSE(columns.ok());
  EXPECT_NE(columns.error().message.find("nor played as steps"), std::string::npos);
  std::string many;
  for (int i = 0; i < 201; ++i) many += "A: w(x=" + std::to_string(i) + ") ; ";
  const Status large = can_be_replayed(support::parse(many));
  ASSERT_FALSE(large.ok());
  EXPECT_EQ(large.error().code, ErrorCode::kUsage);
  EXPECT_NE(large.error().message.find("isolde minimize"), std::string::npos);
}

}  // namespace
}  // namespace isolde::replay
