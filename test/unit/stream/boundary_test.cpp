#include "stream/boundary.hpp"

#include <gtest/gtest.h>

#include "support/history_dsl.hpp"

namespace isolde::stream {
namespace {

KeyId key_named(const History& history, std::string_view name) {
  for (std::size_t i = 0; i < history.key_count(); ++i) {
    if (history.text(history.key_name(KeyId::at(i))) == name) return KeyId::at(i);
  }
  ADD_FAILURE() << name;
  return {};
}

/// What the key holds, as JSON.
std::string held(const Boundary& boundary, Boundary::Key key) {
  HistoryBuilder builder;
  const Value value = boundary.held(key, builder);
  builder.begin_txn(builder.session("a"));
  return std::move(builder.finish()).value().json(value);
}

TEST(Boundary, KnowsKeysOfSeveralHistoriesByTheirNames) {
  const History one = support::parse("A: w(x=1) w(y=2)");
  const History other = support::parse("A: w(z=7) w(y=3) w(x=4)");
  Boundary boundary;
  const Boundary::Key x = boundary.key(one, key_named(one, "x"));
  const Boundary::Key y = boundary.key(one, key_named(one, "y"));
  EXPECT_TRUE(boundary.holds_nothing(x));
  boundary.hold(x, one, Value::integer(1));
  EXPECT_EQ(boundary.key(other, key_named(other, "x")), x);
  EXPECT_EQ(boundary.key(other, key_named(other, "y")), y);
  EXPECT_NE(boundary.key(other, key_named(other, "z")), x);
  EXPECT_EQ(held(boundary, x), "1");
  EXPECT_TRUE(boundary.holds_nothing(y));
  boundary.hold(x, other, Value::integer(4));
  EXPECT_EQ(held(boundary, x), "4");
  EXPECT_EQ(boundary.key_count(), 3U);
}

TEST(Boundary, TellsTextsNumbersAndLiteralsApart) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session("a"));
  const Value names[] = {builder.integer(7), builder.string("7"), builder.literal("7.5"),
                         builder.string("7.5")};
  for (const Value name : names) builder.write(builder.key(name), name);
  const History history = std::move(builder.finish()).value();
  Boundary boundary;
  std::vector<Boundary::Key> keys;
  for (std::size_t i = 0; i < history.key_count(); ++i) {
    keys.push_back(boundary.key(history, KeyId::at(i)));
    for (std::size_t before = 0; before < i; ++before) EXPECT_NE(keys[before], keys[i]);
    boundary.hold(keys[i], history, history.ops(TxnId::at(0))[i].value);
  }
  EXPECT_EQ(held(boundary, keys[0]), "7");
  EXPECT_EQ(held(boundary, keys[1]), "\"7\"");
  EXPECT_EQ(held(boundary, keys[2]), "7.5");
  EXPECT_EQ(held(boundary, keys[3]), "\"7.5\"");
  // A text in place of a text, a number in place of a text, a text in place of a number.
  boundary.hold(keys[1], history, history.ops(TxnId::at(0))[3].value);
  EXPECT_EQ(held(boundary, keys[1]), "\"7.5\"");
  boundary.hold(keys[1], history, Value::integer(3));
  EXPECT_EQ(held(boundary, keys[1]), "3");
  boundary.hold(keys[0], history, history.ops(TxnId::at(0))[2].value);
  EXPECT_EQ(held(boundary, keys[0]), "7.5");
}

TEST(Boundary, KnowsListsByLengthAndHash) {
  const History history = support::parse("A: a(x=1) a(x=b) w(y=1)");
  const auto ops = history.ops(TxnId::at(0));
  Boundary boundary;
  const Boundary::Key x = boundary.key(history, ops[0].key);
  const Boundary::Key y = boundary.key(history, ops[2].key);
  EXPECT_EQ(boundary.list(x), ListPrefix());
  boundary.append(x, history, {&ops[0].value, 1});
  const ListPrefix one = boundary.list(x);
  const std::uint64_t sum = boundary.sum();
  EXPECT_EQ(one.length, 1U);
  boundary.append(x, history, {&ops[1].value, 1});
  EXPECT_EQ(boundary.list(x), extended(one, history, {&ops[1].value, 1}));
  EXPECT_NE(boundary.list(x), extended(ListPrefix(), history, {&ops[1].value, 1}));
  EXPECT_NE(boundary.sum(), sum);
  EXPECT_EQ(boundary.list(y), ListPrefix());
  boundary.hold(y, history, ops[2].value);
  const Result<History> contents = boundary.contents(HistoryOrigin());
  ASSERT_TRUE(contents.ok());
  Boundary other;
  EXPECT_TRUE(other.restore(*contents));
  EXPECT_EQ(other.list(x), boundary.list(x));
  EXPECT_EQ(other.sum(), boundary.sum());
}

TEST(Boundary, RefusesListsThatNobodyHasTold) {
  for (const std::string_view list : {"[1 2]", "[0 1 2]", "[1 2 3 4]", "[1 -2 3]", "[1 b 3]"}) {
    Boundary boundary;
    EXPECT_FALSE(boundary.restore(support::parse("start(x=" + std::string(list) + ")")))
        << list;
  }
}

}  // namespace
}  // namespace isolde::stream
