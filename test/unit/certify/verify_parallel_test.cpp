// Goal: at parallel snapshot isolation the verifier accepts an order when no read misses a
// write that precedes its reader, and a refutation when no cycle has two anti-dependencies.
// Method: hand histories (O5, O8, ... are those of Crooks 2019), a good proof and the ones next
// to it.
#include <gtest/gtest.h>

#include "notation.hpp"

namespace isolde::certify::test {
namespace {

using enum Level;

TEST(VerifyParallel, LongForkIsAllowed) {
  // O13b.
  const History h = history({"A w:x=2", "B w:y=2", "C r:x=2 r:y=_", "D r:x=_ r:y=2"});
  EXPECT_EQ(witness(h, kParallelSnapshotIsolation, {0, 1, 2, 3}), "proves");
  EXPECT_EQ(witness(h, kStrongSessionParallelSnapshotIsolation, {1, 3, 0, 2}), "proves");
  EXPECT_NE(witness(h, kSnapshotIsolation, {0, 1, 2, 3}), "proves");
  EXPECT_EQ(witness(h, kParallelSnapshotIsolation, {0, 0, 1, 1, 2, 2, 3, 3}, 2),
            "at this level each transaction is mentioned once");
  EXPECT_EQ(witness(h, kParallelSnapshotIsolation, {2, 0, 1, 3}),
            "C:0 operation 0 (a read of x) does not return an earlier committed state");
  const KeyId x = key(h, "x");
  const KeyId y = key(h, "y");
  const std::vector<Edge> fork = {wr(0, 2, x), rw(2, 1, y, -1), wr(1, 3, y), rw(3, 0, x, -1)};
  EXPECT_EQ(cycle(h, kSnapshotIsolation, fork), "proves");
  EXPECT_EQ(cycle(h, kParallelSnapshotIsolation, fork),
            "step 0: the level allows cycles with two anti-dependencies");
}

TEST(VerifyParallel, CausesMustBeSeen) {
  // O30.
  const History h = history({"A w:x=1", "B r:x=1 w:y=2", "C r:y=2 r:x=_"});
  EXPECT_EQ(witness(h, kParallelSnapshotIsolation, {0, 1, 2}),
            "C:0 operation 1 (a read of x) misses a write of A:0, which precedes it");
  const KeyId x = key(h, "x");
  const std::vector<Edge> one = {wr(0, 1, x), wr(1, 2, key(h, "y")), rw(2, 0, x, -1)};
  for (const Level level :
       {kParallelSnapshotIsolation, kStrongSessionParallelSnapshotIsolation}) {
    EXPECT_EQ(cycle(h, level, one), "proves");
    std::vector<Edge> gap = one;
    gap.erase(gap.begin() + 1);
    EXPECT_NE(cycle(h, level, gap), "proves");
  }
}

TEST(VerifyParallel, WriteSkewIsAllowed) {
  // O8.
  const History h = history({"A r:x=_ r:y=_ w:x=1", "B r:x=_ r:y=_ w:y=2"});
  EXPECT_EQ(witness(h, kParallelSnapshotIsolation, {0, 1}), "proves");
  EXPECT_NE(cycle(h, kParallelSnapshotIsolation,
                  {rw(0, 1, key(h, "y"), -1), rw(1, 0, key(h, "x"), -1)}),
            "proves");
}

TEST(VerifyParallel, LostUpdateIsNot) {
  // O5.
  const History h = history({"A r:x=_ w:x=1", "B r:x=_ w:x=2"});
  const KeyId x = key(h, "x");
  const RefutationStep a_is_not_first{{order(1, 0)}, {ww(0, 1, x), rw(1, 0, x, -1)}, {}};
  const RefutationStep b_is_not_first{{}, {ww(1, 0, x), rw(0, 1, x, -1)}, {}};
  EXPECT_EQ(
      outcome(h, refuted(h, kParallelSnapshotIsolation, {a_is_not_first, b_is_not_first})),
      "proves");
  EXPECT_NE(outcome(h, refuted(h, kParallelSnapshotIsolation, {b_is_not_first})), "proves");
  for (const std::vector<std::uint32_t>& order :
       std::vector<std::vector<std::uint32_t>>{{0, 1}, {1, 0}}) {
    EXPECT_NE(witness(h, kParallelSnapshotIsolation, order), "proves");
  }
}

TEST(VerifyParallel, EarlierWritersOfAKeyPrecede) {
  const History h = history({"A w:x=1 w:z=1", "B w:x=2 w:y=1", "C r:y=1 r:z=_"});
  EXPECT_EQ(witness(h, kParallelSnapshotIsolation, {0, 1, 2}),
            "C:0 operation 1 (a read of z) misses a write of A:0, which precedes it");
  EXPECT_EQ(witness(h, kParallelSnapshotIsolation, {1, 0, 2}), "proves");
  // Also over a writer between the two.
  const History over = history({"A w:x=1 w:z=1", "D w:x=3", "B w:x=2 w:y=1", "C r:y=1 r:z=_"});
  EXPECT_NE(witness(over, kParallelSnapshotIsolation, {0, 1, 2, 3}), "proves");
  EXPECT_EQ(witness(over, kParallelSnapshotIsolation, {1, 2, 0, 3}), "proves");
}

TEST(VerifyParallel, AllWritesAfterTheVersionReadCount) {
  // The write right after the version does not lead to E by itself, but a later one follows it.
  const History h = history({"A w:x=1", "B w:x=2", "C w:x=3 w:y=1", "E r:y=1 r:x=1"});
  EXPECT_EQ(witness(h, kParallelSnapshotIsolation, {0, 1, 2, 3}),
            "E:0 operation 1 (a read of x) misses a write of B:0, which precedes it");
  EXPECT_EQ(witness(h, kParallelSnapshotIsolation, {2, 0, 1, 3}), "proves");
}

TEST(VerifyParallel, SessionsPrecedeWhereTheyBind) {
  const History h = history({"A w:x=1", "A w:y=1", "B r:y=1 r:x=_"});
  EXPECT_EQ(witness(h, kParallelSnapshotIsolation, {0, 1, 2}), "proves");
  EXPECT_EQ(witness(h, kStrongSessionParallelSnapshotIsolation, {0, 1, 2}),
            "B:0 operation 1 (a read of x) misses a write of A:0, which precedes it");
  EXPECT_NE(witness(h, kStrongSessionParallelSnapshotIsolation, {1, 0, 2}), "proves");
  const std::vector<Edge> missed = {so(0, 1), wr(1, 2, key(h, "y")), rw(2, 0, key(h, "x"), -1)};
  EXPECT_EQ(cycle(h, kStrongSessionParallelSnapshotIsolation, missed), "proves");
  EXPECT_NE(cycle(h, kParallelSnapshotIsolation, missed), "proves");
}

TEST(VerifyParallel, RealTimePrecedesWhereItBinds) {
  const History h = history({"A@1-2 w:x=1", "B@4-9 w:y=1", "C@0-9 r:y=1 r:x=_"});
  EXPECT_EQ(witness(h, kParallelSnapshotIsolation, {0, 1, 2}), "proves");
  EXPECT_EQ(witness(h, kStrongParallelSnapshotIsolation, {0, 1, 2}),
            "C:0 operation 1 (a read of x) misses a write of A:0, which precedes it");
  Certificate forgiving = holds(h, kStrongParallelSnapshotIsolation, {0, 1, 2});
  forgiving.clock_error_ns = 2;
  EXPECT_EQ(outcome(h, forgiving), "proves");
  const History unknown = history(
      {"A@1-2 w:x=1", "B?@4-5 w:y=1", "D@6-7 w:z=1", "C@0-9 r:y=1 r:z=1", "E@0-9 r:z=1 r:y=_"});
  EXPECT_EQ(witness(unknown, kStrongParallelSnapshotIsolation, {0, 1, 2, 3, 4}), "proves");
}

TEST(VerifyParallel, ListsAreReadUpToTheirVersion) {
  const History h = history({"A a:l=1", "B a:l=2 w:k=1", "C r:k=1 r:l=[1]"});
  EXPECT_EQ(witness(h, kParallelSnapshotIsolation, {0, 1, 2}),
            "C:0 operation 1 (a read of l) misses a write of B:0, which precedes it");
  const History fine = history({"A a:l=1", "B a:l=2 w:k=1", "C r:l=[1]"});
  EXPECT_EQ(witness(fine, kParallelSnapshotIsolation, {0, 1, 2}), "proves");
}

TEST(VerifyParallel, RejectsReadsAgainstOwnWrites) {
  EXPECT_EQ(witness(history({"A w:x=1 r:x=2", "B w:x=2"}), kParallelSnapshotIsolation, {1, 0}),
            "A:0 contradicts its own writes");
}

}  // namespace
}  // namespace isolde::certify::test
