// Goal: a condition in words says what the condition says, and two are equal exactly when their
// words are: whatever a history interns is the one or the other condition.
#include "isolde/predicates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "history/predicate_words.hpp"
#include "isolde/history_builder.hpp"
#include "support/seed.hpp"

namespace isolde {
namespace {

class Conditions {
 public:
  explicit Conditions(std::uint64_t seed) : random_(seed) {
    for (const char* const name : {"a", "b", "c"}) names_.push_back(builder_.string(name));
  }

  Predicate next() {
    Predicate predicate;
    if (one_in(3)) predicate.keys = bounds();
    if (one_in(3)) predicate.values = bounds();
    if (one_in(3)) predicate.equal = value();
    for (std::uint64_t tests = random_.below(4); tests > 0; --tests) {
      Predicate::Test& test = predicate.tests.emplace_back();
      if (!one_in(4)) test.column = names_[random_.below(names_.size())];
      test.is_null = one_in(4);
      if (one_in(2)) test.bounds = bounds();
      if (one_in(3)) test.in = values();
      if (one_in(3)) test.not_in = values();
    }
    return predicate;
  }

 private:
  bool one_in(std::uint64_t n) { return random_.below(n) == 0; }
  Predicate::Bounds bounds() {
    constexpr std::int64_t kEnds[] = {Value::kIntegerMin, -1, 0, 1, Value::kIntegerMax};
    return {kEnds[random_.below(5)], kEnds[random_.below(5)]};
  }
  Value value() {
    if (one_in(2)) return builder_.string(std::to_string(random_.below(3)));
    return Value::integer(one_in(2) ? Value::kIntegerMin : Value::kIntegerMax);
  }
  std::vector<Value> values() {
    std::vector<Value> some;
    for (std::uint64_t count = random_.below(3); count > 0; --count) some.push_back(value());
    return some;
  }

  base::Rng random_;
  HistoryBuilder builder_;
  std::vector<Value> names_;
};

void expect_same(const PredicateView& view, const Predicate& predicate) {
  EXPECT_EQ(view.owned(), predicate);
  EXPECT_EQ(view, PredicateView(predicate));
  EXPECT_EQ(view.tests.size(), predicate.tests.size());
  EXPECT_EQ(view.asks_for_columns(), PredicateView(predicate).asks_for_columns());
}

TEST(Predicates, AreKeptAsTheyWereGiven) {
  Conditions conditions(support::run_seed());
  std::vector<Predicate> given;
  PredicateTable table;
  for (int i = 0; i < 2000; ++i) {
    given.push_back(conditions.next());
    if (i % 2 == 0) {
      table.add(given.back());
    } else {
      std::vector<Value> words;
      PredicateTable::encode(given.back(), words);
      table.add(words);
    }
  }
  table.shrink_to_fit();
  ASSERT_EQ(table.size(), given.size());
  std::size_t number = 0;
  for (const PredicateView& view : table) expect_same(view, given[number++]);
  // Few are asked for each thing, so that some pairs are equal.
  std::size_t equal = 0;
  for (std::size_t a = 0; a < 400; ++a) {
    for (std::size_t b = 0; b < 400; ++b) {
      const bool same = given[a] == given[b];
      equal += same && a != b ? 1 : 0;
      EXPECT_EQ(std::ranges::equal(table.words(a), table.words(b)), same);
      EXPECT_EQ(table[a] == table[b], same);
    }
  }
  EXPECT_GT(equal, 0U);
  table.clear();
  EXPECT_TRUE(table.empty());
}

TEST(Predicates, AreTranslatedByTheirValues) {
  Conditions conditions(support::run_seed());
  const auto other = [](Value value) {
    if (value.kind() == Value::Kind::kInteger) return Value::integer(-value.as_integer() - 1);
    return value.is_null() ? value : Value::pooled(value.kind(), value.slot() + 100);
  };
  for (int i = 0; i < 2000; ++i) {
    Predicate predicate = conditions.next();
    std::vector<Value> words;
    PredicateTable::encode(predicate, words);
    history::for_each_value(words, [&](Value& value) { value = other(value); });
    predicate.equal = other(predicate.equal);
    for (Predicate::Test& test : predicate.tests) {
      test.column = other(test.column);
      if (test.in) {
        for (Value& value : *test.in) value = other(value);
      }
      for (Value& value : test.not_in) value = other(value);
    }
    expect_same(PredicateView(words), predicate);
  }
}

// As SQL has it: null passes no test but that for null.
TEST(Predicates, TestWhatAColumnHolds) {
  const Value one = Value::integer(1);
  const Value two = Value::integer(2);
  Predicate predicate;
  predicate.tests.resize(1);
  Predicate::Test& test = predicate.tests.front();
  const auto passes = [&](Value held) {
    std::vector<Value> words;
    PredicateTable::encode(predicate, words);
    const bool in_words = (*PredicateView(words).tests.begin()).passes(held);
    EXPECT_EQ((*PredicateView(predicate).tests.begin()).passes(held), in_words);
    return in_words;
  };
  EXPECT_TRUE(passes(one));
  EXPECT_FALSE(passes(Value::null()));
  test.not_in = {two};
  EXPECT_TRUE(passes(one));
  EXPECT_FALSE(passes(two));
  test.in = std::vector<Value>{};
  EXPECT_FALSE(passes(one)) << "one of none";
  test.in->push_back(one);
  EXPECT_TRUE(passes(one));
  test.bounds = Predicate::Bounds{2, 2};
  EXPECT_FALSE(passes(one));
  test.is_null = true;
  EXPECT_FALSE(passes(one));
  EXPECT_TRUE(passes(Value::null()));
}

// Bounds of the key and a test of it are one test, in front of those of columns.
TEST(Predicates, ThatSayTheSameAreOne) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session("s"));
  Predicate::Test of_key;
  of_key.not_in = {builder.integer(3)};
  Predicate::Test of_column;
  of_column.column = builder.string("c");
  of_column.bounds = Predicate::Bounds{0, 5};
  Predicate apart;
  apart.keys = Predicate::Bounds{1, 9};
  apart.tests = {of_column, of_key};
  builder.select(apart, {});
  of_key.bounds = Predicate::Bounds{-1, 9};
  apart.tests = {of_key, of_column};
  builder.select(apart, {});
  of_key.bounds = apart.keys;
  Predicate joined;
  joined.tests = {of_key, of_column};
  builder.select(joined, {});
  const Result<History> history = builder.finish();
  ASSERT_TRUE(history) << history.error().message;
  ASSERT_EQ(history->predicates().size(), 1U);
  EXPECT_EQ(history->predicates()[0], PredicateView(joined));
}

TEST(Predicates, TestTheKeyOnce) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session("s"));
  Predicate::Test of_key;
  of_key.not_in = {builder.integer(3)};
  Predicate twice;
  twice.tests = {of_key, of_key};
  builder.select(twice, {});
  EXPECT_FALSE(builder.status().ok());
}

}  // namespace
}  // namespace isolde
