#include "explain/report_junit.hpp"

#include <gtest/gtest.h>

#include "support/history_dsl.hpp"
#include "unit/explain/histories.hpp"

namespace isolde::explain {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Goal: each verdict gets the result that it should have, and the counts agree.
TEST(ReportJunit, HasACaseForEachLevel) {
  const History history = write_skew();
  ReportModel input{history, {}, {}, {Level::kSerializable}, {"1 read <unknown>"}};
  input.levels = {{Level::kStrictSerializable, Verdict::kNotApplicable, "no times", {}, {}},
                  {Level::kSerializable,
                   Verdict::kViolated,
                   "",
                   {},
                   make_scenario(history, write_skew_proof())},
                  {Level::kSnapshotIsolation, Verdict::kUnknown, "timeout & more", {}, {}},
                  {Level::kReadCommitted, Verdict::kHolds, "", {}, {}}};
  input.load_seconds = 0.5;
  input.check_seconds = 0.25;
  JunitReport report;
  report.add(input);
  report.add_failure("dir/b.jsonl", "b.jsonl: is \"bad\"");
  const std::string text = report.text();
  EXPECT_TRUE(has(text,
                  "<testsuites name=\"isolde\" tests=\"5\" failures=\"1\" errors=\"2\" "
                  "time=\"0.750000\">"));
  EXPECT_TRUE(has(text,
                  " tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\" "
                  "time=\"0.750000\">"));
  EXPECT_TRUE(has(text, "<skipped>no times</skipped>"));
  EXPECT_TRUE(has(text,
                  "<failure message=\"write skew: A:0 read the initial value of y, which B:0 "
                  "replaced by 2, but B:0 "
                  "read the initial value of x, which A:0 replaced by 1\" "
                  "type=\"G2-item\">Write skew (G2-item)"));
  EXPECT_TRUE(has(text, "<error message=\"timeout &amp; more\" type=\"unknown\"></error>"));
  EXPECT_TRUE(has(text, "<testcase name=\"read-committed\" classname=\"isolde.\"/>"));
  EXPECT_TRUE(has(text, "Left out or assumed:\n1 read &lt;unknown&gt;\n</system-out>"));
  EXPECT_TRUE(has(text, "classname=\"isolde.dir/b_jsonl\""));
  EXPECT_TRUE(
      has(text, "<error message=\"b.jsonl: is &quot;bad&quot;\" type=\"not checked\">"));
}

TEST(ReportJunit, TellsOfTheRun) {
  const History history = write_skew();
  ReportModel input{history, {}, {}, {}, {}};
  input.run.emplace();
  input.run->database = "postgres://h/db";
  input.run->seed = 42;
  JunitReport report;
  report.add(input);
  EXPECT_TRUE(has(report.text(), "<property name=\"database\" value=\"postgres://h/db\"/>"));
  EXPECT_TRUE(has(report.text(), "<property name=\"seed\" value=\"42\"/>"));
}

TEST(ReportJunit, HasACaseForTheRunAndOneForItsPromise) {
  const History history = write_skew();
  ReportModel input{history, {}, {}, {}, {}};
  input.levels = {{Level::kSerializable,
                   Verdict::kViolated,
                   "",
                   {},
                   make_scenario(history, write_skew_proof())}};
  input.run.emplace();
  input.run->product = "db";
  input.run->isolation = "best";
  input.run->promised = Level::kSerializable;
  input.run->stopped = "no space";
  JunitReport report;
  report.add(input);
  const std::string text = report.text();
  EXPECT_TRUE(has(text, "tests=\"3\" failures=\"2\" errors=\"1\"")) << text;
  EXPECT_TRUE(has(text, "<error message=\"no space\" type=\"stopped early\">"));
  EXPECT_TRUE(has(text,
                  "<failure message=\"db at best promises serializable: BROKEN\" "
                  "type=\"broken promise\">"));
}

}  // namespace
}  // namespace isolde::explain
