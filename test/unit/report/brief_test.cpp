#include "report/brief.hpp"

#include <gtest/gtest.h>

#include "isolde/history_builder.hpp"

namespace isolde::report {
namespace {

/// A writes row 1 and 3 with five columns, B reads row 1, selects both by key, and writes
/// row 1.
History rows() {
  HistoryBuilder builder;
  const auto row = [&](std::int64_t stamp) {
    const ColumnValue columns[] = {
        {builder.string("a"), Value::integer(1)},
        {builder.string("b"), Value::integer(2)},
        {builder.string("c"), Value::integer(3)},
        {builder.string("stamp"), Value::integer(stamp)},
        {builder.string("text"), builder.string(std::string(99, 't'))}};
    return builder.row(columns);
  };
  const KeyId one = builder.key(builder.string("one"));
  const KeyId three = builder.key(builder.string("three"));
  builder.begin_txn(builder.session("A"));
  builder.write(one, row(7));
  builder.write(three, row(8));
  builder.begin_txn(builder.session("B"));
  builder.read(one, row(7));
  Predicate both;
  both.tests.resize(1);
  both.tests[0].in = {builder.string("one"), builder.string("three")};
  for (int i = 0; i < 20; ++i) {
    both.tests[0].in->push_back(builder.string("none" + std::to_string(i)));
  }
  const Row found[] = {{one, row(7)}, {three, row(8)}};
  builder.select(both, found);
  builder.write(one, row(9));
  Result<History> history = builder.finish();
  EXPECT_TRUE(history) << history.error().message;
  return std::move(history).value();
}

explain::Scenario scenario_of(std::vector<explain::ScenarioTxn> members) {
  explain::Scenario scenario;
  scenario.txns = std::move(members);
  return scenario;
}

// Goal: of a row the columns whose values differ among the versions told of; where none does,
// the first ones, and of long values the beginning.
TEST(BriefTexts, TellsVersionsApart) {
  const History history = rows();
  const TxnId b(1);
  const auto told = [&](const BriefTexts& brief, std::uint32_t op) {
    return brief.of({b, op}, history.op_text(history.ops(b)[op]));
  };
  const std::uint32_t write = static_cast<std::uint32_t>(history.ops(b).size() - 1);
  const BriefTexts differ(history, scenario_of({{b, {0, write}}}));
  EXPECT_EQ(told(differ, 0), "r(one)={stamp: 7, \u2026}");
  EXPECT_EQ(told(differ, write), "w(one)={stamp: 9, \u2026}");
  const BriefTexts same(history, scenario_of({{b, {0}}}));
  EXPECT_EQ(told(same, 0), "r(one)={a: 1, b: 2, c: 3, \u2026}");
}

// Goal: of a selection the rows that matter, what is wrong first, and how many others there
// are.
TEST(BriefTexts, BeginsWithTheWrongRow) {
  const History history = rows();
  const TxnId b(1);
  const Selection& selection = *history.selection_of(b, 1);
  explain::Scenario scenario = scenario_of({{b, {0, 1, 2}}});
  const std::uint32_t both[] = {1, 2};
  const std::uint32_t last[] = {2};
  const auto tail = [](const std::string& text) { return text.substr(text.find(" -> ")); };
  const std::string whole = BriefTexts(history, scenario).of_selection(b, selection, last);
  EXPECT_EQ(tail(whole), " -> three = {a: 1, b: 2, c: 3, \u2026} and 1 more");
  EXPECT_EQ(whole.find("select(rows with key in (one, three, none0, none"), 0U) << whole;
  EXPECT_LT(whole.find("\u2026) ->"), 60U) << whole;
  EXPECT_EQ(tail(BriefTexts(history, scenario).of_selection(b, selection, both)),
            " -> one = {a: 1, b: 2, c: 3, \u2026}, three = {a: 1, b: 2, c: 3, \u2026}");
  scenario.finding = Finding{};
  scenario.finding->txn = b;
  scenario.finding->op = 2;
  EXPECT_EQ(tail(BriefTexts(history, scenario).of_selection(b, selection, both)),
            " -> three = {a: 1, b: 2, c: 3, \u2026}, one = {a: 1, b: 2, c: 3, \u2026}");
  EXPECT_EQ(tail(BriefTexts(history, scenario).of_selection(b, selection, {})), " -> 2 rows");
}

// Goal: of a long text the beginning and the end, and no character cut in two.
TEST(BriefTexts, CutsInTheMiddle) {
  const History history = rows();
  std::string text;
  for (int i = 0; i < 200; ++i) text += "\u00e4";
  const std::string brief = BriefTexts(history, {}).of({TxnId(0), 0}, "w(x)=" + text + "=end");
  EXPECT_LE(brief.size(), BriefTexts::kTextBytes + 3);
  EXPECT_EQ(brief.find("w(x)=\u00e4"), 0U);
  EXPECT_TRUE(brief.ends_with("\u00e4=end"));
  for (const std::string_view part :
       {brief.substr(5, brief.find("\u2026") - 5), brief.substr(brief.find("\u2026") + 3)}) {
    EXPECT_EQ(part.substr(0, part.find('=')).size() % 2, 0U) << part;
  }
}

}  // namespace
}  // namespace isolde::report
