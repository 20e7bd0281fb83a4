// Goal: a part has what was chosen, without the reads that would mean something else in it.
// Method: a table of histories, what is left out of them, and what must be left. Whether parts
// satisfy what their wholes do is for test/prop/minimize_prop.cpp.
#include "minimize/restriction.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "isolde/history_builder.hpp"
#include "support/history_dsl.hpp"

namespace isolde::minimize {
namespace {

constexpr std::uint32_t kAll = 0xffffffffU;

/// Transactions, or operations of them, that are left out.
using LeftOut = std::vector<std::pair<std::size_t, std::uint32_t>>;

Part part_of(const History& history, const LeftOut& left_out) {
  Choice choice(history);
  for (const auto& [txn, op] : left_out) {
    if (op == kAll) {
      choice.txns[txn] = 0;
      continue;
    }
    const TxnId id = TxnId::at(txn);
    const Selection* const selection = history.selection_of(id, op);
    const std::uint32_t begin = selection == nullptr ? op : selection->first;
    const std::uint32_t end = selection == nullptr ? op + 1 : selection->end();
    for (std::uint32_t i = begin; i < end; ++i) choice.ops[history.first_op(id) + i] = 0;
  }
  return restrict(history, choice);
}

std::string text_of(const Part& part) { return support::to_text(part.history); }

struct Case {
  const char* what;
  const char* whole;
  LeftOut left_out;
  const char* part;
};

void expect_all(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    const History whole = support::parse(each.whole);
    EXPECT_EQ(text_of(part_of(whole, each.left_out)), each.part) << each.what;
  }
}

TEST(Restriction, Registers) {
  expect_all({
      {"nothing", "A: w(x=1) | r(x=1)", {}, "A: w(x=1)\nA: r(x=1)\n"},
      {"the writer", "A: w(x=1) ; B: r(x=1) r(y=_)", {{0, kAll}}, "B: r(y=_)\n"},
      {"the write", "A: w(x=1) w(y=1) ; B: r(x=1) r(y=1)", {{0, 0}}, "A: w(y=1)\nB: r(y=1)\n"},
      {"the reader", "A: w(x=1) ; B: r(x=1)", {{1, kAll}}, "A: w(x=1)\n"},
      {"one of two writers",
       "A: w(x=1) ; B: w(x=1) ; C: r(x=1)",
       {{1, kAll}},
       "A: w(x=1)\nC: nop\n"},
      {"an aborted writer beside another",
       "A: w(x=1) ; B: w(x=1) ! ; C: r(x=1)",
       {{1, kAll}},
       "A: w(x=1)\nC: r(x=1)\n"},
      {"a writer beside an aborted one",
       "A: w(x=1) ; B: w(x=1) ! ; C: r(x=1)",
       {{0, kAll}},
       "B: w(x=1) !\nC: nop\n"},
      {"one of two aborted writers",
       "A: w(x=1) ! ; B: w(x=1) ! ; C: r(x=1)",
       {{0, kAll}},
       "B: w(x=1) !\nC: r(x=1)\n"},
      {"the aborted writer", "A: w(x=1) ! ; B: r(x=1) w(y=1)", {{0, kAll}}, "B: w(y=1)\n"},
      {"what nobody wrote stays", "A: r(x=7) w(y=1)", {{0, 1}}, "A: r(x=7)\n"},
      {"initial reads stay", "A: w(x=1) ; B: r(x=_)", {{0, kAll}}, "B: r(x=_)\n"},
      {"unknown reads stay", "A: w(x=1) ; B: r(x=?)", {{0, kAll}}, "B: r(x=?)\n"},
  });
}

TEST(Restriction, OwnWrites) {
  expect_all({
      {"the last one before the read", "A: w(x=1) w(x=2) r(x=2)", {{0, 1}}, "A: w(x=1)\n"},
      {"an earlier one", "A: w(x=1) w(x=2) r(x=2)", {{0, 0}}, "A: w(x=2) r(x=2)\n"},
      {"a wrong read goes too", "A: w(x=1) r(x=5)", {{0, 0}}, "A: nop\n"},
      {"a read in front stays",
       "A: w(x=1) ; B: r(x=1) w(x=2)",
       {{1, 1}},
       "A: w(x=1)\nB: r(x=1)\n"},
      {"an own append",
       "A: a(l=1) ; B: a(l=2) r(l=[1 2])",
       {{1, 0}},
       "A: a(l=1)\nB: r(l=[1])\n"},
      {"own appends that the list lacks", "A: a(l=1) r(l=[])", {{0, 0}}, "A: nop\n"},
  });
}

TEST(Restriction, Lists) {
  expect_all({
      {"an element in front",
       "A: a(l=1) ; B: a(l=2) ; C: r(l=[1 2])",
       {{0, kAll}},
       "B: a(l=2)\nC: r(l=[2])\n"},
      {"the last element",
       "A: a(l=1) ; B: a(l=2) ; C: r(l=[1 2])",
       {{1, kAll}},
       "A: a(l=1)\nC: nop\n"},
      {"the last one of others",
       "A: a(l=1) ; B: a(l=2) ; C: a(l=3) r(l=[1 2 3])",
       {{1, kAll}},
       "A: a(l=1)\nC: a(l=3)\n"},
      {"one of two that appended it",
       "A: a(l=1) ; B: a(l=1) ; C: a(l=2) ; D: r(l=[1 2])",
       {{0, kAll}},
       "B: a(l=1)\nC: a(l=2)\nD: nop\n"},
      {"one of two, which aborted",
       "A: a(l=1) ; B: a(l=1) ! ; C: a(l=2) ; D: r(l=[1 2])",
       {{1, kAll}},
       "A: a(l=1)\nC: a(l=2)\nD: nop\n"},
      {"what nobody appended stays",
       "A: a(l=1) ; B: a(l=2) ; C: r(l=[1 7 2])",
       {{0, kAll}},
       "B: a(l=2)\nC: r(l=[7 2])\n"},
      {"the empty list stays", "A: a(l=1) ; B: r(l=[])", {{0, kAll}}, "B: r(l=_)\n"},
  });
}

TEST(Restriction, SelectionsAndExclusions) {
  expect_all({
      {"all that an exclusion speaks of",
       "A: w(x=1) ; B: r(x=<>1)",
       {{0, kAll}},
       "B: r(x=<>1)\n"},
      {"what an exclusion may have been",
       "A: w(x=1) ; B: w(x=2) ; C: r(x=<>1)",
       {{1, kAll}},
       "A: w(x=1)\nC: nop\n"},
      {"a row, and all that matches",
       "A: w(1=5) ; B: w(2=5) ; C: s(keys=1..9: 1=5 2=5)",
       {{0, kAll}},
       "B: w(2=5)\nC: s(keys=1..9: 2=5)\n"},
      {"a row, but not all that matches",
       "A: w(1=5) ; B: w(1=6) w(2=5) ; C: s(keys=1..9: 1=5 2=5)",
       {{0, kAll}},
       "B: w(1=6) w(2=5)\nC: nop\n"},
      {"what a selection left out",
       "A: w(1=5) ; B: w(2=5) ; C: s(keys=1..9: 2=5)",
       {{0, kAll}},
       "B: w(2=5)\nC: s(keys=1..9: 2=5)\n"},
      {"what a row left out may have been",
       "A: w(1=5) ; B: w(1=50) ; C: s(values=0..9:)",
       {{1, kAll}},
       "A: w(1=5)\nC: nop\n"},
      {"the own row",
       "A: w(1=5) ; B: w(1=6) s(keys=1..9: 1=6)",
       {{1, 0}},
       "A: w(1=5)\nB: nop\n"},
      {"a selection as a whole",
       "A: w(1=5) ; B: s(keys=1..9: 1=5) r(x=_)",
       {{1, 0}},
       "A: w(1=5)\nB: r(x=_)\n"},
  });
}

History with_refused_insert() {
  HistoryBuilder builder;
  const KeyId x = builder.key(Value::integer(1));
  builder.begin_txn(builder.session("A"));
  builder.write(x, Value::integer(5));
  builder.begin_txn(builder.session("B"));
  builder.write(x, Value::dead());
  builder.begin_txn(builder.session("C"));
  builder.insert_refused(x);
  return std::move(builder.finish()).value();
}

// Goal: a refused insert stays while all stay that may have refused it.
TEST(Restriction, RefusedInserts) {
  const History whole = with_refused_insert();
  const auto has_it = [&](const LeftOut& left_out) {
    return part_of(whole, left_out).history.has_refused_inserts();
  };
  EXPECT_TRUE(has_it({}));
  EXPECT_TRUE(has_it({{1, kAll}})) << "a deletion refuses nothing";
  EXPECT_FALSE(has_it({{0, kAll}}));
  EXPECT_FALSE(has_it({{0, 0}}));
}

std::string without_b(const char* text, RealTime time) {
  const History whole = support::parse(text);
  Choice choice(whole);
  choice.txns[1] = 0;
  return support::to_text(restrict(whole, choice, time).history);
}

// Goal: who started after the reader had ended is no source of it, if real time says so.
TEST(Restriction, AggregatesAndInitialContents) {
  expect_all({
      {"what may have counted",
       "A: w(1=5) ; B: w(2=5) ; C: s(get=count: 2)",
       {{0, kAll}},
       "B: w(2=5)\nC: nop\n"},
      {"what cannot have counted",
       "A: w(1=5) ; B: w(20=5) ; C: s(keys=1..9 get=count: 1)",
       {{1, kAll}},
       "A: w(1=5)\nC: s(keys=1..9 get=count: 1)\n"},
      {"the own row that counted",
       "A: w(2=5) ; B: w(1=6) s(get=sum: 11)",
       {{1, 0}},
       "A: w(2=5)\nB: nop\n"},
      {"who wrote again what was there at the start",
       "start(1=5) ; A: w(1=5) ; B: r(1=5)",
       {{0, kAll}},
       "B: nop\n"},
      {"a row that was there at the start, and what it was replaced by",
       "start(1=5) ; A: w(1=6) ; B: s(values=5..5:)",
       {{0, kAll}},
       "B: nop\n"},
  });
}

TEST(Restriction, WritersWhoStartedTooLateMayGo) {
  const RealTime exact{true, 0};
  const char* const late = "A: w(x=1) @1,2 ; B: w(x=1) @10,11 ; C: r(x=1) @5,6";
  EXPECT_EQ(without_b(late, exact), "A: w(x=1) @1,2\nC: r(x=1) @5,6\n");
  EXPECT_EQ(without_b(late, {true, 3}), "A: w(x=1) @1,2\nC: r(x=1) @5,6\n");
  const char* const gone = "A: w(x=1) @1,2\nC: nop @5,6\n";
  EXPECT_EQ(without_b(late, {}), gone);
  EXPECT_EQ(without_b(late, {true, 4}), gone);
  // They are not late, or that is not known.
  EXPECT_EQ(without_b("A: w(x=1) @1,2 ; B: w(x=1) @6,11 ; C: r(x=1) @5,6", exact), gone);
  EXPECT_EQ(without_b("A: w(x=1) @1,2 ; B: w(x=1) ; C: r(x=1) @5,6", exact), gone);
  EXPECT_EQ(without_b("A: w(x=1) @1,2 ; B: w(x=1) @10,11 ; C: r(x=1) ? @5,6", exact),
            "A: w(x=1) @1,2\nC: nop ? @5,6\n");
  EXPECT_EQ(without_b("A: w(x=1) @1,2 ; B: w(x=1) @10,11 ; C: r(x=1) @5,_", exact),
            "A: w(x=1) @1,2\nC: nop @5,_\n");
  // Nobody would be left who wrote it.
  EXPECT_EQ(without_b("A: w(y=1) @1,2 ; B: w(x=1) @10,11 ; C: r(x=1) @5,6", exact),
            "A: w(y=1) @1,2\nC: nop @5,6\n");
  // What was not read can have been read from the others only.
  const char* const other = "A: w(x=1) @1,2 ; B: w(x=2) @10,11 ; C: r(x=<>1) @5,6";
  EXPECT_EQ(without_b(other, exact), "A: w(x=1) @1,2\nC: r(x=<>1) @5,6\n");
  EXPECT_EQ(without_b(other, {}), gone);
}

TEST(Restriction, RealTimeRulesOutSourcesWhereReadersComeAfterThem) {
  EXPECT_TRUE(RealTime::of(Level::kLinearizable, 0).binds);
  EXPECT_TRUE(RealTime::of(Level::kPerKeyStrictSerializable, 0).binds);
  EXPECT_TRUE(RealTime::of(Level::kStrongReadCommitted, 0).binds);
  EXPECT_FALSE(RealTime::of(Level::kStrongReadUncommitted, 0).binds);
  EXPECT_FALSE(RealTime::of(Level::kStrongMixed, 0).binds);
  EXPECT_FALSE(RealTime::of(Level::kSerializable, 0).binds);
  EXPECT_FALSE(RealTime::of(Level::kSequential, 0).binds);
}

TEST(Restriction, KeepsWhatIsKnownOfTransactions) {
  const History whole = support::parse(
      "A: w(x=1) @1,2 ~3,4 %si ; B: w(x=2) ! @5,_ ; C: w(x=3) ? ; A: r(x=1) @7,8 ~9,10 %ser");
  const Part part = part_of(whole, {{0, kAll}});
  EXPECT_EQ(text_of(part), "B: w(x=2) ! @5,_\nC: w(x=3) ?\nA: nop @7,8 ~9,10 %ser\n");
  EXPECT_EQ(part.txns, (std::vector<TxnId>{TxnId::at(1), TxnId::at(2), TxnId::at(3)}));
  // The first has a name of its own; it says where it was.
  EXPECT_EQ(part.history.text(part.history.label(TxnId::at(2))), "A:1");
  const Part again = part_of(part.history, {{0, kAll}, {1, kAll}});
  EXPECT_EQ(again.history.text(again.history.label(TxnId::at(0))), "A:1");
  EXPECT_EQ(again.history.session_count(), 1U);
}

TEST(Restriction, KeepsTheEventsOfItsTime) {
  HistoryBuilder builder;
  for (const std::int64_t start : {10, 20, 30}) {
    builder.begin_txn(builder.session("a"));
    builder.set_times({start, start + 5});
  }
  using Kind = RecordedEvent::Part;
  const auto add = [&](Kind part, std::string_view name, std::int64_t at) {
    const Value text = name.empty() ? Value() : builder.string(name);
    builder.add_event({builder.string("fault"), builder.string("what"), text, at, part});
  };
  add(Kind::kMoment, "", kNoTime);
  add(Kind::kBegins, "n1", 5);   // until the second transaction
  add(Kind::kBegins, "n2", 11);  // over before
  add(Kind::kEnds, "n2", 12);
  add(Kind::kEnds, "n1", 22);
  add(Kind::kMoment, "", 25);
  add(Kind::kMoment, "", 26);
  const Result<History> whole = builder.finish();
  ASSERT_TRUE(whole.ok());
  const auto times_of = [](const Part& part) {
    std::vector<std::int64_t> times;
    for (const RecordedEvent& event : part.history.events()) times.push_back(event.at);
    return times;
  };
  const Part second = part_of(*whole, {{0, kAll}, {2, kAll}});
  EXPECT_EQ(times_of(second), (std::vector<std::int64_t>{5, 22, 25}));
  EXPECT_EQ(second.history.text(second.history.events()[0].name), "n1");
  EXPECT_EQ(times_of(part_of(second.history, {})), times_of(second));
  EXPECT_TRUE(times_of(part_of(*whole, {{0, kAll}, {1, kAll}, {2, kAll}})).empty());
}

TEST(Restriction, SaysWhatIsShorterAndKeepsTheOrigin) {
  HistoryBuilder builder;
  HistoryOrigin& origin = builder.origin();
  origin.promise = Level::kSnapshotIsolation;
  origin.file = "file";
  origin.format = "native";
  origin.database = "Some DB 1.0";
  origin.truncated = true;
  origin.clock_origin = 99;
  origin.notes = {"first"};
  origin.failed_ops = {{0, 5}, {1, 2}};
  const Value label = builder.string("mine");
  const KeyId list = builder.key(builder.string("l"));
  builder.begin_txn(builder.session("a"), 12);
  builder.set_label(label);
  builder.set_server(builder.string("db1"));
  builder.append(list, Value::integer(1));
  builder.begin_txn(builder.session("b"), 13);
  builder.append(list, Value::integer(2));
  const Value both[] = {Value::integer(1), Value::integer(2)};
  builder.read_list(list, both);
  const Result<History> whole = builder.finish();
  ASSERT_TRUE(whole.ok());
  EXPECT_FALSE(restrict(*whole, Choice(*whole)).lists_are_shorter);

  Choice choice(*whole);
  choice.ops[1] = 0;
  const Part part = restrict(*whole, choice, {}, {"second"});
  EXPECT_EQ(part.history.origin().file, "file");
  EXPECT_TRUE(part.history.origin().truncated);
  EXPECT_EQ(part.history.origin().clock_origin, 99);
  EXPECT_EQ(part.history.origin().database, "Some DB 1.0");
  EXPECT_EQ(part.history.origin().promise, Level::kSnapshotIsolation);
  EXPECT_EQ(part.history.origin().notes, (std::vector<std::string>{"first", "second"}));
  using Counts = std::map<std::size_t, std::size_t>;
  EXPECT_EQ(part.history.origin().failed_ops, (Counts{{0, 5}, {1, 2}}));
  Choice second(*whole);
  second.txns[0] = 0;
  EXPECT_EQ(restrict(*whole, second).history.origin().failed_ops, (Counts{{0, 2}}));
  EXPECT_EQ(part.history.json(part.history.server(TxnId::at(0))), "\"db1\"");
  EXPECT_TRUE(part.history.server(TxnId::at(1)).is_null());
  EXPECT_EQ(part.history.json(part.history.label(TxnId::at(0))), "\"mine\"");
  EXPECT_EQ(part.history.position_in_input(TxnId::at(1)), 13U);
  EXPECT_EQ(text_of(part), "a: a(l=1)\nb: r(l=[1])\n");
  EXPECT_TRUE(part.lists_are_shorter);
  EXPECT_FALSE(part.rows_are_missing);

  const History rows = support::parse("A: w(1=5) ; B: w(2=5) ; C: s(keys=1..9: 1=5 2=5)");
  EXPECT_TRUE(part_of(rows, {{0, kAll}}).rows_are_missing);
}

// Goal: a selection that goes leaves no key behind, or the part would number its keys otherwise
// than a part of the part does, and a proof names them by number.
TEST(Restriction, NumbersOnlyTheKeysThatItUses) {
  const History whole = support::parse(
      "start(0=1 1=2) A: s(: 1=2 2=5) r(0=4) ; B: w(0=4) ; C: w(2=5) ; D: w(2=6)");
  const Part part = part_of(whole, {{2, kAll}});
  EXPECT_EQ(text_of(part), "start(0=1)\nA: r(0=4)\nB: w(0=4)\nD: w(2=6)\n");
  EXPECT_EQ(part.history.text(part.history.key_name(KeyId::at(0))), "0");
  // Nor does one stay in the contents because a selection had left it out.
  const History other = support::parse("start(1=2) A: s(equal=5: 0=5) ; B: w(1=5) ; C: w(0=5)");
  EXPECT_EQ(text_of(part_of(other, {{1, kAll}})), "A: s(equal=5: 0=5)\nC: w(0=5)\n");
}

}  // namespace
}  // namespace isolde::minimize
