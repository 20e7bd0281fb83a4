// Goal: the pipeline's report: which levels, which verdicts and reasons, shared proofs, the
// summary, and the same report twice. Method: hand histories; the table of histories with known
// verdicts; and every moment at which the budget can run out.
#include "check/check.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "base/budget.hpp"
#include "base/rng.hpp"
#include "isolde/history_builder.hpp"
#include "support/oracle_histories.hpp"
#include "support/proved.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"

namespace isolde {
namespace {

using checker::test::proved;
using checker::test::txn;
using enum Level;

CheckReport report_on(const History& history, const CheckOptions& options = {}) {
  base::Budget budget;
  return check(history, options, budget);
}

const LevelReport& row(const CheckReport& report, Level level) {
  const auto at = std::find_if(report.levels.begin(), report.levels.end(),
                               [&](const LevelReport& each) { return each.level == level; });
  EXPECT_NE(at, report.levels.end());
  return *at;
}

/// One letter a level: Y holds, n violated, u unknown, - not applicable.
std::string letters(const CheckReport& report) {
  std::string text;
  for (const LevelReport& level : report.levels) {
    text += "Ynu-"[static_cast<std::size_t>(level.verdict)];
  }
  return text;
}

/// The levels that the tests below are about.
const std::vector<Level> kSome = {kStrictSerializable,
                                  kStrongSessionSerializable,
                                  kSerializable,
                                  kStrongSnapshotIsolation,
                                  kStrongSessionSnapshotIsolation,
                                  kSnapshotIsolation,
                                  kStrongSessionMonotonicAtomicView,
                                  kReadCommitted};

CheckReport report_on_some(std::string_view text) {
  CheckOptions options;
  options.levels = kSome;
  return report_on(support::parse(text), options);
}

TEST(Check, KnownHistories) {
  for (const support::OracleHistory& each : support::oracle_histories()) {
    const History history = support::parse(each.text);
    const CheckReport report = report_on(history);
    EXPECT_EQ(letters(report), support::verdict_letters(each)) << each.id << " " << each.what;
    for (const LevelReport& level : report.levels) {
      if (level.verdict == Verdict::kNotApplicable) continue;
      EXPECT_EQ(level.reason, "");
      ASSERT_LT(level.proof, report.proofs.size());
      EXPECT_EQ(proved(history, level.level, report.proofs[level.proof]), name(level.verdict))
          << each.id;
    }
  }
}

// Found by random histories: where a selection left rows out, read committed is refuted first,
// and its proof, which rests on reads alone, was taken for one of read uncommitted.
TEST(Check, ReadsDoNotRefuteReadUncommitted) {
  const History history =
      support::parse("A: r(y=9) w(x=1) ? ; B: r(y=9) w(x=1) ? ; C: s(: x=1) ; D: w(z=1)");
  const CheckReport report = report_on(history);
  EXPECT_EQ(row(report, kReadCommitted).verdict, Verdict::kViolated);
  for (const Level level : {kReadUncommitted, kStrongSessionReadUncommitted}) {
    const LevelReport& open = row(report, level);
    EXPECT_EQ(open.verdict, Verdict::kHolds);
    EXPECT_EQ(proved(history, level, report.proofs[open.proof]), "holds");
  }
}

// A selection returns a key in two versions that hold the same. Views of sessions must keep
// both rows, or the claims about a later read name the wrong operation.
TEST(Check, ProofsNameOperationsBehindEqualRows) {
  HistoryBuilder builder;
  const KeyId x = builder.key(builder.string("x"));
  const KeyId y = builder.key(builder.string("y"));
  const Value one = Value::integer(1);
  for (const char* const writer : {"A", "B"}) {
    builder.begin_txn(builder.session(writer));
    builder.write(y, one);
    builder.set_version(Value::integer(*writer));
    builder.write(x, one);
  }
  builder.begin_txn(builder.session("C"));
  builder.select(
      {}, std::array{Row{y, one, Value::integer('A')}, Row{y, one, Value::integer('B')}});
  builder.read(x, one);
  builder.begin_txn(builder.session("C"));
  builder.read(x, Value::null());
  const Result<History> history = builder.finish();
  ASSERT_TRUE(history.ok());
  const CheckReport report = report_on(*history);
  const LevelReport& stale = row(report, kMonotonicReads);
  EXPECT_EQ(stale.verdict, Verdict::kViolated);
  EXPECT_EQ(proved(*history, kMonotonicReads, report.proofs[stale.proof]), "violated");
}

// Of a row that was there at the start, the only final write that explains its absence is the
// reader's own; others wrote such a version and replaced it.
TEST(Check, RowsThatWereLeftByAnIntermediateWriteAreToldSo) {
  const History history =
      support::parse("start(0=a:2) ; A: w(0=b:2) w(0=a:2/n:4) | s(cols=a:!1:) w(0=a:1)");
  const CheckReport report = report_on(history);
  const LevelReport& missed = row(report, kRepeatableRead);
  EXPECT_EQ(missed.verdict, Verdict::kViolated);
  EXPECT_EQ(proved(history, kRepeatableRead, report.proofs[missed.proof]), "violated");
}

// The third transaction saw the second one replace two keys: a deleted one, which says nothing
// of the first one's snapshot, and another one, which does.
TEST(Check, AViewIsNamedByTheKeyThatItIsAbout) {
  const History history = support::parse(
      "C: w(1=2) s(: 1=2) w(0=3) d(1) %si ; A: d(1) w(0=4) %mav | r(1=_) r(0=3) %tcc");
  const CheckReport report = report_on(history);
  const LevelReport& mixed = row(report, kMixed);
  EXPECT_EQ(mixed.verdict, Verdict::kViolated);
  EXPECT_EQ(proved(history, kMixed, report.proofs[mixed.proof]), "violated");
}

TEST(Check, RealTimeNeedsTimes) {
  const CheckReport report = report_on(support::parse("A: w(x=1) ; B: r(x=1)"));
  EXPECT_EQ(row(report, kStrictSerializable).verdict, Verdict::kNotApplicable);
  EXPECT_EQ(row(report, kStrictSerializable).reason, "the history has no start and end times");
  EXPECT_EQ(row(report, kStrongSnapshotIsolation).verdict, Verdict::kNotApplicable);
  EXPECT_EQ(row(report, kSerializable).verdict, Verdict::kHolds);
  // One time is enough.
  const CheckReport timed = report_on(support::parse("A: w(x=1) @_,5 ; B: r(x=1)"));
  EXPECT_EQ(row(timed, kStrictSerializable).verdict, Verdict::kHolds);
}

TEST(Check, DecidesTheRequestedLevelsOnly) {
  CheckOptions options;
  options.levels = {kReadCommitted, kSerializable, kSerializable};
  const CheckReport report =
      report_on(support::parse("A: r(x=_) w(x=1) ; B: r(x=_) w(x=2)"), options);
  ASSERT_EQ(report.levels.size(), 2U);
  EXPECT_EQ(report.levels[0].level, kSerializable);
  EXPECT_EQ(report.levels[0].verdict, Verdict::kViolated);
  EXPECT_EQ(report.levels[1].level, kReadCommitted);
  EXPECT_EQ(report.levels[1].verdict, Verdict::kHolds);
  options.levels.clear();
  // The mixed levels only where transactions state levels.
  EXPECT_EQ(report_on(support::parse("A: nop %ser"), options).levels.size(),
            all_levels().size());
  EXPECT_EQ(report_on(support::parse("A: nop"), options).levels.size(),
            all_levels().size() - 2);
}

TEST(Check, RepeatedElementsOfListsStayUnknown) {
  const CheckReport report = report_on(support::parse("A: a(x=1) ; B: a(x=1) ; C: r(x=[1])"));
  for (const LevelReport& level : report.levels) {
    if (level.verdict == Verdict::kNotApplicable) continue;
    const bool uncommitted = info(level.level).base == BaseLevel::kReadUncommitted;
    EXPECT_EQ(level.verdict, uncommitted ? Verdict::kHolds : Verdict::kUnknown);
  }
  EXPECT_EQ(row(report, kReadCommitted).reason,
            "transaction C:0 read 1 from key \"x\", which several transactions appended");
}

TEST(Check, FindingsDecideEverythingButReadUncommitted) {
  const CheckReport report = report_on(support::parse("A: w(x=1) ! ; B: r(x=1)"));
  for (const LevelReport& level : report.levels) {
    if (level.verdict == Verdict::kNotApplicable) continue;
    const bool uncommitted = info(level.level).base == BaseLevel::kReadUncommitted;
    EXPECT_EQ(level.verdict, uncommitted ? Verdict::kHolds : Verdict::kViolated);
  }
  ASSERT_FALSE(report.proofs.empty());
  EXPECT_EQ(std::get<Finding>(report.proofs[0]).kind, FindingKind::kAbortedRead);
}

TEST(Check, ProofsAreShared) {
  const CheckReport holds = report_on_some("A: w(x=1) ; B: r(x=1)");
  EXPECT_EQ(letters(holds), "-YY-YYYY");
  EXPECT_EQ(holds.proofs.size(), 1U);
  const CheckReport lost = report_on_some("A: r(x=_) w(x=1) ; B: r(x=_) w(x=2)");
  EXPECT_EQ(letters(lost), "-nn-nnYY");
  EXPECT_EQ(lost.proofs.size(), 2U);
}

TEST(Check, ClockErrorForgives) {
  const History history = support::parse("A: w(x=1) @1,10 ; B: r(x=_) @15,20");
  EXPECT_EQ(row(report_on(history), kStrictSerializable).verdict, Verdict::kViolated);
  CheckOptions options;
  options.clock_error_ns = 5;
  EXPECT_EQ(row(report_on(history, options), kStrictSerializable).verdict, Verdict::kHolds);
}

TEST(Check, TellsWhetherSessionsRespectTime) {
  const auto respects = [](const char* text) {
    return report_on(support::parse(text)).sessions_respect_time;
  };
  EXPECT_TRUE(respects("A: nop @1,2 | nop @3,4 ; B: nop @1,9"));
  EXPECT_FALSE(respects("A: nop @1,3 | nop @3,4"));
  EXPECT_FALSE(respects("A: nop | nop @3,4"));
  EXPECT_TRUE(respects("A: nop @1,2 | nop ! @1,2 | nop @3,4"));
  EXPECT_TRUE(respects("A: nop ; B: nop"));
  // The first may have taken effect after the second, though nothing says that it did.
  EXPECT_FALSE(respects("A: w(x=1) w(x=2) ? | r(x=1) ; C: w(x=1) @_,15 | w(x=1) @27,_"));
}

TEST(Check, CountsItsWork) {
  const CheckReport report =
      report_on(support::parse("A: w(x=1) w(y=1) ; B: w(x=2) w(y=2) ; C: r(x=1) r(y=2) ; "
                               "D: r(x=2) r(y=1) ; E: w(z=1) ! ; F: w(z=2) ?"));
  EXPECT_EQ(report.statistics.included_txns, 4U);
  EXPECT_GT(report.statistics.decided_pairs + report.statistics.derived_orders, 0U);
}

TEST(Check, TellsItsProgress) {
  std::vector<std::string> said;
  CheckOptions options;
  options.progress = [&](std::string_view text) { said.emplace_back(text); };
  report_on(support::parse("A: w(x=1) ; B: r(x=1)"), options);
  ASSERT_FALSE(said.empty());
  EXPECT_EQ(said.front(), "resolving reads");
  EXPECT_NE(std::find(said.begin(), said.end(), "sweeping strong-session-serializable"),
            said.end());
}

std::vector<Level> levels(std::initializer_list<Level> list) { return list; }

TEST(Check, SummariesNameTheEdgeOfWhatHolds) {
  const CheckReport skew =
      report_on(support::parse("A: r(x=_) r(y=_) w(x=1) ; B: r(x=_) r(y=_) w(y=1)"));
  EXPECT_EQ(strongest_held(skew), levels({kStrongSessionSnapshotIsolation}));
  EXPECT_EQ(weakest_violated(skew), levels({kSerializable}));
  const CheckReport all = report_on(support::parse("A: nop"));
  EXPECT_EQ(strongest_held(all), levels({kStrongSessionSerializable}));
  EXPECT_TRUE(weakest_violated(all).empty());
  const CheckReport none = report_on(support::parse("A: r(x=7)"));
  EXPECT_EQ(strongest_held(none), levels({kStrongSessionReadUncommitted}));
  EXPECT_EQ(weakest_violated(none),
            levels({kMonotonicWrites, kMonotonicReads, kReadYourWrites, kReadCommitted}));
  // A session that reads its own future: incomparable levels on both sides.
  const CheckReport session = report_on_some("A: r(x=1) | r(x=_) ; B: w(x=1)");
  EXPECT_EQ(letters(session), "-nY-nYYY");
  EXPECT_EQ(strongest_held(session),
            levels({kSerializable, kStrongSessionMonotonicAtomicView}));
  EXPECT_EQ(weakest_violated(session), levels({kStrongSessionSnapshotIsolation}));
}

// Where every write follows a read of the key, as in mini-transactions (MTC), reads tell all
// version orders, and one look at the graph decides. Method: chains of such transactions, right
// ones and two that differ in one read; nothing may be left to saturation and search.
TEST(Check, MiniTransactionsNeedNoSearch) {
  const std::string chain =
      "A: r(x=_) w(x=1) | r(x=2) r(y=1) w(y=2) ; B: r(x=1) w(x=2) | r(y=_) w(y=1) ; ";
  for (const char* const last : {"C: r(x=2) r(y=2)", "C: r(x=2) r(y=_)", "C: r(x=1) w(x=3)"}) {
    const CheckReport report = report_on_some(chain + last);
    EXPECT_EQ(letters(report).find('u'), std::string::npos) << last;
    EXPECT_EQ(report.statistics.saturation_rounds, 0U) << last;
    EXPECT_EQ(report.statistics.decided_pairs, 0U) << last;
  }
}

TEST(Check, VerdictsHaveNames) {
  EXPECT_EQ(name(Verdict::kHolds), "holds");
  EXPECT_EQ(name(Verdict::kViolated), "violated");
  EXPECT_EQ(name(Verdict::kUnknown), "unknown");
  EXPECT_EQ(name(Verdict::kNotApplicable), "not-applicable");
}

std::string everything(const CheckReport& report) {
  std::string text = letters(report);
  for (const LevelReport& level : report.levels) {
    text += " " + level.reason + ":" + std::to_string(level.proof);
  }
  for (const std::uint64_t number :
       {report.statistics.included_txns, report.statistics.saturation_rounds,
        report.statistics.derived_orders, report.statistics.decided_pairs,
        report.statistics.conflicts}) {
    text += " " + std::to_string(number);
  }
  return text;
}

TEST(Check, RepeatsItself) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const support::PlainHistory plain = support::random_history(seed);
    CheckOptions options;
    options.skip_guess = seed % 2 == 0;
    const CheckReport first = report_on(support::build(plain), options);
    const CheckReport second = report_on(support::build(plain), options);
    ASSERT_EQ(everything(first), everything(second)) << "seed " << seed;
    ASSERT_EQ(first.proofs, second.proofs) << "seed " << seed;
  }
}

/// Wherever the budget runs out, what is decided by then is right and the rest is unknown.
/// Returns what was found, one string of letters for each moment, without repeats.
/// Looks at this share of the moments.
std::set<std::string> run_out_of_budget(const History& history, std::uint64_t first_tick,
                                        const CheckOptions& options, double share = 1) {
  const std::string full = letters(report_on(history, options));
  base::Rng rng(support::run_seed());
  std::set<std::string> outcomes;
  for (std::uint64_t ticks = first_tick; ticks < 20'000; ticks += ticks < 100 ? 1 : 13) {
    if (!rng.chance(share)) continue;
    base::Budget budget;
    budget.cancel_after(ticks);
    const CheckReport report = check(history, options, budget);
    const std::string found = letters(report);
    outcomes.insert(found);
    for (std::size_t i = 0; i < full.size(); ++i) {
      EXPECT_TRUE(found[i] == full[i] || found[i] == 'u') << ticks << ": " << found;
      const LevelReport& level = report.levels[i];
      if (found[i] == 'u') {
        EXPECT_EQ(level.reason, "interrupted");
      } else if (found[i] != '-') {
        EXPECT_EQ(proved(history, level.level, report.proofs[level.proof]), name(level.verdict))
            << ticks << ": " << info(level.level).name;
      }
    }
    // Where it did not run out, later moments are the same run.
    if (testing::Test::HasFailure() || !budget.exhausted()) break;
  }
  return outcomes;
}

constexpr const char* kBudgetHistories[] = {
    "A: w(x=1) w(y=1) ; B: w(x=2) w(y=2) ; C: r(x=1) r(y=2) ; D: r(x=2) r(y=1)",
    "A: w(x=1) @1,2 | w(x=2) w(y=1) @3,4 ; B: r(y=1) r(x=1) @5,6",
    "A: w(x=1) | a(l=1) r(x=1) w(x=2) ; B: r(x=2) a(l=2) ; C: r(l=[1 2]) ; D: w(x=3) r(l=[1])",
    // Its order proves sequential consistency, and monotonic atomic view only with a certain
    // source of the first read.
    "A: w(x=1) | r(x=1) r(y=_) ; B: w(y=1) w(x=1)",
};

TEST(Check, AnInterruptedSearchSaysUnknown) {
  for (const char* const text : kBudgetHistories) {
    const History history = support::parse(text);
    for (const bool skip_guess : {false, true}) {
      CheckOptions options;
      options.levels = kSome;
      options.skip_guess = skip_guess;
      // The reads are resolved within the first ticks; see the test below.
      EXPECT_FALSE(run_out_of_budget(history, 64, options).empty()) << text;
      // Saturation looks at the budget at once, so only without it the search is reached.
      options.skip_saturation = true;
      const std::set<std::string> outcomes = run_out_of_budget(history, 64, options);
      EXPECT_GT(outcomes.size(), 1U) << text;
      EXPECT_TRUE(outcomes.contains(letters(report_on(history, options)))) << text;
    }
  }
}

/// The same from the first tick on, while reads are still being resolved, and at all levels. A
/// run with few random cases looks at a quarter of the moments, others each time.
TEST(Check, AnInterruptionWhileResolvingReadsSaysUnknown) {
  const double share = static_cast<double>(support::case_count(200, 25)) / 100;
  for (const char* const text : kBudgetHistories) {
    EXPECT_FALSE(run_out_of_budget(support::parse(text), 0, {}, share).empty()) << text;
  }
}

TEST(Check, AnInterruptedCheckNamesTheReason) {
  base::Budget budget;
  budget.cancel();
  budget.look();
  const CheckReport report = check(support::parse("A: w(x=1) ; B: w(x=2)"), {}, budget);
  EXPECT_EQ(letters(report).find_first_not_of("u-"), std::string::npos);
  EXPECT_EQ(row(report, kSerializable).reason, "interrupted");
  EXPECT_EQ(row(report, kStrictSerializable).reason, "the history has no start and end times");
}

}  // namespace
}  // namespace isolde
