#include "report/page_data.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "explain/dot.hpp"
#include "isolde/history_builder.hpp"
#include "report/frame.hpp"
#include "report/story.hpp"
#include "report/window.hpp"
#include "unit/explain/histories.hpp"

namespace isolde::report {
namespace {

using nlohmann::json;

std::vector<explain::LevelOutcome> skew_outcomes(const History& history) {
  return {{Level::kSerializable,
           Verdict::kViolated,
           {},
           {},
           explain::make_scenario(history, explain::write_skew_proof())},
          {Level::kSnapshotIsolation, Verdict::kHolds, {}, {}, {}}};
}

std::string skew_data(const History& history) {
  const std::vector<explain::LevelOutcome> outcomes = skew_outcomes(history);
  const Result<std::string> data =
      page_data({history, outcomes, {Level::kSnapshotIsolation}, {Level::kSerializable}, {}});
  EXPECT_TRUE(data) << data.error().message;
  return data ? *data : "null";
}

// Goal: all parts of a small page: levels that know their story, a story whose arrows lead to
// transactions of the page, measures and transactions.
TEST(PageData, HasAllParts) {
  const json data = json::parse(skew_data(explain::write_skew()));
  EXPECT_EQ(data["counts"]["transactions"], 2);
  ASSERT_EQ(data["levels"].size(), 2U);
  EXPECT_EQ(data["levels"][0]["name"], "serializable");
  EXPECT_EQ(data["levels"][0]["story"], 0);
  EXPECT_EQ(data["levels"][1]["story"], nullptr);
  EXPECT_EQ(data["strongest"], json({"snapshot-isolation"}));
  ASSERT_EQ(data["stories"].size(), 1U);
  const json& story = data["stories"][0];
  EXPECT_EQ(story["label"], "write skew (G2-item)");
  EXPECT_EQ(story["txns"][1]["txn"], 1);
  EXPECT_EQ(story["arrows"][0]["from"], 0);
  EXPECT_EQ(story["arrows"][0]["to"], 1);
  EXPECT_EQ(data["keys"][story["arrows"][0]["key"].get<std::size_t>()], "y");
  EXPECT_NE(story["svg"].get<std::string>().find("<svg"), std::string::npos);
  EXPECT_EQ(data["txns"][1]["id"], "B:0");
  EXPECT_EQ(data["txns"][1]["ops"][2][2], "w(y)=2");
  EXPECT_EQ(data["measures"]["keys_total"], 2);
  EXPECT_EQ(skew_data(explain::write_skew()), skew_data(explain::write_skew()));
}

// Goal: a total is wrong by all reads that it is made of, not by the one that the proof names.
TEST(PageData, MarksAllReadsOfATotal) {
  const History history = support::parse("A: i(x+1) i(y+-1) ; B: w(z=1) r(x=1) r(z=1) r(y=0)");
  for (const std::uint32_t op : {1U, 3U}) {
    const Certificate proof{Level::kSerializable, history.digest(), 0,
                            Finding{FindingKind::kImpossibleTotal, TxnId::at(1), op, 0, {}, 0}};
    const std::vector<explain::LevelOutcome> outcomes = {
        {Level::kSerializable,
         Verdict::kViolated,
         {},
         {},
         explain::make_scenario(history, proof)}};
    const Result<std::string> text = page_data({history, outcomes, {}, {}, {}});
    ASSERT_TRUE(text) << text.error().message;
    const json story = json::parse(*text)["stories"][0];
    EXPECT_EQ(story["bad"], json({{0, 1}, {0, 3}}));
    EXPECT_EQ(story["txns"][0]["txn"], 1);
  }
}

// Goal: the page has the verdict in short, and nothing of it can end the element it stands in.
TEST(PageData, HasTheSummary) {
  const json summary = json::parse(skew_data(explain::write_skew()))["summary"];
  EXPECT_EQ(summary["verdict"].get<std::string>().find("Write skew occurs."), 0U);
  EXPECT_NE(summary["meaning"], "");
  EXPECT_NE(summary["remedy"], "");
  EXPECT_EQ(summary["promise"], "");
  const History history = explain::write_skew();
  explain::ReportModel model{history, {}, {}, {}, {}};
  model.run = explain::RunReport{};
  model.promise = explain::Promise{"db", "", {}, "</script>\x01"};
  const Result<std::string> data = page_data(model);
  ASSERT_TRUE(data) << data.error().message;
  const std::string text = framed({}, *data);
  EXPECT_EQ(text.find('<'), std::string::npos);
  const std::string promise = json::parse(text)["summary"]["promise"];
  EXPECT_NE(promise.find("</script>"), std::string::npos);
  EXPECT_EQ(promise.find('\x01'), std::string::npos);
}

// Goal: the table marks the promised level and no other, and a level of the same name that was
// not promised is not taken for it.
TEST(PageData, MarksThePromisedLevel) {
  const History history = explain::write_skew();
  explain::ReportModel model{history, {}, {}, {}, {}};
  model.levels = {{Level::kRepeatableRead, Verdict::kViolated, "", {}, {}},
                  {Level::kSnapshotIsolation, Verdict::kHolds, "", {}, {}}};
  model.promise = explain::Promise{"db", "repeatable-read", Level::kSnapshotIsolation, ""};
  const Result<std::string> data = page_data(model);
  ASSERT_TRUE(data) << data.error().message;
  const json page = json::parse(*data);
  EXPECT_EQ(page["levels"][0]["promised"], false);
  EXPECT_EQ(page["levels"][1]["promised"], true);
  const std::string promise = page["summary"]["promise"];
  EXPECT_EQ(promise.find("db at repeatable-read promises snapshot-isolation: kept in this "
                         "history. The level repeatable-read, which is violated,"),
            0U)
      << promise;
}

// Goal: what was left out is told to the end: half a sentence may say the opposite.
TEST(PageData, CutsNoNote) {
  const History history = explain::write_skew();
  explain::ReportModel model{history, {}, {}, {}, {}};
  model.not_checked = {std::string(900, 'x') + " was not read"};
  const Result<std::string> data = page_data(model);
  ASSERT_TRUE(data) << data.error().message;
  EXPECT_EQ(json::parse(*data)["notes"], json(model.not_checked));
}

// Goal: of a violation of very many transactions the page has the first ones and the arrows
// between them, and counts the others.
TEST(PageData, HasPartOfAVeryLongCircle) {
  const History history = explain::long_skew(4000);
  const std::vector<explain::LevelOutcome> outcomes = {
      {Level::kSerializable,
       Verdict::kViolated,
       "",
       {},
       explain::make_scenario(history, explain::long_skew_proof(history))}};
  const Result<std::string> text = page_data({history, outcomes, {}, {}, {}});
  ASSERT_TRUE(text);
  EXPECT_LT(text->size(), std::size_t{1} << 20U);
  const json data = json::parse(*text);
  EXPECT_EQ(data["txns"].size(), kWindowTxns);
  const json& story = data["stories"][0];
  EXPECT_EQ(story["txns"].size(), explain::kTxnsDrawn);
  EXPECT_EQ(story["left_out"], 4000 - explain::kTxnsDrawn);
  EXPECT_EQ(story["arrows"].size(), explain::kTxnsDrawn - 1);
  for (const json& arrow : story["arrows"]) EXPECT_LT(arrow["to"], data["txns"].size());
  EXPECT_EQ(story["chapters"][0]["txns"].size(), explain::kTxnsDrawn);
  EXPECT_EQ(story["chapters"][0]["left_out"], 4000 - explain::kTxnsDrawn + 1);
  EXPECT_EQ(story["text_is_cut"], true);
  EXPECT_LE(story["text"].get<std::string>().size(), kTextTold);
  EXPECT_EQ(story["text"].get<std::string>().back(), '\n');
}

// Goal: boxes of a story tell long lists by how they differ.
TEST(PageData, TellsListsByTheFirst) {
  const History history =
      support::parse("A: r(x=[1 2 3 4 5 6 7]) r(y=_); B: r(x=[1 2 3 4 5 6 7 8]) r(y=[1])");
  Finding finding;
  finding.kind = FindingKind::kIncompatibleOrder;
  finding.txn = TxnId(1);
  finding.other = TxnId(0);
  const std::vector<explain::LevelOutcome> outcomes = {
      {Level::kReadCommitted,
       Verdict::kViolated,
       {},
       {},
       explain::make_scenario(history, {Level::kReadCommitted, 0, 0, finding})}};
  const Result<std::string> text =
      page_data({history, outcomes, {}, {Level::kReadCommitted}, {}});
  ASSERT_TRUE(text) << text.error().message;
  const json txns = json::parse(*text)["stories"][0]["txns"];
  EXPECT_EQ(txns[0]["told"], json({{"0", "r(x)=L, which is [1 2 3 4 5 6 7 8] (8 elements)"}}));
  EXPECT_EQ(txns[1]["told"], json({{"0", "r(x)=L without its last element 8 (7 elements)"}}));
}

// Goal: the page knows the moment at which its time axis begins, and the servers.
TEST(PageData, HasCalendarAndServers) {
  EXPECT_EQ(json::parse(skew_data(explain::write_skew()))["calendar"], nullptr);
  HistoryBuilder builder;
  builder.begin_txn(builder.session("A"));
  builder.set_times({5, 9});
  builder.set_server(builder.string("db1:5432 backend 7"));
  builder.begin_txn(builder.session("B"));
  builder.origin().clock_origin = -7;
  const History history = std::move(builder.finish()).value();
  const Result<std::string> text = page_data({history, {}, {}, {}, {}});
  ASSERT_TRUE(text) << text.error().message;
  const json data = json::parse(*text);
  EXPECT_EQ(data["calendar"], json({{"day", "1969-12-31"}, {"ns", 86'399'999'999'998}}));
  EXPECT_EQ(data["txns"][0]["server"], "db1:5432 backend 7");
  EXPECT_FALSE(data["txns"][1].contains("server"));
}

// Goal: what happened while the transactions ran is there with its times, the rest is counted.
TEST(PageData, HasTheEventsOfItsTransactions) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session("A"));
  builder.set_times({1000, 2000});
  using Part = RecordedEvent::Part;
  const auto add = [&](Part part, std::string_view name, std::int64_t at) {
    const Value text = part == Part::kMoment ? Value() : builder.string(name);
    builder.add_event({builder.string("fault"), builder.string("<what>"), text, at, part});
  };
  add(Part::kMoment, "", 999);
  add(Part::kBegins, "n1", 500);
  add(Part::kBegins, "n2", 1100);
  add(Part::kEnds, "n1", 1500);
  add(Part::kMoment, "", 2000);
  add(Part::kMoment, "", kNoTime);
  const History history = std::move(builder.finish()).value();
  const Result<std::string> text = page_data({history, {}, {}, {}, {}});
  ASSERT_TRUE(text) << text.error().message;
  const json data = json::parse(*text);
  std::string events;
  for (const json& event : data["events"]) {
    EXPECT_EQ(event["kind"], "fault");
    EXPECT_EQ(event["what"], "<what>");
    events +=
        event["at"].dump() + " " + event["until"].dump() + " " + event["open"].dump() + "\n";
  }
  EXPECT_EQ(events, "-1.0 null false\n-500.0 500 false\n100 null true\n1000 null false\n");
  EXPECT_EQ(data["events_left_out"], 1);
  // The statistics are of the whole history; an event without a time has no place in them.
  EXPECT_EQ(data["measures"]["events"].size(), 4U);
  EXPECT_EQ(data["measures"]["events"][0]["at"], -1.0);
  EXPECT_EQ(data["measures"]["events_left_out"], 0);
}

// Goal: of times that only tell an order the page has the order, and nothing that looks like
// time.
TEST(PageData, ShowsNoTimesWhereThereIsOnlyAnOrder) {
  const auto made = [](bool order) {
    HistoryBuilder builder;
    builder.begin_txn(builder.session("A"));
    builder.set_times({5, 9});
    builder.begin_txn(builder.session("B"));
    builder.set_status(TxnStatus::kIndeterminate);
    builder.set_times({7, kNoTime});
    builder.origin().times_are_order = order;
    const History history = std::move(builder.finish()).value();
    const Result<std::string> text = page_data({history, {}, {}, {}, {}});
    return json::parse(text ? *text : "null");
  };
  const json timed = made(false);
  EXPECT_EQ(timed["order_only"], false);
  EXPECT_EQ(timed["txns"][0]["end"], 4);
  EXPECT_FALSE(timed["txns"][0].contains("order"));
  const json ordered = made(true);
  EXPECT_EQ(ordered["order_only"], true);
  EXPECT_EQ(ordered["txns"][0]["start"], nullptr);
  EXPECT_EQ(ordered["txns"][0]["end"], nullptr);
  EXPECT_EQ(ordered["txns"][0]["order"], json({0, 4}));
  EXPECT_EQ(ordered["txns"][1]["order"], json({2, nullptr}));
  EXPECT_EQ(ordered["counts"]["span_ns"], nullptr);
  EXPECT_EQ(ordered["measures"]["timed"], false);
}

// Goal: keys, values and names cannot break out of the element that holds the data, whatever
// their bytes.
TEST(PageData, HoldsAnyBytes) {
  HistoryBuilder builder;
  const KeyId key = builder.key(builder.string("</script><script>alert(1)</script>\xFF<!--"));
  const KeyId other = builder.key(builder.string("\x01\"\\\xE2\x80\xAE"));
  for (const char* session : {"<b>", "\xC3("}) {
    builder.begin_txn(builder.session(session));
    builder.read(key, Value::null());
    builder.read(other, Value::null());
    builder.write(*session == '<' ? key : other, builder.string("</SCRIPT \x00"));
  }
  const History history = std::move(builder.finish()).value();
  const std::vector<explain::LevelOutcome> outcomes = {
      {Level::kSerializable,
       Verdict::kViolated,
       {},
       {},
       explain::make_scenario(
           history, explain::cycle_certificate(Level::kSerializable,
                                               {explain::rw(0, 1, 1), explain::rw(1, 0, 0)}))}};
  const Result<std::string> data = page_data({history, outcomes, {}, {}, {"note </script>"}});
  ASSERT_TRUE(data) << data.error().message;
  const std::string text = framed({}, *data);
  EXPECT_EQ(text.find('<'), std::string::npos);
  const json parsed = json::parse(text);
  EXPECT_EQ(parsed["notes"][0], "note </script>");
  EXPECT_EQ(parsed["keys"].size(), 2U);
  EXPECT_EQ(parsed["sessions"][1], "\\xc3(");
  EXPECT_EQ(data->find('\x01'), std::string::npos);
}

// Goal: long transactions are cut, the operations of the story are not.
TEST(PageData, KeepsTheOperationsOfTheStory) {
  std::string text = "A: r(x=_) r(y=_)";
  for (int i = 0; i < 500; ++i) text += " w(f" + std::to_string(i) + "=1)";
  text += " w(x=1) ; B: r(x=_) r(y=_) w(y=2)";
  const History history = support::parse(text);
  const json data = json::parse(skew_data(history));
  const json& ops = data["txns"][0]["ops"];
  EXPECT_LT(ops.size(), 500U);
  EXPECT_EQ(ops.back()[0], 502);
  EXPECT_EQ(ops.back()[2], "w(x)=1");
  EXPECT_EQ(data["txns"][0]["hidden"], 503 - ops.size());
}

// Goal: a page about a large history stays small, whatever the operations hold.
TEST(PageData, StaysSmall) {
  HistoryBuilder builder;
  const Value large = builder.string(std::string(5000, 'v'));
  const KeyId x = builder.key(builder.string("x"));
  const KeyId y = builder.key(builder.string("y"));
  for (int i = 0; i < 5000; ++i) {
    builder.begin_txn(builder.session("s" + std::to_string(i % 7)));
    if (i < 2) {
      builder.read(x, Value::null());
      builder.read(y, Value::null());
      builder.write(i == 0 ? x : y, Value::integer(i + 1));
    }
    for (int op = 0; op < 40; ++op) builder.write(builder.key(Value::integer(op)), large);
  }
  const History history = std::move(builder.finish()).value();
  const std::string data = skew_data(history);
  EXPECT_LT(data.size(), 2U << 20);
  const json parsed = json::parse(data);
  EXPECT_EQ(parsed["txns"].size(), kWindowTxns);
  EXPECT_EQ(parsed["counts"]["transactions"], 5000);
}

}  // namespace
}  // namespace isolde::report
