// Goal: what C programs pass is taken as it is or refused, before anything looks at it; what
// they mean is same_history_test.cpp's. Method: single defects.
#include "api/c_operation.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>

namespace isolde::api {
namespace {

const isolde_value kOne = {ISOLDE_INTEGER, 1, nullptr, 0};
const isolde_value kTorn = {ISOLDE_TEXT, 0, nullptr, 3};
const isolde_value kHalf = {ISOLDE_LITERAL, 0, "0.5", 3};
const isolde_column kColumns[] = {{"c", kOne}};

/// A selection with everything, an aggregate that is not of it, and then what `change` does to
/// it.
struct Whole {
  using Change = std::function<void(Whole&)>;
  explicit Whole(const Change& change = [](Whole&) {}) {
    operation.size = sizeof operation;
    operation.kind = ISOLDE_SELECT;
    operation.condition = &condition;
    operation.rows = &row;
    operation.row_count = 1;
    condition.tests = &test;
    condition.test_count = 1;
    test.column = "c";
    test.has_in = 1;
    test.in = test.not_in = &value;
    test.in_count = test.not_in_count = 1;
    row.key = kOne;
    row.columns = &column;
    row.column_count = 1;
    column = {"c", kOne};
    aggregate = {ISOLDE_SUM, "c", 1, 7};
    change(*this);
  }
  Whole(const Whole&) = delete;
  Whole& operator=(const Whole&) = delete;

  isolde_operation operation = {};
  isolde_condition condition = {};
  isolde_test test = {};
  isolde_row row = {};
  isolde_column column = {};
  isolde_value value = kOne;
  isolde_aggregate aggregate = {};
};

/// The aggregate in place of the selection.
void compute(Whole& whole) {
  whole.operation.kind = ISOLDE_AGGREGATE;
  whole.operation.rows = nullptr;
  whole.operation.row_count = 0;
  whole.operation.aggregate = &whole.aggregate;
}

std::string problem(const Whole::Change& change) {
  const Translated translated(Whole(change).operation);
  return translated.problem() == nullptr ? "" : translated.problem();
}

TEST(COperation, RefusesWhatIsCountedAndNotThere) {
  EXPECT_EQ(problem([](Whole&) {}), "");
  const Whole::Change cases[] = {
      [](Whole& whole) { whole.operation.rows = nullptr; },
      [](Whole& whole) { whole.condition.tests = nullptr; },
      [](Whole& whole) { whole.condition.equal = kTorn; },
      [](Whole& whole) { whole.test.in = nullptr; },
      [](Whole& whole) { whole.test.not_in = nullptr; },
      [](Whole& whole) { whole.value = kTorn; },
      [](Whole& whole) { whole.row.columns = nullptr; },
      [](Whole& whole) { whole.row.value = kTorn; },
      [](Whole& whole) { whole.column.name = nullptr; },
      [](Whole& whole) { whole.column.value = kTorn; },
      [](Whole& whole) { whole.operation.column_count = 1; },
  };
  for (const Whole::Change& change : cases) {
    EXPECT_EQ(problem(change), "a text, a list, a row or a column that is counted is not there")
        << &change - cases;
  }
  EXPECT_EQ(problem([](Whole& whole) {
              whole.operation.columns = kColumns;
              whole.operation.column_count = 1;
            }),
            "columns are counted without has_columns");
}

TEST(COperation, AnEmptyListIsNotNone) {
  const Whole whole([](Whole& each) {
    each.test.in = each.test.not_in = nullptr;
    each.test.in_count = each.test.not_in_count = 0;
    each.operation.has_columns = 1;
  });
  const Translated translated(whole.operation);
  ASSERT_EQ(translated.problem(), nullptr);
  const TestRecord& test = translated.record().condition->tests[0];
  ASSERT_TRUE(test.in);
  EXPECT_TRUE(test.in->empty());
  ASSERT_TRUE(translated.record().columns);
  EXPECT_TRUE(translated.record().columns->empty());
}

TEST(COperation, KnowsKindsOfOperationsAndAggregates) {
  for (const int kind : {-1, 10, 12}) {
    EXPECT_EQ(problem([=](Whole& whole) { whole.operation.kind = kind; }),
              "there is no such kind of operation");
  }
  const auto of_kind = [](int kind) {
    return [=](Whole& whole) {
      compute(whole);
      whole.aggregate.kind = kind;
    };
  };
  for (const int kind : {-1, 5}) {
    EXPECT_EQ(problem(of_kind(kind)), "there is no such kind of aggregate");
  }
  for (int kind = ISOLDE_COUNT; kind <= ISOLDE_MAX; ++kind) {
    EXPECT_EQ(problem(of_kind(kind)), "") << kind;
  }
}

TEST(COperation, ComputesWhatIsSaid) {
  const Whole whole(compute);
  const Translated sum(whole.operation);
  ASSERT_TRUE(sum.record().aggregate);
  EXPECT_EQ(sum.record().kind, RecordKind::kAggregate);
  EXPECT_EQ(sum.record().aggregate->kind, AggregateKind::kSum);
  EXPECT_EQ(sum.record().aggregate->column, "c");
  EXPECT_EQ(sum.record().aggregate->result, 7);
  const Whole empty([](Whole& each) {
    compute(each);
    each.aggregate.column = nullptr;
    each.aggregate.has_result = 0;
  });
  const Translated none(empty.operation);
  ASSERT_TRUE(none.record().aggregate);
  EXPECT_FALSE(none.record().aggregate->column);
  EXPECT_FALSE(none.record().aggregate->result);
}

/// Why it cannot be recorded.
std::string trouble(const Whole::Change& change) {
  const Whole whole(change);
  const Translated translated(whole.operation);
  const char* const why = recording_trouble(translated.record());
  return why == nullptr ? "" : why;
}

std::string trouble_of(const isolde_aggregate& computed) {
  return trouble([&](Whole& whole) {
    compute(whole);
    whole.aggregate = computed;
  });
}

TEST(COperation, RecordsAggregatesThatCanBe) {
  EXPECT_EQ(trouble(compute), "");
  EXPECT_EQ(trouble_of({ISOLDE_SUM, nullptr, 1, -7}), "");
  EXPECT_EQ(trouble_of({ISOLDE_MIN, "c", 0, 0}), "");
  EXPECT_EQ(trouble_of({ISOLDE_COUNT, nullptr, 1, 0}), "");
  EXPECT_EQ(trouble_of({ISOLDE_EXISTS, nullptr, 1, 1}), "");
  const char* const of_column = "a count is of no column";
  EXPECT_EQ(trouble_of({ISOLDE_COUNT, "c", 1, 0}), of_column);
  EXPECT_EQ(trouble_of({ISOLDE_EXISTS, "c", 1, 0}), of_column);
  EXPECT_EQ(trouble_of({ISOLDE_COUNT, nullptr, 0, 0}), "a count is a number from 0");
  EXPECT_EQ(trouble_of({ISOLDE_COUNT, nullptr, 1, -1}), "a count is a number from 0");
  EXPECT_EQ(trouble_of({ISOLDE_EXISTS, nullptr, 0, 0}), "whether rows exist is true or false");
  EXPECT_EQ(trouble_of({ISOLDE_EXISTS, nullptr, 1, 2}), "whether rows exist is true or false");
  const auto changed = [](const Whole::Change& change) {
    return trouble([&](Whole& whole) {
      compute(whole);
      change(whole);
    });
  };
  EXPECT_EQ(changed([](Whole& whole) { whole.operation.condition = nullptr; }),
            "an aggregate needs a condition");
  EXPECT_EQ(changed([](Whole& whole) { whole.operation.aggregate = nullptr; }),
            "an aggregate needs a result");
  EXPECT_EQ(changed([](Whole& whole) { whole.operation.kind = ISOLDE_SELECT; }),
            "only aggregates have such a result");
  EXPECT_EQ(changed([](Whole& whole) { whole.operation.kind = ISOLDE_READ; }),
            "only selections and aggregates have a condition");
  EXPECT_EQ(changed([](Whole& whole) { whole.operation.has_columns = 1; }),
            "only reads and writes have columns, and rows of selections");
  EXPECT_EQ(changed([](Whole& whole) { whole.operation.version = &kOne; }),
            "only reads, writes, deletions and rows have versions, and null is none");
  EXPECT_EQ(changed([](Whole& whole) { whole.operation.lock = ISOLDE_SHARE_LOCK; }),
            "only selections and reads whose result is known have a lock");
  EXPECT_EQ(changed([](Whole& whole) { whole.value = kHalf; }),
            "only integers and texts can be recorded; encode others as text");
}

TEST(COperation, TakesLocksAndRefusedInserts) {
  EXPECT_EQ(problem([](Whole& whole) { whole.operation.lock = ISOLDE_UPDATE_LOCK; }), "");
  EXPECT_EQ(problem([](Whole& whole) { whole.operation.lock = 3; }), "there is no such lock");
  EXPECT_EQ(problem([](Whole& whole) { whole.operation.lock = -1; }), "there is no such lock");
  EXPECT_EQ(problem([](Whole& whole) { whole.operation.kind = ISOLDE_INSERT_REFUSED; }), "");
  const Whole locked([](Whole& whole) { whole.operation.lock = ISOLDE_UPDATE_LOCK; });
  EXPECT_EQ(Translated(locked.operation).record().lock, LockMode::kUpdate);
}

TEST(COperation, TakesIncrements) {
  const auto adding = [](const isolde_value& by, const isolde_value* sum) {
    return [by, sum](Whole& whole) {
      whole.operation = {};
      whole.operation.size = sizeof whole.operation;
      whole.operation.kind = ISOLDE_INCREMENT;
      whole.operation.key = kOne;
      whole.operation.value = by;
      whole.operation.sum = sum;
    };
  };
  const auto number = [](std::int64_t value) {
    return isolde_value{ISOLDE_INTEGER, value, nullptr, 0};
  };
  const Whole known(adding(number(-3), &kOne));
  const Translated translated(known.operation);
  ASSERT_EQ(translated.problem(), nullptr);
  EXPECT_EQ(translated.record().kind, RecordKind::kIncrement);
  EXPECT_EQ(translated.record().value.number(), -3);
  EXPECT_EQ(translated.record().sum.number(), 1);
  EXPECT_NE(needs_deletes(translated.record()), nullptr);
  EXPECT_EQ(trouble(adding(number(-3), &kOne)), "");
  EXPECT_EQ(trouble(adding(number(RecordedBounds::kLeast), nullptr)), "");
  const isolde_value most = number(RecordedBounds::kMost);
  EXPECT_EQ(trouble(adding(most, &most)), "");
  const char* const large = "what an increment adds, and its sum, are integers of 62 bits";
  EXPECT_EQ(trouble(adding(number(RecordedBounds::kLeast - 1), nullptr)), large);
  EXPECT_EQ(trouble(adding(number(RecordedBounds::kMost + 1), nullptr)), large);
  const isolde_value larger = number(RecordedBounds::kMost + 1);
  EXPECT_EQ(trouble(adding(kOne, &larger)), large);
  const char* const no_number = "an increment adds an integer, and its sum is one or not known";
  const isolde_value word = {ISOLDE_TEXT, 0, "3", 1};
  EXPECT_EQ(trouble(adding(word, nullptr)), no_number);
  EXPECT_EQ(trouble(adding({}, nullptr)), no_number);
  EXPECT_EQ(trouble(adding(kOne, &word)), no_number);
  EXPECT_EQ(trouble(adding(kOne, &kHalf)),
            "only integers and texts can be recorded; encode others as text");
  EXPECT_EQ(problem(adding(kOne, &kTorn)),
            "a text, a list, a row or a column that is counted is not there");
  EXPECT_EQ(problem([&](Whole& whole) {
              adding(kOne, &kOne)(whole);
              whole.operation.kind = ISOLDE_WRITE;
            }),
            "only increments have a sum");
}

TEST(COperation, RecordsIntegersAndTextsOnly) {
  EXPECT_EQ(trouble([](Whole&) {}), "");
  const Whole::Change cases[] = {
      [](Whole& whole) { whole.value = kHalf; },
      [](Whole& whole) { whole.column.value = kHalf; },
      [](Whole& whole) { whole.row.value = kHalf; },
      [](Whole& whole) { whole.condition.equal = kHalf; },
      [](Whole& whole) { whole.operation.value = kHalf; },
  };
  for (const Whole::Change& change : cases) {
    EXPECT_EQ(trouble(change), "only integers and texts can be recorded; encode others as text")
        << &change - cases;
  }
  EXPECT_EQ(trouble([](Whole& whole) { whole.operation.has_columns = 1; }),
            "only reads and writes have columns, and rows of selections");
  EXPECT_EQ(trouble([](Whole& whole) {
              whole.operation.kind = ISOLDE_WRITE;
              whole.operation.condition = nullptr;
              whole.operation.value = kOne;
              whole.operation.has_columns = 1;
            }),
            "a row has a value beside columns; it has one or the other");
}

TEST(COperation, TellsWhatNeedsVersionTwo) {
  const auto needs = [](const Whole::Change& change) {
    const Whole whole(change);
    const Translated translated(whole.operation);
    return needs_deletes(translated.record()) != nullptr;
  };
  const Whole::Change without_columns = [](Whole& whole) {
    whole.row.column_count = 0;
    whole.row.value = kOne;
  };
  const Whole::Change without_tests = [](Whole& whole) { whole.condition.test_count = 0; };
  EXPECT_TRUE(needs(without_columns));
  EXPECT_TRUE(needs(without_tests));
  EXPECT_FALSE(needs([&](Whole& whole) {
    without_columns(whole);
    without_tests(whole);
  }));
  EXPECT_TRUE(needs([&](Whole& whole) {
    without_columns(whole);
    without_tests(whole);
    whole.row.value = {};
  }));
  EXPECT_TRUE(needs([](Whole& whole) { whole.operation.kind = ISOLDE_DELETE; }));
  EXPECT_TRUE(needs([&](Whole& whole) {
    compute(whole);
    without_tests(whole);
  }));
  EXPECT_TRUE(needs([&](Whole& whole) {
    without_columns(whole);
    without_tests(whole);
    whole.operation.has_columns = 1;
  }));
}

}  // namespace
}  // namespace isolde::api
