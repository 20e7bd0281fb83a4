// Goal: no level stays open whose verdict follows from another one's. Method: reports by hand;
// a history of which one level is decided in a way that serves no other.
#include "check/closure.hpp"

#include <gtest/gtest.h>

#include <new>

#include "base/budget.hpp"
#include "support/history_dsl.hpp"
#include "support/proved.hpp"

namespace isolde::checker {
namespace {

using enum Level;
using test::key;
using test::proved;
using test::txn;

CheckReport report_of(const std::vector<std::pair<Level, Verdict>>& levels) {
  CheckReport report;
  for (const auto& [level, verdict] : levels) {
    LevelReport row{level, verdict, verdict == Verdict::kUnknown ? "a limit" : "", 0};
    if (verdict == Verdict::kHolds || verdict == Verdict::kViolated) {
      row.proof = report.proofs.size();
      report.proofs.push_back(verdict == Verdict::kHolds ? Proof(Witness{1, {txn(0)}, {}})
                                                         : Proof(Finding{}));
    }
    report.levels.push_back(std::move(row));
  }
  return report;
}

std::string closed(const std::vector<std::pair<Level, Verdict>>& levels,
                   bool rows_left_out = false, bool timed = false, bool knows_timed = true) {
  CheckReport report = report_of(levels);
  report.sessions_respect_time = timed;
  report.rows.left_out = rows_left_out;
  close_by_implication(report, knows_timed);
  std::string text;
  for (const LevelReport& row : report.levels) {
    text += (text.empty() ? "" : " ") + std::string(name(row.verdict));
    EXPECT_EQ(row.reason.empty(), row.verdict != Verdict::kUnknown);
    if (row.verdict != Verdict::kHolds && row.verdict != Verdict::kViolated) continue;
    const Proof& proof = report.proofs.at(row.proof);
    EXPECT_EQ(proves_holding(proof), row.verdict == Verdict::kHolds);
    const auto* const implication = std::get_if<Implication>(&proof);
    if (implication != nullptr) (text += ':') += info(implication->level).alias;
  }
  return text;
}

constexpr Verdict kYes = Verdict::kHolds;
constexpr Verdict kNo = Verdict::kViolated;
constexpr Verdict kOpen = Verdict::kUnknown;
constexpr Verdict kNever = Verdict::kNotApplicable;

TEST(Closure, TakesTheWeakestViolatedAndTheStrongestThatHolds) {
  EXPECT_EQ(closed({{kPerKeyStrictSerializable, kOpen}, {kLinearizable, kNo}}),
            "violated:lin violated");
  EXPECT_EQ(closed({{kSerializable, kOpen}, {kSnapshotIsolation, kNo}, {kReadAtomic, kNo}}),
            "violated:ra violated violated");
  EXPECT_EQ(closed({{kSerializable, kYes}, {kSnapshotIsolation, kYes}, {kReadAtomic, kOpen}}),
            "holds holds holds:ser");
}

// That a level holds may follow from one that nobody asked for.
TEST(Closure, FollowsFromWhatItFollowsFrom) {
  CheckReport report = report_of({{kCausal, kYes}, {kReadYourWrites, kOpen}});
  report.proofs[0] = Implication{kStrictSerializable, Witness{1, {txn(0)}, {}}};
  close_by_implication(report, true);
  ASSERT_EQ(report.levels[1].verdict, kYes);
  EXPECT_EQ(std::get<Implication>(report.proofs.at(report.levels[1].proof)).level,
            kStrictSerializable);
}

TEST(Closure, ClosesNothingElse) {
  EXPECT_EQ(closed({{kSerializable, kOpen}, {kLinearizable, kNo}}), "unknown violated");
  EXPECT_EQ(closed({{kSerializable, kYes}, {kLinearizable, kOpen}}), "holds unknown");
  EXPECT_EQ(closed({{kSerializable, kNo}, {kReadAtomic, kOpen}}), "violated unknown");
  EXPECT_EQ(closed({{kSerializable, kOpen}, {kReadAtomic, kYes}}), "unknown holds");
  EXPECT_EQ(closed({{kStrictSerializable, kNever}, {kLinearizable, kNo}}),
            "not-applicable violated");
  EXPECT_EQ(closed({{kSerializable, kOpen}, {kReadAtomic, kOpen}}), "unknown unknown");
}

// Whether they apply may not be known when a limit is reached.
TEST(Closure, LeavesLevelsAloneThatMayNotApply) {
  const std::vector<std::pair<Level, Verdict>> levels = {{kAnsiSnapshotIsolation, kOpen},
                                                         {kSnapshotIsolation, kNo}};
  EXPECT_EQ(closed(levels), "violated:si violated");
  EXPECT_EQ(closed(levels, false, false, false), "unknown violated");
}

TEST(Closure, MindsSessionsAndRows) {
  const std::vector<std::pair<Level, Verdict>> sessions = {{kStrictSerializable, kYes},
                                                           {kStrongSessionSerializable, kOpen}};
  EXPECT_EQ(closed(sessions), "holds unknown");
  EXPECT_EQ(closed(sessions, false, true), "holds holds:sser");
  const std::vector<std::pair<Level, Verdict>> rows = {
      {kRepeatableRead, kYes}, {kReadAtomic, kOpen}, {kReadCommitted, kOpen}};
  EXPECT_EQ(closed(rows, false), "holds holds:rr holds:rr");
  EXPECT_EQ(closed(rows, true), "holds unknown holds:rr");
}

TEST(Closure, OneProofServesAllThatFollowFromIt) {
  CheckReport report =
      report_of({{kSerializable, kOpen}, {kRepeatableRead, kOpen}, {kReadAtomic, kNo}});
  close_by_implication(report, true);
  EXPECT_EQ(report.proofs.size(), 2U);
  EXPECT_EQ(report.levels[0].proof, report.levels[1].proof);
}

// Selections left out rows of the session's own future. Repeatable read disregards that, so
// that its order proves nothing to the levels that it implies elsewhere, wherever the check
// stops.
TEST(Closure, RepeatableReadProvesNothingElseWhereRowsWereLeftOut) {
  const History history = support::parse("A: s(keys=1..2: 1=1) s(:) | w(1=1)");
  for (int last = 1; last < 40; ++last) {
    base::Budget budget;
    CheckOptions options;
    options.skip_guess = last % 2 == 0;
    int stages = 0;
    options.progress = [&](std::string_view) {
      if (++stages < last) return;
      budget.cancel();
      budget.look();
    };
    const CheckReport report = check(history, options, budget);
    for (const LevelReport& row : report.levels) {
      if (row.verdict != kYes && row.verdict != kNo) continue;
      EXPECT_EQ(proved(history, row.level, report.proofs[row.proof]), name(row.verdict))
          << "stopped in stage " << last;
    }
  }
}

// A level that had no memory for a search of its own is decided by what it implies.
TEST(Closure, NotLinearizableIsNotPerKeyStrictSerializable) {
  const History history =
      support::parse("A: w(x=1) @0,9 ; B: w(x=1) @0,9 ; C: w(x=2) @20,29 ; D: r(x=1) @40,49");
  CheckOptions options;
  options.progress = [](std::string_view stage) {
    if (stage.ends_with(" per-key-strict-serializable")) throw std::bad_alloc();
  };
  options.levels = {kPerKeyStrictSerializable, kLinearizable};
  base::Budget budget;
  const CheckReport report = check(history, options, budget);
  const LevelReport& row = report.levels[0];
  ASSERT_EQ(row.verdict, kNo) << row.reason;
  EXPECT_EQ(proved(history, row.level, report.proofs[row.proof]), "violated");
  EXPECT_EQ(std::get<Implication>(report.proofs[row.proof]).level, kLinearizable);
  // Alone it is left open.
  options.levels = {kPerKeyStrictSerializable};
  EXPECT_EQ(check(history, options, budget).levels[0].verdict, kOpen);
}

}  // namespace
}  // namespace isolde::checker
