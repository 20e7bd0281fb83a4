#include "explain/report_model.hpp"

#include <gtest/gtest.h>

#include "base/budget.hpp"
#include "history/evidence.hpp"
#include "support/history_dsl.hpp"

namespace isolde::explain {
namespace {

// Goal: everything a verdict does not cover is said. Method: a history with all of it.
TEST(ReportModel, SaysWhatWasNotChecked) {
  const History history = support::parse("A: r(x=?) w(y=1)\nB: w(x=1) ?\nC: w(x=2) ?");
  CheckReport report;
  report.levels.push_back({Level::kStrictSerializable, Verdict::kNotApplicable, "no times", 0});
  report.levels.push_back({Level::kSerializable, Verdict::kHolds, "", 0});
  report.statistics.included_txns = 1;
  const std::vector<std::string> lines = not_checked(history, report);
  EXPECT_EQ(lines,
            (std::vector<std::string>{"2 transactions with unknown outcome that nothing must "
                                      "have read from: each may have happened or not",
                                      "1 read whose result the client never learned"}));
}

TEST(ReportModel, SaysNothingWhenAllWasChecked) {
  const History history = support::parse("A: w(x=1)\nB: w(x=2) !");
  CheckReport report;
  report.statistics.included_txns = 1;
  EXPECT_TRUE(not_checked(history, report).empty());
}

std::string told_evidence(const char* text) {
  const History history = support::parse(text);
  ReportModel model{history, {}, {}, {}, {}};
  base::Budget budget;
  model.evidence = history::evidence_of(history, budget);
  const std::string told = evidence_text(model);
  return told.substr(0, told.find("; transactions of"));
}

// Goal: transactions that are not among those that took effect are accounted for, where the
// heading does not tell of all of them.
TEST(ReportModel, SaysWhatBecameOfTheOthers) {
  EXPECT_EQ(told_evidence("A: w(x=1); B: w(x=2) !"), "1 transaction took effect");
  EXPECT_EQ(told_evidence("A: w(x=1); B: r(x=?)"),
            "1 transaction took effect; the other 1 committed but tells of no key");
  EXPECT_EQ(told_evidence("A: w(x=1); B: r(x=?); C: w(x=2) !; D: w(x=3) !; E: w(x=4) ?"),
            "1 transaction took effect; of the other 4, 2 were aborted, 1 with unknown outcome "
            "shows no effect and 1 committed but tells of no key");
  EXPECT_EQ(told_evidence("A: w(x=1); B: r(x=?); C: r(x=?); E: w(x=4) ?; F: r(x=4)"),
            "3 transactions took effect, 1 of them with unknown outcome, by what others read; "
            "the other 2 committed but tell of no key");
}

}  // namespace
}  // namespace isolde::explain
