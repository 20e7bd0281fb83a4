// Goal: two reads that tell a row in part are found where, and only where, no version of it is
// both; which one is told, and what is passed over. test/prop/contradiction_prop.cpp compares
// with a look at all pairs.
#include "infer/contradictions.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "base/budget.hpp"
#include "isolde/history_builder.hpp"
#include "support/history_dsl.hpp"

namespace isolde::infer {
namespace {

std::string text_of(const std::optional<Finding>& finding) {
  if (!finding) return "none";
  EXPECT_EQ(finding->kind, FindingKind::kNonRepeatableRead);
  return std::to_string(finding->txn.raw()) + ": " + std::to_string(finding->other_op) + " " +
         std::to_string(finding->op);
}

std::string first(const std::string& text, bool of_items = false) {
  base::Budget budget;
  const History history = support::parse(text);
  const Contradictions found = find_contradictions(history, of_items, budget);
  return text_of(of_items ? found.first_of_items : found.first);
}

TEST(Contradictions, OfARowThatWasThereAndNotFound) {
  EXPECT_EQ(first("A: w(1=a:1) ; B: r(1=/) s(keys=1..1:)"), "1: 0 1");
  EXPECT_EQ(first("A: w(1=a:1) ; B: s(keys=1..1:) r(1=/)"), "1: 0 1");
  EXPECT_EQ(first("A: w(1=a:1) ; C: d(1) ; B: r(1=/) s(keys=1..1:)"), "2: 0 1");
  EXPECT_EQ(first("A: w(1=a:1) ; C: d(1) ; B: r(1=/) r(1=_)"), "2: 0 1");
  // Of another row; the selection does not select what was there; it is there.
  EXPECT_EQ(first("A: w(1=a:1) w(2=a:1) ; B: r(1=/) s(keys=2..2:)"), "none");
  EXPECT_EQ(first("A: w(1=a:1) ; C: w(1=a:2) ; B: r(1=/) s(cols=a:1:)"), "none");
  EXPECT_EQ(first("A: w(1=a:1) ; B: r(1=/) s(keys=1..1: 1=/)"), "none");
}

TEST(Contradictions, OfColumns) {
  const std::string two = "A: w(1=a:1) ; B: w(1=a:2/b:1) ; ";
  EXPECT_EQ(first(two + "C: r(1=a:1) r(1=b:1)"), "2: 0 1");
  EXPECT_EQ(first(two + "C: r(1=a:1) r(1=b:1)", true), "2: 0 1");
  EXPECT_EQ(first(two + "C: r(1=a:2) r(1=b:1)"), "none");
  EXPECT_EQ(first(two + "D: w(1=a:1/b:1) ; C: r(1=a:1) r(1=b:1)"), "none");
  // Each two of them are some version, all three are none.
  const std::string three = "A: w(1=a:1/b:1) ; B: w(1=b:1/c:1) ; D: w(1=a:1/c:1) ; ";
  EXPECT_EQ(first(three + "C: r(1=a:1) r(1=b:1) r(1=c:1)"), "none");
  EXPECT_EQ(first(three + "E: w(1=d:1) ; C: r(1=a:1) r(1=b:1) r(1=c:1) r(1=d:1)"), "4: 2 3");
  // A version that explains all but the last read is not the only one.
  EXPECT_EQ(first("A: w(1=a:1/b:1) ; B: w(1=a:1/b:2) ; D: w(1=a:2/b:2) ; "
                  "C: r(1=/) r(1=a:1) r(1=b:2)"),
            "none");
}

TEST(Contradictions, OfOtherVersionsThanTheOwnOnes) {
  // What it wrote itself, or what was undone or replaced, is no version for its reads.
  EXPECT_EQ(first("A: w(1=a:1) ; B: w(1=b:2) ; C: r(1=a:1) r(1=b:2) w(1=a:1/b:2)"), "2: 0 1");
  EXPECT_EQ(first("A: w(1=a:1) ; B: w(1=b:2) ; D: w(1=a:1/b:2) ! ; C: r(1=a:1) r(1=b:2)"),
            "3: 0 1");
  EXPECT_EQ(first("A: w(1=a:1) ; B: w(1=a:1/b:2) w(1=b:2) ; C: r(1=a:1) r(1=b:2)"), "2: 0 1");
  EXPECT_EQ(first("A: w(1=a:1) ; B: w(1=b:2) ; D: w(1=a:1/b:2) ? ; C: r(1=a:1) r(1=b:2)"),
            "none");
  // Behind a write they are about that.
  EXPECT_EQ(first("A: w(1=a:1) ; B: w(1=b:2) ; C: w(1=a:1/b:2) r(1=a:1) r(1=b:2)"), "none");
}

TEST(Contradictions, OfInitialContents) {
  EXPECT_EQ(first("start(1=a:1/b:1) ; A: w(1=a:2) ; B: r(1=a:1) r(1=b:1)"), "none");
  EXPECT_EQ(first("start(1=a:1/b:1) ; A: w(1=a:2) ; B: r(1=a:2) r(1=b:1)"), "1: 0 1");
  EXPECT_EQ(first("start(1=a:1) ; A: w(1=a:2) ; B: s(cols=a:1:) s(cols=a:2:)"), "1: 0 1");
  EXPECT_EQ(first("A: w(1=a:1) ; C: w(1=a:2) ; B: s(cols=a:1:) s(cols=a:2:)"), "none");
}

TEST(Contradictions, OnlyOfTransactionsThatCommitted) {
  EXPECT_EQ(first("A: w(1=a:1) ; B: r(1=/) s(keys=1..1:) !"), "none");
  EXPECT_EQ(first("A: w(1=a:1) ; B: r(1=/) s(keys=1..1:) ?"), "none");
}

TEST(Contradictions, OnlyOfReadsThatSomethingExplains) {
  EXPECT_EQ(first("A: w(1=a:1/b:1) ; B: r(1=a:1) s(keys=1..1:)"), "1: 0 1");
  EXPECT_EQ(first("A: w(1=a:1/b:1) ; B: r(1=a:7) s(keys=1..1:)"), "none");
  EXPECT_EQ(first("A: w(1=a:1/b:1) w(1=a:2/b:1) ; B: s(keys=1..1:) r(1=a:1)"), "none");
  EXPECT_EQ(first("start(1=a:1/b:1) ; A: w(1=a:2) ; B: r(1=a:2) s(keys=1..1:)"), "none");
  // A row that its selection does not select is wrong by itself.
  EXPECT_EQ(first("A: w(1=a:1) ; B: w(1=a:2/b:2) ; C: s(cols=a:2: 1=a:1) r(1=b:2)"), "none");
}

TEST(Contradictions, OfItemsPassOverRowsLeftOut) {
  const std::string rows = "A: w(1=a:1) w(2=a:1) ; D: w(2=b:2) ; ";
  const std::string one = rows + "B: r(1=/) s(keys=1..1:)";
  EXPECT_EQ(first(one, true), "none");
  EXPECT_EQ(first(one + " ; C: r(2=a:1) r(2=b:2)", true), "3: 0 1");
  EXPECT_EQ(first(one + " ; C: r(2=a:1) r(2=b:2)"), "2: 0 1");
  EXPECT_EQ(first(rows + "B: r(1=/) s(keys=1..1:) r(2=a:1) r(2=b:2)", true), "2: 2 3");
  // A read by key that found nothing says the same as a selection of all, and counts there.
  EXPECT_EQ(first("A: w(1=a:1) d(1) ; B: w(1=a:1) ; C: s(:) r(1=_) r(1=/)"), "2: 1 2");
  EXPECT_EQ(first("A: w(1=a:1) d(1) ; B: w(1=a:1) ; C: s(:) r(1=_) r(1=/)", true), "2: 1 2");
}

TEST(Contradictions, NotWhereTheInputIsCutOff) {
  for (const bool truncated : {false, true}) {
    HistoryBuilder builder;
    builder.origin().truncated = truncated;
    const KeyId x = builder.key(builder.integer(1));
    builder.begin_txn(builder.session("A"));
    builder.write(x, builder.integer(5));
    builder.begin_txn(builder.session("B"));
    builder.read(x, builder.row({}));
    builder.read_except(x, Predicate{});
    const Result<History> history = builder.finish();
    ASSERT_TRUE(history.ok());
    base::Budget budget;
    EXPECT_EQ(text_of(find_contradictions(*history, false, budget).first),
              truncated ? "none" : "1: 0 1");
  }
}

TEST(Contradictions, StopWithTheBudget) {
  const History history =
      support::parse("A: w(1=a:1) ; B: w(1=b:2) ; C: r(1=a:1) r(1=b:2) r(1=/)");
  bool found = false;
  for (std::uint64_t ticks = 0; ticks < 200; ++ticks) {
    base::Budget budget;
    const base::Budget::Allowance allowance(budget, ticks);
    const auto first = find_contradictions(history, false, budget).first;
    EXPECT_TRUE(!first || text_of(first) == "2: 0 1") << ticks;
    found = first.has_value();
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace isolde::infer
