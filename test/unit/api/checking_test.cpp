// Goal: what the command line and the library share between a history and its report. Method:
// hand histories; all that is decided goes through the verifier.
#include "api/checking.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "certify/verify.hpp"
#include "isolde/history_builder.hpp"
#include "support/forced_ways.hpp"
#include "support/history_dsl.hpp"

namespace isolde::api {
namespace {

using support::parse;

constexpr const char* kSkew = "A: r(x=_) r(y=_) w(x=1) ; B: r(x=_) r(y=_) w(y=1)";

Settings at(std::vector<Level> levels) {
  Settings settings;
  settings.check.levels = std::move(levels);
  return settings;
}

Checked check_all(const History& history, const Settings& settings) {
  base::Budget budget;
  return check(history, settings, budget);
}

TEST(Checking, ProvesWhatItReports) {
  const History history = parse(kSkew);
  Checked checked = check_all(history, at({Level::kSerializable, Level::kSnapshotIsolation}));
  ASSERT_EQ(checked.model.levels.size(), 2U);
  EXPECT_EQ(checked.model.levels[0].verdict, Verdict::kViolated);
  EXPECT_EQ(checked.model.levels[1].verdict, Verdict::kHolds);
  EXPECT_TRUE(checked.model.asked);
  for (int again = 0; again < 2; ++again) {  // the proof comes back each time
    for (const LevelReport& level : checked.report.levels) {
      const LentCertificate certificate(checked, level);
      EXPECT_TRUE(certify::verify(history, *certificate).proves);
      EXPECT_EQ((*certificate).level, level.level);
    }
  }
}

Within unlimited() {
  return [](const std::function<void()>& work) {
    work();
    return std::string();
  };
}

TEST(Checking, VerifiesItsProofs) {
  const History history = parse(kSkew);
  Checked checked = check_all(history, at({}));
  const std::vector<Level> strongest = checked.model.strongest;
  const std::vector<LevelReport> levels = checked.report.levels;
  EXPECT_EQ(verify_proofs(checked, unlimited()), std::vector<std::string>());
  EXPECT_EQ(checked.model.strongest, strongest);
  const auto decided = std::ranges::count_if(levels, [](const LevelReport& level) {
    return level.verdict == Verdict::kHolds || level.verdict == Verdict::kViolated;
  });
  EXPECT_EQ(checked.model.proofs_verified, static_cast<std::size_t>(decided));
  for (std::size_t i = 0; i < levels.size(); ++i) {
    EXPECT_EQ(checked.model.levels[i].verdict, levels[i].verdict);
  }
}

// Each proof in turn is taken for one of the other level.
TEST(Checking, TakesBackWhatItCannotProve) {
  const History history = parse(kSkew);
  for (const std::size_t wrong : {0U, 1U}) {
    Checked checked = check_all(history, at({Level::kSerializable, Level::kSnapshotIsolation}));
    LevelReport& level = checked.report.levels[wrong];
    level.proof = checked.report.levels[1 - wrong].proof;
    level.verdict = wrong == 0 ? Verdict::kHolds : Verdict::kViolated;
    const std::vector<std::string> refused = verify_proofs(checked, unlimited());
    ASSERT_EQ(refused.size(), 1U);
    const std::string name(info(level.level).name);
    EXPECT_TRUE(refused[0].starts_with(name + ": the proof that was found does not stand: "))
        << refused[0];
    EXPECT_EQ(level.verdict, Verdict::kUnknown);
    EXPECT_EQ(checked.model.levels[wrong].verdict, Verdict::kUnknown);
    EXPECT_EQ(checked.model.levels[wrong].why(), level.reason);
    EXPECT_EQ(checked.model.proofs_verified, 1U);
    EXPECT_TRUE(wrong == 0 || checked.model.strongest.empty());
    EXPECT_TRUE(wrong == 1 || checked.model.weakest_violated.empty());
  }
}

TEST(Checking, SaysUnknownOfWhatThereIsNoTimeToVerify) {
  const History history = parse(kSkew);
  Checked checked = check_all(history, at({Level::kSerializable}));
  const std::vector<std::string> refused = verify_proofs(
      checked, [](const std::function<void()>&) { return std::string("time limit reached"); });
  EXPECT_TRUE(refused.empty());
  EXPECT_EQ(checked.model.levels[0].verdict, Verdict::kUnknown);
  EXPECT_EQ(checked.model.levels[0].why(),
            "its proof could not be verified: time limit reached");
  EXPECT_EQ(checked.model.proofs_verified, 0U);
}

// Goal: a proof alone gives the report that its check gave, indeterminate transactions,
// evidence and scenario included.
TEST(Checking, ReportsOnAProofAsTheCheckDid) {
  for (const char* text :
       {kSkew, "A: w(x=1) ; B: r(x=1)", "A: r(x=_)", "A: w(x=1) ? ; B: r(x=1) ; C: w(y=1) ?"}) {
    for (const Level level : {Level::kSerializable, Level::kReadCommitted}) {
      const History history = parse(text);
      Checked checked = check_all(history, at({level}));
      explain(checked);
      base::Budget budget;
      Checked again = proved(history, certificate(checked, checked.report.levels[0]), budget);
      explain(again);
      EXPECT_EQ(again.model.levels[0].verdict, checked.model.levels[0].verdict) << text;
      EXPECT_EQ(again.model.levels[0].why(), checked.model.levels[0].why()) << text;
      EXPECT_EQ(again.model.levels[0].trial, checked.model.levels[0].trial) << text;
      EXPECT_EQ(again.model.strongest, checked.model.strongest) << text;
      EXPECT_EQ(again.model.weakest_violated, checked.model.weakest_violated) << text;
      EXPECT_EQ(again.model.not_checked, checked.model.not_checked) << text;
      EXPECT_EQ(again.model.asked, checked.model.asked) << text;
    }
  }
}

// Goal: the library's reports tell a recorded promise as the command line's do.
TEST(Checking, TakesThePromiseFromTheHistory) {
  HistoryBuilder builder;
  builder.origin().promise = Level::kCausal;
  builder.origin().database = "DB 1";
  const History history = std::move(builder.finish()).value();
  const Checked checked = check_all(history, at({}));
  ASSERT_TRUE(checked.model.promise);
  EXPECT_EQ(checked.model.promise->level, Level::kCausal);
  EXPECT_EQ(checked.model.promise->database, "DB 1");
  EXPECT_FALSE(check_all(parse(kSkew), at({})).model.promise);
}

TEST(Checking, ExplainsWhatIsViolatedAsFarAsThereIsRoom) {
  const History history = parse(kSkew);
  const Settings settings = at({Level::kSerializable, Level::kSnapshotIsolation});
  Checked checked = check_all(history, settings);
  explain(checked, [](const std::function<void()>& work) {
    work();
    return std::string();
  });
  ASSERT_TRUE(checked.model.levels[0].scenario);
  EXPECT_EQ(checked.model.levels[0].scenario->anomaly.name, "write skew");
  EXPECT_FALSE(checked.model.levels[1].scenario);

  Checked hurried = check_all(history, settings);
  explain(hurried, [](const std::function<void()>&) { return std::string("no time"); });
  EXPECT_FALSE(hurried.model.levels[0].scenario);
  EXPECT_EQ(hurried.model.levels[0].verdict, Verdict::kViolated);
  EXPECT_EQ(hurried.model.levels[0].reason, "not explained: no time");
}

// Goal: nothing holds on no evidence, and violations stand.
TEST(Checking, WeighsTheEvidence) {
  const auto reason_of = [](const char* text, const Settings& settings) {
    const Checked checked = check_all(parse(text), settings);
    const LevelReport& level = checked.report.levels[0];
    return std::string(name(level.verdict)) + ": " + level.reason;
  };
  Settings settings = at({Level::kSerializable});
  EXPECT_EQ(reason_of("A: w(x=1) !", settings), "unknown: no transaction took effect");
  EXPECT_EQ(reason_of("A: w(x=1) ; B: w(y=1)", settings), "holds: ");
  settings.min_committed = 3;
  EXPECT_EQ(reason_of("A: w(x=1) ; B: w(y=1)", settings),
            "unknown: 2 transactions took effect, and at least 3 are required");
  EXPECT_EQ(reason_of(kSkew, settings), "violated: ");
  settings.min_committed = 1;
  settings.require_evidence = true;
  EXPECT_EQ(reason_of("A: w(x=1) ; B: w(y=1)", settings),
            "unknown: no two transactions used a key that one of them wrote, and evidence is "
            "required (more sessions at once on fewer keys)");
}

TEST(Checking, KnowsNothingOfWhatWasNotLoaded) {
  const History empty = empty_history("big.jsonl", "native");
  const Checked checked =
      not_loaded(empty, at({Level::kSerializable}), "time limit of 1 s reached");
  EXPECT_FALSE(checked.model.loaded);
  EXPECT_EQ(empty.origin().file, "big.jsonl");
  ASSERT_EQ(checked.model.levels.size(), 1U);
  EXPECT_EQ(checked.model.levels[0].verdict, Verdict::kUnknown);
  EXPECT_EQ(checked.model.levels[0].reason, "time limit of 1 s reached");
  EXPECT_EQ(not_loaded(empty, Settings(), "").model.levels.size(), all_levels().size());
}

/// Rows that are not listed stay so where the check does without them, from that many
/// operations on.
Verdict verdict_unlisted(const std::string& text, std::size_t unlisted_from, bool stays) {
  base::Ways ways;
  ways.unlisted_from = unlisted_from;
  const support::ForcedWays forced(ways);
  History history = support::build(support::parse_plain(text), true);
  EXPECT_TRUE(history.has_unlisted_rows());
  const std::uint64_t digest = history.digest();
  base::Budget budget;
  Result<Checked> checked = check_listing(history, at({Level::kSerializable}), budget);
  if (!checked) {
    ADD_FAILURE() << checked.error().message;
    return Verdict::kUnknown;
  }
  EXPECT_EQ(history.has_unlisted_rows(), stays);
  EXPECT_EQ(checked->model.evidence.exact, !stays);
  EXPECT_EQ(history.digest(), digest);
  Checked listed = std::move(*checked);
  const History whole = support::build(support::parse_plain(text));
  const LentCertificate certificate(listed, listed.report.levels.front());
  EXPECT_TRUE(certify::verify(whole, *certificate).proves);
  return listed.model.levels.front().verdict;
}

TEST(CheckListing, ListsRowsWhereTheyAreNeeded) {
  constexpr std::size_t kNever = 1U << 30;
  // The second one did not see the first one's row, which it could have.
  const std::string holds =
      "A: w(1=5) w(2=1) @1,9 ; B: s(values=4..6:) r(2=_) w(3=7) @2,8 ; "
      "C: s(values=4..6: 1=5) r(3=7) @12,19";
  EXPECT_EQ(verdict_unlisted(holds, 0, true), Verdict::kHolds);
  EXPECT_EQ(verdict_unlisted(holds, kNever, false), Verdict::kHolds);
  // Each missed the other's row.
  const std::string skew =
      "A: s(values=4..6:) w(1=5) @1,9 ; B: s(values=4..6:) w(2=5) @2,8 ; C: r(1=5) r(2=5) "
      "@9,12";
  EXPECT_EQ(verdict_unlisted(skew, 0, false), Verdict::kViolated);
  EXPECT_EQ(verdict_unlisted(skew, kNever, false), Verdict::kViolated);
  // They met at the row that was left out alone.
  const std::string met_there = "A: w(1=5) @1,9 ; B: s(values=4..6:) @2,8";
  EXPECT_EQ(verdict_unlisted(met_there, 0, false), Verdict::kHolds);
}

TEST(CheckListing, StopsWhenTheBudgetHasRunOut) {
  History history =
      support::build(support::parse_plain("A: w(1=5) @1,9 ; B: s(values=4..6:) @2,8"), true);
  base::Budget budget;
  budget.cancel();
  budget.look();
  const auto checked = check_listing(history, at({}), budget);
  ASSERT_FALSE(checked.ok());
  EXPECT_EQ(checked.error().code, ErrorCode::kLimit);
}

}  // namespace
}  // namespace isolde::api
