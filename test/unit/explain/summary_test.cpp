// Goal: the verdict for people says what the levels' verdicts say, in sentences.
#include "explain/summary.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.hpp"
#include "explain/harm.hpp"
#include "explain/lessons.hpp"
#include "explain/report_text.hpp"
#include "support/history_dsl.hpp"
#include "unit/explain/reported.hpp"

namespace isolde::explain {
namespace {

std::string verdict_of(const std::string& text, std::vector<Level> levels = {}) {
  const History history = support::parse(text);
  return summary_of(report_on(history, std::move(levels))).verdict;
}

TEST(Summary, SaysWhatOccursAndWhatDoesNot) {
  EXPECT_EQ(verdict_of("A: r(x=_) w(y=1)\nB: r(y=_) w(x=1)"),
            "Write skew occurs. Dirty reads, lost updates and fractured reads: not seen in 2 "
            "transactions.");
  EXPECT_EQ(verdict_of("A: r(x=_) w(x=1)\nB: r(x=_) w(x=2)"),
            "Lost updates occur. Dirty reads and fractured reads: not seen in 2 transactions.");
  // One kind of which the plural has no form of its own beside another one.
  EXPECT_EQ(verdict_of("A: w(x=1) !\nB: r(x=1)", {Level::kReadCommitted}),
            "Dirty reads (aborted reads, G1a) occur.");
  EXPECT_EQ(against_text({{&lesson_of("aborted read"), &lesson_of("lost update"),
                           &lesson_of("intermediate read")},
                          ""}),
            "dirty reads (aborted reads, G1a, and intermediate reads, G1b) and lost updates");
}

// Goal: each kind that the headline names is told below: in full at the weakest levels, else in
// a line; and four kinds have their names. Method: compare-and-sets of which two win.
TEST(Summary, WhatTheHeadlineNamesIsTold) {
  const History history = support::parse(
      "A: w(x=1) @0,1000 ; B: r(x=1) w(x=2) @1100,1200 | r(x=2) w(x=1) @1300,1400 | r(x=2) "
      "@1700,1800 ; C: r(x=1) w(x=2) @1500,1650 ; D: r(x=1) w(x=2) @1550,1600");
  const ReportModel model = report_on(history);
  const std::string text = to_text(model, {});
  const std::size_t else_at = text.find("What else occurs, at stronger levels");
  ASSERT_NE(else_at, std::string::npos) << text;
  for (const Lesson* const lesson : summary_of(model).occurs) {
    const std::string name(lesson->name);
    const bool in_full = text.find("\n  " + base::capitalised(name) + " (") < else_at;
    const bool in_a_line = text.find(": " + name + ": ", else_at) != std::string::npos;
    EXPECT_NE(in_full, in_a_line) << name << "\n" << text;
  }
  EXPECT_EQ(summary_of(model).occurs.size(), 4U);
  EXPECT_EQ(summary_of(model).verdict.find("more kind"), std::string::npos);
  EXPECT_EQ(to_text(report_on(support::parse("A: r(x=_) w(y=1)\nB: r(y=_) w(x=1)")), {})
                .find("What else"),
            std::string::npos);
}

// Goal: text tells advice once: what begins as the first piece does is the same, and what a
// plain isolation leaves open is not told again where another sentence tells it.
TEST(Summary, TextTellsAdviceOnce) {
  const std::string open =
      "; the isolation does not promise that a session sees its own past, or the latest state";
  Summary summary;
  summary.verdict = "Write skew and phantoms occur.";
  summary.remedy = "use SERIALIZABLE; or lock every row" + open;
  summary.more_remedies = {
      {{&lesson_of("phantom")}, "use SERIALIZABLE; or let a key refuse" + open},
      {{&lesson_of("stale read")}, "use SERIALIZABLE"}};
  EXPECT_EQ(to_text(summary),
            "  In short: Write skew and phantoms occur.\n"
            "  What helps: use SERIALIZABLE; or lock every row; the isolation does not promise "
            "that a\n"
            "    session sees its own past, or the latest state.\n"
            "  Against phantoms: the same; or let a key refuse.\n"
            "  Against stale reads: use SERIALIZABLE.\n");
  summary.one_change =
      "set it; it promises nothing against phantoms in which a session misses its "
      "own past or the latest state";
  EXPECT_EQ(to_text(summary).find("does not promise"), std::string::npos);
}

// Goal: what was not seen is not taken for excluded where the promise allows it.
TEST(Summary, SaysThatDirtyReadsAreAllowed) {
  const History lost = support::parse("A: r(x=_) w(x=1)\nB: r(x=_) w(x=2)");
  ReportModel model = report_on(lost);
  const std::string seen =
      "Lost updates occur. Dirty reads and fractured reads: not seen in 2 transactions.";
  const auto at = [&](std::optional<Level> level) {
    model.promise = Promise{"db", "weak", level, "it says so"};
    return summary_of(model).verdict;
  };
  EXPECT_EQ(at(Level::kReadUncommitted),
            seen +
                " Dirty reads are allowed there all the same: read-uncommitted is all that is "
                "promised.");
  EXPECT_EQ(at(Level::kReadCommitted), seen);
  EXPECT_EQ(at(std::nullopt), seen);
  // Where they occur nobody needs to be told.
  const History dirty = support::parse("A: w(x=1) !\nB: r(x=1)");
  ReportModel occurring = report_on(dirty);
  occurring.promise = Promise{"db", "weak", Level::kReadUncommitted, {}};
  EXPECT_EQ(summary_of(occurring).verdict.find("allowed"), std::string::npos);
}

// Goal: the headline is plain, and what it means does not contradict the row "causal" of the
// table.
TEST(Summary, SaysWhichCausalityIsBroken) {
  constexpr std::string_view kWhole =
      ". Causality is violated between whole transactions, not between single operations "
      "(causal "
      "holds)";
  const History whole = support::parse("A: w(x=1)\nB: r(x=1) w(y=1)\nC: r(x=_) r(y=1)");
  const Summary summary = summary_of(report_on(whole));
  EXPECT_EQ(summary.verdict,
            "Causality violations occur. Dirty reads and fractured reads: not seen in 3 "
            "transactions.");
  EXPECT_TRUE(summary.meaning.ends_with(kWhole)) << summary.meaning;
  const History single = support::parse("A: w(x=1)\nB: r(x=1) w(y=1)\nC: r(y=1) r(x=_)");
  EXPECT_EQ(summary_of(report_on(single)).verdict, summary.verdict);
  EXPECT_EQ(summary_of(report_on(single)).meaning + std::string(kWhole), summary.meaning);
  // Nobody asked for it, so no row of the table says that it holds.
  EXPECT_EQ(
      summary_of(report_on(whole, {Level::kTransactionalCausal})).meaning + std::string(kWhole),
      summary.meaning);
  const History other = support::parse("A: w(x=1) !\nB: r(x=1)");
  EXPECT_EQ(summary_of(report_on(other)).meaning.find("ausal"), std::string::npos);
}

TEST(Summary, SaysWhenNothingWasFound) {
  EXPECT_EQ(verdict_of("A: w(x=1)\nB: r(x=1)"), "No anomaly was found in 2 transactions.");
  EXPECT_EQ(verdict_of("A: w(x=1)\nB: r(x=1)", {Level::kSerializable, Level::kReadAtomic}),
            "No anomaly that serializable or read-atomic forbids was found in 2 transactions.");
  EXPECT_EQ(
      verdict_of("A: w(x=1)\nB: r(x=1)", {Level::kSerializable, Level::kReadAtomic,
                                          Level::kReadCommitted, Level::kReadUncommitted}),
      "No anomaly that the levels asked for forbid was found in 2 transactions.");
  EXPECT_EQ(verdict_of("A: w(x=1)", {Level::kLinearizable}),
            "None of the levels applies to this history.");
}

TEST(Summary, SaysWhenNothingCouldHaveBeenFound) {
  EXPECT_EQ(verdict_of("A: w(x=1)\nB: w(y=1)", {Level::kSerializable}),
            "No anomaly that serializable forbids was found in 2 transactions, which could not "
            "have shown any: no two transactions used a key that one of them wrote, so "
            "serializable was not put to the test; more sessions at once on fewer keys would "
            "do that.");
}

TEST(Summary, DeniesNothingThatOnlySessionsOrTimesPutToTheTest) {
  EXPECT_EQ(verdict_of("A: w(x=1) | r(x=_)"), "Read-your-writes violations occur.");
  EXPECT_EQ(verdict_of("A: w(x=1) @0,10\nB: r(x=_) @20,30"), "Stale reads occur.");
  EXPECT_EQ(verdict_of("A: w(x=1) @0,10\nB: r(x=_) @20,30\nC: r(x=1) @25,30; D: w(x=2) @25,40"),
            "Stale reads occur. Dirty reads, lost updates, write skew and fractured reads: not "
            "seen in 4 transactions.");
}

TEST(Summary, SaysWhatIsOpen) {
  const History history = support::parse("A: w(x=1)\nB: r(x=1)");
  ReportModel model{history, {}, {}, {}, {}};
  model.levels = {{Level::kSerializable, Verdict::kUnknown, "the time limit was hit", {}, {}},
                  {Level::kReadAtomic, Verdict::kUnknown, "the time limit was hit", {}, {}}};
  EXPECT_EQ(summary_of(model).verdict, "Nothing was decided: the time limit was hit.");
  model.levels[1].reason = "no memory is left";
  EXPECT_EQ(summary_of(model).verdict, "Nothing was decided.");
  model.levels.push_back({Level::kReadCommitted, Verdict::kHolds, "", {}, {}});
  model.evidence.in_effect = 2;
  model.evidence.overlapping_meetings = 1;
  EXPECT_EQ(summary_of(model).verdict,
            "Not decided: 2 levels. No anomaly that read-committed forbids was found in 2 "
            "transactions.");
  model.levels[0].verdict = Verdict::kViolated;
  EXPECT_EQ(summary_of(model).verdict,
            "1 level is violated, by what was not explained. Dirty reads: not seen in 2 "
            "transactions. Not decided: 1 level.");
  EXPECT_EQ(summary_of(model).meaning, "");
  EXPECT_EQ(summary_of(model).remedy, "");
}

TEST(Summary, ADefectIsNoMatterOfSettings) {
  const History history = support::parse("A: r(x=_) w(y=1)\nB: r(y=_) w(x=1)");
  ReportModel model = report_on(history);
  EXPECT_EQ(summary_of(model).promise, "");
  model.run = RunReport();
  model.promise = Promise{"db", "best", Level::kSnapshotIsolation, ""};
  EXPECT_EQ(summary_of(model).remedy, remedy_for(Harm::kBrokenRule, "", ""));
  EXPECT_EQ(summary_of(model).promise,
            "db at best promises snapshot-isolation: kept in this history.");
  model.promise = Promise{"db", "best", Level::kSerializable, ""};
  EXPECT_TRUE(summary_of(model).remedy.starts_with("the database promises that this does not"));
  EXPECT_EQ(summary_of(model).promise, "db at best promises serializable: BROKEN.");
}

TEST(Summary, EachHarmHasAMeaningAndARemedyForAnyDatabase) {
  for (const Lesson& lesson : all_lessons()) {
    EXPECT_FALSE(lesson.many.empty()) << lesson.name;
    EXPECT_GT(meaning_of(lesson.harm).size(), 20U) << lesson.name;
    EXPECT_GT(remedy_for(lesson.harm, "Dictionary 1.0", "none").size(), 20U) << lesson.name;
  }
}

// Goal: each anomaly that does something else is told once, and four lines hold it.
// Method: all rows of three lessons, in any order.
TEST(Summary, MeansWhatEachAnomalyDoes) {
  const auto of = [](std::vector<std::string_view> names) {
    std::vector<const Lesson*> lessons;
    for (const std::string_view name : names) lessons.push_back(&lesson_of(name));
    return meaning_text(lessons);
  };
  EXPECT_EQ(of({"lost update"}), meaning_of("lost update"));
  EXPECT_EQ(of({"lost update", "lost delete"}), meaning_of("lost update"));
  EXPECT_EQ(of({"lost update", "fractured read", "read skew", "stale read"}),
            std::string(meaning_of("lost update")) +
                ". Fractured reads: what reads several items, or one item twice, can see a "
                "state that never existed. Stale reads: somebody who has been told of a change "
                "still reads what was there before it");
  EXPECT_EQ(
      of({"write skew", "aborted read"}),
      std::string(meaning_of("write skew")) +
          ". Dirty reads: a client acts or builds on a change that is undone later or not "
          "complete");
  std::size_t with_three = 0;
  std::size_t of_three = 0;
  for (const Lesson& first : all_lessons()) {
    for (const Lesson& second : all_lessons()) {
      for (const Lesson& third : all_lessons()) {
        const std::string text = of({first.name, second.name, third.name});
        const std::string shown = base::wrapped("That means: " + text + ".", 2);
        ASSERT_LE(std::ranges::count(shown, '\n'), 4) << shown;
        ASSERT_TRUE(text.starts_with(meaning_of(first.name))) << text;
        const auto tells = [&](const Lesson& lesson) {
          return text.find(": " + std::string(short_meaning_of(lesson.harm)),
                           meaning_of(first.name).size()) != text.npos;
        };
        ASSERT_EQ(tells(second), second.harm != first.harm) << text;
        ASSERT_FALSE(third.harm == first.harm && tells(third)) << text;
        if (first.harm == second.harm || third.harm == second.harm) continue;
        if (first.harm == third.harm) continue;
        ++of_three;
        with_three += tells(third) ? 1 : 0;
      }
    }
  }
  EXPECT_GT(with_three, of_three * 4 / 5);
}

// Goal: what is no write skew has neither its words nor, where something else helps, its
// remedy.
TEST(Summary, HarmsOfSerializabilityAreToldApart) {
  const auto summary = [](std::string_view history) {
    const History parsed = support::parse(history);
    return summary_of(report_on(parsed));
  };
  const Summary skew = summary("A: r(x=_) w(y=1)\nB: r(y=_) w(x=1)");
  const Summary reader = summary("A: r(x=_) w(y=1)\nB: w(x=2)\nC: r(x=2) r(y=_)");
  const Summary circle = summary("A: r(x=_) w(y=1)\nB: r(y=_) w(z=1)\nC: r(z=_) w(x=1)");
  EXPECT_NE(skew.meaning.find("two doctors"), std::string::npos);
  EXPECT_NE(reader.meaning.find("a read-only transaction can see a state"), std::string::npos);
  EXPECT_NE(circle.meaning.find("all around a circle"), std::string::npos);
  EXPECT_NE(reader.remedy.find("the read-only ones use one snapshot"), std::string::npos);
  EXPECT_NE(circle.remedy.find("lock what each transaction reads"), std::string::npos);
  const auto remedy = [](Harm harm, std::string_view database, std::string_view isolation) {
    return remedy_for(harm, database, isolation);
  };
  EXPECT_TRUE(remedy(Harm::kFalseReport, "PostgreSQL 15.20", "repeatable-read")
                  .starts_with("use SERIALIZABLE for writing and for read-only transactions"));
  for (const Harm harm : {Harm::kFalseReport, Harm::kNoFirst}) {
    EXPECT_TRUE(remedy(harm, "PostgreSQL 15.20", "serializable").starts_with("an isolation"));
  }
  EXPECT_EQ(remedy(Harm::kNoFirst, "PostgreSQL 15.20", "repeatable-read"),
            remedy(Harm::kBrokenRule, "PostgreSQL 15.20", "repeatable-read"));
}

// Goal: nobody is told to lock rows that are not there.
TEST(Summary, APhantomIsHelpedByNoLockOnTheRowsFound) {
  const History history = support::parse("A: s(:) w(1=1)\nB: s(:) w(2=1)");
  const Summary phantom = summary_of(report_on(history));
  ASSERT_EQ(phantom.occurs.front()->name, "phantom");
  EXPECT_NE(phantom.meaning.find("two clients book one room"), std::string::npos);
  EXPECT_NE(phantom.remedy.find("constraint"), std::string::npos);
  for (const std::string_view database :
       {"", "PostgreSQL 15.20", "MariaDB 10.11.19", "MariaDB 10.11.19 with MyRocks",
        "Firebird 3.0", "RocksDB 7.8.3", "etcd 3.4"}) {
    for (const std::string_view isolation : {"", "read-committed", "repeatable-read"}) {
      const std::string_view text = remedy_for(Harm::kPhantom, database, isolation);
      EXPECT_NE(text, remedy_for(Harm::kBrokenRule, database, isolation)) << database;
      EXPECT_EQ(text.find("every row"), std::string_view::npos) << database;
    }
  }
  // There the snapshot is older than the lock, so only a change is noticed.
  EXPECT_NE(remedy_for(Harm::kPhantom, "PostgreSQL 15.20", "repeatable-read")
                .find("before looking UPDATE a row"),
            std::string_view::npos);
  EXPECT_TRUE(remedy_for(Harm::kPhantom, "H2 2.1", "serializable").starts_with("an isolation"));
}

// Goal: nobody is told to set what the engine of his tables refuses.
TEST(Summary, RemediesAreOfTheEngineOfTheTables) {
  for (const std::string_view isolation : {"read-committed", "repeatable-read"}) {
    for (int harm = 0; harm <= static_cast<int>(Harm::kOldState); ++harm) {
      const std::string_view text =
          remedy_for(static_cast<Harm>(harm), "MariaDB 10.11.19 with MyRocks", isolation);
      for (const char* const refused : {"use SERIALIZABLE", "innodb", "InnoDB"}) {
        EXPECT_EQ(text.find(refused), std::string_view::npos) << harm << ": " << text;
      }
    }
  }
  // A history may name the isolation behind it.
  EXPECT_TRUE(remedy_for(Harm::kLostChange, "MariaDB 10.11.19 with MyRocks READ COMMITTED", "")
                  .starts_with("use REPEATABLE READ, which refuses"));
  EXPECT_NE(locking_of("MariaDB 10.11.19 with MyRocks").find("rocksdb_lock_wait_timeout"),
            std::string_view::npos);
  EXPECT_EQ(locking_of("MariaDB 10.11.19").find("rocksdb"), std::string_view::npos);
  EXPECT_NE(remedy_for(Harm::kLostChange, "MariaDB 10.11.19", "repeatable-read").find("innodb"),
            std::string_view::npos);
}

// Goal: nobody is told to set what the version at hand does not have, or has already.
TEST(Summary, RemediesAreOfTheVersionOfTheServer) {
  struct Row {
    const char* database;
    const char* says;
  };
  constexpr Row kRows[] = {
      {"MariaDB", "set innodb_snapshot_isolation=ON (from"},
      {"MariaDB 10.5.29", "came with 10.6.18"},
      {"MariaDB 10.6.17", "came with 10.6.18"},
      {"MariaDB 10.6.18", "set innodb_snapshot_isolation=ON (from"},
      {"MariaDB 10.9.8", "came with 10.6.18"},
      {"MariaDB 10.11.7", "came with 10.6.18"},
      {"MariaDB 10.11.8", "set innodb_snapshot_isolation=ON (from"},
      {"MariaDB 10.11.19 REPEATABLE READ", "set innodb_snapshot_isolation=ON (from"},
      {"MariaDB 11.3.2", "came with 10.6.18"},
      {"MariaDB 11.4.2", "set innodb_snapshot_isolation=ON (from"},
      {"MariaDB 11.6.1", "set innodb_snapshot_isolation=ON (from"},
      {"MariaDB 11.6.2", "leave innodb_snapshot_isolation=ON, the default since"},
      {"MariaDB 12.0.2", "leave innodb_snapshot_isolation=ON, the default since"},
  };
  for (const Row& row : kRows) {
    for (const Harm harm : {Harm::kLostChange, Harm::kMixedState}) {
      const std::string_view text = remedy_for(harm, row.database, "repeatable-read");
      EXPECT_NE(text.find(row.says), text.npos) << row.database << ": " << text;
    }
  }
  EXPECT_NE(remedy_for(Harm::kMixedState, "MariaDB 10.5.29", "read-committed")
                .find("use SERIALIZABLE"),
            std::string_view::npos);
  EXPECT_NE(remedy_for(Harm::kMixedState, "MariaDB 11.8.3", "read-committed")
                .find("ON, the default since 11.6.2"),
            std::string_view::npos);
}

TEST(Summary, RemediesAreOfTheDatabaseAtItsIsolation) {
  const auto remedy = [](std::string_view database, std::string_view isolation) {
    return remedy_for(Harm::kBrokenRule, database, isolation);
  };
  EXPECT_TRUE(remedy("PostgreSQL 15.20", "repeatable-read").starts_with("use SERIALIZABLE"));
  EXPECT_TRUE(remedy("PostgreSQL 15.20", "REPEATABLE READ").starts_with("use SERIALIZABLE"));
  EXPECT_TRUE(remedy("PostgreSQL 15.20 REPEATABLE READ", "").starts_with("use SERIALIZABLE"));
  EXPECT_TRUE(remedy("RocksDB 7.8.3", "optimistic").starts_with("read with GetForUpdate"));
  EXPECT_TRUE(remedy_for(Harm::kLostChange, "Berkeley DB 5.3.28", "read-committed")
                  .starts_with("read with DB_RMW"));
  // A long fork: there is no isolation to choose, but commands.
  EXPECT_TRUE(remedy_for(Harm::kDisagreement, "Redis 7.0.15", "multi")
                  .starts_with("read several keys by one command (MGET)"));
  // Who asked for serializability is not told to ask for it.
  EXPECT_TRUE(remedy("PostgreSQL 15.20", "serializable").starts_with("an isolation of this"));
  EXPECT_TRUE(remedy("H2 2.1", "serializable").starts_with("an isolation of this"));
  EXPECT_TRUE(remedy("H2 2.1", "snapshot").starts_with("use a serializable isolation"));
}

}  // namespace
}  // namespace isolde::explain
