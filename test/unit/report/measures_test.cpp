#include "report/measures.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "isolde/history_builder.hpp"
#include "support/history_dsl.hpp"

namespace isolde::report {
namespace {

// Goal: nothing to measure.
TEST(Measures, OfNothing) {
  const Measures measures = measure(support::parse(""), {});
  EXPECT_TRUE(measures.intervals.empty());
  EXPECT_TRUE(measures.keys.empty());
  EXPECT_FALSE(measures.timed);
}

// Goal: outcomes and latencies fall into the interval in which a transaction ended, worked out
// by hand: 0 to 119 in twelve intervals of ten.
TEST(Measures, CountsWhereTransactionsEnd) {
  const History history = support::parse(
      "A: w(x=1) @0,9 | w(x=2) ! @9,10 | w(x=3) @11,19 ; B: w(y=1) ? @5,119 ; C: w(z=1) "
      "@13,17");
  const Measures measures = measure(history, {});
  EXPECT_TRUE(measures.timed);
  EXPECT_EQ(measures.length, 10U);
  EXPECT_EQ(measures.origin, 0);
  ASSERT_EQ(measures.intervals.size(), 12U);
  EXPECT_EQ(measures.intervals[0].committed, 1U);
  EXPECT_EQ(measures.intervals[0].median_ns, 9);
  EXPECT_EQ(measures.intervals[1].committed, 2U);
  EXPECT_EQ(measures.intervals[1].aborted, 1U);
  EXPECT_EQ(measures.intervals[1].median_ns, 4);  // of 4 and 8; the aborted one does not count
  EXPECT_EQ(measures.intervals[1].max_ns, 8);
  EXPECT_EQ(measures.intervals[11].indeterminate, 1U);
  EXPECT_EQ(measures.intervals[11].median_ns, kNoTime);
}

// Goal: time under way, counted in each interval by the part of it that is covered.
TEST(Measures, CountsWhatIsUnderWay) {
  const History history =
      support::parse("A: w(x=1) @0,35 ; B: w(y=1) @15,16 ; C: nop @119,119");
  const Measures measures = measure(history, {});
  ASSERT_EQ(measures.length, 10U);
  EXPECT_DOUBLE_EQ(measures.intervals[0].open, 1.0);
  EXPECT_DOUBLE_EQ(measures.intervals[1].open, 1.1);
  EXPECT_DOUBLE_EQ(measures.intervals[2].open, 1.0);
  EXPECT_DOUBLE_EQ(measures.intervals[3].open, 0.5);
  EXPECT_DOUBLE_EQ(measures.intervals[4].open, 0.0);
}

// Goal: without times the order of the input stands for them.
TEST(Measures, GoesByTheInputWithoutTimes) {
  HistoryBuilder builder;
  for (std::int64_t i = 0; i < 1000; ++i) {
    builder.begin_txn(builder.session("s"));
    builder.write(builder.key(Value::integer(0)), Value::integer(i));
  }
  const Measures measures = measure(std::move(builder.finish()).value(), {});
  EXPECT_FALSE(measures.timed);
  EXPECT_LE(measures.intervals.size(), kIntervalsMax);
  EXPECT_EQ(measures.intervals[0].committed, measures.length);
  const std::uint64_t all = std::accumulate(
      measures.intervals.begin(), measures.intervals.end(), std::uint64_t{0},
      [](std::uint64_t sum, const Interval& each) { return sum + each.committed; });
  EXPECT_EQ(all, 1000U);
}

// Goal: times that are as far apart as times can be.
TEST(Measures, TakesAnyTimes) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session("a"));
  builder.set_times({std::numeric_limits<std::int64_t>::min() + 1, 0});
  builder.begin_txn(builder.session("b"));
  builder.set_times(
      {std::numeric_limits<std::int64_t>::min() + 1, std::numeric_limits<std::int64_t>::max()});
  const Measures measures = measure(std::move(builder.finish()).value(), {});
  EXPECT_EQ(measures.intervals.size(), kIntervalsMin);
  EXPECT_EQ(measures.intervals.back().committed, 1U);
  EXPECT_EQ(measures.intervals.back().max_ns, std::numeric_limits<std::int64_t>::max());
}

// Goal: transactions without both times are told and not guessed.
TEST(Measures, TellsWhatHasNoTimes) {
  const Measures measures =
      measure(support::parse("A: w(x=1) @0,9 ; B: w(x=2) ; C: w(x=3) @5,_"), {});
  EXPECT_EQ(measures.left_out, 2U);
  EXPECT_EQ(measures.intervals[0].committed + measures.intervals.back().committed, 1U);
}

// Goal: the most used keys, and with them the keys of the violation.
TEST(Measures, FindsHotKeys) {
  std::string text = "A: w(rare=1)";
  for (int key = 0; key < 20; ++key) {
    for (int use = 0; use < 2 + key; ++use) text += " ; B: r(k" + std::to_string(key) + "=_)";
  }
  const History history = support::parse(text);
  const KeyId rare = history.ops(TxnId::at(0))[0].key;
  const Measures measures = measure(history, std::vector<KeyId>{rare});
  ASSERT_EQ(measures.keys.size(), kHotKeys + 1);
  EXPECT_EQ(history.text(history.key_name(measures.keys[0].key)), "k19");
  EXPECT_EQ(measures.keys[0].reads, 21U);
  EXPECT_EQ(measures.keys[0].writes, 0U);
  EXPECT_EQ(measures.keys.back().key, rare);
  EXPECT_EQ(measures.keys_total, 21U);
  for (const KeyHeat& heat : measures.keys) {
    EXPECT_EQ(std::accumulate(heat.uses.begin(), heat.uses.end(), std::uint64_t{0}),
              heat.reads + heat.writes);
  }
}

// Goal: times that only tell an order are no times: nothing is measured by them.
TEST(Measures, TakesAnOrderForNoTimes) {
  const auto measured = [](bool order) {
    HistoryBuilder builder;
    for (int i = 0; i < 4; ++i) {
      builder.begin_txn(builder.session("A"));
      builder.set_times({100 * i, 100 * i + 50});
    }
    builder.origin().times_are_order = order;
    return measure(std::move(builder.finish()).value(), {});
  };
  EXPECT_TRUE(measured(false).timed);
  const Measures measures = measured(true);
  EXPECT_FALSE(measures.timed);
  EXPECT_EQ(measures.left_out, 0U);
  EXPECT_EQ(measures.intervals.size(), 4U);
  EXPECT_EQ(measures.intervals[0].median_ns, kNoTime);
}

}  // namespace
}  // namespace isolde::report
