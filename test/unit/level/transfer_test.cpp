// Goal: a proof is carried over exactly where it proves. Method: one case for each kind of edge
// and each shape of cycle; carried refutations of a real history go to the verifier.
#include "level/transfer.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/proved.hpp"

namespace isolde::checker {
namespace {

using test::av;
using test::cv;
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

using Base = BaseLevel;

struct TransferCase {
  const char* what;
  std::vector<Edge> cycle;
  /// Weakest base levels at which the cycle counts; where session order or real time is part of
  /// it, only at their forms that have it.
  std::vector<BaseLevel> bases;
  bool session_order = false;
  bool real_time = false;
};

const std::vector<BaseLevel> kSerialBases = {Base::kSerializable, Base::kRepeatableRead};
const std::vector<BaseLevel> kSplit = {Base::kSerializable, Base::kRepeatableRead,
                                       Base::kSnapshotIsolation, Base::kPrefixConsistency};
const std::vector<BaseLevel> kConflicts = {Base::kSerializable, Base::kRepeatableRead,
                                           Base::kSnapshotIsolation};
const std::vector<BaseLevel> kOneMissed = {Base::kSerializable, Base::kRepeatableRead,
                                           Base::kSnapshotIsolation, Base::kParallelSnapshot,
                                           Base::kPrefixConsistency};
const std::vector<BaseLevel> kCommitted = {
    Base::kSerializable,     Base::kRepeatableRead,      Base::kSnapshotIsolation,
    Base::kParallelSnapshot, Base::kPrefixConsistency,   Base::kTransactionalCausal,
    Base::kReadAtomic,       Base::kMonotonicAtomicView, Base::kReadCommitted};
const std::vector<BaseLevel> kAtomic = {Base::kTransactionalCausal, Base::kReadAtomic};
const std::vector<BaseLevel> kViews = {Base::kTransactionalCausal, Base::kReadAtomic,
                                       Base::kMonotonicAtomicView};

bool among(const std::vector<BaseLevel>& bases, BaseLevel base) {
  return std::find(bases.begin(), bases.end(), base) != bases.end();
}

/// Levels whose proofs take other forms.
bool is_apart(BaseLevel base) {
  return !among(kCommitted, base) && base != Base::kReadUncommitted;
}

TEST(Transfer, RefutationsGoWhereTheirEdgesCount) {
  // No times: session order is not real time.
  const History history = support::parse("A: w(x=1) | w(x=2) ; B: r(x=1) w(x=3)");
  const TransferCase cases[] = {
      {"read-from", {wr(0, 1), wr(1, 0)}, kCommitted},
      {"session order", {so(0, 1), wr(1, 0)}, kCommitted, true, false},
      {"real time", {rt(0, 1), wr(1, 0)}, kCommitted, false, true},
      {"version order", {ww(0, 1), wr(1, 0)}, kOneMissed},
      {"one anti-dependency", {rw(0, 1), wr(1, 0)}, kOneMissed},
      {"one anti-dependency after a version order",
       {ww(0, 1), rw(1, 0)},
       {Base::kSerializable, Base::kRepeatableRead, Base::kSnapshotIsolation,
        Base::kParallelSnapshot}},
      {"two, apart", {rw(0, 1), wr(1, 2), rw(2, 3), wr(3, 0)}, kSplit},
      {"two, one after a version order", {rw(0, 1), wr(1, 2), rw(2, 3), ww(3, 0)}, kConflicts},
      {"two in a row", {wr(0, 1), rw(1, 2), rw(2, 0)}, kSerialBases},
      {"two in a row, around the end", {rw(0, 1), wr(1, 2), rw(2, 0)}, kSerialBases},
      {"anti-dependencies only", {rw(0, 1), rw(1, 0)}, kSerialBases},
      {"monotonic view", {mv(0, 1, 0, 2), wr(1, 0)}, kViews},
      {"atomic view", {av(0, 1, 0, 2), wr(1, 0)}, kAtomic},
      {"causal view", {cv(0, 1, 0, 2), wr(1, 0)}, {Base::kTransactionalCausal}},
  };
  for (const TransferCase& each : cases) {
    for (const LevelInfo& level : all_levels()) {
      if (is_apart(level.base)) continue;
      const Refutation proof = cycle(each.cycle);
      const std::optional<Refutation> found =
          transfer(history, proof, info(kReadAtomic), level, 0);
      const bool counts = among(each.bases, level.base) &&
                          (level.session_order || !each.session_order) &&
                          (level.real_time || !each.real_time);
      EXPECT_EQ(found.has_value(), counts) << each.what << " at " << level.name;
      if (found) {
        EXPECT_EQ(*found, proof) << each.what << " at " << level.name;
      }
    }
  }
}

TEST(Transfer, WhatWasVisibleInSessionOrRealTimeStaysThere) {
  const History history = support::parse("A: w(x=1) | w(x=2) ; B: r(x=1) w(x=3)");
  const Refutation proof = cycle({av(0, 1, 0, 2), wr(1, 0)});
  const auto carried = [&](Level from, Level to) {
    return transfer(history, proof, info(from), info(to), 0).has_value();
  };
  EXPECT_TRUE(carried(kReadAtomic, kStrongReadAtomic));
  EXPECT_TRUE(carried(kStrongSessionReadAtomic, kTransactionalCausal));
  EXPECT_FALSE(carried(kStrongSessionReadAtomic, kReadAtomic));
  EXPECT_FALSE(carried(kStrongSessionReadAtomic, kStrongReadAtomic));
  EXPECT_FALSE(carried(kStrongReadAtomic, kStrongSessionReadAtomic));
  EXPECT_TRUE(carried(kStrongReadAtomic, kStrongTransactionalCausal));
}

TEST(Transfer, EveryStepMustCarryOver) {
  const History history = support::parse("A: w(x=1) ; B: w(x=2)");
  Refutation refutation = cycle({ww(0, 1), wr(1, 0)});
  refutation.steps.push_back({{}, {rw(0, 1), rw(1, 0)}, {}});
  const LevelInfo& proved = info(kStrongSessionSerializable);
  EXPECT_TRUE(transfer(history, refutation, proved, info(kSerializable), 0).has_value());
  EXPECT_FALSE(transfer(history, refutation, proved, info(kSnapshotIsolation), 0).has_value());
}

TEST(Transfer, SessionOrderBecomesRealTimeWhereOnlyThatBinds) {
  const History history = support::parse("A: w(x=1) w(y=1) @1,2 | r(x=_) @10,11 | nop @11,12");
  const Refutation proof = cycle({so(0, 1), rw(1, 0)});
  const auto carry = [&](const Refutation& refutation, Level to, std::int64_t clock_error_ns) {
    return transfer(history, refutation, info(kStrongSessionSerializable), info(to),
                    clock_error_ns);
  };
  EXPECT_EQ(carry(proof, kStrictSerializable, 0), cycle({rt(0, 1), rw(1, 0)}));
  EXPECT_EQ(carry(proof, kStrongSnapshotIsolation, 7), cycle({rt(0, 1), rw(1, 0)}));
  EXPECT_EQ(test::proved(history, kStrictSerializable, *carry(proof, kStrictSerializable, 0)),
            "violated");
  // Not when the clocks do not tell, nor when the second may have begun before the end.
  EXPECT_FALSE(carry(proof, kStrictSerializable, 8).has_value());
  EXPECT_FALSE(carry(cycle({so(1, 2), wr(2, 1)}), kStrictSerializable, 0).has_value());
  EXPECT_EQ(carry(proof, kStrongSessionSerializable, 8), proof);
}

// What a read cannot have returned refutes nothing where reads are not restricted.
TEST(Transfer, ClaimsAboutReadsMeanNothingAtReadUncommitted) {
  const History history = support::parse("A: r(y=9) w(x=1) ? ; B: r(y=9) w(x=1) ? ; C: r(x=1)");
  const Claim took_effect{{txn(0), Claim::kNoOp, TxnId::none()}, true};
  Refutation proof;
  proof.steps.push_back({{}, {}, {}, {took_effect}});
  const auto carry = [&](Level to) {
    return transfer(history, proof, info(kReadCommitted), info(to), 0);
  };
  EXPECT_EQ(carry(kSerializable), proof);
  EXPECT_FALSE(carry(kReadUncommitted).has_value());
  EXPECT_FALSE(carry(kStrongSessionReadUncommitted).has_value());
}

TEST(Transfer, WitnessesLoseSnapshotsAtWeakLevels) {
  const Witness twice{2, {txn(1), txn(0), txn(0), txn(2), txn(1), txn(2)}};
  const Witness once{1, {txn(0), txn(1), txn(2)}};
  EXPECT_EQ(commits_only(twice), once);
  const LevelInfo& snapshots = info(kStrongSessionSnapshotIsolation);
  EXPECT_EQ(fit(twice, snapshots, info(kSnapshotIsolation)), Fit::kAsIs);
  EXPECT_EQ(fit(twice, snapshots, info(kStrongSessionPrefixConsistency)), Fit::kAsIs);
  EXPECT_EQ(fit(twice, snapshots, info(kParallelSnapshotIsolation)), Fit::kCommitsOnly);
  EXPECT_EQ(fit(twice, snapshots, info(kReadCommitted)), Fit::kCommitsOnly);
  EXPECT_EQ(fit(twice, snapshots, info(kCausal)), Fit::kCommitsOnly);
  EXPECT_EQ(fit(once, info(kStrictSerializable), info(kSnapshotIsolation)), Fit::kAsIs);
  EXPECT_EQ(fit(once, info(kStrictSerializable), info(kReadCommitted)), Fit::kAsIs);
}

// One order that suits parallel snapshot isolation may show a session what it has not seen yet
// between a value and its read.
TEST(Transfer, SessionLevelsNeedOrdersOfTheirOwn) {
  const Witness once{1, {txn(0), txn(1), txn(2)}};
  const LevelInfo& parallel = info(kStrongSessionParallelSnapshotIsolation);
  EXPECT_EQ(fit(once, parallel, info(kReadCommitted)), Fit::kAsIs);
  EXPECT_EQ(fit(once, parallel, info(kCausal)), Fit::kNone);
  EXPECT_EQ(fit(once, info(kSequential), info(kCausal)), Fit::kAsIs);
}

}  // namespace
}  // namespace isolde::checker
