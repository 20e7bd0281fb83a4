// Goal: a proof is carried over exactly where it proves. Method: one case for each kind of edge
// and each shape of cycle; carried refutations of a real history go to the verifier.
#include "check/transfer.hpp"

#include <gtest/gtest.h>

#include "unit/check/proved.hpp"

namespace isolde::checker {
namespace {

using test::mv;
using test::rt;
using test::rw;
using test::so;
using test::txn;
using test::wr;
using test::ww;
using enum Level;

Refutation cycle(std::vector<Edge> edges) {
  Refutation refutation;
  refutation.steps.push_back({{}, std::move(edges), {}});
  return refutation;
}

struct Case {
  const char* what;
  std::vector<Edge> cycle;
  /// One letter for each level in the order of enum Level: does the cycle count?
  const char* counts;
};

TEST(Transfer, RefutationsGoWhereTheirEdgesCount) {
  // No times: session order is not real time.
  const History history = support::parse("A: w(x=1) | w(x=2) ; B: r(x=1) w(x=3)");
  const Case cases[] = {
      {"read-from", {wr(0, 1), wr(1, 0)}, "YYYYYYYY"},
      {"session order", {so(0, 1), wr(1, 0)}, "nYnnYnYn"},
      {"real time", {rt(0, 1), wr(1, 0)}, "YnnYnnnn"},
      {"version order", {ww(0, 1), wr(1, 0)}, "YYYYYYnn"},
      {"one anti-dependency", {rw(0, 1), wr(1, 0)}, "YYYYYYnn"},
      {"two, apart", {rw(0, 1), wr(1, 2), rw(2, 3), ww(3, 0)}, "YYYYYYnn"},
      {"two in a row", {wr(0, 1), rw(1, 2), rw(2, 0)}, "YYYnnnnn"},
      {"two in a row, around the end", {rw(0, 1), wr(1, 2), rw(2, 0)}, "YYYnnnnn"},
      {"anti-dependencies only", {rw(0, 1), rw(1, 0)}, "YYYnnnnn"},
      {"view order", {mv(0, 1, 0, 2), wr(1, 0)}, "nnnnnnYn"},
  };
  for (const Case& each : cases) {
    for (const LevelInfo& level : all_levels()) {
      const Proof proof = cycle(each.cycle);
      const std::optional<Proof> found = transfer(history, proof, level, 0);
      const bool counts = each.counts[static_cast<std::size_t>(level.level)] == 'Y';
      EXPECT_EQ(found.has_value(), counts) << each.what << " at " << level.name;
      if (found) {
        EXPECT_EQ(*found, proof) << each.what << " at " << level.name;
      }
    }
  }
}

TEST(Transfer, EveryStepMustCarryOver) {
  const History history = support::parse("A: w(x=1) ; B: w(x=2)");
  Refutation refutation = cycle({ww(0, 1), wr(1, 0)});
  refutation.steps.push_back({{}, {rw(0, 1), rw(1, 0)}, {}});
  EXPECT_TRUE(transfer(history, refutation, info(kSerializable), 0).has_value());
  EXPECT_FALSE(transfer(history, refutation, info(kSnapshotIsolation), 0).has_value());
}

TEST(Transfer, SessionOrderBecomesRealTimeWhereOnlyThatBinds) {
  const History history = support::parse("A: w(x=1) w(y=1) @1,2 | r(x=_) @10,11 | nop @11,12");
  const Proof proof = cycle({so(0, 1), rw(1, 0)});
  EXPECT_EQ(transfer(history, proof, info(kStrictSerializable), 0),
            Proof(cycle({rt(0, 1), rw(1, 0)})));
  EXPECT_EQ(transfer(history, proof, info(kStrongSnapshotIsolation), 7),
            Proof(cycle({rt(0, 1), rw(1, 0)})));
  EXPECT_EQ(test::proved(history, kStrictSerializable,
                         *transfer(history, proof, info(kStrictSerializable), 0)),
            "violated");
  // Not when the clocks do not tell, nor when the second may have begun before the end.
  EXPECT_FALSE(transfer(history, proof, info(kStrictSerializable), 8).has_value());
  EXPECT_FALSE(
      transfer(history, cycle({so(1, 2), wr(2, 1)}), info(kStrictSerializable), 0).has_value());
  EXPECT_EQ(transfer(history, proof, info(kStrongSessionSerializable), 8), proof);
}

TEST(Transfer, WitnessesLoseSnapshotsAtWeakLevels) {
  const History history = support::parse("A: w(x=1) ; B: w(y=1) ; C: nop");
  const Witness twice{2, {txn(1), txn(0), txn(0), txn(2), txn(1), txn(2)}};
  const Witness once{1, {txn(0), txn(1), txn(2)}};
  for (const LevelInfo& level : all_levels()) {
    const bool weak = level.base > BaseLevel::kSnapshotIsolation;
    EXPECT_EQ(transfer(history, twice, level, 0), Proof(weak ? once : twice)) << level.name;
    EXPECT_EQ(transfer(history, once, level, 0), Proof(once)) << level.name;
  }
}

TEST(Transfer, FindingsAreNotItsBusiness) {
  const History history = support::parse("A: r(x=1)");
  const Finding finding{FindingKind::kUnwrittenRead, txn(0), 0, 0, {}, 0};
  EXPECT_FALSE(transfer(history, finding, info(kSerializable), 0).has_value());
}

}  // namespace
}  // namespace isolde::checker
