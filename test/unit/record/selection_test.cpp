// Rows with columns and selections by them, as the recorder writes them.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isolde/recorder.hpp"
#include "recorded.hpp"

namespace isolde {
namespace {

// Goal: rows are written as the native format has them, whatever they are made of.
TEST(Selection, WritesRowsWithColumns) {
  const TemporaryFolder folder;
  RecorderOptions options;
  options.deletes = true;
  const auto recorder = open_recorder(folder.path("h"), options);
  RecordedSession session = recorder->session("a");
  const std::vector<RecordedColumn> row = {{"qty", 3}, {"a\"b", "x"}, {""}};
  const std::vector<RecordedColumn> part = {{"qty", 3}};
  const std::vector<RecordedValue> some = {7, "x"};
  const std::vector<RecordedTest> tests = {{.column = "qty", .bounds = RecordedBounds{1, 9}},
                                           {.column = "a\"b", .in = some},
                                           {.in = some, .not_in = some},
                                           {.column = "n", .is_null = true},
                                           {.column = "some"},
                                           {.column = "one", .in = std::span(some).first(1)},
                                           {.column = "i", .bounds = RecordedBounds{}},
                                           {.column = "m", .bounds = RecordedBounds{.min = 5}}};
  const std::vector<RecordedRow> rows = {{2, RecordedValue::null(), part}, {1}, {3, 4}};
  session.begin();
  session.write_row(1, row);
  session.write_row("k", {});
  session.drop_last();
  session.read_row("k", part);
  session.read_row("k", {});
  session.select({.values = RecordedBounds{1, 9}, .tests = tests}, rows);
  session.select({.keys = RecordedBounds{1, 9}, .tests = std::span(tests).first(1)}, {});
  session.commit();
  ASSERT_EQ(message_of(recorder->close()), "no error");
  const std::string text = folder.get("h");
  const std::string ops =
      R"([["w",1,{"qty":3,"a\"b":"x","":null}],["r","k",{"qty":3}],["r","k",{}],)"
      R"(["select",{"values":[1,9],"keys":{"in":[7,"x"],"not in":[7,"x"]},)"
      R"("columns":{"qty":{"min":1,"max":9},"a\"b":{"in":[7,"x"]},"n":null,)"
      R"("some":{"not":null},"one":7,"i":{"max":2305843009213693951},"m":{"min":5}}},)"
      R"([[2,{"qty":3}],[1],[3,4]]],)"
      R"(["select",{"keys":[1,9],"columns":{"qty":{"min":1,"max":9}}},[]]],"end":)";
  EXPECT_NE(text.find(ops), std::string::npos) << text;
  EXPECT_EQ(read_back(folder.path("h")).selections(TxnId(0)).size(), 2U);
}

// Goal: locks and refused inserts are written as the native format has them, beside versions.
TEST(Selection, WritesLocksAndRefusedInserts) {
  const TemporaryFolder folder;
  RecorderOptions options;
  options.deletes = true;
  const auto recorder = open_recorder(folder.path("h"), options);
  RecordedSession session = recorder->session("a");
  session.begin();
  session.read("x", 1);
  session.version(17);
  session.locked(RecordedLock::kShare);
  session.insert_refused("x");
  session.read_list("l", std::vector<RecordedValue>{1});
  session.locked(RecordedLock::kUpdate);
  session.read_not("x", 2);
  session.locked(RecordedLock::kShare);
  session.read("y", RecordedValue::null());
  session.locked(RecordedLock::kUpdate);
  session.drop_last();
  session.read("z", RecordedValue::null());
  const std::vector<RecordedRow> rows = {{.key = 1, .value = 2}};
  session.select({.keys = RecordedBounds{1, 9}}, rows);
  session.locked(RecordedLock::kShare);
  session.locked(RecordedLock::kUpdate);
  session.commit();
  session.begin();
  session.read("x", 1);
  session.commit();
  ASSERT_EQ(message_of(recorder->close()), "no error");
  const std::string text = folder.get("h");
  EXPECT_NE(text.find(R"("ops":[["r","x",1,{"version":17,"lock":"share"}],["refused","x"],)"
                      R"(["r","l",[1],{"lock":"update"}],["r","x",{"not":2},{"lock":"share"}],)"
                      R"(["r","z",null],["select",{"keys":[1,9]},[[1,2]],{"lock":"update"}]],)"
                      R"("end":)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("ops":[["r","x",1]],"end":)"), std::string::npos) << text;
  const History history = read_back(folder.path("h"));
  EXPECT_EQ(history.lock(history.ops(TxnId(0))[0]), LockMode::kShare);
  EXPECT_TRUE(history.is_refused_insert(history.ops(TxnId(0))[1]));
}

TEST(Selection, WritesIncrementsAndTheirSums) {
  const TemporaryFolder folder;
  RecorderOptions options;
  options.deletes = true;
  const auto recorder = open_recorder(folder.path("h"), options);
  RecordedSession session = recorder->session("a");
  session.begin();
  session.increment("x", 3);
  session.sum(8);
  session.increment("x", -1);
  session.read("y", 1);
  session.version(17);
  session.increment("gone", 1);
  session.sum(1);
  session.drop_last();
  session.increment("z", 2);
  session.commit();
  session.begin();
  session.increment("x", 5);
  session.read("y", 1);
  session.increment("z", 6);
  const std::vector<std::int64_t> sums = {12, -4};
  session.sums(sums);
  session.commit();
  session.begin();
  session.increment("x", 7);
  session.unknown();
  ASSERT_EQ(message_of(recorder->close()), "no error");
  const std::string text = folder.get("h");
  EXPECT_NE(text.find(R"("ops":[["inc","x",3,8],["inc","x",-1],["r","y",1,{"version":17}],)"
                      R"(["inc","z",2]],"end":)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("ops":[["inc","x",5,12],["r","y",1],["inc","z",6,-4]],"end":)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("ops":[["inc","x",7]],"status":"indeterminate")"), std::string::npos)
      << text;
  EXPECT_EQ(read_back(folder.path("h")).increments().size(), 6U);
}

// Goal: what is no increment has no sum, and a file of version 1 has no increments.
TEST(Selection, RefusesSumsOfWhatIsNoIncrement) {
  const auto problem = [](bool deletes, const auto& work) {
    const TemporaryFolder folder;
    RecorderOptions options;
    options.deletes = deletes;
    const auto recorder = open_recorder(folder.path("h"), options);
    RecordedSession session = recorder->session("a");
    session.begin();
    work(session);
    return message_of(recorder->status());
  };
  const std::vector<std::int64_t> one = {1};
  using Session = RecordedSession;
  EXPECT_EQ(
      problem(false, [](Session& s) { s.increment("x", 1); }),
      "session \"a\": an increment needs a recorder that was opened with `deletes`, which "
      "makes the file one of version 2");
  EXPECT_EQ(problem(true, [](Session& s) { s.sum(1); }),
            "session \"a\": sum() after an operation that is no increment");
  const auto after_a_write = [](Session& s) {
    s.increment("x", 1);
    s.write("x", 1);
    s.sum(1);
  };
  EXPECT_EQ(problem(true, after_a_write),
            "session \"a\": sum() after an operation that is no increment");
  EXPECT_EQ(problem(true, [&](Session& s) { s.sums(one); }),
            "session \"a\": sums() of 1 increments after 0");
  EXPECT_EQ(problem(true, [](Session& s) { s.increment("x", INT64_MAX); }),
            "session \"a\": increment() by 9223372036854775807, which is not within -2^61 and "
            "2^61 - 1");
  const auto too_much = [](Session& s) {
    s.increment("x", 1);
    s.sum(INT64_MIN);
  };
  EXPECT_EQ(problem(true, too_much),
            "session \"a\": the sum -9223372036854775808 is not within -2^61 and 2^61 - 1");
}

using Kind = RecordedAggregate::Kind;

// Goal: what a statement computed is written as the native format has it.
TEST(Selection, WritesAggregates) {
  const TemporaryFolder folder;
  RecorderOptions options;
  options.deletes = true;
  const auto recorder = open_recorder(folder.path("h"), options);
  RecordedSession session = recorder->session("a");
  const std::vector<RecordedTest> tests = {{.column = "a\"b", .bounds = RecordedBounds{1, 9}}};
  session.begin();
  session.aggregate({.tests = tests}, {.kind = Kind::kCount, .result = 3});
  session.aggregate({.keys = RecordedBounds{1, 9}}, {.kind = Kind::kExists, .result = 0});
  session.aggregate({}, {.kind = Kind::kExists, .result = 1});
  session.aggregate({}, {.kind = Kind::kSum, .column = "a\"b", .result = -42});
  session.aggregate({}, {.kind = Kind::kMin, .column = "a\"b"});
  session.aggregate({}, {.kind = Kind::kMax, .result = 7});
  session.drop_last();
  session.aggregate({}, {.kind = Kind::kMax});
  session.commit();
  ASSERT_EQ(message_of(recorder->close()), "no error");
  const std::string text = folder.get("h");
  const std::string ops =
      R"([["count",{"columns":{"a\"b":{"min":1,"max":9}}},3],["exists",{"keys":[1,9]},false],)"
      R"(["exists",{},true],["sum",{},"a\"b",-42],["min",{},"a\"b",null],["max",{},null]],)"
      R"("end":)";
  EXPECT_NE(text.find(ops), std::string::npos) << text;
  EXPECT_EQ(read_back(folder.path("h")).selections(TxnId(0)).size(), 6U);
}

// Goal: room is made for all that is written. Method: names of control characters, which take
// the most; a sanitizer sees what goes beyond, and the slot of a session begins small.
TEST(Selection, WritesManyLargeColumns) {
  const TemporaryFolder folder;
  RecorderOptions options;
  options.deletes = true;
  const auto recorder = open_recorder(folder.path("h"), options);
  constexpr std::int64_t kLong = std::numeric_limits<std::int64_t>::min();
  constexpr RecordedBounds kLongest = {RecordedBounds::kLeast + 1, RecordedBounds::kMost - 1};
  std::vector<std::string> names;
  for (int i = 199; i >= 0; --i) names.emplace_back(std::size_t(i), '\x01');
  const std::vector<RecordedValue> values(100, kLong);
  std::vector<RecordedColumn> row;
  std::vector<RecordedTest> tests;
  for (const std::string& name : names) {
    row.push_back({name, kLong});
    tests.push_back({name, false, kLongest, values, values});
  }
  std::vector<RecordedRow> rows;
  for (const std::string& name : names) rows.push_back({name, RecordedValue::null(), row});
  const auto record = [&](const std::string& name, const auto& operation) {
    RecordedSession session = recorder->session(name);  // whose slot is small
    session.begin();
    operation(session);
    session.commit();
  };
  record("row", [&](RecordedSession& session) { session.write_row(names[0], row); });
  record("tests", [&](RecordedSession& session) { session.select({.tests = tests}, {}); });
  record("aggregate", [&](RecordedSession& session) {
    session.aggregate({.tests = tests},
                      {.kind = Kind::kSum, .column = names[0], .result = kLong});
  });
  record("rows",
         [&](RecordedSession& session) { session.select({}, std::span(rows).subspan(150)); });
  ASSERT_EQ(message_of(recorder->close()), "no error");
  EXPECT_EQ(read_back(folder.path("h")).txn_count(), 4U);
}

const RecordedValue kNothing = RecordedValue::null();

/// The problem that the calls leave.
std::string problem_left_by(const std::function<void(RecordedSession&)>& calls,
                            bool deletes = true) {
  const TemporaryFolder folder;
  RecorderOptions options;
  options.deletes = deletes;
  const auto recorder = open_recorder(folder.path("h"), options);
  RecordedSession session = recorder->session("a");
  session.begin();
  calls(session);
  session.abort();
  return message_of(recorder->close());
}

TEST(Selection, RowsAndTestsNeedVersionTwo) {
  const std::vector<RecordedColumn> columns = {{"c", 1}};
  const std::vector<RecordedRow> rows = {{1, kNothing, columns}};
  const std::vector<RecordedTest> tests = {{.column = "c"}};
  const auto in_version_1 = [](const std::function<void(RecordedSession&)>& calls) {
    return problem_left_by(calls, false);
  };
  const std::string needs =
      " needs a recorder that was opened with `deletes`, which makes the file one of version 2";
  const std::string row = "session \"a\": a row with columns" + needs;
  EXPECT_EQ(in_version_1([&](RecordedSession& s) { s.write_row("x", columns); }), row);
  EXPECT_EQ(in_version_1([&](RecordedSession& s) { s.read_row("x", {}); }), row);
  EXPECT_EQ(in_version_1([&](RecordedSession& s) { s.select({}, rows); }), row);
  EXPECT_EQ(in_version_1([&](RecordedSession& s) { s.select({.tests = tests}, {}); }),
            "session \"a\": a test of a condition" + needs);
  EXPECT_EQ(in_version_1([](RecordedSession& s) { s.aggregate({}, {.result = 0}); }),
            "session \"a\": an aggregate" + needs);
}

std::string problem_of_row(const std::vector<RecordedColumn>& columns) {
  return problem_left_by([&](RecordedSession& session) { session.write_row(1, columns); });
}

std::string problem_of_condition(const std::vector<RecordedTest>& tests,
                                 std::optional<RecordedBounds> keys = {}) {
  return problem_left_by(
      [&](RecordedSession& session) { session.select({.keys = keys, .tests = tests}, {}); });
}

std::string problem_of(const RecordedAggregate& computed) {
  return problem_left_by([&](RecordedSession& session) { session.aggregate({}, computed); });
}

TEST(Selection, SaysWhatIsWrongWithAnAggregate) {
  const std::string here = "session \"a\": ";
  const std::string of_column =
      here + "a count is of rows and not of a column; ask for its nulls by a test";
  EXPECT_EQ(problem_of({.column = "c", .result = 1}), of_column);
  EXPECT_EQ(problem_of({.kind = Kind::kExists, .column = "c", .result = 1}), of_column);
  const std::string null = here + "a count is never null; of no rows it is 0";
  EXPECT_EQ(problem_of({}), null);
  EXPECT_EQ(problem_of({.kind = Kind::kExists}), null);
  EXPECT_EQ(problem_of({.result = -1}), here + "a count is never below 0");
  EXPECT_EQ(problem_of({.kind = Kind::kExists, .result = 2}),
            here + "whether rows exist is 1 or 0");
  EXPECT_EQ(problem_of({.kind = Kind::kExists, .result = -1}),
            here + "whether rows exist is 1 or 0");
  EXPECT_EQ(problem_of({.kind = Kind::kSum, .column = "c", .result = -1}), "no error");
  EXPECT_EQ(problem_of({.kind = Kind::kMin, .column = "\xff"}),
            here + "the name of the column \"\xef\xbf\xbd\" is not UTF-8");
}

TEST(Selection, SaysWhatIsWrong) {
  EXPECT_EQ(problem_of_row({{"c", 1}, {"d", 1}}), "no error");
  EXPECT_EQ(problem_of_row({{"c", 1}, {"d", 1}, {"c", 2}}),
            "session \"a\": a row has column \"c\" twice");
  EXPECT_EQ(problem_of_row({{"not", 1}}),
            "session \"a\": a column cannot be called \"not\", which says what a read did not "
            "return");
  EXPECT_EQ(problem_of_row({{"\xff", 1}}),
            "session \"a\": the name of the column \"\xef\xbf\xbd\" is not UTF-8");
  const std::vector<RecordedColumn> columns = {{"c", 1}};
  const std::vector<RecordedRow> twofold = {{1, 2, columns}};
  const std::vector<RecordedRow> keyless = {{kNothing, kNothing, columns}};
  EXPECT_EQ(problem_left_by([&](RecordedSession& s) { s.select({}, twofold); }),
            "session \"a\": a row has a value beside columns; it has one or the other");
  EXPECT_EQ(
      problem_left_by([&](RecordedSession& s) { s.select({}, keyless); }),
      "session \"a\": a selection returned a row with null, which means that there is no row; "
      "encode the database's own NULL as text");

  const std::vector<RecordedValue> one = {1};
  const std::vector<RecordedValue> null = {1, kNothing};
  const char* const in_list =
      "session \"a\": null is in no list of values; ask for it by a test for null";
  EXPECT_EQ(problem_of_condition({{.column = "c", .in = null}}), in_list);
  EXPECT_EQ(problem_of_condition({{.column = "c", .not_in = null}}), in_list);
  const char* const more = "session \"a\": a test for null asks for nothing else";
  EXPECT_EQ(problem_of_condition({{.column = "c", .is_null = true, .in = one}}), more);
  EXPECT_EQ(problem_of_condition({{.column = "c", .is_null = true, .not_in = one}}), more);
  EXPECT_EQ(
      problem_of_condition({{.column = "c", .is_null = true, .bounds = RecordedBounds()}}),
      more);
  EXPECT_EQ(problem_of_condition({{.is_null = true}}),
            "session \"a\": a test of the key for null selects nothing");
  const char* const of_key =
      "session \"a\": a condition has two tests of the key; put bounds and the rest into one";
  EXPECT_EQ(problem_of_condition({{.in = one}, {.not_in = one}}), of_key);
  EXPECT_EQ(problem_of_condition({{.in = one}}, RecordedBounds{1, 9}), of_key);
  EXPECT_EQ(problem_of_condition({{.column = "c"}, {.column = "d"}, {.column = "c"}}),
            "session \"a\": a condition names column \"c\" twice");
  EXPECT_EQ(problem_of_condition({{.column = "\xff"}}),
            "session \"a\": the name of the column \"\xef\xbf\xbd\" is not UTF-8");
  EXPECT_EQ(problem_of_condition(
                {{.column = "c", .bounds = RecordedBounds{RecordedBounds::kLeast - 1, 0}}}),
            "session \"a\": the bounds of a selection do not lie between -2^61 and 2^61 - 1");
}

}  // namespace
}  // namespace isolde
