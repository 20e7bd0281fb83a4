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

TEST(Interleaving, RefusesWhatItCannotPlay) {
  const Status rows = can_be_replayed(support::parse("A: s(keys=1..9: 1=5) ; B: w(1=5)"));
  ASSERT_FALSE(rows.ok());
  EXPECT_NE(rows.error().message.find("selects rows"), std::string::npos);
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
