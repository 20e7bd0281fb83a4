// Goal: witnesses are accepted when, and only when, they are an execution that the level
// allows. Method: hand-made histories, many of them the oracles of Crooks 2019 (named O1, O2,
// ... in the comments), with one good witness and the bad ones next to it. soundness_test.cpp
// does the same at random.
#include <gtest/gtest.h>

#include <limits>

#include "isolde/history_builder.hpp"
#include "notation.hpp"

namespace isolde::certify::test {
namespace {

using enum Level;

TEST(VerifyWitness, AcceptsSerialExecution) {
  // O1: a transfer whose second half reads the first.
  const History h = history({"A r:a=_ w:a=80 r:b=_ w:b=120", "B r:a=80 w:a=30 r:c=_ w:c=250"});
  for (const LevelInfo& level : ordinary_levels()) {
    EXPECT_EQ(witness(h, level.level, {0, 1}), "proves") << level.name;
  }
  EXPECT_EQ(witness(h, kSerializable, {0, 0, 1, 1}, 2), "proves");
  EXPECT_EQ(witness(h, kSerializable, {1, 0}),
            "B:0 operation 0 (a read of a) does not return the state at its snapshot");
  EXPECT_EQ(witness(h, kReadCommitted, {1, 0}),
            "B:0 operation 0 (a read of a) does not return an earlier committed state");
}

TEST(VerifyWitness, AcceptsEmptyHistory) {
  EXPECT_EQ(witness(history({}), kStrictSerializable, {}), "proves");
}

TEST(VerifyWitness, RejectsAnotherHistory) {
  const History h = history({"A w:x=1"});
  Certificate certificate = holds(h, kSerializable, {0});
  certificate.history_digest ^= 1;
  EXPECT_EQ(outcome(h, certificate),
            "the certificate is about another history (the digests differ)");
}

TEST(VerifyWitness, RejectsClaimsThatMakeNoSense) {
  const History h = history({"A w:x=1"});
  Certificate certificate = holds(h, kSerializable, {0});
  certificate.clock_error_ns = -1;
  EXPECT_EQ(outcome(h, certificate), "the clock error is negative");
  certificate = holds(h, static_cast<Level>(99), {0});
  EXPECT_EQ(outcome(h, certificate), "the level does not exist");
}

TEST(VerifyWitness, RejectsWrongPopulation) {
  const History h = history({"A w:x=1", "A! w:x=2", "B r:x=1", "C? w:y=3"});
  EXPECT_EQ(witness(h, kSerializable, {0, 2}), "proves");
  EXPECT_EQ(witness(h, kSerializable, {0}), "B:0 committed but is not in the order");
  EXPECT_EQ(witness(h, kSerializable, {0, 2, 2}), "B:0 is in the order too often");
  EXPECT_EQ(witness(h, kSerializable, {0, 1, 2}),
            "A:1 is in the order but did not take effect");
  EXPECT_EQ(witness(h, kSerializable, {0, 2, 3}),
            "C:0 is in the order but did not take effect");
  EXPECT_EQ(witness(h, kSerializable, {0, 2, 4}), "the order names unknown transaction 4");
  EXPECT_EQ(witness(h, kSerializable, {0, 2, 0xffffffffU}), "the order names no transaction");
  EXPECT_EQ(witness(h, kSnapshotIsolation, {0, 0, 2}, 2),
            "B:0 is in the order once, not twice");
  EXPECT_EQ(witness(h, kSnapshotIsolation, {0, 0, 2, 2, 2}, 2),
            "B:0 is in the order too often");
  EXPECT_EQ(witness(h, kSerializable, {0, 2}, 0), "mentions is neither 1 nor 2");
  EXPECT_EQ(witness(h, kSerializable, {0, 2}, 3), "mentions is neither 1 nor 2");
  EXPECT_EQ(witness(h, kReadCommitted, {0, 0, 2, 2}, 2),
            "at this level each transaction is mentioned once");
}

TEST(VerifyWitness, TakesIndeterminateTransactionsThatWereReadFrom) {
  // C read from B, and so B took effect; then A did, from which B read.
  const History h = history({"A? w:x=1", "B? r:x=1 w:y=2", "C r:y=2"});
  EXPECT_EQ(witness(h, kSerializable, {0, 1, 2}), "proves");
  EXPECT_NE(witness(h, kSerializable, {2}), "proves");
  EXPECT_NE(witness(h, kSerializable, {1, 2}), "proves");
  // A read that returns an own write says nothing about others.
  const History own = history({"A? w:x=1", "B w:x=1 r:x=1"});
  EXPECT_EQ(witness(own, kSerializable, {1}), "proves");
  EXPECT_EQ(witness(own, kSerializable, {0, 1}), "A:0 is in the order but did not take effect");
}

TEST(VerifyWitness, MayChooseAmongIndeterminateTransactionsThatWroteTheSame) {
  // A client repeats an update after a timeout; with both of them, one update would be lost.
  const History h = history({"A w:x=1", "B? r:x=1 w:x=2", "B? r:x=1 w:x=2", "C r:x=2"});
  EXPECT_EQ(witness(h, kSerializable, {0, 1, 3}), "proves");
  EXPECT_EQ(witness(h, kSerializable, {0, 2, 3}), "proves");
  EXPECT_NE(witness(h, kSerializable, {0, 1, 2, 3}), "proves");
}

TEST(VerifyWitness, RejectsReadsAgainstOwnWrites) {
  const History h = history({"A w:x=1 r:x=2", "B w:x=2"});
  for (const LevelInfo& level : ordinary_levels()) {
    EXPECT_EQ(witness(h, level.level, {1, 0}), "A:0 contradicts its own writes");
  }
}

TEST(VerifyWitness, ComparesInternalReadsWithTheLastOwnWrite) {
  // O27: an internal read after a write that hides the value of another transaction.
  const History h = history({"A w:x=1 w:y=1", "B r:x=1 w:y=2 r:y=2 r:z=?"});
  for (const LevelInfo& level : ordinary_levels()) {
    EXPECT_EQ(witness(h, level.level, {0, 1}), "proves") << level.name;
  }
}

TEST(VerifyWitness, WriteSkewIsSnapshotIsolationOnly) {
  // O8.
  const History h = history({"A r:s=_ r:c=_ w:c=1", "B r:s=_ r:c=_ w:s=2"});
  EXPECT_EQ(witness(h, kSnapshotIsolation, {0, 1, 0, 1}, 2), "proves");
  EXPECT_EQ(witness(h, kSnapshotIsolation, {0, 1, 1, 0}, 2), "proves");
  EXPECT_EQ(witness(h, kSerializable, {0, 1, 0, 1}, 2),
            "A:0 overlaps others, which is not serial");
  EXPECT_NE(witness(h, kSnapshotIsolation, {0, 0, 1, 1}, 2), "proves");
  EXPECT_NE(witness(h, kSnapshotIsolation, {0, 1}), "proves");
  EXPECT_NE(witness(h, kSerializable, {0, 1}), "proves");
}

TEST(VerifyWitness, OverlappingWritersOfOneKeyAreNotSnapshotIsolation) {
  // O5, the lost update.
  const History h = history({"A r:x=_ w:x=1", "B r:x=_ w:x=2"});
  EXPECT_EQ(
      witness(h, kSnapshotIsolation, {0, 1, 0, 1}, 2),
      "B:0 writes x, which another transaction wrote between its snapshot and its commit");
  EXPECT_NE(witness(h, kSnapshotIsolation, {0, 0, 1, 1}, 2), "proves");
  EXPECT_EQ(witness(h, kReadCommitted, {0, 1}), "proves");
  // Blind writers of one key may follow each other but not overlap.
  const History blind = history({"A w:x=1 w:x=3", "B w:x=2"});
  EXPECT_EQ(witness(blind, kSnapshotIsolation, {0, 0, 1, 1}, 2), "proves");
  EXPECT_NE(witness(blind, kSnapshotIsolation, {0, 1, 1, 0}, 2), "proves");
}

TEST(VerifyWitness, ReadsOfTheFinalValueOnly) {
  // O6b: B read a value that A replaced before it committed.
  const History h = history({"A w:x=1 w:x=2", "B r:x=1"});
  for (const LevelInfo& level : ordinary_levels()) {
    EXPECT_NE(witness(h, level.level, {0, 1}), "proves") << level.name;
  }
}

TEST(VerifyWitness, SessionOrderBindsWhereTheLevelSaysSo) {
  // O22: B does not see its own session's earlier write.
  const History h = history({"A w:x=1", "A r:x=_"});
  EXPECT_EQ(witness(h, kSerializable, {1, 0}), "proves");
  EXPECT_EQ(witness(h, kSnapshotIsolation, {1, 0}), "proves");
  const std::string against =
      "A:0 commits after A:1 begins, against the order in their session";
  EXPECT_EQ(witness(h, kStrongSessionSerializable, {1, 0}), against);
  EXPECT_EQ(witness(h, kStrongSessionSnapshotIsolation, {1, 1, 0, 0}, 2), against);
  EXPECT_EQ(witness(h, kStrongSessionMonotonicAtomicView, {1, 0}), against);
  // Overlapping is not following either.
  EXPECT_EQ(witness(h, kStrongSessionSnapshotIsolation, {0, 1, 0, 1}, 2), against);
}

TEST(VerifyWitness, SessionOrderSkipsTransactionsWithoutEffect) {
  const History h = history({"A w:x=1", "A! w:x=2", "A? w:x=3", "A r:x=_"});
  EXPECT_EQ(witness(h, kStrongSessionSerializable, {3, 0}),
            "A:0 commits after A:3 begins, against the order in their session");
}

TEST(VerifyWitness, RealTimeBindsWhereTheLevelSaysSo) {
  // O32: B starts after A ended and does not see its write.
  const History h = history({"A@10-20 w:x=1", "B@30-40 r:x=_"});
  EXPECT_EQ(witness(h, kSerializable, {1, 0}), "proves");
  EXPECT_EQ(witness(h, kStrictSerializable, {1, 0}),
            "A:0 commits after B:0 begins, against real time");
  EXPECT_EQ(witness(h, kStrongSnapshotIsolation, {1, 0, 0, 1}, 2),
            "A:0 commits after B:0 begins, against real time");
  Certificate certificate = holds(h, kStrictSerializable, {1, 0});
  certificate.clock_error_ns = 9;
  EXPECT_NE(outcome(h, certificate), "proves");
  certificate.clock_error_ns = 10;  // the gap is 10: not larger than the error
  EXPECT_EQ(outcome(h, certificate), "proves");
}

TEST(VerifyWitness, ClocksAreAssumedWhereRealTimeBinds) {
  const History h = history({"A@10-20 w:x=1", "B@30-40 r:x=1"});
  const auto assumed = [&](Level level) {
    Certificate certificate = holds(h, level, {0, 1});
    certificate.clock_error_ns = 7;
    EXPECT_EQ(outcome(h, certificate), "proves");
    return certificate.assumed_clock_error_ns();
  };
  EXPECT_EQ(assumed(kSerializable), 0);
  EXPECT_EQ(assumed(kStrictSerializable), 7);
  Certificate following = holds(h, kStrictSerializable, {0, 1});
  following.proof = Implication{kStrictSerializable, std::get<Witness>(following.proof)};
  following.clock_error_ns = 7;
  following.level = kSerializable;
  EXPECT_EQ(following.assumed_clock_error_ns(), 7);
}

TEST(VerifyWitness, TouchingTimesAreConcurrent) {
  const History h = history({"A@10-20 w:x=1", "B@20-40 r:x=_"});
  EXPECT_EQ(witness(h, kStrictSerializable, {1, 0}), "proves");
}

TEST(VerifyWitness, UnknownOutcomeHasNoEnd) {
  // The client gave up at 20, but the database carried the write out later.
  const History h = history({"A?@10-20 w:x=1", "B@30-40 r:x=_", "C@50-60 r:x=1"});
  EXPECT_EQ(witness(h, kStrictSerializable, {1, 0, 2}), "proves");
  // Its start counts as any other: it cannot have happened before that.
  const History early =
      history({"A@1-2 w:x=1", "B?@10-20 w:x=2", "C@5-6 r:x=2", "D@7-8 r:x=1"});
  EXPECT_EQ(witness(early, kStrictSerializable, {0, 1, 2, 3}),
            "D:0 commits after B:0 begins, against real time");
}

TEST(VerifyWitness, UnknownOutcomesHideNoOtherEnds) {
  const History h = history({"A?@1-2 w:y=1", "B@1-3 w:x=1", "C@10-11 r:x=_", "D r:y=1"});
  EXPECT_EQ(witness(h, kStrictSerializable, {2, 1, 0, 3}),
            "B:0 commits after C:0 begins, against real time");
}

TEST(VerifyWitness, TimesMayUseAllBits) {
  const std::int64_t max = std::numeric_limits<std::int64_t>::max();
  HistoryBuilder builder;
  const KeyId x = builder.key(builder.string("x"));
  builder.begin_txn(builder.session("A"));
  builder.set_times({-max, -max});
  builder.write(x, builder.integer(1));
  builder.begin_txn(builder.session("B"));
  builder.set_times({max, max});
  builder.read(x, Value::null());
  const Result<History> h = builder.finish();
  Certificate certificate = holds(*h, kStrictSerializable, {1, 0});
  certificate.clock_error_ns = max;
  EXPECT_NE(outcome(*h, certificate), "proves");
}

TEST(VerifyWitness, TheLastToCommitDecidesNotTheLastToEnd) {
  const History h = history({"A@1-2 w:x=1", "B@1-3 w:y=1", "C@10-11 w:z=1"});
  EXPECT_EQ(witness(h, kStrictSerializable, {1, 2, 0}),
            "A:0 commits after C:0 begins, against real time");
  EXPECT_EQ(witness(h, kStrictSerializable, {1, 0, 2}), "proves");
}

TEST(VerifyWitness, ReadCommittedAllowsReadsFromDifferentStates) {
  // O7 and O4b.
  EXPECT_EQ(witness(history({"A w:x=1", "B r:x=_ r:x=1"}), kReadCommitted, {0, 1}), "proves");
  const History h = history({"A w:a=1 w:b=1", "B w:a=2 w:b=2", "C r:a=2 r:b=1"});
  EXPECT_EQ(witness(h, kReadCommitted, {0, 1, 2}), "proves");
  EXPECT_NE(witness(h, kSnapshotIsolation, {0, 1, 2}), "proves");
  // Circular reads (O28) have no order at all.
  const History circle = history({"A w:x=1 r:y=2", "B w:y=2 r:x=1"});
  EXPECT_NE(witness(circle, kReadCommitted, {0, 1}), "proves");
  EXPECT_NE(witness(circle, kReadCommitted, {1, 0}), "proves");
}

TEST(VerifyWitness, MonotonicViewDoesNotGoBack) {
  // O29, the fractured read, is seen only when the newer half comes first.
  const History fractured = history({"A w:x=1 w:y=1", "B r:x=1 r:y=_"});
  EXPECT_EQ(witness(fractured, kReadCommitted, {0, 1}), "proves");
  EXPECT_EQ(
      witness(fractured, kStrongSessionMonotonicAtomicView, {0, 1}),
      "B:0 operation 1 (a read of y) misses a write of A:0, which it has read from before");
  const History forward = history({"A w:x=1 w:y=1", "B r:y=_ r:x=1"});
  EXPECT_EQ(witness(forward, kStrongSessionMonotonicAtomicView, {0, 1}), "proves");
}

TEST(VerifyWitness, MonotonicViewDependsOnTheOrder) {
  const History h = history({"A w:x=1 w:y=1", "B w:x=2", "C r:y=1 r:x=2"});
  EXPECT_EQ(witness(h, kStrongSessionMonotonicAtomicView, {0, 1, 2}), "proves");
  EXPECT_NE(witness(h, kStrongSessionMonotonicAtomicView, {1, 0, 2}), "proves");
  EXPECT_EQ(witness(h, kReadCommitted, {1, 0, 2}), "proves");
}

TEST(VerifyWitness, MonotonicViewKeepsTheLatest) {
  const History h = history({"A w:y=1 w:z=1", "B w:x=2 w:z=2", "C r:x=2 r:y=1 r:z=1"});
  EXPECT_NE(witness(h, kStrongSessionMonotonicAtomicView, {0, 1, 2}), "proves");
  EXPECT_EQ(witness(h, kStrongSessionMonotonicAtomicView, {1, 0, 2}), "proves");
}

TEST(VerifyWitness, MonotonicViewOfManyReadsAndOfOneLongWriter) {
  // The writer has more operations than the reader has reads, and the other way round.
  const History wide = history({"A w:a=1 w:b=1 w:c=1 w:d=1", "B r:a=1 r:d=_"});
  EXPECT_NE(witness(wide, kStrongSessionMonotonicAtomicView, {0, 1}), "proves");
  const History narrow = history({"A w:a=1 w:b=1", "B r:a=1 r:c=_ r:d=_ r:b=_"});
  EXPECT_NE(witness(narrow, kStrongSessionMonotonicAtomicView, {0, 1}), "proves");
}

TEST(VerifyWitness, ListReadsReturnTheWholeList) {
  const History h = history({"A a:l=1", "B r:l=[1] a:l=2 r:l=[1,2] a:l=3", "C r:l=[1,2,3]"});
  for (const LevelInfo& level : ordinary_levels()) {
    EXPECT_EQ(witness(h, level.level, {0, 1, 2}), "proves") << level.name;
    EXPECT_NE(witness(h, level.level, {1, 0, 2}), "proves") << level.name;
  }
  EXPECT_NE(witness(h, kSerializable, {0, 2, 1}), "proves");
}

TEST(VerifyWitness, ReadCommittedListsMayBeOldButNotHalf) {
  const History old = history({"A a:l=1", "B a:l=2", "C r:l=[1] r:l=[1,2] r:l=[]"});
  EXPECT_EQ(witness(old, kReadCommitted, {0, 1, 2}), "proves");
  EXPECT_NE(witness(old, kStrongSessionMonotonicAtomicView, {0, 1, 2}), "proves");
  EXPECT_NE(witness(old, kSerializable, {0, 1, 2}), "proves");
  const History half = history({"A a:l=1 a:l=2", "B r:l=[1]"});
  EXPECT_NE(witness(half, kReadCommitted, {0, 1}), "proves");
  const History mixed = history({"A a:l=1", "B a:l=2", "C r:l=[2]"});
  EXPECT_NE(witness(mixed, kReadCommitted, {0, 1, 2}), "proves");
  EXPECT_EQ(witness(mixed, kReadCommitted, {1, 0, 2}), "proves");
  const History long_list = history({"A a:l=1", "B r:l=[1,2]", "C a:l=2"});
  EXPECT_NE(witness(long_list, kReadCommitted, {0, 1, 2}), "proves");
}

TEST(VerifyWitness, OwnAppendsEndTheList) {
  EXPECT_NE(witness(history({"A a:l=1 r:l=[]"}), kReadCommitted, {0}), "proves");
  EXPECT_NE(witness(history({"A a:l=1 a:l=2 r:l=[2,1]"}), kReadCommitted, {0}), "proves");
  EXPECT_NE(witness(history({"A a:l=1 a:l=2 r:l=[2]"}), kReadCommitted, {0}), "proves");
  EXPECT_EQ(witness(history({"A a:l=1 a:l=2 r:l=[1,2]"}), kSerializable, {0}), "proves");
}

}  // namespace
}  // namespace isolde::certify::test
