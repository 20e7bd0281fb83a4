// Goal: the oracle gives the verdicts known from the literature. Method: the table of
// support/oracle_histories.cpp, and the one execution whose read states the thesis works out.
#include <gtest/gtest.h>

#include "oracle/brute.hpp"
#include "support/history_dsl.hpp"
#include "support/oracle_histories.hpp"

namespace isolde::oracle {
namespace {

TEST(Theory, OracleGivesTheKnownVerdicts) {
  for (const support::OracleHistory& row : support::oracle_histories()) {
    const History history = support::parse(row.text);
    for (const LevelInfo& level : all_levels()) {
      const std::optional<bool> expected = support::expected_verdict(row, level.level);
      // Without times a real-time level asks nothing more than its base level.
      EXPECT_EQ(expected.has_value(), !level.real_time || history.has_times()) << row.id;
      if (!expected) continue;
      EXPECT_EQ(brute_force_holds(history, level.level, 0), *expected)
          << row.id << " (" << row.what << ") at " << level.name;
    }
  }
}

TEST(Theory, HistoriesSurviveTheNotation) {
  for (const support::OracleHistory& row : support::oracle_histories()) {
    const std::string text = support::to_text(support::parse(row.text));
    EXPECT_EQ(support::parse(text).digest(), support::parse(row.text).digest()) << row.id;
  }
  const char* const all = "A: w(x=1) a(l=q) r(l=[q 2]) r(l=[]) r(y=_) r(y=?) ? @-3,_ | nop !\n";
  EXPECT_EQ(support::to_text(support::parse(all)),
            "A: w(x=1) a(l=q) r(l=[q 2]) r(l=[]) r(y=_) r(y=?) ? @-3,_\nA: nop !\n");
}

TEST(Theory, ReadStatesOfAnExecutionAreThoseOfTheThesis) {
  const History history = support::parse(
      "Ta: w(x=1) ; Tc: w(y=1) ; Tb: r(y=1) r(z=_) w(y=2) w(z=1) ; Td: w(z=2) ; "
      "Te: r(x=_) r(z=1)");
  const TxnId ta(0), tc(1), tb(2), td(3), te(4);
  Execution execution(history, {ta, tb, tc, td, te}, 0);
  using States = std::vector<std::size_t>;
  execution.push(ta);
  execution.push(tc);
  const std::vector<Effects::Read> reads_of_b = effects_of(history, tb).reads;
  EXPECT_EQ(execution.read_states(reads_of_b[0]), (States{2}));
  EXPECT_EQ(execution.read_states(reads_of_b[1]), (States{0, 1, 2}));
  EXPECT_EQ(execution.complete_states(tb), (States{2}));
  execution.push(tb);
  execution.push(td);
  const std::vector<Effects::Read> reads_of_e = effects_of(history, te).reads;
  EXPECT_EQ(execution.read_states(reads_of_e[0]), (States{0}));
  EXPECT_EQ(execution.read_states(reads_of_e[1]), (States{3}));
  EXPECT_EQ(execution.complete_states(te), (States{}));
  EXPECT_TRUE(execution.passes(Level::kReadCommitted, te));
  EXPECT_FALSE(execution.passes(Level::kSnapshotIsolation, te));
}

// Values pinned by hand: what each feature beyond plain registers means.
TEST(Theory, StatusesListsAndDuplicatesMeanWhatTheyShould) {
  const auto holds = [](const char* text, Level level, std::int64_t clock_error_ns = 0) {
    return brute_force_holds(support::parse(text), level, clock_error_ns);
  };
  // An indeterminate transaction counts when that helps, and only then.
  EXPECT_TRUE(holds("A: w(x=1) ? ; B: r(x=1)", Level::kSerializable));
  EXPECT_TRUE(holds("A: r(x=7) w(x=1) ? ; B: r(x=_)", Level::kSerializable));
  EXPECT_FALSE(holds("A: r(y=7) w(x=1) ? ; B: r(x=1)", Level::kReadCommitted));
  // Reads of own writes, at every level.
  EXPECT_FALSE(holds("A: w(x=1) r(x=_)", Level::kReadCommitted));
  EXPECT_FALSE(holds("A: w(x=1) w(x=2) r(x=1)", Level::kReadCommitted));
  EXPECT_FALSE(holds("A: r(x=1) w(x=1)", Level::kReadCommitted));
  EXPECT_FALSE(holds("A: a(l=1) ; B: a(l=2) r(l=[2 1])", Level::kReadCommitted));
  // Lists: a read shows a whole state.
  EXPECT_TRUE(holds("A: a(l=1) ; B: a(l=2) r(l=[1 2])", Level::kSerializable));
  EXPECT_FALSE(holds("A: a(l=1) a(l=2) ; B: r(l=[1])", Level::kReadCommitted));
  EXPECT_FALSE(
      holds("A: a(l=1) ; B: a(l=2) ; C: r(l=[1 2]) ; D: r(l=[2 1])", Level::kReadCommitted));
  EXPECT_FALSE(
      holds("A: a(l=1) ; B: a(l=2) r(l=[2]) ; C: r(l=[1 2])", Level::kSnapshotIsolation));
  EXPECT_TRUE(holds("A: a(l=1) ; B: a(l=2) r(l=[2]) ; C: r(l=[1 2])", Level::kReadCommitted));
  // Equal values: a read may come from either writer.
  EXPECT_TRUE(holds("A: w(x=1) ; B: w(x=2) ; C: w(x=1) ; D: r(x=1) | r(x=2) | r(x=1)",
                    Level::kStrongSessionSerializable));
  // Clock error: a gap counts only when it is larger.
  EXPECT_FALSE(holds("A: w(x=1) @1,2 ; B: r(x=_) @5,6", Level::kStrictSerializable, 2));
  EXPECT_TRUE(holds("A: w(x=1) @1,2 ; B: r(x=_) @5,6", Level::kStrictSerializable, 3));
  // The end of an indeterminate transaction says nothing, that of its session does.
  EXPECT_FALSE(
      holds("A: w(x=1) @1,2 ; B: r(x=_) @3,4 ; C: r(x=1)", Level::kStrictSerializable));
  EXPECT_TRUE(
      holds("A: w(x=1) ? @1,2 ; B: r(x=_) @3,4 ; C: r(x=1)", Level::kStrictSerializable));
  EXPECT_FALSE(holds("A: w(x=1) ? | r(x=_) ; C: r(x=1)", Level::kStrongSessionSerializable));
  // A repeated read counts again: the second r(x=1) comes after something of B was seen.
  EXPECT_TRUE(holds("A: w(x=1) ; B: w(x=2) w(y=2) ; C: r(x=1) r(y=2) r(x=1) ; D: r(x=2)",
                    Level::kStrongSessionMonotonicAtomicView));
  EXPECT_FALSE(holds("A: w(x=1) ; B: r(x=1) w(x=2) w(y=2) ; C: r(x=1) r(y=2) r(x=1)",
                     Level::kStrongSessionMonotonicAtomicView));
  EXPECT_TRUE(holds("A: w(x=1) ; B: r(x=1) w(x=2) w(y=2) ; C: r(x=1) r(y=2)",
                    Level::kStrongSessionMonotonicAtomicView));
}

}  // namespace
}  // namespace isolde::oracle
