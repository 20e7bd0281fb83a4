#include "explain/classify.hpp"

#include <gtest/gtest.h>

#include "unit/explain/histories.hpp"

namespace isolde::explain {
namespace {

struct Row {
  const char* history;
  Cycle cycle;
  const char* type;
  const char* name;
};

std::vector<Row> textbook_patterns() {
  return {
      {"A: r(x=_) r(y=_) w(x=1); B: r(x=_) r(y=_) w(y=2)",
       {rw(0, 1, 1), rw(1, 0, 0)},
       "G2-item",
       "write skew"},
      {"A: w(x=1) w(y=1); B: r(x=1) r(y=_)",
       {wr(0, 1, 0), rw(1, 0, 1)},
       "G-single",
       "fractured read"},
      {"A: w(x=1); B: r(x=_) r(x=1)",
       {wr(0, 1, 0), rw(1, 0, 0)},
       "G-single",
       "non-repeatable read"},
      {"A: w(x=1) r(y=2); B: w(y=2) r(x=1)",
       {wr(0, 1, 0), wr(1, 0, 1)},
       "G1c",
       "cyclic information flow"},
      {"A: w(x=1) w(y=1); B: w(x=2) w(y=2)", {ww(0, 1, 0), ww(1, 0, 1)}, "G0", "write cycle"},
      {"A: w(x=2); B: w(y=2); C: r(x=2) r(y=_); D: r(x=_) r(y=2)",
       {wr(0, 2, 0), rw(2, 1, 1), wr(1, 3, 1), rw(3, 0, 0)},
       "G-nonadjacent",
       "long fork"},
      {"A: w(x=1); B: r(x=1) w(y=2); C: r(y=2) r(x=_)",
       {wr(0, 1, 0), wr(1, 2, 1), rw(2, 0, 0)},
       "G-single",
       "causality violation"},
      {"A: w(x=1) | r(x=_)",
       {so(0, 1), rw(1, 0, 0)},
       "G-single-process",
       "read-your-writes violation"},
      {"A: w(x=1); B: r(x=1) | r(x=_)",
       {wr(0, 1, 0), so(1, 2), rw(2, 0, 0)},
       "G-single-process",
       "monotonic-reads violation"},
      {"A: w(x=1) | w(x=2)",
       {so(0, 1), ww(1, 0, 0)},
       "G0-process",
       "monotonic-writes violation"},
      {"A: w(x=1); B: r(x=1) | w(x=2)",
       {wr(0, 1, 0), so(1, 2), ww(2, 0, 0)},
       "G1c-process",
       "writes-follow-reads violation"},
      {"A: r(x=1) | w(x=1)",
       {so(0, 1), wr(1, 0, 0)},
       "G1c-process",
       "session guarantee violation"},
      {"A: w(x=1) | w(y=2); B: r(y=2) r(x=_)",
       {so(0, 1), wr(1, 2, 1), rw(2, 0, 0)},
       "G-single-process",
       "causality violation"},
      {"A: w(x=1) @0,10; B: r(x=_) @20,30",
       {rt(0, 1), rw(1, 0, 0)},
       "G-single-realtime",
       "stale read"},
      {"A: r(x=1) @0,10; B: w(x=1) @20,30",
       {rt(0, 1), wr(1, 0, 0)},
       "G1c-realtime",
       "real-time violation"},
      {"A: r(x=_) w(y=1); B: w(x=2); C: r(x=2) r(y=_)",
       {rw(0, 1, 0), wr(1, 2, 0), rw(2, 0, 1)},
       "G2-item",
       "read-only transaction anomaly"},
      {"A: r(x=_) w(y=1); B: r(y=_) w(z=1); C: r(z=_) w(x=1)",
       {rw(0, 2, 0), rw(2, 1, 2), rw(1, 0, 1)},
       "G2-item",
       "anti-dependency cycle"},
  };
}

// Goal: each textbook pattern gets its name. Method: histories with their cycle, spelled out.
TEST(Classify, NamesTextbookPatterns) {
  for (const Row& row : textbook_patterns()) {
    const Anomaly anomaly =
        classify(support::parse(row.history), std::vector<Cycle>{row.cycle});
    EXPECT_EQ(anomaly.type, row.type) << row.history;
    EXPECT_EQ(anomaly.name, row.name) << row.history;
    EXPECT_FALSE(anomaly.lesson.empty());
  }
}

// Goal: the name does not depend on where the cycle starts. Method: rotate a long fork.
TEST(Classify, IgnoresWhereTheCycleStarts) {
  const History history =
      support::parse("A: w(x=2); B: w(y=2); C: r(x=2) r(y=_); D: r(x=_) r(y=2)");
  Cycle cycle = {wr(0, 2, 0), rw(2, 1, 1), wr(1, 3, 1), rw(3, 0, 0)};
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    std::rotate(cycle.begin(), cycle.begin() + 1, cycle.end());
    EXPECT_EQ(classify(history, std::vector<Cycle>{cycle}).name, "long fork");
  }
}

// Goal: a proof by cases is named after the claim that all cases justify: the last class.
TEST(Classify, TakesTheLastClassOfSeveralCases) {
  const History history = support::parse("A: w(x=1) w(y=1); B: w(x=2) w(y=2); C: r(x=1)");
  const std::vector<Cycle> cases = {{ww(0, 1, 0), ww(1, 0, 1)},
                                    {wr(0, 2, 0), rw(2, 1, 0, txn(0)), ww(1, 0, 0)}};
  EXPECT_EQ(classify(history, cases).type, "G-single");
}

TEST(Classify, NamesEveryFinding) {
  for (int kind = 0; kind <= static_cast<int>(FindingKind::kDuplicateElement); ++kind) {
    const Anomaly anomaly = classify(static_cast<FindingKind>(kind));
    EXPECT_FALSE(anomaly.type.empty());
    EXPECT_FALSE(anomaly.lesson.empty());
  }
}

std::optional<LostUpdate> lost(const History& history) {
  std::vector<TxnId> all;
  for (std::size_t t = 0; t < history.txn_count(); ++t) all.push_back(TxnId::at(t));
  return find_lost_update(history, all);
}

// Goal: lost updates are recognised from the reads, with any version read, on lists as well.
TEST(Classify, FindsLostUpdates) {
  EXPECT_TRUE(lost(support::parse("A: r(x=_) w(x=1); B: r(x=_) w(x=2)")));
  EXPECT_TRUE(lost(support::parse("A: a(x=1); B: r(x=[1]) a(x=2); C: r(x=[1]) a(x=3)")));
  const auto found =
      lost(support::parse("A: w(x=1); B: r(x=1) w(x=2); C: r(y=_) r(x=1) w(x=3)"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->first, txn(1));
  EXPECT_EQ(found->second, txn(2));
  EXPECT_EQ(found->version, txn(0));
}

// Goal: no false alarm: different versions, reads after the own write, no write, or a value
// that two transactions wrote.
TEST(Classify, SeesNoLostUpdateWhereThereIsNone) {
  EXPECT_FALSE(lost(support::parse("A: r(x=_) w(x=1); B: r(x=1) w(x=2)")));
  EXPECT_FALSE(lost(support::parse("A: w(x=1) r(x=1); B: r(x=_) w(x=2)")));
  EXPECT_FALSE(lost(support::parse("A: r(x=_); B: r(x=_) w(x=2)")));
  EXPECT_FALSE(
      lost(support::parse("A: w(x=1); B: w(x=1); C: r(x=1) w(x=2); D: r(x=1) w(x=3)")));
}

}  // namespace
}  // namespace isolde::explain
