#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <pugixml.hpp>
#include <string>

#include "explain/encode.hpp"
#include "explain/form.hpp"
#include "history/notation.hpp"
#include "isolde/history_builder.hpp"
#include "support/failing_memory.hpp"
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
  input.asked = true;
  input.load_seconds = 0.5;
  input.check_seconds = 0.25;
  const std::unique_ptr<Collection> report = find_form("junit")->collect();
  report->add(input);
  report->add_failure("dir/b.jsonl", "b.jsonl: is \"bad\"");
  const std::string text = report->text();
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
  EXPECT_TRUE(has(text, "<error message=\"timeout &amp; more\" type=\"unknown\" />"));
  EXPECT_TRUE(has(text, "<testcase name=\"read-committed\" classname=\"isolde.\" />"));
  EXPECT_TRUE(has(text, "Left out or assumed:\n1 read &lt;unknown&gt;\n</system-out>"));
  EXPECT_TRUE(has(text, "classname=\"isolde.dir/b_jsonl\""));
  EXPECT_TRUE(
      has(text, "<error message=\"b.jsonl: is &quot;bad&quot;\" type=\"not checked\" />"));
}

TEST(ReportJunit, TellsOfTheRun) {
  const History history = write_skew();
  ReportModel input{history, {}, {}, {}, {}};
  input.run.emplace();
  input.run->database = "postgres://h/db";
  input.run->seed = 42;
  const std::unique_ptr<Collection> report = find_form("junit")->collect();
  report->add(input);
  const std::string text = report->text();
  EXPECT_TRUE(has(text, "<property name=\"database\" value=\"postgres://h/db\" />"));
  EXPECT_TRUE(has(text, "<property name=\"seed\" value=\"42\" />"));
}

TEST(ReportJunit, HasACaseForTheRunAndNoneTwiceForALevel) {
  const History history = write_skew();
  ReportModel input{history, {}, {}, {}, {}};
  input.levels = {{Level::kSerializable,
                   Verdict::kViolated,
                   "",
                   {},
                   make_scenario(history, write_skew_proof())}};
  input.run.emplace();
  input.promise = Promise{"db", "best", Level::kSerializable, ""};
  input.run->stopped = "no space";
  const std::unique_ptr<Collection> report = find_form("junit")->collect();
  report->add(input);
  const std::string text = report->text();
  EXPECT_TRUE(has(text, "tests=\"2\" failures=\"1\" errors=\"1\"")) << text;
  EXPECT_TRUE(has(text, "<error message=\"no space\" type=\"stopped early\" />"));
  EXPECT_TRUE(has(text,
                  "which A:0 replaced by 1; db at best promises serializable: BROKEN\" "
                  "type=\"G2-item\">"))
      << text;
}

// Goal: a build breaks over what was promised or asked for, and over nothing else.
TEST(ReportJunit, FailsForNothingThatNobodyPromised) {
  const History history = write_skew();
  for (const std::optional<Level> promised :
       {std::optional(Level::kSerializable), std::optional(Level::kReadCommitted),
        std::optional<Level>()}) {
    ReportModel input{history, {}, {}, {}, {}};
    input.levels = {{Level::kSerializable,
                     Verdict::kViolated,
                     "",
                     {},
                     make_scenario(history, write_skew_proof())},
                    {Level::kSnapshotIsolation, Verdict::kUnknown, "timeout", {}, {}}};
    if (promised) input.promise = Promise{"db", "best", promised, ""};
    const std::unique_ptr<Collection> report = find_form("junit")->collect();
    report->add(input);
    const std::string text = report->text();
    const bool broken = promised == Level::kSerializable;
    EXPECT_EQ(has(text, "<failure message=\"write skew: "), broken) << text;
    EXPECT_EQ(has(text,
                  "<skipped>checked, and violated; no failure, for it was neither promised nor "
                  "asked for: write skew: "),
              !broken)
        << text;
    EXPECT_EQ(has(text, "<error message=\"timeout\""), broken) << text;
    EXPECT_EQ(has(text,
                  "<skipped>not decided; no error, for it was neither promised nor asked for: "
                  "timeout"),
              !broken)
        << text;
  }
}

// Goal: a failure has what the damage comes to, where the recording tells of a total.
TEST(ReportJunit, TellsTheTotals) {
  HistoryBuilder builder;
  builder.origin().notation.values =
      *history::parse_values("account/* balance@0+20 initial=100 keys=1 total=100");
  const KeyId account = builder.key(builder.string("account/0"));
  for (const std::int64_t written : {1, 2}) {
    builder.begin_txn(builder.session(written == 1 ? "A" : "B"));
    builder.read(account, Value());
    builder.write(account, Value::integer((written << 20) | (100 + written)));
  }
  builder.begin_txn(builder.session("C"));
  builder.read(account, Value::integer((1 << 20) | 101));
  const History history = std::move(builder.finish()).value();
  const Certificate proof =
      cycle_certificate(Level::kSnapshotIsolation, {rw(0, 1, 0), rw(1, 0, 0)});
  ReportModel input{history, {}, {}, {}, {}};
  input.levels = {
      {Level::kSnapshotIsolation, Verdict::kViolated, "", {}, make_scenario(history, proof)}};
  const std::unique_ptr<Collection> report = find_form("junit")->collect();
  report->add(input);
  EXPECT_TRUE(
      has(report->text(),
          "\nThe only transaction that read the key account/* saw a total balance of 101; "
          "each transaction by itself keeps it at 100.\n</failure>"))
      << report->text();
}

// Goal: names may hold any bytes, and XML may not. Method: a reader of XML gets back what XML
// has of them.
TEST(ReportJunit, HoldsAnyName) {
  std::string name = "<a&b>\"'\t\n\r\xc3\xa9\xe2\x80\xae\xff";
  for (char c = 1; c < ' '; ++c) name += c;
  name += '\0';
  const std::unique_ptr<Collection> report = find_form("junit")->collect();
  report->add_failure(name, name);
  pugi::xml_document document;
  const std::string text = report->text();
  ASSERT_TRUE(document.load_buffer(text.data(), text.size())) << text;
  const pugi::xml_node suite = document.document_element().child("testsuite");
  EXPECT_EQ(suite.attribute("name").value(), xml_characters(name)) << text;
  const pugi::xml_node problem = suite.child("testcase").child("error");
  EXPECT_EQ(problem.attribute("message").value(), xml_characters(name)) << text;
}

// Goal: a suite for which there was no room is as if it had not been begun. Method: each
// allocation in turn fails.
TEST(ReportJunit, TakesBackWhatItHasNoRoomFor) {
  const std::unique_ptr<Collection> report = find_form("junit")->collect();
  const std::string longer(100, 'x');
  int refused = 0;
  for (bool complete = false; !complete; refused += complete ? 0 : 1) {
    const support::OneLackOfMemory lack(refused);
    try {
      report->add_failure("a" + longer, "bad" + longer);
      complete = true;
    } catch (const std::bad_alloc&) {
    }
  }
  EXPECT_GT(refused, 5);
  const std::string text = report->text();
  EXPECT_TRUE(has(text, "<testsuites name=\"isolde\" tests=\"1\"")) << text;
  EXPECT_EQ(text.find("<testsuite "), text.rfind("<testsuite ")) << text;
}

}  // namespace
}  // namespace isolde::explain
