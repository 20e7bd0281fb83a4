#include "explain/report_sarif.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "isolde/history_builder.hpp"
#include "unit/explain/histories.hpp"

namespace isolde::explain {
namespace {

using Json = nlohmann::json;

/// The write skew, read from a file with a line for each transaction.
History skew_in(const char* file, std::uint64_t first_line) {
  HistoryBuilder builder;
  builder.origin().file = file;
  builder.origin().format = "native";
  const KeyId x = builder.key(builder.string("x"));
  const KeyId y = builder.key(builder.string("y"));
  builder.begin_txn(builder.session("A"), first_line);
  builder.read(x, Value::null());
  builder.read(y, Value::null());
  builder.write(x, builder.integer(1));
  builder.begin_txn(builder.session("B"), first_line + 1);
  builder.read(x, Value::null());
  builder.read(y, Value::null());
  builder.write(y, builder.integer(2));
  return std::move(builder.finish()).value();
}

ReportModel skew_report(const History& history) {
  ReportModel input{history, {}, {}, {Level::kSerializable}, {"a note"}};
  input.levels = {{Level::kStrictSerializable, Verdict::kNotApplicable, "no times", {}, {}},
                  {Level::kSerializable,
                   Verdict::kViolated,
                   "",
                   {},
                   make_scenario(history, write_skew_proof())},
                  {Level::kSnapshotIsolation, Verdict::kUnknown, "timeout", {}, {}}};
  return input;
}

Json run_of(SarifReport& report) { return Json::parse(report.text())["runs"][0]; }

// Goal: rule, location, other transactions, cycle and verdicts are where readers look.
TEST(ReportSarif, HasAResultForAStory) {
  const History history = skew_in("dir/a b.jsonl", 6);
  SarifReport report("1.2.3");
  ReportModel input = skew_report(history);
  report.add(input);
  const Json run = run_of(report);
  EXPECT_EQ(run["tool"]["driver"]["version"], "1.2.3");
  const Json& rule = run["tool"]["driver"]["rules"][0];
  EXPECT_EQ(rule["id"], "G2-item.write-skew");
  EXPECT_EQ(rule["name"], "WriteSkew");
  ASSERT_EQ(run["results"].size(), 1U);
  const Json& result = run["results"][0];
  EXPECT_EQ(result["ruleId"], "G2-item.write-skew");
  EXPECT_EQ(result["ruleIndex"], 0);
  EXPECT_EQ(result["level"], "warning");  // nobody asked
  EXPECT_EQ(result["message"]["text"],
            "Not serializable: write skew: A:0 read the initial value of y, which B:0 replaced "
            "by 2, but "
            "B:0 read the initial value of x, which A:0 replaced by 1.");
  const Json& place = result["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "dir/a%20b.jsonl");
  EXPECT_EQ(place["region"]["startLine"], 6);
  EXPECT_EQ(result["locations"][0]["message"]["text"],
            "A:0: r(x)=initial, r(y)=initial, w(x)=1");
  EXPECT_EQ(result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 7);
  const Json& steps = result["codeFlows"][0]["threadFlows"][0]["locations"];
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(
      steps[0]["location"]["message"]["text"],
      "A:0 < B:0 (rw), because A:0 read the initial value of y, which B:0 replaced by 2.");
  EXPECT_EQ(steps[2]["location"]["message"]["text"], "A:0 < B:0 < A:0, a contradiction.");
  const Json& notes = run["invocations"][0]["toolExecutionNotifications"];
  ASSERT_EQ(notes.size(), 4U);
  EXPECT_EQ(notes[0]["level"], "warning");
  EXPECT_EQ(notes[0]["message"]["text"], "Not decided, because timeout: snapshot-isolation.");
  EXPECT_EQ(notes[1]["level"], "note");
  EXPECT_TRUE(notes[2]["message"]["text"].get<std::string>().starts_with("Evidence: "));
  EXPECT_EQ(notes[3]["message"]["text"], "Left out or assumed: a note.");
  input.asked = true;
  SarifReport asked("1.2.3");
  asked.add(input);
  EXPECT_EQ(run_of(asked)["results"][0]["level"], "error");
}

// Goal: the flow of one who saw a transaction in part leads from what was written to the read.
TEST(ReportSarif, TellsOfAFracturedReadWithoutOrder) {
  const History history = fractured_read();
  ReportModel input{history, {}, {}, {Level::kReadAtomic}, {}};
  input.levels = {{Level::kReadAtomic,
                   Verdict::kViolated,
                   "",
                   {},
                   make_scenario(history, fractured_read_proof())}};
  SarifReport report("1");
  report.add(input);
  const Json run = run_of(report);
  const Json& flow = run["results"][0]["codeFlows"][0];
  EXPECT_EQ(flow["message"]["text"], "B:0 did not see all that A:0 wrote");
  const Json& steps = flow["threadFlows"][0]["locations"];
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0]["location"]["message"]["text"], "A:0: w(x)=1, w(y)=1");
  EXPECT_EQ(steps[1]["location"]["message"]["text"],
            "B:0 read the initial value of y, although A:0 wrote y = 1 and B:0 read x = 1 from "
            "A:0.");
  EXPECT_EQ(steps[1]["location"]["logicalLocations"][0]["name"], "B:0");
}

// Goal: what a run promised and whether it came to its end is told; what breaks the promise is
// an error, what does not is none.
TEST(ReportSarif, TellsOfPromisesAndRunsThatStopped) {
  const History history = skew_in("a.jsonl", 2);
  ReportModel input{history, {}, {}, {Level::kSerializable}, {}};
  input.levels = {{Level::kSerializable,
                   Verdict::kViolated,
                   "",
                   {},
                   make_scenario(history, write_skew_proof())},
                  {Level::kSnapshotIsolation, Verdict::kHolds, "", {}, {}}};
  input.run.emplace();
  for (const bool broken : {true, false}) {
    input.promise =
        Promise{"db", "best", broken ? Level::kSerializable : Level::kSnapshotIsolation, ""};
    input.run->stopped = broken ? "no space" : "";
    SarifReport report("1");
    report.add(input);
    const Json run = run_of(report);
    EXPECT_EQ(run["results"][0]["level"], broken ? "error" : "warning");
    EXPECT_EQ(run["invocations"][0]["executionSuccessful"], !broken);
    const Json& notes = run["invocations"][0]["toolExecutionNotifications"];
    ASSERT_EQ(notes.size(), broken ? 3U : 2U);
    EXPECT_EQ(notes[1]["level"], broken ? "error" : "note");
    EXPECT_EQ(notes[1]["message"]["text"],
              broken ? "db at best promises serializable: BROKEN."
                     : "db at best promises snapshot-isolation: kept in this history.");
    if (broken) {
      EXPECT_EQ(notes[2]["message"]["text"], "The run stopped early: no space");
    }
  }
}

// Goal: rules stand once, and fingerprints tell whether it is the same violation, wherever in
// whichever file it stands.
TEST(ReportSarif, JoinsHistories) {
  const History first = skew_in("a.jsonl", 6);
  const History second = skew_in("b.jsonl", 60);
  SarifReport report("1");
  report.add(skew_report(first));
  report.add(skew_report(second));
  const Json run = run_of(report);
  EXPECT_EQ(run["tool"]["driver"]["rules"].size(), 1U);
  ASSERT_EQ(run["results"].size(), 2U);
  EXPECT_EQ(run["results"][0]["partialFingerprints"], run["results"][1]["partialFingerprints"]);
  EXPECT_EQ(run["artifacts"].size(), 2U);
  EXPECT_EQ(run["invocations"][0]["executionSuccessful"], true);

  ReportModel other = skew_report(second);
  other.levels[1].scenario->anomaly.type = "G-single";
  SarifReport differs("1");
  differs.add(other);
  EXPECT_NE(run_of(differs)["results"][0]["partialFingerprints"],
            run["results"][0]["partialFingerprints"]);
}

TEST(ReportSarif, TellsOfWhatCouldNotBeRead) {
  SarifReport report("1");
  report.add_failure("gone.jsonl", "gone.jsonl: cannot open");
  const Json run = run_of(report);
  EXPECT_EQ(run["invocations"][0]["executionSuccessful"], false);
  const Json& note = run["invocations"][0]["toolExecutionNotifications"][0];
  EXPECT_EQ(note["level"], "error");
  EXPECT_EQ(note["message"]["text"], "gone.jsonl: cannot open");
}

// Goal: standard input has no place that a viewer could open.
TEST(ReportSarif, HasNoPlaceInStandardInput) {
  const History history = skew_in("-", 6);
  SarifReport report("1");
  report.add(skew_report(history));
  const Json run = run_of(report);
  EXPECT_FALSE(run["results"][0]["locations"][0].contains("physicalLocation"));
  EXPECT_TRUE(run["artifacts"].empty());
}

}  // namespace
}  // namespace isolde::explain
