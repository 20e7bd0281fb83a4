// Goal: what C programs pass is taken as it is or refused, before anything looks at it; what
// they mean is same_history_test.cpp's. Method: single defects.
#include "api/c_operation.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace isolde::api {
namespace {

const isolde_value kOne = {ISOLDE_INTEGER, 1, nullptr, 0};
const isolde_value kTorn = {ISOLDE_TEXT, 0, nullptr, 3};
const isolde_value kHalf = {ISOLDE_LITERAL, 0, "0.5", 3};
const isolde_column kColumns[] = {{"c", kOne}};

/// A selection with everything, and then what `change` does to it.
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
};

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

TEST(COperation, RecordsIntegersAndTextsOnly) {
  const auto trouble = [](const Whole::Change& change) {
    const Whole whole(change);
    const Translated translated(whole.operation);
    const char* const why = recording_trouble(translated.record());
    return std::string(why == nullptr ? "" : why);
  };
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
    without_columns(whole);
    without_tests(whole);
    whole.operation.has_columns = 1;
  }));
}

}  // namespace
}  // namespace isolde::api
