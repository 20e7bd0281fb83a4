// Goal: where selections left out rows, repeatable read is decided apart from the other levels,
// and whatever stops one of them, no level takes a verdict that is not its own. Method: stages
// that run out of memory, once or always; the verifier's word on every verdict.
#include <gtest/gtest.h>

#include <functional>
#include <new>
#include <string>
#include <variant>
#include <vector>

#include "base/budget.hpp"
#include "base/memory.hpp"
#include "check/check.hpp"
#include "check/unlisted_rows.hpp"
#include "support/history_dsl.hpp"
#include "support/proved.hpp"

namespace isolde::checker {
namespace {

using base::Budget;
using test::proved;
using enum Level;

using Progress = std::function<void(std::string_view)>;

/// Whenever the level's turn comes, there is no memory for it.
Progress no_memory_for(Level level) {
  return [level](std::string_view stage) {
    if (stage.ends_with(" " + std::string(info(level).name))) throw std::bad_alloc();
  };
}

CheckReport report_rows(const History& history, std::vector<Level> levels,
                        const Progress& progress, Budget& budget) {
  CheckOptions options;
  options.levels = std::move(levels);
  options.progress = progress;
  CheckReport report = check(history, options, budget);
  for (const LevelReport& row : report.levels) {
    EXPECT_EQ(row.reason.empty(),
              row.verdict == Verdict::kHolds || row.verdict == Verdict::kViolated)
        << info(row.level).name;
    if (!row.reason.empty()) continue;
    EXPECT_EQ(proved(history, row.level, report.proofs[row.proof]), name(row.verdict));
  }
  return report;
}

CheckReport report_rows(const History& history, std::vector<Level> levels,
                        const Progress& progress) {
  Budget budget;
  return report_rows(history, std::move(levels), progress, budget);
}

// Each inserts what the other's selection would have returned: serializability falls by two
// dependencies of rows that were left out, of which repeatable read knows nothing.
TEST(Rows, APhantomDoesNotRefuteRepeatableRead) {
  const History history = support::parse("A: s(keys=1..9:) w(1=1) ; B: s(keys=1..9:) w(2=1)");
  const std::vector<Level> levels = {kSerializable, kRepeatableRead};
  EXPECT_EQ(report_rows(history, levels, {}).levels[1].verdict, Verdict::kHolds);
  const CheckReport stopped = report_rows(history, levels, no_memory_for(kRepeatableRead));
  EXPECT_EQ(stopped.levels[0].verdict, Verdict::kViolated);
  EXPECT_EQ(stopped.levels[1].verdict, Verdict::kUnknown);
  EXPECT_EQ(stopped.levels[1].reason, "out of memory");
}

// What explains all reads explains fewer, too; but the order for all may have a write in it
// that only a row left out shows, and that did not take effect at repeatable read.
/// The finding, or a word for another verdict or proof.
std::string finding_at(const CheckReport& report, Level level) {
  for (const LevelReport& row : report.levels) {
    if (row.level != level) continue;
    if (row.verdict != Verdict::kViolated) return std::string(name(row.verdict));
    const auto* const finding = std::get_if<Finding>(&report.proofs[row.proof]);
    if (finding == nullptr) return "violated otherwise";
    return std::to_string(finding->txn.raw()) + ": " + std::to_string(finding->other_op) + " " +
           std::to_string(finding->op);
  }
  return "not decided";
}

// Two writers and who deletes leave no version that is a row, and none of the row: the reader
// alone refutes the levels at which its reads agree, and nothing is searched.
TEST(Rows, TwoReadsInPartThatContradictEachOtherAreTheProof) {
  const std::string writers = "A: w(1=a:1) d(1) ; B: w(1=a:1) ; D: w(1=a:2) ; E: d(1) ; ";
  const std::vector<Level> levels = {kSerializable, kRepeatableRead, kSnapshotIsolation,
                                     kReadAtomic, kReadCommitted};
  const History row = support::parse(writers + "C: r(1=/) s(keys=1..1:)");
  const CheckReport of_row = report_rows(row, levels, {});
  for (const Level level : {kSerializable, kSnapshotIsolation, kReadAtomic}) {
    EXPECT_EQ(finding_at(of_row, level), "4: 0 1") << info(level).name;
  }
  EXPECT_EQ(finding_at(of_row, kRepeatableRead), "holds");
  EXPECT_EQ(finding_at(of_row, kReadCommitted), "holds");
  EXPECT_EQ(of_row.statistics.included_txns, 5U);
  const CheckReport columns =
      report_rows(support::parse(writers + "C: s(keys=2..2:) r(1=a:1) r(1=a:2)"), levels, {});
  for (const Level level : {kSerializable, kRepeatableRead, kSnapshotIsolation, kReadAtomic}) {
    EXPECT_EQ(finding_at(columns, level), "4: 0 1") << info(level).name;
  }
  EXPECT_EQ(finding_at(columns, kReadCommitted), "holds");
}

// Whether the levels by the database's times apply is known once it is known who took effect.
TEST(Rows, ReadsInPartContradictEachOtherWhereTheLevelApplies) {
  const std::string rows =
      "A: w(1=a:1) ~0,1 ; B: w(1=a:2/b:1) ~0,2 ; C: r(1=a:1) r(1=b:1) ~3,4 ; ";
  const std::vector<Level> levels = {kSnapshotIsolation, kAnsiSnapshotIsolation};
  const auto report = [&](const std::string& others) {
    Budget budget;
    CheckOptions options;
    options.levels = levels;
    return check(support::parse(rows + others), options, budget);
  };
  const CheckReport known = report("D: w(2=1) ~4,5 ; E: r(2=1) ~6,7");
  EXPECT_EQ(finding_at(known, kSnapshotIsolation), "2: 0 1");
  EXPECT_EQ(finding_at(known, kAnsiSnapshotIsolation), "2: 0 1");
  const CheckReport unknown = report("D: w(2=1) ? ; E: r(2=1) ~6,7");
  EXPECT_EQ(finding_at(unknown, kSnapshotIsolation), "2: 0 1");
  EXPECT_EQ(finding_at(unknown, kAnsiSnapshotIsolation), "not-applicable");
}

// What a level does not ask of all transactions may be asked of this one.
TEST(Rows, ReadsInPartContradictEachOtherByTheLevelOfTheirTransaction) {
  const std::string writers = "A: w(1=a:1) %ser ; B: w(1=a:2/b:1) %rc ; ";
  const auto mixed = [&](const std::string& reader) {
    return finding_at(report_rows(support::parse(writers + reader), {kMixed}, {}), kMixed);
  };
  EXPECT_EQ(mixed("C: r(1=a:1) r(1=b:1) %ser"), "2: 0 1");
  EXPECT_EQ(mixed("C: r(1=a:1) r(1=b:1) %ra"), "2: 0 1");
  EXPECT_EQ(mixed("C: r(1=a:1) r(1=b:1) %rc"), "holds");
}

TEST(Rows, RepeatableReadFollowsFromSerializability) {
  const History history = support::parse("D: w(1=1) | s(equal=1:) ; A: w(1=2) ?");
  const CheckReport report = report_rows(history, {kStrongSessionSerializable, kRepeatableRead},
                                         no_memory_for(kRepeatableRead));
  ASSERT_EQ(report.levels[1].verdict, Verdict::kHolds) << report.levels[1].reason;
  const Proof& proof = report.proofs[report.levels[1].proof];
  EXPECT_EQ(std::get<Implication>(proof).level, kStrongSessionSerializable);
}

// Goal: resolving reads once where rows that count leave their sources open gives the verdict
// of the long way, which an unrelated transaction of unknown outcome forces.
TEST(Rows, OpenRowsAreResolvedOnce) {
  for (const char* const text :
       {"C: w(1=20) ; A: w(1=1) ; B: s(values=1..9:)", "C: w(1=20) ; A: w(1=1) s(values=1..9:)",
        "C: w(1=20) ; A: w(1=1) w(2=20) ; B: s(values=1..9: 1=1) | s(values=1..9:) r(2=_)",
        "A: s(values=1..9:) w(1=1) ; B: s(values=1..9:) w(2=1) ; C: w(1=20) w(2=20)",
        "A: w(1=20) | w(1=1) ; B: r(1=1) s(values=1..9:) ; C: w(2=20)"}) {
    const std::vector<Level> levels = {kStrongSessionSerializable, kSerializable,
                                       kSnapshotIsolation, kTransactionalCausal,
                                       kReadCommitted};
    const History at_once = support::parse(text);
    const History long_way = support::parse(std::string(text) + " ; U: w(9=30) ?");
    for (const Level level : levels) {
      const CheckReport once = report_rows(at_once, {level}, {});
      const CheckReport twice = report_rows(long_way, {level}, {});
      EXPECT_EQ(once.levels[0].verdict, twice.levels[0].verdict) << text << info(level).name;
      EXPECT_EQ(once.statistics.included_txns, at_once.txn_count()) << text;
    }
  }
}

/// How often serializability of a history whose rows stay unlisted took these stages.
struct Rounds {
  int resolved = 0;
  int swept = 0;  ///< of them, without open reads
};
Rounds rounds_unlisted(const std::string& text, unsigned threads = 1) {
  History history = support::build(support::parse_plain(text), true);
  EXPECT_TRUE(history.has_unlisted_rows());
  Rounds rounds;
  CheckOptions options;
  options.levels = {kSerializable};
  options.threads = threads;
  options.progress = [&](std::string_view stage) {
    rounds.resolved += stage == "resolving reads";
    rounds.swept += stage == "sweeping serializable";
  };
  Budget budget;
  const auto report = check_unlisted(history, options, budget);
  EXPECT_TRUE(report && report->levels.levels[0].verdict == Verdict::kHolds) << text;
  return rounds;
}

// What a transaction overwrote itself is no version for others: a row that is taken for a read
// of it is refuted, and decided in another round.
TEST(Rows, WhatStaysUnlistedIsTakenForAReadOfAFinalWrite) {
  const Rounds rounds =
      rounds_unlisted("A: w(1=2) @0,1 ; B: w(1=3) w(1=5) @2,8 ; C: s(values=4..6:) @3,9");
  EXPECT_EQ(rounds.resolved, 2);
}

// S is tried before R. The row that stood for long has its other version nearer after that,
// the other row before that; but R replaced both.
TEST(Rows, ATransactionMissedAllItsRowsOnOneSide) {
  const Rounds rounds = rounds_unlisted(
      "T: w(1=2) w(2=2) @0,1 ; P: r(1=2) w(1=5) @2,3 ; F: w(3=1) @4,5 | w(3=2) @6,7 ; "
      "Q: r(2=2) w(2=5) w(5=1) @8,9 ; S: s(values=4..6:) r(5=1) @10,20 ; G: w(6=1) @16,25 ; "
      "R: r(1=5) w(1=3) r(2=5) w(2=3) @15,30");
  EXPECT_EQ(rounds.swept, 2);
  EXPECT_EQ(rounds.resolved, 2);
}

// One selection misses the 5, the other one the 5, too, but not the 3 before it: the version
// that both may have found is the 9.
TEST(Rows, ARowMissedTwiceIsOneVersion) {
  const Rounds rounds = rounds_unlisted(
      "T: w(1=9) @0,1 ; P: w(1=3) @2,3 ; Q: w(1=5) @4,5 ; "
      "S: s(values=5..6:) s(values=3..6:) @6,20 ; R: w(1=8) @30,40");
  EXPECT_EQ(rounds.swept, 2);
  EXPECT_EQ(rounds.resolved, 2);
}

// What a transaction overwrote itself its own selections do not miss.
TEST(Rows, OfWhatATransactionWroteToARowTheLastCounts) {
  EXPECT_EQ(rounds_unlisted("A: w(1=5) w(1=20) s(values=1..9:) w(2=30)").resolved, 1);
}

// Nor what others had left there, which it overwrote.
TEST(Rows, WhatATransactionOverwroteItsSelectionsDoNotMiss) {
  EXPECT_EQ(rounds_unlisted("A: w(1=5) @0,1 ; B: w(1=20) s(values=1..9:) @2,3").resolved, 1);
}

/// S is nearer to where the 5 was not yet there. But it saw what came with it, so it is behind
/// R. Of several such histories each has keys and values of its own, and all run at once.
std::string wrong_guesses(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const auto number = [&](int units) { return std::to_string(100 * i + units); };
    const auto session = [&](const char* name) { return name + std::to_string(i) + ": "; };
    const auto write = [&](int key, int value) {
      return "w(" + number(key) + "=" + number(value) + ") ";
    };
    const auto read = [&](int key, int value) {
      return "r(" + number(key) + "=" + number(value) + ") ";
    };
    if (i > 0) text += " ; ";
    text += session("T") + write(2, 12) + "@0,1 ; ";
    text += session("Q") + read(2, 12) + write(2, 15) + write(5, 1) + "@8,9 ; ";
    text += session("S") + "s(values=" + number(14) + ".." + number(16) + ":) " + read(5, 1) +
            "@10,20 ; ";
    text += session("G") + write(6, 1) + "@11,21 | " + write(6, 2) + "@22,23 | " + write(6, 3) +
            "@24,25 ; ";
    text += session("R") + read(2, 15) + write(2, 13) + "@15,30";
  }
  return text;
}

// No read is left open for one.
TEST(Rows, ARefutedGuessTakesTheOtherSide) {
  const Rounds rounds = rounds_unlisted(wrong_guesses(1));
  EXPECT_EQ(rounds.swept, 3);
  EXPECT_EQ(rounds.resolved, 3);
}

// Each round refutes one guess: six are turned, and the seventh opens all that are left.
TEST(Rows, GuessesRefutedInARowAreOpenReads) {
  const Rounds six = rounds_unlisted(wrong_guesses(6));
  EXPECT_EQ(six.swept, 8);
  EXPECT_EQ(six.resolved, 8);
  const Rounds seven = rounds_unlisted(wrong_guesses(7));
  EXPECT_EQ(seven.swept, 8);
  EXPECT_EQ(seven.resolved, 9);
}

// Goal: an execution is played in parts as it is as a whole.
TEST(Rows, PartsOfAnExecutionGoOnFromWhereTheyBegin) {
  for (unsigned threads = 1; threads <= 5; ++threads) {
    for (const int count : {1, 3, 7}) {
      const Rounds whole = rounds_unlisted(wrong_guesses(count));
      const Rounds parts = rounds_unlisted(wrong_guesses(count), threads);
      EXPECT_EQ(parts.swept, whole.swept) << threads;
      EXPECT_EQ(parts.resolved, whole.resolved) << threads;
    }
  }
}

// A scan that meets a row before and after it has moved returns it in two versions, as two
// reads of the key would. Neither is the earlier one.
TEST(Rows, ARowInTwoVersionsIsTwoReads) {
  for (const char* const text : {"A: w(1=1) | w(1=2) ; B: s(keys=1..9: 1=1 1=2)",
                                 "A: w(1=1) | w(1=2) ; B: s(keys=1..9: 1=2 1=1)"}) {
    const CheckReport report = report_rows(
        support::parse(text), {kReadAtomic, kMonotonicAtomicView, kReadCommitted}, {});
    EXPECT_EQ(report.levels[0].verdict, Verdict::kViolated) << text;
    EXPECT_EQ(report.levels[1].verdict, Verdict::kHolds) << text;
    EXPECT_EQ(report.levels[2].verdict, Verdict::kHolds) << text;
  }
  const CheckReport same = report_rows(
      support::parse("A: w(1=1) | w(1=2) ; B: s(keys=1..9: 1=1 1=1)"), {kSerializable}, {});
  EXPECT_EQ(same.levels[0].verdict, Verdict::kHolds);
}

TEST(Rows, EachVerdictIsProvedWhicheverLevelStops) {
  for (const char* const text :
       {"A: s(keys=1..9:) w(1=1) @1,4 ; B: s(keys=1..9:) w(2=1) @2,5",
        "A: s(keys=1..9:) w(1=1) @1,4 ; B: s(keys=1..9: 1=1) w(2=1) @2,5 | s(keys=1..9:) @6,7",
        "A: s(values=5..9:) w(1=3) @1,4 | r(2=7) ? @5,_ ; B: w(1=7) @2,5 | w(2=7) ? @3,_"}) {
    const History history = support::parse(text);
    for (const LevelInfo& level : all_levels()) {
      report_rows(history, {}, no_memory_for(level.level));
    }
  }
}

// What the levels do for each other at the end may need memory that is not there.
TEST(Rows, VerdictsStayWhenMemoryRunsOutAtTheEnd) {
  const History history = support::parse("A: s(keys=1..9:) w(1=1) ; B: s(keys=1..9:) w(2=1)");
  const auto no_memory = no_memory_for(kRepeatableRead);
  const CheckReport report =
      report_rows(history, {kSerializable, kRepeatableRead}, [&](std::string_view stage) {
        no_memory(stage);
        if (stage == "comparing levels") throw std::bad_alloc();
      });
  EXPECT_EQ(report.levels[0].verdict, Verdict::kViolated);
  EXPECT_EQ(report.levels[1].verdict, Verdict::kUnknown);
}

// Runs out of memory when the stage comes for the first time.
class Shortage {
 public:
  explicit Shortage(std::string_view stage) : stage_(stage) {}

  void look(std::string_view stage) {
    if (is_over_ || stage != stage_) return;
    is_over_ = true;
    const std::vector<char> taken(std::size_t{1} << 28, 'x');
    EXPECT_FALSE(budget.look());
  }

  bool is_over() const { return is_over_; }

  Budget budget{0, base::anonymous_bytes() + (std::uint64_t{1} << 27)};

 private:
  std::string_view stage_;
  bool is_over_ = false;
};

// Only a row that was left out shows that the write of unknown outcome took effect: C found
// that the 7 was not there any more. It may have come late, after what its session did next. At
// repeatable read it did not take effect, and sessions respect time; elsewhere they do not, and
// an order by time does not serve the levels of sessions.
TEST(Rows, ASecondTryLeavesTheFactsOfOtherLevelsAlone) {
  const History history = support::parse(
      "A: w(1=5) ? @0,_ | r(1=_) @1,2 ; B: w(1=7) @3,10 ; C: s(values=7..9:) @20,30");
  Shortage shortage("sweeping repeatable-read");
  const auto no_memory = no_memory_for(kStrongSessionSerializable);
  const auto progress = [&](std::string_view stage) {
    shortage.look(stage);
    no_memory(stage);
  };
  const CheckReport report =
      report_rows(history, {kStrictSerializable, kStrongSessionSerializable, kRepeatableRead},
                  progress, shortage.budget);
  EXPECT_TRUE(shortage.is_over());
  EXPECT_FALSE(report.sessions_respect_time);
  EXPECT_EQ(report.levels[0].verdict, Verdict::kHolds);
  EXPECT_EQ(report.levels[1].verdict, Verdict::kUnknown);
  EXPECT_EQ(report.levels[2].verdict, Verdict::kHolds);
}

// The unknown write took effect, for somebody read it. Linearizability fails by another key,
// and then tells nothing of who took effect.
TEST(Rows, ASecondTryLeavesTheCountOfTransactionsAlone) {
  const History history = support::parse(
      "A: w(x=1) ? @0,_ ; B: r(x=1) @3,10 ; C: w(y=1) @20,30 ; D: r(y=_) @40,50");
  Shortage shortage("deciding linearizable");
  const CheckReport report = report_rows(
      history, {kLinearizable, kReadCommitted},
      [&](std::string_view stage) { shortage.look(stage); }, shortage.budget);
  EXPECT_TRUE(shortage.is_over());
  EXPECT_EQ(report.statistics.included_txns, 4U);
  EXPECT_EQ(report.levels[0].verdict, Verdict::kViolated);
  EXPECT_EQ(report.levels[1].verdict, Verdict::kHolds);
}

}  // namespace
}  // namespace isolde::checker
