#include "explain/report_model.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace isolde::explain
