// Goal: each level reads refused inserts as docs/LEVELS.md says, the verifier's table is the
// engine's, and proofs do not pass from one reading to the other. Method: every level, against
// the verdict on a history whose only fault is that nobody made the row; the tables compared;
// certificates renamed.
#include "check/current_reads.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/budget.hpp"
#include "certify/current_reads.hpp"
#include "certify/verify.hpp"
#include "check/check.hpp"
#include "history/base_levels.hpp"
#include "history/current_reads.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::checker {
namespace {

/// One transaction, whose insert was refused although nobody made the row.
History nobodys_row(std::optional<Level> stated, TxnStatus status = TxnStatus::kCommitted) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session("a"), 1);
  builder.set_status(status);
  builder.set_times({1, 2});
  if (stated) builder.set_stated_level(*stated);
  builder.insert_refused(builder.key(builder.string("x")));
  builder.write(builder.key(builder.string("y")), Value::integer(1));
  return std::move(builder.finish()).value();
}

CheckReport checked(const History& history) {
  base::Budget budget;
  return check(history, {}, budget);
}

TEST(CurrentReads, CountWhereReadsAreCurrent) {
  const History history = nobodys_row(std::nullopt);
  const CheckReport report = checked(history);
  const std::set<std::string> expected = {"strict-serializable",
                                          "per-key-strict-serializable",
                                          "strong-session-serializable",
                                          "serializable",
                                          "repeatable-read",
                                          "linearizable",
                                          "strong-read-committed",
                                          "strong-session-read-committed",
                                          "read-committed"};
  std::set<std::string> violated;
  std::size_t decided = 0;
  for (const LevelReport& level : report.levels) {
    if (level.verdict == Verdict::kViolated) violated.emplace(info(level.level).name);
    decided += level.verdict == Verdict::kHolds || level.verdict == Verdict::kViolated ? 1 : 0;
  }
  EXPECT_EQ(violated, expected);
  EXPECT_GT(decided, 30U);
}

TEST(CurrentReads, CountAtMixedLevelsByWhatTransactionsState) {
  for (const auto& [stated, expected] : {std::pair(Level::kSerializable, Verdict::kViolated),
                                         std::pair(Level::kReadCommitted, Verdict::kViolated),
                                         std::pair(Level::kSnapshotIsolation, Verdict::kHolds),
                                         std::pair(Level::kReadAtomic, Verdict::kHolds)}) {
    const CheckReport report = checked(nobodys_row(stated));
    ASSERT_EQ(report.levels.back().level, Level::kMixed);
    EXPECT_EQ(report.levels.back().verdict, expected) << info(stated).name;
  }
}

TEST(CurrentReads, OfAbortedTransactionsCountNowhere) {
  for (const LevelReport& level :
       checked(nobodys_row(std::nullopt, TxnStatus::kAborted)).levels) {
    EXPECT_NE(level.verdict, Verdict::kViolated) << info(level.level).name;
  }
}

TEST(CurrentReads, AreTheSameForTheVerifier) {
  for (const LevelInfo& level : all_levels()) {
    if (level.base == BaseLevel::kMixed) continue;
    const History history = nobodys_row(std::nullopt);
    const OpKind kind = history::as_read_at(history, level.level).all_ops()[0].kind;
    EXPECT_EQ(kind, certify::with_refusals_read(history, level.level).all_ops()[0].kind);
    EXPECT_EQ(kind == OpKind::kReadMatch, counts_refused_inserts(level.base));
  }
}

TEST(CurrentReads, ProofsOfOneReadingProveNothingOfTheOther) {
  const History history = nobodys_row(std::nullopt);
  const CheckReport report = checked(history);
  int forged = 0;
  for (const LevelReport& level : report.levels) {
    if (level.verdict != Verdict::kHolds && level.verdict != Verdict::kViolated) continue;
    Certificate proof{level.level, history.digest(), 0, report.proofs[level.proof]};
    EXPECT_TRUE(certify::verify(history, proof).proves) << info(level.level).name;
    const bool counts = counts_refused_inserts(info(level.level).base);
    EXPECT_EQ(level.verdict == Verdict::kViolated, counts);
    proof = proof.direct();
    for (const Level other : {Level::kSnapshotIsolation, Level::kReadCommitted}) {
      proof.level = other;
      if (counts_refused_inserts(info(other).base) == counts) continue;
      ++forged;
      EXPECT_FALSE(certify::verify(history, proof).proves) << info(level.level).name;
    }
  }
  EXPECT_GT(forged, 20);
}

}  // namespace
}  // namespace isolde::checker
