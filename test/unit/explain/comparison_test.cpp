// Goal: a comparison says of two histories what their verdicts say, and denies nothing that was
// not put to the test.
#include "explain/comparison.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "isolde/history_builder.hpp"
#include "support/history_dsl.hpp"
#include "unit/explain/reported.hpp"

namespace isolde::explain {
namespace {

constexpr const char* kSkewed = "A: r(x=_) w(y=1)\nB: r(y=_) w(x=1)";
constexpr const char* kLosing = "A: r(x=_) w(x=1)\nB: r(x=_) w(x=2)";
constexpr const char* kInOrder = "A: r(x=_) w(x=1)\nB: r(x=1) w(x=2)\nC: r(x=2)";
constexpr const char* kUnmet = "A: w(x=1)\nB: w(y=1)";  // nobody meets

std::string difference(const ReportModel& a, const ReportModel& b) {
  return compare(a, b).difference;
}

std::string difference(const std::string& a, const std::string& b) {
  const History one = support::parse(a);
  const History two = support::parse(b);
  return difference(report_on(one), report_on(two));
}

TEST(Comparison, BeginsWithWhatDiffers) {
  EXPECT_EQ(difference(kSkewed, kInOrder), "A shows write skew, which B does not.");
  EXPECT_EQ(difference(kInOrder, kSkewed), "B shows write skew, which A does not.");
  EXPECT_EQ(difference(kLosing, kSkewed),
            "A shows lost updates, which B does not. B shows write skew; whether A does is not "
            "known.");
  EXPECT_EQ(difference(kLosing, kLosing), "A and B show the same anomalies: lost updates.");
  EXPECT_EQ(difference(kInOrder, kInOrder), "No anomaly was found in A or B.");
}

// Goal: what has no place in the summary is denied, too, where a level holds that excludes it.
TEST(Comparison, DeniesWhatALevelExcludes) {
  constexpr const char* kForked = "A: w(x=1)\nB: w(y=1)\nC: r(x=1) r(y=_)\nD: r(y=1) r(x=_)";
  EXPECT_EQ(difference(kForked, kInOrder), "A shows long forks, which B does not.");
  EXPECT_EQ(
      difference(kForked, kLosing),
      "A shows long forks; whether B does is not known. B shows lost updates, which A does "
      "not.");
  EXPECT_EQ(difference(kForked, kUnmet), "A shows long forks; whether B does is not known.");
}

TEST(Comparison, DeniesNothingThatWasNotPutToTheTest) {
  EXPECT_EQ(difference(kLosing, kUnmet), "A shows lost updates; whether B does is not known.");
  EXPECT_EQ(difference(kInOrder, kUnmet), "B put no level to the test.");
  const History lost = support::parse(kLosing);
  const History apart = support::parse(kUnmet);
  const ReportModel a = report_on(lost);
  const ReportModel b = report_on(apart);
  const Comparison both = compare(a, b);
  for (const ComparedAnomaly& anomaly : both.anomalies) {
    EXPECT_EQ(anomaly.presence[1], Presence::kNotKnown) << anomaly.many;
  }
  for (const ComparedLevel& level : both.levels) {
    EXPECT_EQ(level.untried[1], level.verdicts[1] == Verdict::kHolds);
    EXPECT_EQ(verdict_text(level, 1).ends_with(", untried"), level.untried[1]);
    EXPECT_FALSE(level.untried[0]);
  }
}

TEST(Comparison, HasEachAnomalyOnceAndThoseThatOccurFirst) {
  const History skew = support::parse(kSkewed);
  const History lost = support::parse(kLosing);
  const ReportModel a = report_on(skew);
  const ReportModel b = report_on(lost);
  const Comparison both = compare(a, b);
  std::vector<std::string> rows;
  for (const ComparedAnomaly& anomaly : both.anomalies) {
    rows.push_back(std::string(anomaly.many) + ": " + std::string(name(anomaly.presence[0])) +
                   ", " + std::string(name(anomaly.presence[1])));
  }
  EXPECT_EQ(rows, (std::vector<std::string>{
                      "write skew: occurs, not known", "lost updates: not seen, occurs",
                      "dirty reads: not seen, not seen", "fractured reads: not seen, not seen",
                      "stale reads: not known, not known"}));
}

TEST(Comparison, SaysWhatIsViolatedWithoutAnExplanation) {
  const History lost = support::parse(kLosing);
  const History serial = support::parse(kInOrder);
  const ReportModel b = report_on(serial);
  ReportModel a = report_on(lost);
  std::size_t violated = 0;
  for (LevelOutcome& outcome : a.levels) {
    if (!outcome.is_violated()) continue;
    outcome.leave_unexplained("time limit reached");
    ++violated;
  }
  const std::string levels = std::to_string(violated) + " levels";
  EXPECT_EQ(difference(a, b), "A violates " + levels +
                                  ", by what was not explained. The "
                                  "verdicts differ at " +
                                  levels + ".");
  EXPECT_TRUE(compare(a, b).sides[0].violations.empty());
}

// Goal: what was left open is said first, and nothing is denied of what nobody looked into.
TEST(Comparison, BeginsWithWhatWasNotDecided) {
  const History serial = support::parse(kInOrder);
  const History lost = support::parse(kLosing);
  ReportModel open = report_on(serial);
  const auto leave_open = [&open](std::size_t from, const char* reason) {
    for (std::size_t i = from; i < open.levels.size(); ++i) {
      open.levels[i].verdict = Verdict::kUnknown;
      open.levels[i].reason = reason;
    }
  };
  leave_open(open.levels.size() - 1, "interrupted");
  const ReportModel whole = report_on(serial);
  EXPECT_EQ(difference(whole, open),
            "1 level of B was not decided: interrupted. No anomaly was found in A or B.");
  leave_open(open.levels.size() - 2, "interrupted");
  open.levels.back().reason = "time limit reached";
  EXPECT_EQ(difference(open, whole),
            "2 levels of A were not decided: interrupted; time limit reached. No anomaly was "
            "found in A or B.");
  leave_open(0, "interrupted");
  EXPECT_EQ(difference(open, whole),
            "Nothing was decided of A: interrupted. No anomaly was found in B.");
  EXPECT_EQ(
      difference(report_on(lost), open),
      "Nothing was decided of B: interrupted. A shows lost updates; whether B does is not "
      "known.");
  EXPECT_EQ(difference(open, open),
            "Nothing was decided of A: interrupted. Nothing was decided of B: interrupted.");
}

/// Transactions of that many nanoseconds, one behind the other.
History timed(std::int64_t length, bool only_order = false, std::int64_t count = 1000,
              int sessions = 1) {
  HistoryBuilder builder;
  builder.origin().times_are_order = only_order;
  for (std::int64_t i = 0; i < count; ++i) {
    builder.begin_txn(builder.session(std::to_string(i % sessions)));
    builder.set_times({i * length, (i + 1) * length});
    builder.read(builder.key(builder.string("x")), {});
  }
  return std::move(builder.finish()).value();
}

TEST(Comparison, TellsHowFast) {
  const History fast = timed(1000);
  const History slow = timed(1800);
  const History order = timed(1000, true);
  const ReportModel a = report_on(fast);
  const ReportModel b = report_on(slow);
  EXPECT_TRUE(difference(a, b).ends_with("A commits 1.8 times as many transactions a second."));
  EXPECT_TRUE(difference(b, a).ends_with("B commits 1.8 times as many transactions a second."));
  EXPECT_TRUE(difference(a, a).ends_with("Both commit about as many transactions a second."));
  // A ratio of few transactions, or of other numbers of clients, measures nothing.
  const History few = timed(1000, false, 999);
  const History wide = timed(1000, false, 1000, 2);
  EXPECT_EQ(difference(report_on(few), b).find("as many"), std::string::npos);
  EXPECT_EQ(difference(a, report_on(few)).find("as many"), std::string::npos);
  EXPECT_EQ(difference(a, report_on(wide)).find("as many"), std::string::npos);
  EXPECT_EQ(pace_of(fast).median_ns, 1000);
  EXPECT_EQ(pace_of(fast).p95_ns, 1000);
  EXPECT_DOUBLE_EQ(*pace_of(fast).committed_per_second, 1e6);
  // Numbers of events are no times.
  EXPECT_FALSE(pace_of(order).committed_per_second);
  EXPECT_FALSE(pace_of(order).median_ns);
}

TEST(Comparison, TextAndJsonSayTheSame) {
  const History skew = support::parse(kSkewed);
  const History serial = support::parse(kInOrder);
  const ReportModel a = report_on(skew);
  const ReportModel b = report_on(serial);
  const Comparison both = compare(a, b);
  const std::string text = to_text(both);
  const auto json = nlohmann::json::parse(to_json(both));
  EXPECT_EQ(json["difference"], both.difference);
  EXPECT_NE(text.find(both.difference), std::string::npos);
  EXPECT_EQ(json["sides"][0]["summary"]["verdict"], both.sides[0].summary.verdict);
  ASSERT_EQ(json["sides"][0]["violations"].size(), 1U);
  const auto& violation = json["sides"][0]["violations"][0];
  EXPECT_EQ(violation["statement"].get<std::string>().rfind("write skew: ", 0), 0U);
  EXPECT_EQ(violation["levels"], nlohmann::json({"serializable"}));
  EXPECT_TRUE(json["sides"][1]["violations"].empty());
  EXPECT_EQ(json["levels"].size(), both.levels.size());
  for (const auto& level : json["levels"]) {
    const bool told =
        text.find("  " + level["name"].get<std::string>() + "  ") != std::string::npos;
    EXPECT_EQ(told, level["differs"].get<bool>()) << level;
  }
}

}  // namespace
}  // namespace isolde::explain
