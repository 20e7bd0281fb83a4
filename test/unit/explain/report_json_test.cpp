#include "explain/report_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "explain/dot.hpp"
#include "isolde/history_builder.hpp"
#include "unit/explain/histories.hpp"

namespace isolde::explain {
namespace {

// Goal: the fields of schema 1, in order, on one line.
TEST(ReportJson, HasTheFieldsOfTheSchema) {
  const History history = write_skew();
  ReportModel input{history, {}, {Level::kSnapshotIsolation}, {Level::kSerializable}, {}};
  input.levels.push_back({Level::kSerializable, Verdict::kViolated, "", "cert.jsonl",
                          make_scenario(history, write_skew_proof())});
  input.levels.push_back({Level::kSnapshotIsolation, Verdict::kHolds, "", {}, {}});
  input.not_checked = {"a \"quoted\" note"};
  input.load_seconds = 1.5;
  input.check_seconds = 2.5;
  input.explain_seconds = 0.5;
  input.work.saturation_rounds = 3;
  input.work.derived_orders = 4;
  input.work.decided_pairs = 5;
  input.work.conflicts = 6;
  const std::string line = to_json(input);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto json = nlohmann::ordered_json::parse(line);
  std::vector<std::string> fields;
  for (const auto& [name, value] : json.items()) fields.push_back(name);
  EXPECT_EQ(fields,
            (std::vector<std::string>{"schema", "file", "format", "sessions", "transactions",
                                      "operations", "aborted", "indeterminate", "summary",
                                      "levels", "strongest", "weakest_violated", "not_checked",
                                      "evidence", "seconds", "work", "peak_rss_bytes"}));
  EXPECT_EQ(json["seconds"].dump(), R"({"load":1.5,"check":2.5,"explain":0.5})");
  EXPECT_EQ(json["work"].dump(), R"({"saturation_rounds":3,"derived_orders":4,)"
                                 R"("decided_pairs":5,"conflicts":6})");
  EXPECT_EQ(json["evidence"]["in_effect"], 0);
  const auto& level = json["levels"]["serializable"];
  EXPECT_EQ(level["verdict"], "violated");
  EXPECT_EQ(level["certificate"], "cert.jsonl");
  const auto& anomaly = level["anomalies"][0];
  EXPECT_EQ(anomaly["type"], "G2-item");
  EXPECT_EQ(anomaly["transactions"], (std::vector<std::string>{"A:0", "B:0"}));
  EXPECT_EQ(anomaly["edges"][0]["kind"], "rw");
  EXPECT_EQ(anomaly["edges"][0]["key"], "y");
  EXPECT_TRUE(json["levels"]["snapshot-isolation"]["certificate"].is_null());
}

// Goal: who wrote what two reads differ by is there for programs, in every form.
TEST(ReportJson, HasTheWritersOfNonRepeatableReads) {
  const History history = support::parse("A: w(x=1); B: w(x=2); C: r(x=1) r(x=2)");
  const Finding differs{FindingKind::kNonRepeatableRead, txn(2), 1, 0, {}, 0};
  const Scenario scenario = make_scenario(history, {Level::kSnapshotIsolation, 0, 0, differs});
  ReportModel input{history, {}, {}, {Level::kSnapshotIsolation}, {}};
  input.levels.push_back({Level::kSnapshotIsolation, Verdict::kViolated, "", {}, scenario});
  const auto json = nlohmann::ordered_json::parse(to_json(input));
  const auto& anomaly = json["levels"]["snapshot-isolation"]["anomalies"][0];
  EXPECT_EQ(anomaly["transactions"], (std::vector<std::string>{"C:0", "A:0", "B:0"}));
  ASSERT_EQ(anomaly["edges"].size(), 2U);
  for (const std::size_t i : {0U, 1U}) {
    EXPECT_EQ(anomaly["edges"][i]["from"], i == 0 ? "A:0" : "B:0");
    EXPECT_EQ(anomaly["edges"][i]["to"], "C:0");
    EXPECT_EQ(anomaly["edges"][i]["kind"], "wr");
  }
  const std::string dot = to_dot(history, scenario);
  EXPECT_NE(dot.find("t0 -> t2 [label=\" wr on x \", class=wr"), std::string::npos) << dot;
  EXPECT_NE(dot.find("t1 -> t2 [label=\" wr on x \", class=wr"), std::string::npos) << dot;
}

// Goal: where and when the transactions of an anomaly ran, as far as the history tells.
TEST(ReportJson, TellsPlaces) {
  HistoryBuilder builder;
  const KeyId x = builder.key(builder.string("x"));
  builder.begin_txn(builder.session("A"), 7);
  builder.set_times({1'000'000'000, 1'000'000'001});
  builder.set_server(builder.string("db1:5432 backend 7"));
  builder.write(x, builder.integer(1));
  builder.begin_txn(builder.session("B"));
  builder.read(x, Value());
  builder.origin().format = "native";
  builder.origin().clock_origin = 0;
  const History history = std::move(builder.finish()).value();
  ReportModel input{history, {}, {}, {}, {}};
  input.levels.push_back({Level::kStrictSerializable,
                          Verdict::kViolated,
                          "",
                          {},
                          make_scenario(history, cycle_certificate(Level::kStrictSerializable,
                                                                   {rt(0, 1), rw(1, 0, 0)}))});
  const auto json = nlohmann::ordered_json::parse(to_json(input));
  EXPECT_EQ(json["clock_origin"], "1970-01-01T00:00:00.000000000Z");
  const auto& anomaly = json["levels"]["strict-serializable"]["anomalies"][0];
  EXPECT_EQ(
      anomaly["places"].dump(),
      R"([{"transaction":"A:0","file":null,"line":7,"start":"1970-01-01T00:00:01.000000000Z",)"
      R"("end":"1970-01-01T00:00:01.000000001Z","server":"db1:5432 backend 7"},)"
      R"({"transaction":"B:0","file":null}])");
}

// Goal: bytes that are not UTF-8 do not break the output.
TEST(ReportJson, SurvivesBrokenNames) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session("\xff"));
  builder.origin().file = "\xc3\x28";
  const Result<History> history = builder.finish();
  ASSERT_TRUE(history);
  const std::string line = to_json({*history, {}, {}, {}, {}});
  EXPECT_TRUE(nlohmann::json::accept(line));
}

}  // namespace
}  // namespace isolde::explain
