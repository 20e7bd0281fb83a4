// Goal: different names get different numbers, and numbers come back as the names they stand
// for.
#include "replay/numbering.hpp"

#include <gtest/gtest.h>

#include "history/notation.hpp"
#include "isolde/history_builder.hpp"
#include "support/history_dsl.hpp"

namespace isolde::replay {
namespace {

TEST(Numbering, IntegersStayAndNamesGetWhatIsFree) {
  const History history = support::parse("A: w(x=1) w(0=foo) a(l=5) r(y=bar)");
  const Numbering numbering(history);
  EXPECT_EQ(numbering.registers(), (std::vector<db::Key>{0, 1, 3}));
  EXPECT_EQ(numbering.lists(), (std::vector<db::Key>{2}));
  const auto op = [&](std::size_t i) { return history.ops(TxnId(0))[i]; };
  EXPECT_EQ(numbering.key(op(0).key), 1);
  EXPECT_EQ(numbering.key(op(1).key), 0);
  EXPECT_EQ(numbering.value(op(0).value), 1);
  EXPECT_EQ(numbering.value(op(1).value), 2);
  EXPECT_EQ(numbering.value(op(3).value), 3);
  using Table = std::vector<std::pair<std::int64_t, std::string>>;
  EXPECT_EQ(numbering.key_table(), (Table{{1, "x"}, {2, "l"}, {3, "y"}}));
  EXPECT_EQ(numbering.value_table(), (Table{{2, "foo"}, {3, "bar"}}));
  EXPECT_EQ(numbering.text(2), "foo");
  EXPECT_EQ(numbering.text(9), "9");
  EXPECT_EQ(numbering.recorded_value(2).text(), "foo");
  EXPECT_EQ(numbering.recorded_value(9).number(), 9);
  EXPECT_EQ(numbering.recorded_key(op(0).key).text(), "x");
  EXPECT_EQ(numbering.recorded_key(op(1).key).number(), 0);
}

// A condition must not meet the number of a name.
TEST(Numbering, ConditionsDoNotMeetNames) {
  const History history = support::parse(
      "A: s(keys=0..4 values=1..2: 1=2) s(keys=3..7: 1=2) s(values=4..4:) s(values=9..8:) ; "
      "B: w(1=2) w(x=foo) w(y=bar) w(8=3)");
  const Numbering numbering(history);
  using Table = std::vector<std::pair<std::int64_t, std::string>>;
  EXPECT_EQ(numbering.key_table(), (Table{{9, "x"}, {10, "y"}}));
  EXPECT_EQ(numbering.value_table(), (Table{{5, "foo"}, {6, "bar"}}));
  ASSERT_TRUE(numbering.key_of(9).has_value());
  EXPECT_EQ(history.text(*numbering.key_of(9)), "x");
  EXPECT_FALSE(numbering.key_of(0).has_value());
  EXPECT_EQ(numbering.recorded_key(db::Key(9)).text(), "x");
  EXPECT_EQ(numbering.recorded_key(db::Key(0)).number(), 0);
}

// Not even where all numbers that a history has lie within it.
TEST(Numbering, NamesLieBehindTheWidestCondition) {
  const History history = support::parse("A: s(keys=0..2305843009213693951:) w(x=1) w(1=1)");
  EXPECT_EQ(Numbering(history).key_table().front().first, Value::kIntegerMax + 1);
}

TEST(Numbering, KeysWithoutOperationsHaveNoNumber) {
  const History history = support::parse("start(zebra=1) A: s(keys=0..4: 0=5) ; B: w(0=5)");
  EXPECT_EQ(Numbering(history).recorded_key(db::Key(0)).number(), 0);
}

TEST(Numbering, ConditionsAreAskedInNumbers) {
  const auto values_of = [](const char* text) {
    const History history = support::parse(text);
    return Numbering::condition(history.predicates()[0]).values;
  };
  using Bounds = Predicate::Bounds;
  EXPECT_EQ(values_of("A: s(keys=1..2:)"), std::nullopt);
  EXPECT_EQ(values_of("A: s(values=1..5:)"), (Bounds{1, 5}));
  EXPECT_EQ(values_of("A: s(equal=7:)"), (Bounds{7, 7}));
  EXPECT_EQ(values_of("A: s(values=1..9 equal=7:)"), (Bounds{7, 7}));
  const std::optional<Bounds> none = values_of("A: s(values=1..5 equal=7:)");
  ASSERT_TRUE(none.has_value());
  EXPECT_GT(none->min, none->max);
}

TEST(Numbering, ValuesAreToldByTheirNotation) {
  HistoryBuilder builder;
  builder.origin().notation.values =
      *history::parse_values("account/* balance@0+20 initial=100 keys=10 total=1000");
  builder.begin_txn(builder.session("s"));
  const KeyId account = builder.key(builder.string("account/4"));
  const KeyId other = builder.key(builder.string("x"));
  builder.write(account, builder.integer((240 << 20) + 97));
  builder.write(account, builder.string("closed"));
  builder.write(other, builder.integer(7));
  const Result<History> history = builder.finish();
  ASSERT_TRUE(history.ok());
  const Numbering numbering(*history);
  EXPECT_EQ(numbering.told(account, (240 << 20) + 97), "balance 97 (#240)");
  EXPECT_EQ(numbering.told(account, std::nullopt), "balance 100 (initial)");
  EXPECT_EQ(numbering.told(account, -5), "-5");
  EXPECT_EQ(numbering.told(account, 1), "closed");
  EXPECT_EQ(numbering.told(other, 7), "7");
  EXPECT_EQ(numbering.told(other, std::nullopt), "null");
}

TEST(Numbering, FractionsHaveNumbersInTheRecord) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session("s"));
  builder.write(builder.key(builder.integer(7)), builder.literal("0.5"));
  const Result<History> history = builder.finish();
  ASSERT_TRUE(history.ok());
  const Numbering numbering(*history);
  EXPECT_EQ(numbering.value(history->ops(TxnId(0))[0].value), 1);
  EXPECT_EQ(numbering.text(1), "0.5");
  EXPECT_EQ(numbering.recorded_value(1).number(), 1);
}

TEST(Numbering, NamesStayOnTheirLine) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session("a\nDROP TABLE t;"));
  builder.write(builder.key(builder.string("k\x1b[2J\n")), builder.string("v\r\n"));
  const Result<History> history = builder.finish();
  ASSERT_TRUE(history.ok());
  const Numbering numbering(*history);
  EXPECT_EQ(numbering.session_name(0), "a\\x0aDROP TABLE t;");
  EXPECT_EQ(numbering.key_table()[0].second, "k\\x1b[2J\\x0a");
  EXPECT_EQ(numbering.value_table()[0].second, "v\\x0d\\x0a");
}

TEST(Numbering, SessionsHaveLetters) {
  EXPECT_EQ(Numbering::session_letter(0), "A");
  EXPECT_EQ(Numbering::session_letter(25), "Z");
  EXPECT_EQ(Numbering::session_letter(26), "AA");
  EXPECT_EQ(Numbering::session_letter(27), "AB");
  EXPECT_EQ(Numbering::session_letter(26 + 26 * 26), "AAA");
}

}  // namespace
}  // namespace isolde::replay
