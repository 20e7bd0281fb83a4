// Goal: operations as records are the builder's calls. Method: the digest of a history built
// both ways; each record that is refused, with its reason.
#include "isolde/operation_record.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isolde/history_builder.hpp"

namespace isolde {
namespace {

using enum RecordKind;

std::string problem_of(const OperationRecord& record) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session("s"));
  builder.add(record);
  const Result<History> history = builder.finish();
  return history ? "" : history.error().message;
}

TEST(OperationRecord, DoesWhatTheCallsDo) {
  HistoryBuilder calls;
  calls.begin_txn(calls.session("s"));
  const KeyId x = calls.key(calls.string("x"));
  const KeyId log = calls.key(calls.string("log"));
  calls.write(x, calls.integer(7));
  calls.read(x, calls.integer(7));
  calls.append(log, calls.literal("0.5"));
  const Value elements[] = {calls.literal("0.5")};
  calls.read_list(log, elements);
  calls.read_unknown(x);
  calls.read_except(x, calls.string("a"));
  const Row rows[] = {{calls.key(calls.integer(3)), calls.integer(4)}};
  calls.select(Predicate{Predicate::Bounds{0, 9}, {}, {}, {}}, rows);
  calls.remove(x);

  HistoryBuilder records;
  records.begin_txn(records.session("s"));
  records.add({.kind = kWrite, .key = "x", .value = 7});
  records.add({.kind = kRead, .key = "x", .value = 7});
  records.add({.kind = kAppend, .key = "log", .value = Scalar::literal("0.5")});
  const Scalar seen[] = {Scalar::literal("0.5")};
  records.add({.kind = kReadList, .key = "log", .elements = seen});
  records.add({.kind = kReadUnknown, .key = "x"});
  records.add({.kind = kReadNot, .key = "x", .value = "a"});
  const RowRecord returned[] = {{3, 4}};
  ConditionRecord condition;
  condition.keys = {0, 9};
  records.add({.kind = kSelect, .condition = condition, .rows = returned});
  records.add({.kind = kDelete, .key = "x"});

  const Result<History> one = calls.finish();
  const Result<History> other = records.finish();
  ASSERT_TRUE(one);
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ(one->digest(), other->digest());
}

TEST(OperationRecord, EqualNumbersAreEqual) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session("s"));
  builder.add({.kind = kWrite, .key = "x", .value = Scalar::literal("12")});
  builder.add({.kind = kWrite, .key = "x", .value = 12});
  builder.add({.kind = kWrite, .key = "x", .value = std::numeric_limits<std::int64_t>::max()});
  builder.add({.kind = kWrite, .key = "x", .value = Scalar::literal("9223372036854775807")});
  const Result<History> history = builder.finish();
  ASSERT_TRUE(history);
  const auto ops = history->ops(TxnId(0));
  EXPECT_EQ(ops[0].value, ops[1].value);
  EXPECT_EQ(ops[2].value, ops[3].value);
}

TEST(OperationRecord, TakesJsonLiteralsOnly) {
  for (const char* const text : {"0.5", "-1e9", "1E+2", "true", "false", "0", "-0.25e-3",
                                 "123456789012345678901234567890"}) {
    EXPECT_EQ(problem_of({.kind = kWrite, .key = 1, .value = Scalar::literal(text)}), "")
        << text;
  }
  for (const char* const text : {"", "-", "01", "1.", ".5", "1e", "1e+", "0x1", "nan", "null",
                                 "\"a\"", "1 ", "[1]", "True"}) {
    EXPECT_EQ(problem_of({.kind = kWrite, .key = 1, .value = Scalar::literal(text)}),
              "a literal is neither a number nor true nor false")
        << text;
  }
}

TEST(OperationRecord, SaysWhyItIsRefused) {
  EXPECT_EQ(problem_of({.kind = kRead}), "an operation needs a key");
  EXPECT_EQ(problem_of({.kind = kSelect}), "a selection needs a condition");
  EXPECT_EQ(problem_of({.kind = kRead, .key = 1, .condition = ConditionRecord()}),
            "only selections and aggregates have a condition");
  const AggregateRecord count{AggregateKind::kCount, std::nullopt, 1};
  const AggregateRecord of_column{AggregateKind::kCount, "qty", 1};
  EXPECT_EQ(problem_of({.kind = kAggregate}), "an aggregate needs a condition");
  EXPECT_EQ(problem_of({.kind = kAggregate, .condition = ConditionRecord()}),
            "an aggregate needs a result");
  EXPECT_EQ(problem_of({.kind = kSelect, .condition = ConditionRecord(), .aggregate = count}),
            "only aggregates have such a result");
  EXPECT_EQ(
      problem_of({.kind = kAggregate, .condition = ConditionRecord(), .aggregate = of_column}),
      "a count is of no column");
  EXPECT_EQ(
      problem_of({.kind = kAggregate, .condition = ConditionRecord(), .aggregate = count}), "");
  const RowRecord nameless[] = {{{}, 1}};
  EXPECT_EQ(problem_of({.kind = kSelect, .condition = ConditionRecord(), .rows = nameless}),
            "a row needs a key");
  EXPECT_EQ(problem_of({.kind = kDelete}), "an operation needs a key");
  ConditionRecord beyond;
  beyond.values = {0, std::numeric_limits<std::int64_t>::max()};
  EXPECT_EQ(problem_of({.kind = kSelect, .condition = beyond}),
            "the bounds of a selection do not lie between -2^61 and 2^61 - 1");
  EXPECT_EQ(problem_of({.kind = kReadList, .key = 1, .version = Scalar(1)}),
            "only reads, writes and rows have versions");
  EXPECT_EQ(problem_of({.kind = kWrite, .key = 1, .value = 2, .version = Scalar()}),
            "null is no version; leave it out");
  EXPECT_EQ(problem_of({.kind = kRead, .key = 1, .version = Scalar(1)}),
            "a version belongs to a write of a register, or to a read that returned a value of "
            "one");
  EXPECT_EQ(problem_of({.kind = kReadNot, .key = 1}),
            "a read that did not return null shows nothing; leave it out or say what it "
            "returned");
  EXPECT_EQ(problem_of({.kind = kWrite, .key = 1}),
            "null is the initial value and cannot be written");
  EXPECT_EQ(problem_of({.kind = kWrite, .key = 1, .value = "\xff"}),
            "a text is not UTF-8; encode other bytes, for example in hexadecimal");
  HistoryBuilder early;
  early.add({.kind = kRead, .key = 1});
  EXPECT_EQ(early.finish().error().message,
            "an operation needs a transaction; begin one first");
}

TEST(OperationRecord, WritesReadsAndSelectsRowsAsTheCallsDo) {
  HistoryBuilder calls;
  calls.begin_txn(calls.session("s"));
  const Value qty = calls.string("qty");
  const Value note = calls.string("note");
  const KeyId key = calls.key(calls.integer(17));
  const KeyId other = calls.key(calls.integer(18));
  const ColumnValue whole[] = {{qty, calls.integer(3)}, {note, calls.string("a")}};
  const ColumnValue part[] = {{note, Value::null()}};
  calls.write(key, calls.row(whole));
  calls.read(key, calls.row(part));
  calls.read(key, calls.row({}));
  Predicate condition;
  condition.tests.resize(4);
  condition.tests[0].not_in = {calls.integer(9), calls.string("b")};
  condition.tests[1].column = qty;
  condition.tests[1].bounds = Predicate::Bounds{.min = 1};
  condition.tests[1].in = {calls.integer(3), calls.literal("0.5")};
  condition.tests[2].column = note;
  condition.tests[2].is_null = true;
  condition.tests[3].column = calls.string("size");
  const Row rows[] = {{key, calls.row(part)}, {other, calls.row({})}};
  calls.select(condition, rows);

  HistoryBuilder records;
  records.begin_txn(records.session("s"));
  const ColumnRecord columns[] = {{"qty", 3}, {"note", "a"}};
  const ColumnRecord seen[] = {{"note", Scalar::null()}};
  records.add({.kind = kWrite, .key = 17, .columns = columns});
  records.add({.kind = kRead, .key = 17, .columns = seen});
  records.add({.kind = kRead, .key = 17, .columns = std::span<const ColumnRecord>()});
  const Scalar excluded[] = {9, "b"};
  const Scalar included[] = {3, Scalar::literal("0.5")};
  const TestRecord tests[] = {
      {.not_in = excluded},
      {.column = "qty", .bounds = Predicate::Bounds{.min = 1}, .in = included},
      {.column = "note", .is_null = true},
      {.column = "size"}};
  const RowRecord returned[] = {{17, {}, seen}, {18}};
  records.add(
      {.kind = kSelect, .condition = ConditionRecord{.tests = tests}, .rows = returned});

  const Result<History> one = calls.finish();
  const Result<History> same = records.finish();
  ASSERT_TRUE(one) << one.error().message;
  ASSERT_TRUE(same) << same.error().message;
  EXPECT_EQ(one->digest(), same->digest());
  EXPECT_EQ(same->ops(TxnId(0))[1].kind, OpKind::kReadMatch);
}

/// With these tests as the condition of a selection.
std::string problem_of_tests(const std::vector<TestRecord>& tests,
                             std::optional<Predicate::Bounds> keys = {}) {
  return problem_of(
      {.kind = kSelect, .condition = ConditionRecord{.keys = keys, .tests = tests}});
}

TEST(OperationRecord, SaysWhyARowIsRefused) {
  const auto of = [](std::span<const ColumnRecord> columns) {
    return problem_of({.kind = kWrite, .key = 1, .columns = columns});
  };
  const ColumnRecord good[] = {{"c", 1}};
  EXPECT_EQ(of(good), "");
  const ColumnRecord twice[] = {{"c", 1}, {"d", 1}, {"c", 2}};
  EXPECT_EQ(of(twice), "a row has column \"c\" twice");
  const ColumnRecord reserved[] = {{"not", 1}};
  EXPECT_EQ(of(reserved),
            "a column cannot be called \"not\", which says what a read did not return");
  const ColumnRecord nameless[] = {{"\xff", 1}};
  EXPECT_EQ(of(nameless), "the name of a column is not UTF-8");
  const ColumnRecord bytes[] = {{"c", "\xff"}};
  EXPECT_EQ(of(bytes), "a text is not UTF-8; encode other bytes, for example in hexadecimal");
  const char* const both = "a row has a value beside columns; it has one or the other";
  EXPECT_EQ(problem_of({.kind = kWrite, .key = 1, .value = 2, .columns = good}), both);
  const RowRecord returned[] = {{1, 2, good}};
  EXPECT_EQ(problem_of({.kind = kSelect, .condition = ConditionRecord(), .rows = returned}),
            both);
  for (const RecordKind kind : {kAppend, kReadList, kReadUnknown, kReadNot, kDelete}) {
    EXPECT_EQ(problem_of({.kind = kind, .key = 1, .columns = good}),
              "only reads and writes have columns, and rows of selections");
  }
  EXPECT_EQ(problem_of({.kind = kSelect, .condition = ConditionRecord(), .columns = good}),
            "only reads and writes have columns, and rows of selections");
}

TEST(OperationRecord, SaysWhyAConditionIsRefused) {
  const Scalar null[] = {1, Scalar::null()};
  const char* const in_list = "null is in no list of values; ask for it by a test for null";
  EXPECT_EQ(problem_of_tests({{.column = "c", .in = null}}), in_list);
  EXPECT_EQ(problem_of_tests({{.column = "c", .not_in = null}}), in_list);
  const char* const else_too = "a test for null asks for nothing else";
  const std::span<const Scalar> one(null, 1);
  EXPECT_EQ(problem_of_tests({{.column = "c", .is_null = true, .in = one}}), else_too);
  EXPECT_EQ(problem_of_tests({{.column = "c", .is_null = true, .not_in = one}}), else_too);
  EXPECT_EQ(problem_of_tests({{.column = "c", .is_null = true, .bounds = Predicate::Bounds()}}),
            else_too);
  EXPECT_EQ(problem_of_tests({{.is_null = true}}),
            "a test of the key for null selects nothing");
  const char* const of_key =
      "a condition has two tests of the key; put bounds and the rest into one";
  EXPECT_EQ(problem_of_tests({{.in = one}, {.not_in = one}}), of_key);
  EXPECT_EQ(problem_of_tests({{.in = one}}, Predicate::Bounds{1, 9}), of_key);
  EXPECT_EQ(problem_of_tests({{.column = "c"}, {.column = "c", .in = one}}),
            "a condition names column \"c\" twice");
  EXPECT_EQ(problem_of_tests({{.column = "\xff"}}), "the name of a column is not UTF-8");
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(problem_of_tests({{.column = "c", .bounds = Predicate::Bounds{0, kMost}}}),
            "the bounds of a selection do not lie between -2^61 and 2^61 - 1");
}

}  // namespace
}  // namespace isolde
