// Goal: operations as records are the builder's calls. Method: the digest of a history built
// both ways; each record that is refused, with its reason.
#include "isolde/operation_record.hpp"

#include <gtest/gtest.h>

#include <limits>

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
  calls.select({Predicate::Bounds{0, 9}, {}, {}, {}}, rows);
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
            "only selections have a condition");
  const RowRecord nameless[] = {{{}, 1}};
  EXPECT_EQ(problem_of({.kind = kSelect, .condition = ConditionRecord(), .rows = nameless}),
            "a row needs a key");
  EXPECT_EQ(problem_of({.kind = kDelete}), "an operation needs a key");
  ConditionRecord beyond;
  beyond.values = {0, std::numeric_limits<std::int64_t>::max()};
  EXPECT_EQ(problem_of({.kind = kSelect, .condition = beyond}),
            "the bounds of a selection do not lie between -2^61 and 2^61 - 1");
  const ColumnRecord column[] = {{"c", 1}};
  EXPECT_EQ(problem_of({.kind = kRead, .key = 1, .columns = column}),
            "columns are not supported yet");
  EXPECT_EQ(problem_of({.kind = kRead, .key = 1, .version = Scalar(1)}),
            "versions are not supported yet");
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

}  // namespace
}  // namespace isolde
