// Goal: initial contents are what reads say of them. Method: the forms that reads of every kind
// take, by hand; what the client saw is always told again.
#include "history/initial.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "isolde/history_builder.hpp"

namespace isolde {
namespace {

class InitialContents : public testing::Test {
 protected:
  KeyId key(const char* name) { return builder_.key(builder_.string(name)); }
  static Value number(std::int64_t of) { return Value::integer(of); }
  void begin() { builder_.begin_txn(builder_.session("s")); }
  History finish() {
    Result<History> history = builder_.finish();
    EXPECT_TRUE(history.ok()) << (history.ok() ? "" : history.error().message);
    return std::move(history).value();
  }
  std::string problem() {
    const Result<History> history = builder_.finish();
    return history.ok() ? "" : history.error().message;
  }

  HistoryBuilder builder_;
};

TEST_F(InitialContents, ReadsOfTheValueAreReadsOfTheInitialVersion) {
  builder_.set_initial(key("x"), number(5));
  begin();
  builder_.read(key("x"), number(5));
  builder_.read(key("x"), Value::null());
  builder_.read(key("x"), number(6));
  builder_.read(key("y"), Value::null());
  const History history = finish();
  const auto ops = history.ops(TxnId(0));
  EXPECT_EQ(ops[0].kind, OpKind::kRead);
  EXPECT_TRUE(ops[0].value.is_null());
  EXPECT_TRUE(history.fits_initial(ops[0]));
  EXPECT_EQ(history.seen(ops[0]), number(5));
  EXPECT_EQ(history.op_text(ops[0]), "r(x)=5");
  EXPECT_TRUE(history.found_nothing(ops[1]));
  EXPECT_FALSE(history.fits_initial(ops[1]));
  EXPECT_EQ(ops[2].value, number(6));
  EXPECT_FALSE(history.fits_initial(ops[2]));
  EXPECT_EQ(ops[3].kind, OpKind::kRead);
  EXPECT_EQ(history.op_text(ops[3]), "r(y)=initial");
  EXPECT_FALSE(history.origin().rows_are_deleted);
}

TEST_F(InitialContents, AValueThatIsWrittenAgainMayBeEither) {
  builder_.set_initial(key("x"), number(5));
  begin();
  builder_.read(key("x"), number(5));
  begin();
  builder_.set_status(TxnStatus::kAborted);
  builder_.write(key("x"), number(5));
  const History history = finish();
  const Op& read = history.ops(TxnId(0))[0];
  EXPECT_EQ(read.kind, OpKind::kReadMatch);
  EXPECT_EQ(history.read_value(read), number(5));
  EXPECT_TRUE(history.fits_initial(read));
  EXPECT_TRUE(history.fits(read, number(5)));
  EXPECT_FALSE(history.fits(read, number(6)));
  EXPECT_FALSE(history.fits(read, Value::dead()));
  EXPECT_EQ(history.op_text(read), "r(x)=5");
  EXPECT_FALSE(history.has_rows());
}

TEST_F(InitialContents, ADeletedKeyWasThere) {
  builder_.set_initial(key("x"), number(5));
  begin();
  builder_.read(key("x"), number(5));
  builder_.remove(key("x"));
  builder_.read(key("x"), Value::null());
  const History history = finish();
  EXPECT_EQ(history.ops(TxnId(0))[0].kind, OpKind::kRead);
  EXPECT_TRUE(history.fits(history.ops(TxnId(0))[2], Value::dead()));
}

TEST_F(InitialContents, ListsKeepWhatTheyBeganWith) {
  const std::array<Value, 2> first = {number(1), number(2)};
  builder_.set_initial_list(key("l"), first);
  begin();
  builder_.read_list(key("l"), first);
  builder_.read_list(key("l"), std::array{number(1), number(2), number(3)});
  builder_.read_list(key("l"), std::array{number(1)});
  builder_.read(key("l"), Value::null());
  const History history = finish();
  const auto ops = history.ops(TxnId(0));
  EXPECT_TRUE(history.list(ops[0]).empty());
  EXPECT_EQ(history.list(ops[1]).size(), 1U);
  EXPECT_FALSE(history.lacks_initial_list(ops[1]));
  EXPECT_TRUE(history.lacks_initial_list(ops[2]));
  EXPECT_TRUE(history.lacks_initial_list(ops[3]));
  EXPECT_EQ(history.seen_list(ops[1]), (std::vector{number(1), number(2), number(3)}));
  EXPECT_EQ(history.seen_list(ops[2]), (std::vector{number(1)}));
  EXPECT_EQ(history.seen_list(ops[3]), std::vector<Value>());
}

TEST_F(InitialContents, RowsAreVersionsToo) {
  const Value name = builder_.string("a");
  const Value other = builder_.string("b");
  const std::array<ColumnValue, 2> both = {{{name, number(1)}, {other, number(2)}}};
  builder_.set_initial(key("x"), builder_.row(both));
  begin();
  builder_.read(key("x"), builder_.row(std::array<ColumnValue, 1>{{{name, number(1)}}}));
  builder_.read(key("x"), builder_.row(both));
  begin();
  builder_.write(key("x"), builder_.row(std::array<ColumnValue, 1>{{{name, number(1)}}}));
  const History history = finish();
  // The written row has no column b, the first one has: one column does not tell the row.
  EXPECT_EQ(history.ops(TxnId(0))[0].kind, OpKind::kReadMatch);
  EXPECT_TRUE(history.fits_initial(history.ops(TxnId(0))[0]));
  EXPECT_TRUE(history.read_value(history.ops(TxnId(0))[0]).is_null());
  EXPECT_EQ(history.ops(TxnId(0))[1].kind, OpKind::kRead);
  EXPECT_TRUE(history.ops(TxnId(0))[1].value.is_null());
}

TEST_F(InitialContents, SelectionsLeaveOutRowsThatNobodyWrites) {
  builder_.set_initial(builder_.key(number(1)), number(5));
  builder_.set_initial(builder_.key(number(2)), number(7));
  begin();
  Predicate fives;
  fives.equal = number(5);
  builder_.select(fives, {});
  const History history = finish();
  const auto ops = history.ops(TxnId(0));
  ASSERT_EQ(ops.size(), 1U);
  EXPECT_EQ(ops[0].kind, OpKind::kReadAbsent);
  EXPECT_EQ(history.key_name(ops[0].key), number(1));
  EXPECT_FALSE(history.fits_initial(ops[0]));
}

TEST_F(InitialContents, CountInTheDigestWhateverTheirOrder) {
  const auto digest = [](bool reversed, std::int64_t value) {
    HistoryBuilder builder;
    const KeyId x = builder.key(builder.string(reversed ? "y" : "x"));
    const KeyId y = builder.key(builder.string(reversed ? "x" : "y"));
    builder.set_initial(x, Value::integer(reversed ? value : 1));
    builder.set_initial(y, Value::integer(reversed ? 1 : value));
    builder.begin_txn(builder.session("s"));
    return builder.finish()->digest();
  };
  EXPECT_EQ(digest(false, 2), digest(true, 2));
  EXPECT_NE(digest(false, 2), digest(false, 3));
}

TEST_F(InitialContents, AreGivenOnce) {
  builder_.set_initial(key("x"), number(1));
  builder_.set_initial(key("x"), number(1));
  EXPECT_EQ(problem(), "the initial contents of key \"x\" are given twice");
  HistoryBuilder list;
  list.set_initial_list(list.key(list.string("x")), std::array{number(1)});
  list.begin_txn(list.session("s"));
  list.write(list.key(list.string("x")), number(1));
  EXPECT_FALSE(list.finish().ok());
  HistoryBuilder nothing;
  nothing.set_initial(nothing.key(number(1)), Value::null());
  nothing.set_initial_list(nothing.key(number(1)), {});
  EXPECT_FALSE(nothing.finish()->has_initial_contents());
  HistoryBuilder records;
  records.add_initial({.key = "x", .value = 1});
  records.add_initial({.key = "l", .elements = std::array<Scalar, 1>{Scalar(2)}});
  records.add_initial({.key = "r", .columns = std::array<ColumnRecord, 1>{{{"a", 3}}}});
  const History history = *records.finish();
  EXPECT_EQ(history::keys_with_contents(history).size(), 3U);
  HistoryBuilder wrong;
  wrong.add_initial({.key = "x", .value = 1, .elements = std::array<Scalar, 1>{Scalar(2)}});
  EXPECT_FALSE(wrong.finish().ok());
}

}  // namespace
}  // namespace isolde
