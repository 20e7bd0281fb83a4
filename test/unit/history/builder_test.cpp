// HistoryBuilder: interning, layout, the checks that it makes, and the forms that finish()
// brings operations into.
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "isolde/history_builder.hpp"

namespace isolde {
namespace {

History finish(HistoryBuilder& builder) {
  Result<History> history = builder.finish();
  EXPECT_TRUE(history.ok()) << (history.ok() ? "" : history.error().message);
  return std::move(history).value();
}

std::string problem(HistoryBuilder& builder) {
  const Result<History> history = builder.finish();
  if (history.ok()) return "no problem";
  EXPECT_EQ(history.error().code, ErrorCode::kBadInput);
  return history.error().message;
}

TEST(Value, IsEqualExactlyWhenItsBitsAre) {
  EXPECT_EQ(Value(), Value::null());
  EXPECT_TRUE(Value::null().is_null());
  EXPECT_FALSE(Value::integer(0).is_null());
  EXPECT_NE(Value::integer(0), Value::null());
  for (const std::int64_t number :
       {std::int64_t{0}, std::int64_t{-1}, Value::kIntegerMax, Value::kIntegerMin}) {
    EXPECT_EQ(Value::integer(number).as_integer(), number);
    EXPECT_EQ(Value::integer(number).kind(), Value::Kind::kInteger);
    EXPECT_EQ(Value::from_bits(Value::integer(number).bits()), Value::integer(number));
  }
  EXPECT_EQ(Value::pooled(Value::Kind::kString, 7).slot(), 7U);
}

TEST(HistoryBuilder, InternsSessionsKeysAndValues) {
  HistoryBuilder builder;
  EXPECT_EQ(builder.session("a"), SessionId(0));
  EXPECT_EQ(builder.session("b"), SessionId(1));
  EXPECT_EQ(builder.session("a"), SessionId(0));
  EXPECT_EQ(builder.key(builder.integer(5)), KeyId(0));
  EXPECT_EQ(builder.key(builder.string("5")), KeyId(1));
  EXPECT_EQ(builder.key(builder.integer(5)), KeyId(0));
  EXPECT_EQ(builder.string("x"), builder.string("x"));
  EXPECT_NE(builder.string("true"), builder.literal("true"));
  EXPECT_EQ(builder.literal("0.5"), builder.literal("0.5"));
}

// More names than the first table holds, with strides that collide easily.
TEST(HistoryBuilder, InternsManyKeys) {
  HistoryBuilder builder;
  for (int round = 0; round < 2; ++round) {
    for (std::int64_t i = 0; i < 10'000; ++i) {
      ASSERT_EQ(builder.key(builder.integer(i << 20)).raw(), static_cast<std::uint32_t>(i));
    }
  }
}

TEST(HistoryBuilder, KeepsAll64BitIntegers) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session("a"));
  std::vector<std::int64_t> numbers = {std::numeric_limits<std::int64_t>::min(),
                                       Value::kIntegerMin - 1,
                                       Value::kIntegerMin,
                                       -1,
                                       0,
                                       Value::kIntegerMax,
                                       Value::kIntegerMax + 1,
                                       std::numeric_limits<std::int64_t>::max()};
  const KeyId key = builder.key(builder.integer(1));
  for (const std::int64_t number : numbers) builder.write(key, builder.integer(number));
  const History history = finish(builder);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_EQ(history.json(history.ops(TxnId(0))[i].value), std::to_string(numbers[i]));
  }
}

TEST(HistoryBuilder, LaysOutSessionsInOrder) {
  HistoryBuilder builder;
  for (const char* session : {"b", "a", "b", "b", "a"})
    builder.begin_txn(builder.session(session));
  const History history = finish(builder);
  ASSERT_EQ(history.session_count(), 2U);
  const auto b = history.session_txns(SessionId(0));
  EXPECT_EQ(std::vector<TxnId>(b.begin(), b.end()),
            (std::vector<TxnId>{TxnId(0), TxnId(2), TxnId(3)}));
  const auto a = history.session_txns(SessionId(1));
  EXPECT_EQ(std::vector<TxnId>(a.begin(), a.end()), (std::vector<TxnId>{TxnId(1), TxnId(4)}));
  EXPECT_EQ(history.position_of(TxnId(3)), 2U);
  EXPECT_EQ(history.session_of(TxnId(4)), SessionId(1));
}

TEST(HistoryBuilder, KeepsSessionsWithoutTransactions) {
  HistoryBuilder builder;
  builder.session("idle");
  const History history = finish(builder);
  EXPECT_EQ(history.session_count(), 1U);
  EXPECT_TRUE(history.session_txns(SessionId(0)).empty());
  EXPECT_EQ(history.txn_count(), 0U);
}

TEST(HistoryBuilder, LeavesOutColumnsThatNothingUses) {
  HistoryBuilder bare;
  bare.begin_txn(bare.session("a"));
  const History without = finish(bare);
  EXPECT_FALSE(without.has_times());
  EXPECT_EQ(without.times(TxnId(0)).start, kNoTime);
  EXPECT_TRUE(without.label(TxnId(0)).is_null());
  EXPECT_EQ(without.position_in_input(TxnId(0)), 0U);
  EXPECT_EQ(without.completion_in_input(TxnId(0)), 0U);

  HistoryBuilder full;
  full.begin_txn(full.session("a"), 17);
  full.begin_txn(full.session("a"));
  full.set_times({kNoTime, 4});
  full.set_label(full.integer(9));
  full.set_completion_in_input(23);
  full.set_status(TxnStatus::kAborted);
  const History with = finish(full);
  EXPECT_TRUE(with.has_times());
  EXPECT_EQ(with.times(TxnId(0)).end, kNoTime);
  EXPECT_EQ(with.times(TxnId(1)).end, 4);
  EXPECT_EQ(with.label(TxnId(1)), Value::integer(9));
  EXPECT_EQ(with.position_in_input(TxnId(0)), 17U);
  EXPECT_EQ(with.completion_in_input(TxnId(0)), 0U);
  EXPECT_EQ(with.completion_in_input(TxnId(1)), 23U);
  EXPECT_EQ(with.status(TxnId(0)), TxnStatus::kCommitted);
  EXPECT_EQ(with.status(TxnId(1)), TxnStatus::kAborted);
}

// "Nothing yet" reads the same for registers and lists, whatever the input wrote for it.
TEST(HistoryBuilder, GivesInitialReadsTheKindOfTheirKey) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session("a"));
  const KeyId list = builder.key(builder.string("l"));
  const KeyId reg = builder.key(builder.string("x"));
  const KeyId untold = builder.key(builder.string("u"));
  builder.read(list, Value::null());
  builder.read_list(reg, {});
  builder.read_list(untold, {});
  builder.append(list, builder.integer(1));
  builder.write(reg, builder.integer(1));
  const Value elements[] = {builder.integer(1)};
  builder.read_list(list, elements);
  const History history = finish(builder);
  const auto ops = history.ops(TxnId(0));
  EXPECT_EQ(ops[0].kind, OpKind::kReadList);
  EXPECT_TRUE(history.list(ops[0]).empty());
  EXPECT_EQ(ops[1].kind, OpKind::kRead);
  EXPECT_TRUE(ops[1].value.is_null());
  EXPECT_EQ(ops[2].kind, OpKind::kRead);
  ASSERT_EQ(history.list(ops[5]).size(), 1U);
  EXPECT_TRUE(history.is_list(list));
  EXPECT_FALSE(history.is_list(reg));
  EXPECT_FALSE(history.is_list(untold));
}

TEST(HistoryBuilder, RejectsAKeyOfTwoKinds) {
  const std::string expected =
      "key \"x\" is used both as a register (write) and as a list (append); use one of them";
  for (int variant = 0; variant < 4; ++variant) {
    HistoryBuilder builder;
    builder.begin_txn(builder.session("a"));
    const KeyId key = builder.key(builder.string("x"));
    const Value one[] = {builder.integer(1)};
    if (variant % 2 == 0) builder.write(key, one[0]);
    if (variant % 2 == 1) builder.read(key, one[0]);
    EXPECT_TRUE(builder.status().ok());
    if (variant / 2 == 0) builder.append(key, one[0]);
    if (variant / 2 == 1) builder.read_list(key, one);
    EXPECT_FALSE(builder.status().ok());
    EXPECT_EQ(problem(builder), expected);
  }
}

/// The operations of the last transaction, and its selections as "first+rows+absents".
std::string last_txn(const History& history) {
  std::string out;
  const TxnId txn = TxnId::at(history.txn_count() - 1);
  for (const Op& op : history.ops(txn)) out += history.op_text(op) + "; ";
  for (const Selection& selection : history.selections(txn)) {
    out += std::to_string(selection.first) + "+" + std::to_string(selection.rows) + "+" +
           std::to_string(selection.absents) + " ";
  }
  return out;
}

class Rows {
 public:
  Rows() {
    builder_.begin_txn(builder_.session("a"));
    for (const std::int64_t key : {30, 4, 5, 100}) write(key, key * 10);
    write(5, 7);
    builder_.write(builder_.key(builder_.string("name")), builder_.string("v"));
    builder_.begin_txn(builder_.session("b"));
  }
  void write(std::int64_t key, std::int64_t value) {
    builder_.write(builder_.key(builder_.integer(key)), builder_.integer(value));
  }
  void select(const Predicate& predicate, std::initializer_list<std::int64_t> keys) {
    std::vector<Row> rows;
    for (const std::int64_t key : keys) rows.push_back(row(key, key * 10));
    builder_.select(predicate, rows);
  }
  Row row(std::int64_t key, std::int64_t value) {
    return {builder_.key(builder_.integer(key)), builder_.integer(value)};
  }
  std::string done() { return last_txn(std::move(builder_.finish()).value()); }
  HistoryBuilder& builder() { return builder_; }

 private:
  HistoryBuilder builder_;
};

// Rows with the columns of an earlier row, in the same order, are not looked at once more.
TEST(Rows, AreTheSameWhateverCameBefore) {
  HistoryBuilder builder;
  const Value a = builder.string("a");
  const Value b = builder.string("b");
  const auto row = [&](Value first, Value x, Value second, Value y) {
    return builder.row(std::vector<ColumnValue>{{first, x}, {second, y}});
  };
  const Value one = builder.integer(1);
  const Value known = row(a, one, b, builder.string("x"));
  EXPECT_EQ(row(a, one, b, builder.string("x")), known);
  EXPECT_EQ(row(b, builder.string("x"), a, one), known);
  EXPECT_EQ(row(a, one, b, builder.string("x")), known);
  EXPECT_NE(row(a, one, builder.string("c"), builder.string("x")), known);
  EXPECT_NE(row(a, one, b, one), known);
  EXPECT_TRUE(builder.status().ok());
  row(a, known, b, one);
  EXPECT_EQ(builder.status().error().message,
            "column \"a\" holds a row; expected a string, number, true, false or null");
}

TEST(Selections, NameTheRowsThatTheyLeftOut) {
  Predicate range;
  range.keys = Predicate::Bounds{4, 99};
  Rows rows;
  rows.select(range, {30});
  EXPECT_EQ(
      rows.done(),
      "r(30)=300; select(keys 4 to 99) without key 4; select(keys 4 to 99) without key 5; "
      "0+1+2 ");
  Rows all;
  all.select({}, {});
  EXPECT_EQ(all.done(),
            "select(all rows) without key 4; select(all rows) without key 5; "
            "select(all rows) without key 30; select(all rows) without key 100; "
            "select(all rows) without name; 0+0+5 ");
}

TEST(Selections, LeaveOutOnlyWhatSomebodyWritesThatMatches) {
  Predicate values;
  values.values = Predicate::Bounds{40, 300};
  Rows some;
  some.select(values, {4});
  EXPECT_EQ(some.done(),
            "r(4)=40; select(values 40 to 300) without key 5; select(values 40 to 300) without "
            "key 30; 0+1+2 ");
  Predicate equal;
  equal.equal = Value::integer(7);
  equal.keys = Predicate::Bounds{0, 5};
  Rows one;
  one.select(equal, {});
  EXPECT_EQ(one.done(), "select(keys 0 to 5 with value 7) without key 5; 0+0+1 ");
  equal.keys = Predicate::Bounds{6, 9};
  Rows none;
  none.select(equal, {});
  none.write(1, 1);
  none.select(equal, {});
  EXPECT_EQ(none.done(), "w(1)=1; 0+0+0 1+0+0 ");
  Rows text;
  Predicate word;
  word.equal = text.builder().string("v");
  text.select(word, {});
  EXPECT_EQ(text.done(), "select(value v) without name; 0+0+1 ");
}

TEST(Selections, MayBeHiddenButForTheirRows) {
  Rows rows;
  rows.select({}, {4});
  rows.builder().read_except(rows.builder().key(rows.builder().integer(4)),
                             rows.builder().integer(9));
  const History history = std::move(rows.builder().finish()).value();
  const std::uint32_t first = history.first_op(TxnId(1));
  std::vector<std::uint32_t> numbers;
  const auto numbers_of_last = [&](const History& reduced) {
    return std::vector<std::uint32_t>(numbers.begin() + reduced.first_op(TxnId(1)),
                                      numbers.end());
  };
  const History none = history.without_absent_reads({}, numbers);
  EXPECT_EQ(last_txn(none), "r(4)=40; r(4)=not 9; 0+1+0 ");
  EXPECT_EQ(numbers_of_last(none), (std::vector<std::uint32_t>{0, 5}));
  const std::vector<std::uint32_t> kept = {first + 2, first + 4};
  const History some = history.without_absent_reads(kept, numbers);
  EXPECT_EQ(
      last_txn(some),
      "r(4)=40; select(all rows) without key 30; select(all rows) without name; r(4)=not 9; "
      "0+1+2 ");
  EXPECT_EQ(numbers_of_last(some), (std::vector<std::uint32_t>{0, 2, 4, 5}));
  EXPECT_EQ(history.digest(), none.digest());  // it is of what clients told
}

TEST(Selections, HaveOnePlaceInProgramOrder) {
  Predicate none;
  none.keys = Predicate::Bounds{60, 69};
  Rows rows;
  rows.select(none, {});
  rows.write(7, 70);
  rows.select({}, {5, 4});  // operations 1 to 6
  rows.select({}, {5, 4});  // 7 to 12
  rows.write(7, 71);
  const History history = std::move(rows.builder().finish()).value();
  const TxnId txn(1);
  std::vector<std::uint32_t> steps;
  for (std::uint32_t op = 0; op < history.ops(txn).size(); ++op) {
    steps.push_back(history.step(txn, op));
  }
  EXPECT_EQ(steps, (std::vector<std::uint32_t>{0, 1, 1, 1, 1, 1, 1, 7, 7, 7, 7, 7, 7, 13}));
  EXPECT_EQ(history.selection_of(txn, 0), nullptr);
  EXPECT_EQ(history.selection_of(txn, 7), &history.selections(txn)[2]);
  EXPECT_EQ(history.selection_of(txn, 13), nullptr);
  EXPECT_EQ(history.step(TxnId(0), 3), 3U);
  EXPECT_TRUE(history.has_selections());
}

TEST(Selections, RejectLists) {
  Rows rows;
  rows.builder().append(rows.builder().key(rows.builder().integer(50)), Value::integer(1));
  rows.select({}, {});
  EXPECT_EQ(problem(rows.builder()),
            "a selection covers key 50, which is a list; selections are of registers");
  Rows beside;
  beside.builder().append(beside.builder().key(beside.builder().integer(50)),
                          Value::integer(1));
  Predicate range;
  range.keys = Predicate::Bounds{51, 60};
  beside.select(range, {});
  EXPECT_EQ(beside.done(), "append(50, 1); 1+0+0 ");
}

TEST(Selections, ReturnARowInTwoVersions) {
  Rows rows;
  Predicate range;
  range.keys = Predicate::Bounds{4, 5};
  rows.builder().select(
      range, std::vector<Row>{rows.row(5, 50), rows.row(4, 40), rows.row(5, 7), rows.row(5, 50),
                              rows.row(4, 40)});
  rows.select(range, {4});
  EXPECT_EQ(
      rows.done(),
      "r(5)=50; r(4)=40; r(5)=7; r(4)=40; select(keys 4 to 5) without key 5; 0+3+0 3+1+1 ");
}

TEST(HistoryBuilder, RejectsWrittenNulls) {
  HistoryBuilder write;
  write.begin_txn(write.session("a"));
  write.write(write.key(write.integer(1)), Value::null());
  EXPECT_EQ(problem(write), "null is the initial value and cannot be written");
  HistoryBuilder append;
  append.begin_txn(append.session("a"));
  append.append(append.key(append.integer(1)), Value::null());
  EXPECT_EQ(problem(append), "null cannot be appended");
}

// Goal: whatever a program calls, no history says what no file can.
TEST(HistoryBuilder, RejectsWhatNoHistoryCanSay) {
  const auto problem_of = [](const auto& calls) {
    HistoryBuilder builder;
    builder.begin_txn(builder.session("a"));
    calls(builder, builder.key(builder.integer(1)));
    return problem(builder);
  };
  const Value absent[] = {Value::null(), Value::dead()};
  for (const Value nothing : absent) {
    EXPECT_EQ(problem_of([&](HistoryBuilder& b, KeyId key) { b.append(key, nothing); }),
              "null cannot be appended");
    EXPECT_EQ(problem_of([&](HistoryBuilder& b, KeyId key) {
                b.read_list(key, std::array{Value::integer(1), nothing});
              }),
              "null cannot be an element of a list");
    EXPECT_EQ(problem_of([&](HistoryBuilder& b, KeyId key) {
                b.select({}, std::array{Row{key, nothing}});
              }),
              "a selection returns no row with a null value");
  }
  EXPECT_EQ(problem_of([](HistoryBuilder& b, KeyId key) { b.read(key, Value::dead()); }),
            "the dead value is what a deletion writes; who reads a deleted row reads null");
  constexpr std::int64_t kBeyond = Value::kIntegerMax + 1;
  for (const Predicate::Bounds bounds : {Predicate::Bounds{kBeyond, 0}, {0, kBeyond}}) {
    for (const bool by_key : {false, true}) {
      Predicate predicate;
      (by_key ? predicate.keys : predicate.values) = bounds;
      EXPECT_EQ(problem_of([&](HistoryBuilder& b, KeyId) { b.select(predicate, {}); }),
                "the bounds of a selection do not lie between -2^61 and 2^61 - 1");
    }
  }
}

// Goal: a history is given once; who goes on building has no history that lacks its beginning.
TEST(HistoryBuilder, IsFinishedOnce) {
  HistoryBuilder builder;
  const auto write = [&builder] {
    builder.begin_txn(builder.session("a"));
    builder.write(builder.key(builder.string("x")), builder.integer(1));
  };
  write();
  EXPECT_EQ(finish(builder).txn_count(), 1U);
  const std::string expected =
      "the builder has given its history already; a new history takes a new builder";
  ASSERT_FALSE(builder.status());
  EXPECT_EQ(builder.status().error().code, ErrorCode::kUsage);
  EXPECT_EQ(builder.finish().error().message, expected);
  write();
  EXPECT_EQ(builder.finish().error().message, expected);
  builder = HistoryBuilder();
  EXPECT_EQ(finish(builder).txn_count(), 0U);
}

// Goal: dead is what a deletion writes. Nobody sees it, so what was read cannot be it.
TEST(HistoryBuilder, RejectsTheDeadValueWhereNothingIsWritten) {
  const std::string expected =
      "the dead value is what a deletion writes; who reads a deleted row reads null";
  const auto problem_of = [](const auto& call) {
    HistoryBuilder builder;
    builder.begin_txn(builder.session("a"));
    call(builder, builder.key(builder.integer(1)));
    return problem(builder);
  };
  EXPECT_EQ(problem_of([](HistoryBuilder& b, KeyId key) { b.read(key, Value::dead()); }),
            expected);
  EXPECT_EQ(problem_of([](HistoryBuilder& b, KeyId key) { b.read_except(key, Value::dead()); }),
            expected);
  EXPECT_NE(problem_of([](HistoryBuilder& b, KeyId key) { b.append(key, Value::dead()); }), "");
}

TEST(HistoryBuilder, RejectsTimesThatRunBackwards) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session("a"));
  builder.set_times({5, 4});
  EXPECT_EQ(problem(builder), "the transaction ends before it starts");
}

TEST(HistoryBuilder, KeepsTheFirstProblem) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session("a"));
  builder.append(builder.key(builder.integer(1)), Value::null());
  builder.set_times({5, 4});
  EXPECT_EQ(problem(builder), "null cannot be appended");
}

TEST(HistoryBuilderDeathTest, WantsATransactionBeforeOperations) {
  HistoryBuilder builder;
  const KeyId key = builder.key(builder.integer(1));
  EXPECT_DEATH(builder.read_unknown(key), "");
}

// Goal: a deletion is one, whichever way it is told; what found nothing may have seen it.
TEST(HistoryBuilder, KnowsADeletionHoweverItIsTold) {
  std::vector<std::uint64_t> digests;
  for (const bool by_write : {false, true}) {
    HistoryBuilder builder;
    const KeyId key = builder.key(builder.string("x"));
    builder.begin_txn(builder.session("a"));
    if (by_write) {
      builder.write(key, Value::dead());
    } else {
      builder.remove(key);
    }
    builder.read(key, Value::null());
    const Result<History> history = builder.finish();
    ASSERT_TRUE(history.ok());
    EXPECT_TRUE(history->origin().rows_are_deleted);
    EXPECT_TRUE(history->found_nothing(history->ops(TxnId(0))[1]));
    digests.push_back(history->digest());
  }
  EXPECT_EQ(digests[0], digests[1]);
}

}  // namespace
}  // namespace isolde
