// Goal: a violation in a large history comes down to a few transactions, whether its proof is
// followed or not. Method: histories by hand; histories of the simulated store, run at a level
// too weak. That results are parts, verified and minimal is tried on random histories in
// test/prop/minimize_prop.cpp.
#include "minimize/minimize.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "base/hash.hpp"
#include "certify/verify.hpp"
#include "check/check.hpp"
#include "isolde/history_builder.hpp"
#include "minimize/contradiction.hpp"
#include "sim/simulate.hpp"
#include "support/history_dsl.hpp"
#include "support/seed.hpp"

namespace isolde::minimize {
namespace {

using enum Level;

Certificate proof_of(const History& history, Level level) {
  base::Budget budget;
  CheckOptions options;
  options.levels = {level};
  CheckReport report = check(history, options, budget);
  EXPECT_EQ(report.levels[0].verdict, Verdict::kViolated);
  return {level, history.digest(), 0, std::move(report.proofs.at(report.levels[0].proof))};
}

Minimized minimized(const History& history, Level level) {
  base::Budget budget;
  Result<Minimized> made = minimize(history, proof_of(history, level), {}, budget);
  EXPECT_TRUE(made.ok());
  return std::move(made).value();
}

std::string minimized_text(const char* text, Level level) {
  return support::to_text(minimized(support::parse(text), level).history);
}

/// The longer form of the violation; empty when there is none.
std::string longer_text(const char* text, Level level) {
  const History history = support::parse(text);
  base::Budget budget;
  const Minimized made = minimized(history, level);
  const auto longer = with_writers_between(history, made, {}, budget);
  EXPECT_TRUE(longer.ok());
  return *longer ? support::to_text((*longer)->history) : "";
}

/// Many write x, one deletes it; R's insert is refused, and R's selection does not find it.
/// `initially`: x is there from the start.
History with_refusal_and_nothing(bool initially, TxnTimes reader = {}) {
  HistoryBuilder builder;
  const KeyId x = builder.key(Value::integer(1));
  if (initially) builder.set_initial(x, Value::integer(100));
  constexpr int kWriters = 30;
  for (int i = 0; i < kWriters; ++i) {
    builder.begin_txn(builder.session("w" + std::to_string(i % 4)));
    builder.set_times({.start = 10 * i, .end = 10 * i + 15});
    if (i == 7) builder.set_status(TxnStatus::kIndeterminate);
    builder.write(builder.key(Value::integer(2 + i)), Value::integer(i));
    builder.write(x, i == 3 ? Value::dead() : Value::integer(i));
  }
  builder.begin_txn(builder.session("R"));
  builder.set_times(reader);
  builder.read(builder.key(Value::integer(4)), Value::integer(2));
  builder.insert_refused(x);
  Predicate all;
  all.keys = {1, 1};
  builder.select(all, {});
  builder.write(builder.key(Value::integer(90)), Value::integer(1));
  return std::move(builder.finish()).value();
}

// Goal: two reads in part that contradict each other need one writer, not all that either may
// be of: of those that nothing else is wrong with the last one, and none where the initial
// contents do.
TEST(Minimize, OneWriterShowsThatTwoReadsDiffer) {
  for (const Level level : {kSerializable, kStrictSerializable, kStrongSessionSerializable}) {
    const Minimized made =
        minimized(with_refusal_and_nothing(false, {.start = 100, .end = 135}), level);
    EXPECT_EQ(made.history.txn_count(), 2U) << info(level).name;
    EXPECT_EQ(made.history.op_count(), 3U) << info(level).name;
    EXPECT_EQ(made.origin, (std::vector{TxnId(13), TxnId(30)})) << info(level).name;
    EXPECT_TRUE(made.is_minimal);
    EXPECT_TRUE(made.history.has_refused_inserts());
    EXPECT_TRUE(certify::verify(made.history, made.certificate).proves);
    EXPECT_LT(made.checks, 10U);
  }
  const Minimized made = minimized(with_refusal_and_nothing(true), kSerializable);
  EXPECT_EQ(made.origin, (std::vector{TxnId(3), TxnId(30)}));  // the deletion
  EXPECT_EQ(made.history.initial(made.history.ops(TxnId(0))[0].key), Value::integer(100));
  EXPECT_TRUE(certify::verify(made.history, made.certificate).proves);
}

// Goal: the same of reads of some columns, which in the part are of whole rows: what the
// initial contents explain keeps no other writer of it.
TEST(Minimize, InitialContentsShowThatTwoReadsDiffer) {
  EXPECT_EQ(minimized_text("start(x=a:2)\n"
                           "A: r(x=a:1) r(x=a:2) ; B: w(x=a:2) ; C: w(x=a:1) ; D: w(x=a:1/n:4)",
                           kSerializable),
            "start(x=a:2)\nA: r(x=a:1) r(x=a:2)\nC: w(x=a:1)\n");
}

// Goal: other proofs and reads of whole values are left to the search.
TEST(Minimize, OtherProofsHaveNoSuchPart) {
  for (const char* const text : {"A: r(x=_) w(x=1) ; B: r(x=_) w(x=2)",
                                 "A: w(x=1) ; B: w(x=2) ; C: r(x=1) r(x=2)", "A: r(x=7)"}) {
    const History history = support::parse(text);
    EXPECT_FALSE(contradiction_alone(history, proof_of(history, kSerializable))) << text;
  }
}

// Goal: where a writer stood between a read and the write that it missed, the longer form has
// it; PostgreSQL's race at commit looks like plain write skew without.
TEST(Minimize, TellsWhoWroteInBetween) {
  const char* const race = "P: r(x=_) w(y=2) ; Tout: w(x=1) ; Tin: r(x=1) r(y=_) w(x=3)";
  EXPECT_EQ(minimized_text(race, kSerializable), "P: r(x=_) w(y=2)\nTin: r(y=_) w(x=3)\n");
  EXPECT_EQ(longer_text(race, kSerializable),
            "P: r(x=_) w(y=2)\nTout: w(x=1)\nTin: r(x=1) r(y=_) w(x=3)\n");
  EXPECT_EQ(
      longer_text("A: a(x=1) ; P: r(x=[1]) w(y=2) ; Tout: a(x=2) ; Tin: r(x=[1 2]) r(y=_) "
                  "a(x=3) ; B: r(x=[1 2 3])",
                  kSerializable),
      "A: a(x=1)\nP: r(x=[1]) w(y=2)\nTout: a(x=2)\nTin: r(x=[1 2]) r(y=_) a(x=3)\n");
  EXPECT_EQ(longer_text("A: r(x=_) w(y=1) ; B: r(y=_) w(x=1)", kSerializable), "");
  // Somebody in between who may have been one of two is nobody to tell of.
  EXPECT_EQ(longer_text("P: r(x=_) w(y=2) ; S: w(x=1) ; T: w(x=1) ; Tin: r(x=1) r(y=_) w(x=3)",
                        kSerializable),
            "");
}

TEST(Minimize, KeepsWhatTheAnomalyIsMadeOf) {
  EXPECT_EQ(
      minimized_text("A: r(x=_) r(y=_) w(x=1) w(u=1) ; B: r(x=_) r(y=_) w(y=2) ; C: r(u=1)"
                     " | r(x=1) r(y=2) w(v=3)",
                     kSerializable),
      "A: r(y=_) w(x=1)\nB: r(x=_) w(y=2)\n");
  EXPECT_EQ(
      minimized_text("A: w(x=1) ! ; B: w(y=1) r(x=1) ; C: r(y=1) ; A: w(x=2)", kReadCommitted),
      "A: w(x=1) !\nB: r(x=1)\n");
  // Where the lists differ, and no more of them.
  EXPECT_EQ(
      minimized_text("A: a(l=1) | a(l=2) ; B: a(l=3) | a(l=4) ; C: r(l=[1 2 3]) ; D: r(l=[1"
                     " 3 2 4])",
                     kSerializable),
      "A: a(l=2)\nB: a(l=3)\nB: a(l=4)\nC: r(l=[2 3])\nD: r(l=[3 2 4])\n");
}

// D and E wrote the value too, but started when C had ended.
TEST(Minimize, LeavesOutWritersWhoStartedTooLate) {
  const char* const text =
      "A: w(x=4) @1,2 ; B: w(x=2) @3,4 ; C: r(x=4) @5,6 ; D: w(x=4) @7,8 ; E: w(x=4) ? @9,_";
  EXPECT_EQ(minimized_text(text, kLinearizable),
            "A: w(x=4) @1,2\nB: w(x=2) @3,4\nC: r(x=4) @5,6\n");
}

// That B read what it replaced is what says who wrote first; without it there are two cases.
TEST(Minimize, KeepsTheArgumentShort) {
  const History history =
      support::parse("A: w(x=1) w(y=1) @1,2 ; B: r(x=1) w(x=2) @3,4 ; C: r(x=1) @5,6");
  const Minimized made = minimized(history, kLinearizable);
  EXPECT_EQ(support::to_text(made.history),
            "A: w(x=1) @1,2\nB: r(x=1) w(x=2) @3,4\nC: r(x=1) @5,6\n");
  EXPECT_EQ(argument_steps(made.certificate), 1U);
  EXPECT_TRUE(made.is_minimal);

  MinimizeOptions options;
  options.keep_argument = false;
  base::Budget budget;
  const Result<Minimized> fewest =
      minimize(history, proof_of(history, kLinearizable), options, budget);
  ASSERT_TRUE(fewest.ok());
  EXPECT_EQ(support::to_text(fewest->history),
            "A: w(x=1) @1,2\nB: w(x=2) @3,4\nC: r(x=1) @5,6\n");
  EXPECT_GT(argument_steps(fewest->certificate), 1U);
}

// What makes the writer visible is no part of the cycle.
TEST(Minimize, KeepsThePathOfCauses) {
  EXPECT_EQ(minimized_text("A: w(x=1) w(z=1) ; B: r(x=1) w(y=1) ; C: r(y=1) w(u=1) ; D: w(v=1)"
                           " ; E: r(u=1) r(z=_) r(v=1)",
                           kTransactionalCausal),
            "A: w(x=1) w(z=1)\nB: r(x=1) w(y=1)\nC: r(y=1) w(u=1)\nE: r(u=1) r(z=_)\n");
}

// A0 took effect because C read from it.
TEST(Minimize, KeepsWhatShowsAnOutcome) {
  EXPECT_EQ(minimized_text("A: r(x=_) w(x=1) w(y=1) ? ; B: r(x=_) w(x=2) ; C: r(y=1) r(z=_)",
                           kSnapshotIsolation),
            "A: r(x=_) w(x=1) w(y=1) ?\nB: r(x=_) w(x=2)\nC: r(y=1)\n");
}

TEST(Minimize, LeavesAloneWhatIsMinimal) {
  const History history = support::parse("A: r(y=_) w(x=1) ; B: r(x=_) w(y=2)");
  const Minimized made = minimized(history, kSerializable);
  EXPECT_TRUE(made.is_minimal);
  EXPECT_EQ(made.history.digest(), history.digest());
  EXPECT_TRUE(made.history.origin().notes.empty());
  EXPECT_EQ(minimised_for(made.history), std::nullopt);
  EXPECT_EQ(made.origin, (std::vector<TxnId>{TxnId(0), TxnId(1)}));
}

TEST(Minimize, SaysWhatIsLeft) {
  const History history = support::parse("C: w(u=1) ; A: r(y=_) w(x=1) ; B: r(x=_) w(y=2)");
  const Minimized made = minimized(history, kSerializable);
  EXPECT_EQ(made.origin, (std::vector<TxnId>{TxnId(1), TxnId(2)}));
  EXPECT_GT(made.checks, 0U);
  ASSERT_EQ(made.history.origin().notes.size(), 1U);
  EXPECT_EQ(made.history.origin().notes[0].find("minimised for serializable: 2 of 3"), 0U);
  EXPECT_EQ(minimised_for(made.history), Level::kSerializable);
}

TEST(Minimize, EndsWithItsBudget) {
  const History history = support::parse("C: w(u=1) ; A: r(y=_) w(x=1) ; B: r(x=_) w(y=2)");
  base::Budget budget;
  budget.cancel();
  const Result<Minimized> made =
      minimize(history, proof_of(history, kSerializable), {}, budget);
  ASSERT_TRUE(made.ok());
  EXPECT_FALSE(made->is_minimal);
  EXPECT_NE(made->reason, "");
  EXPECT_EQ(made->history.txn_count(), 3U);
}

struct Tally {
  std::size_t count = 0;
  std::size_t txns = 0;
  std::size_t txns_max = 0;
  std::size_t checks = 0;
};

void add(Tally& tally, const Minimized& made) {
  ++tally.count;
  tally.txns += made.history.txn_count();
  tally.txns_max = std::max(tally.txns_max, made.history.txn_count());
  tally.checks += made.checks;
}

void print(const char* what, const Tally& tally) {
  std::printf("%s: %zu violations, %zu transactions left, at most %zu, %zu checks\n", what,
              tally.count, tally.txns, tally.txns_max, tally.checks);
}

TEST(Minimize, ComesDownToAFewTransactions) {
  Tally followed;
  Tally alone;
  for (std::uint64_t i = 0; i < support::case_count(30, 10); ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), i);
    sim::SimulationOptions options;
    options.workload = gen::default_options(i % 3 == 0 ? gen::Workload("list-append")
                                                       : gen::Workload("general"));
    options.workload.sessions = 6;
    options.workload.txns = 400;
    options.workload.keys = 40;
    options.workload.seed = seed;
    options.level =
        i % 2 == 0 ? sim::StoreLevel::kSnapshotIsolation : sim::StoreLevel::kReadCommitted;
    options.lost_reply_rate = 0.02;
    const Result<History> history = sim::simulate(options);
    ASSERT_TRUE(history.ok());
    base::Budget budget;
    const CheckReport report = check(*history, {}, budget);
    for (const LevelReport& level : report.levels) {
      if (level.verdict != Verdict::kViolated) continue;
      const Certificate proof{level.level, history->digest(), 0, report.proofs[level.proof]};
      for (const bool skip_proofs : {false, true}) {
        MinimizeOptions how;
        how.skip_proofs = skip_proofs;
        const Result<Minimized> made = minimize(*history, proof, how, budget);
        ASSERT_TRUE(made.ok()) << made.error().message << ", seed " << seed;
        ASSERT_TRUE(made->is_minimal);
        add(skip_proofs ? alone : followed, *made);
      }
    }
  }
  print("with proofs", followed);
  print("without", alone);
  EXPECT_LT(followed.txns, followed.count * 12);
  EXPECT_LT(alone.txns, alone.count * 12);
}

}  // namespace
}  // namespace isolde::minimize
