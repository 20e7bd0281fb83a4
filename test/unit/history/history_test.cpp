// Rendering and the digest.
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "isolde/history_builder.hpp"

namespace isolde {
namespace {

History sample(const std::function<void(HistoryBuilder&)>& first = {}) {
  HistoryBuilder builder;
  if (first) first(builder);
  builder.begin_txn(builder.session("1"));
  const KeyId x = builder.key(builder.string("x"));
  const KeyId l = builder.key(builder.integer(7));
  builder.write(x, builder.string("a\"b\\\x01"));
  builder.read(x, builder.literal("0.5"));
  builder.read(x, Value::null());
  builder.read_unknown(x);
  builder.append(l, builder.integer(3));
  const Value elements[] = {builder.integer(3), builder.string("y")};
  builder.read_list(l, elements);
  builder.begin_txn(builder.session("web"));
  return std::move(builder.finish()).value();
}

TEST(History, RendersValuesAsJsonAndAsText) {
  const History history = sample();
  const auto ops = history.ops(TxnId(0));
  EXPECT_EQ(history.json(ops[0].value), "\"a\\\"b\\\\\\u0001\"");
  EXPECT_EQ(history.text(ops[0].value), "a\"b\\\\\\x01");
  EXPECT_EQ(history.json(ops[1].value), "0.5");
  EXPECT_EQ(history.json(Value::null()), "null");
  EXPECT_EQ(history.json(Value::integer(-3)), "-3");
}

TEST(History, RendersOperations) {
  const History history = sample();
  const auto ops = history.ops(TxnId(0));
  EXPECT_EQ(history.op_text(ops[1]), "r(x)=0.5");
  EXPECT_EQ(history.op_text(ops[2]), "r(x)=initial");
  EXPECT_EQ(history.op_text(ops[3]), "r(x)=?");
  EXPECT_EQ(history.op_text(ops[4]), "append(7, 3)");
  EXPECT_EQ(history.op_text(ops[5]), "r(7)=[3 y]");
}

TEST(History, NamesTransactionsBySessionAndPosition) {
  const History history = sample();
  EXPECT_EQ(history.txn_name(TxnId(0)), "s1:0");
  EXPECT_EQ(history.txn_name(TxnId(1)), "web:0");
}

// Goal: the input's own names, in parts of a history too; no name for what has none.
TEST(History, NamesTransactionsAsTheInputDoes) {
  HistoryBuilder builder;
  for (const Value name : {builder.string("T4"), builder.integer(943), builder.literal("0.5"),
                           builder.string(""), Value()}) {
    builder.begin_txn(builder.session("7"));
    builder.set_label(name);
  }
  const History history = std::move(builder.finish()).value();
  EXPECT_EQ(history.txn_name(TxnId(0)), "T4");
  EXPECT_EQ(history.txn_name(TxnId(1)), "#943");
  EXPECT_EQ(history.txn_name(TxnId(2)), "#0.5");
  EXPECT_EQ(history.txn_name(TxnId(3)), "s7:3");
  EXPECT_EQ(history.txn_name(TxnId(4)), "s7:4");
  EXPECT_EQ(history.place_name(TxnId(0)), "s7:0");
}

TEST(HistoryDigest, DoesNotDependOnInterningOrOrigin) {
  const History plain = sample();
  const History other = sample([](HistoryBuilder& builder) {
    builder.string("unused");
    builder.key(builder.integer(7));
    builder.origin().file = "elsewhere";
  });
  EXPECT_EQ(plain.digest(), other.digest());
}

TEST(HistoryDigest, DependsOnEverythingThatMatters) {
  const auto digest_of = [](const std::function<void(HistoryBuilder&)>& change) {
    HistoryBuilder builder;
    builder.begin_txn(builder.session("a"));
    builder.write(builder.key(builder.string("x")), builder.integer(1));
    change(builder);
    return std::move(builder.finish()).value().digest();
  };
  const std::uint64_t base = digest_of([](HistoryBuilder&) {});
  EXPECT_NE(base, digest_of([](HistoryBuilder& b) { b.set_status(TxnStatus::kAborted); }));
  EXPECT_NE(base, digest_of([](HistoryBuilder& b) { b.set_times({1, 2}); }));
  EXPECT_NE(base, digest_of([](HistoryBuilder& b) { b.session("b"); }));
  EXPECT_NE(base, digest_of([](HistoryBuilder& b) { b.begin_txn(b.session("a")); }));
  EXPECT_NE(base, digest_of([](HistoryBuilder& b) { b.read_unknown(b.key(b.string("x"))); }));
}

}  // namespace
}  // namespace isolde
