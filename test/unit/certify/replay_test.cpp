// Goal: witnesses of the levels between read uncommitted and transactional causal, and of those
// with snapshots. Method: for each axiom a good order and a bad one next to it.
#include "certify/replay.hpp"

#include <gtest/gtest.h>

#include "certify/verify.hpp"
#include "support/history_dsl.hpp"

namespace isolde::certify {
namespace {

using enum Level;

std::string replayed(const History& history, Level level,
                     const std::vector<std::uint32_t>& order, int mentions = 1) {
  Witness proof;
  proof.mentions = mentions;
  for (const std::uint32_t txn : order) proof.order.push_back(TxnId(txn));
  const VerifyResult result = verify(history, {level, history.digest(), 0, proof});
  return result.proves ? "proves" : result.reason;
}

TEST(Replay, ReadAtomicSeesTransactionsWhole) {
  const History h = support::parse("A: w(x=1) w(y=1) ; B: w(y=2) ; C: r(y=2) r(x=1)");
  EXPECT_EQ(replayed(h, kReadAtomic, {0, 1, 2}), "proves");
  EXPECT_EQ(replayed(h, kMonotonicAtomicView, {1, 0, 2}), "proves");
  EXPECT_EQ(replayed(h, kReadAtomic, {1, 0, 2}),
            "C:0 operation 0 (a read of y) misses a write of A:0, which was visible to it");
}

TEST(Replay, ReadAtomicWithSessionsOrTimeSeesWhatPrecedes) {
  const History h = support::parse("A: w(x=1) @1,2 | r(x=2) @3,4 ; B: w(x=2) @1,5");
  EXPECT_EQ(replayed(h, kStrongSessionReadAtomic, {0, 2, 1}), "proves");
  EXPECT_EQ(replayed(h, kStrongReadAtomic, {0, 2, 1}), "proves");
  EXPECT_EQ(replayed(h, kReadAtomic, {2, 0, 1}), "proves");
  const std::string missed =
      "A:1 operation 0 (a read of x) misses a write of A:0, which was visible to it";
  EXPECT_EQ(replayed(h, kStrongSessionReadAtomic, {2, 0, 1}), missed);
  EXPECT_EQ(replayed(h, kStrongReadAtomic, {2, 0, 1}), missed);
}

TEST(Replay, CausalSeesCausesOfCauses) {
  const History h =
      support::parse("A: w(x=1) ; B: r(x=1) w(y=1) ; C: r(y=1) r(x=2) ; D: w(x=2)");
  EXPECT_EQ(replayed(h, kTransactionalCausal, {0, 1, 3, 2}), "proves");
  EXPECT_EQ(replayed(h, kReadAtomic, {3, 0, 1, 2}), "proves");
  EXPECT_EQ(replayed(h, kTransactionalCausal, {3, 0, 1, 2}),
            "C:0 operation 1 (a read of x) misses a write of A:0, which was visible to it");
}

TEST(Replay, CausalInRealTime) {
  const History h = support::parse(
      "A: w(x=1) @1,2 ; B: r(x=1) w(y=1) @1,9 | nop @10,11 ; C: r(x=2) @12,13 ; "
      "D: w(x=2) @1,14");
  EXPECT_EQ(replayed(h, kStrongTransactionalCausal, {0, 1, 2, 4, 3}), "proves");
  EXPECT_EQ(replayed(h, kTransactionalCausal, {4, 0, 1, 2, 3}), "proves");
  EXPECT_EQ(replayed(h, kStrongTransactionalCausal, {4, 0, 1, 2, 3}),
            "C:0 operation 0 (a read of x) misses a write of A:0, which was visible to it");
}

TEST(Replay, ListsShowAnOrder) {
  const History h = support::parse("A: a(x=1) ; B: a(x=2) ! ; C: a(x=3) ; D: r(x=[3 2 1])");
  EXPECT_EQ(replayed(h, kReadUncommitted, {2, 0, 3}), "proves");
  EXPECT_EQ(replayed(h, kReadUncommitted, {3, 2, 0}), "proves");
  EXPECT_EQ(replayed(h, kReadUncommitted, {0, 2, 3}),
            "D:0 read a list that shows C:0 before A:0");
}

TEST(Replay, PrefixConsistencyAllowsLostUpdates) {
  const History h = support::parse("A: r(x=_) w(x=1) ; B: r(x=_) w(x=2)");
  EXPECT_EQ(replayed(h, kPrefixConsistency, {0, 1, 0, 1}, 2), "proves");
  EXPECT_EQ(
      replayed(h, kSnapshotIsolation, {0, 1, 0, 1}, 2),
      "B:0 writes x, which another transaction wrote between its snapshot and its commit");
}

TEST(Replay, DatabaseTimesDecideTheOrder) {
  const History h = support::parse("A: w(x=1) ~1,2 ; B: r(x=_) ~3,4");
  EXPECT_EQ(replayed(h, kAnsiSnapshotIsolation, {1, 0, 0, 1}, 2), "proves");
  EXPECT_EQ(replayed(h, kCommitOrderedStrongSnapshotIsolation, {1, 0, 0, 1}, 2),
            "B:0 takes a snapshot without a commit before its start");
  EXPECT_EQ(replayed(h, kAnsiSnapshotIsolation, {1, 1, 0, 0}, 2),
            "A:0 takes a snapshot with a commit that came after its start");
  const History late = support::parse("A: w(x=1) ~5,6 ; B: r(y=_) ~1,2");
  EXPECT_EQ(replayed(late, kAnsiSnapshotIsolation, {0, 1, 0, 1}, 2),
            "B:0 commits out of the order of the database's times");
  const History tied = support::parse("A: w(x=1) ~1,6 ; B: w(y=1) ~2,6");
  EXPECT_EQ(replayed(tied, kAnsiSnapshotIsolation, {0, 1, 0, 1}, 2),
            "B:0 commits out of the order of the database's times");
  EXPECT_EQ(replayed(support::parse("A: nop"), kAnsiSnapshotIsolation, {0, 0}, 2),
            "A:0 has no times of the database");
}

// A client cannot tell in which order a selection looked at its rows.
TEST(Replay, MonotonicViewsDoNotOrderTheRowsOfASelection) {
  const char* writes = "A: w(1=1) w(2=1) ; B: w(2=2) ; C: ";
  const auto of = [&](const char* reads) {
    const History h = support::parse(std::string(writes) + reads);
    return replayed(h, kMonotonicAtomicView, {1, 0, 2});
  };
  EXPECT_EQ(of("s(: 1=1 2=2)"), "proves");
  EXPECT_EQ(of("s(: 2=2 1=1)"), "proves");
  EXPECT_EQ(
      of("s(: 1=1) r(2=2)"),
      "C:0 operation 2 (a read of 2) misses a write of A:0, which it has read from before");
  EXPECT_EQ(
      of("s(keys=1..1: 1=1) s(: 1=1 2=2)"),
      "C:0 operation 2 (a read of 2) misses a write of A:0, which it has read from before");
  EXPECT_EQ(
      of("r(1=1) s(: 2=2 1=1)"),
      "C:0 operation 1 (a read of 2) misses a write of A:0, which it has read from before");
}

}  // namespace
}  // namespace isolde::certify
