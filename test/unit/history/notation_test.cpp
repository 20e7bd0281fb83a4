// Goal: what keys and values stand for is read from two strings, told in texts, and changes
// nothing else.
#include "history/notation.hpp"

#include <gtest/gtest.h>

#include "history/tables.hpp"
#include "history/texts.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::history {
namespace {

constexpr const char* kBank = "account/* balance@0+20 initial=100 keys=10 total=1000";

TEST(Notation, IsReadAndWrittenAsTheSame) {
  for (const char* text :
       {kBank, "* group@42+19 on-call@41+1", "a* x@0+8; b* y@3+4 initial=0", "* v@0+61"}) {
    const auto values = parse_values(text);
    ASSERT_TRUE(values) << text;
    EXPECT_EQ(values_text(*values), text);
  }
  EXPECT_EQ(values_text(parse_values("  a*   x@0+8 ;; b* y@1+1 ").value()),
            "a* x@0+8; b* y@1+1");
  EXPECT_EQ(parse_values("")->size(), 0U);
  EXPECT_EQ(tables_text(parse_tables(" item  order_line ").value()), "item order_line");
}

TEST(Notation, OfAnotherFormIsRefused) {
  for (const char* text :
       {"account/*", "account/ balance@0+20", "* balance", "* balance@0", "* balance@+20",
        "* balance@0+0", "* balance@0+62", "* balance@61+1", "* balance@-1+2", "* @0+20",
        "* b c@0+20", "* b@0+20 initial=x", "* b@0+20 initial=-1", "* b@0+20 keys=9000000",
        "* b@0+20 other=1", "* initial=1", "* b@0+20 total=2000000000000", "* b\"@0+20"}) {
    EXPECT_FALSE(parse_values(text)) << text;
  }
  EXPECT_FALSE(parse_tables("item/x"));
  EXPECT_FALSE(parse_tables("a b c d e f g h i j k"));
}

History bank(std::int64_t value) {
  HistoryBuilder builder;
  builder.origin().notation.values = parse_values(kBank).value();
  const KeyId key = builder.key(builder.string("account/3"));
  const KeyId other = builder.key(builder.string("other"));
  builder.begin_txn(builder.session("A"));
  builder.read(key, Value());
  builder.write(key, Value::integer(value));
  builder.write(other, Value::integer(value));
  builder.begin_txn(builder.session("B"));
  builder.read(key, Value::integer(value));
  return std::move(builder.finish()).value();
}

TEST(Notation, TellsWhatValuesHold) {
  const History history = bank((3 << 20) | 70);
  EXPECT_EQ(history.op_text(history.ops(TxnId(0))[0]), "r(account/3)=balance 100 (initial)");
  EXPECT_EQ(history.op_text(history.ops(TxnId(0))[1]), "w(account/3)=balance 70 (#3)");
  EXPECT_EQ(history.op_text(history.ops(TxnId(0))[2]), "w(other)=3145798");
  EXPECT_EQ(history.op_text(history.ops(TxnId(1))[0]), "r(account/3)=balance 70 (#3)");
  const ValueNotation* const notation = notation_of(history, KeyId(0));
  ASSERT_NE(notation, nullptr);
  EXPECT_EQ(amount(*notation, Value::integer((3 << 20) | 70)), 70);
  EXPECT_EQ(amount(*notation, Value()), 100);
  EXPECT_EQ(amount(*notation, Value::integer(-1)), std::nullopt);
  EXPECT_EQ(amount(*notation, Value::dead()), std::nullopt);
  EXPECT_EQ(notation_of(history, KeyId(1)), nullptr);
}

TEST(Notation, LeavesOtherValuesAsTheyAre) {
  const History history = bank(-5);
  EXPECT_EQ(history.op_text(history.ops(TxnId(0))[1]), "w(account/3)=-5");
}

TEST(Notation, ChangesNoDigest) {
  HistoryBuilder plain;
  HistoryBuilder noted;
  noted.origin().notation = {{"item"}, parse_values("* b@0+20").value()};
  for (HistoryBuilder* builder : {&plain, &noted}) {
    builder->begin_txn(builder->session("A"));
    builder->write(builder->key(Value::integer(7)), Value::integer(9));
  }
  EXPECT_EQ(plain.finish().value().digest(), noted.finish().value().digest());
}

TEST(Notation, NamesRowsOfTables) {
  HistoryBuilder builder;
  builder.origin().notation.tables = {"item", "orders"};
  builder.begin_txn(builder.session("A"));
  const std::int64_t beyond = table::key_of(2, 1);
  for (const std::int64_t key :
       {std::int64_t{5}, table::key_of(1, 5), beyond, std::int64_t{-1}}) {
    builder.write(builder.key(Value::integer(key)), Value::integer(1));
  }
  builder.write(builder.key(builder.string("7")), Value::integer(1));
  const History history = std::move(builder.finish()).value();
  const auto name = [&](std::uint32_t key) { return key_text(history, KeyId(key)); };
  EXPECT_EQ(name(0), "item/5");
  EXPECT_EQ(name(1), "orders/5");
  EXPECT_EQ(name(2), "key " + std::to_string(beyond));
  EXPECT_EQ(name(3), "key -1");
  EXPECT_EQ(name(4), "7");
  EXPECT_EQ(history.op_text(history.ops(TxnId(0))[1]), "w(orders/5)=1");
  EXPECT_EQ(history.json(history.key_name(KeyId(1))), std::to_string(table::key_of(1, 5)));
  EXPECT_EQ(rows_name(history, table::keys_of(1)), "orders");
  EXPECT_EQ(rows_name(history, {table::key_of(1, 2), table::key_of(1, 4)}),
            "orders/2 to orders/4");
  EXPECT_EQ(rows_name(history, {table::key_of(0, 2), table::key_of(1, 4)}), "");
  EXPECT_EQ(rows_name(history, {}), "");
  Predicate predicate;
  predicate.keys = table::keys_of(1);
  EXPECT_EQ(history.text(predicate), "orders");
  const Value several[] = {Value::integer(table::key_of(1, 2)), Value::integer(beyond)};
  PredicateView::Test test;
  test.bounds = {table::key_of(1, 2), table::key_of(1, 4)};
  EXPECT_EQ(history.text(test), "key orders/2 to orders/4");
  test.bounds.reset();
  test.in = several;
  EXPECT_EQ(history.text(test), "key in (orders/2, " + std::to_string(beyond) + ")");
}

TEST(Notation, TellsConditionsOnFields) {
  HistoryBuilder builder;
  builder.origin().notation.values = parse_values("* group@42+19 on-call@41+1").value();
  builder.begin_txn(builder.session("A"));
  builder.write(builder.key(Value::integer(1)), Value::integer((std::int64_t{7} << 41) | 12));
  const History history = std::move(builder.finish()).value();
  EXPECT_EQ(history.op_text(history.ops(TxnId(0))[0]), "w(1)=group 3, on-call 1 (#12)");
  Predicate predicate;
  const std::int64_t low = std::int64_t{7} << 41;
  predicate.values = {low, low + (std::int64_t{1} << 41) - 1};
  EXPECT_EQ(history.text(predicate), "rows with group 3, on-call 1");
  predicate.keys = {0, 3};
  EXPECT_EQ(history.text(predicate), "keys 0 to 3 with group 3, on-call 1");
  predicate.values->max += 1;
  EXPECT_EQ(history.text(predicate).find("group"), std::string::npos);
}

}  // namespace
}  // namespace isolde::history
