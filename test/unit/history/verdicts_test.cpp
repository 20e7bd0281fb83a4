// Goal: what a report comes down to. Method: reports made by hand; check_test.cpp has real
// ones.
#include "history/verdicts.hpp"

#include <gtest/gtest.h>

namespace isolde {
namespace {

using enum Level;

std::vector<Level> levels(std::initializer_list<Level> list) { return list; }

TEST(Verdicts, HaveNames) {
  EXPECT_EQ(name(Verdict::kHolds), "holds");
  EXPECT_EQ(name(Verdict::kViolated), "violated");
  EXPECT_EQ(name(Verdict::kUnknown), "unknown");
  EXPECT_EQ(name(Verdict::kNotApplicable), "not-applicable");
}

TEST(Verdicts, SummariesUseSessionsThatRespectTime) {
  CheckReport report;
  report.levels = {{kStrictSerializable, Verdict::kHolds, "", 0},
                   {kStrongSessionSerializable, Verdict::kHolds, "", 0},
                   {kSerializable, Verdict::kUnknown, "", 0}};
  EXPECT_EQ(strongest_held(report), levels({kStrictSerializable, kStrongSessionSerializable}));
  report.sessions_respect_time = true;
  EXPECT_EQ(strongest_held(report), levels({kStrictSerializable}));
}

// Where selections left out rows, repeatable read tells nothing of the levels below it but read
// committed, in neither direction.
TEST(Verdicts, SummariesMindRowsThatWereLeftOut) {
  CheckReport report;
  report.levels = {{kRepeatableRead, Verdict::kHolds, "", 0},
                   {kReadAtomic, Verdict::kHolds, "", 0},
                   {kReadCommitted, Verdict::kHolds, "", 0}};
  EXPECT_EQ(strongest_held(report), levels({kRepeatableRead}));
  report.rows.left_out = true;
  EXPECT_EQ(strongest_held(report), levels({kRepeatableRead, kReadAtomic}));
  report.levels = {{kRepeatableRead, Verdict::kViolated, "", 0},
                   {kReadAtomic, Verdict::kViolated, "", 0}};
  EXPECT_EQ(weakest_violated(report), levels({kRepeatableRead, kReadAtomic}));
  report.rows.left_out = false;
  EXPECT_EQ(weakest_violated(report), levels({kReadAtomic}));
}

}  // namespace
}  // namespace isolde
