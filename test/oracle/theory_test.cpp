// Goal: the oracle gives the verdicts known from the literature. Method: the table of
// support/oracle_histories.cpp, and the one execution whose read states the thesis works out.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "oracle/brute.hpp"
#include "support/applies.hpp"
#include "support/history_dsl.hpp"
#include "support/oracle_histories.hpp"

namespace isolde::oracle {
namespace {

TEST(Theory, HasEveryLevel) {
  for (const LevelInfo& level : all_levels()) {
    if (support::has_verdicts(level.level)) continue;
    std::string letters;
    for (const support::OracleHistory& row : support::oracle_histories()) {
      const History history = support::parse(row.text);
      const bool applies = support::applies(level.level, history);
      letters += !applies ? '-' : brute_force_holds(history, level.level, 0) ? 'Y' : 'n';
    }
    ADD_FAILURE() << level.name << " has no row in oracle_histories.cpp. The oracle's, to be "
                  << "read before it is believed: " << letters;
  }
}

TEST(Theory, OracleGivesTheKnownVerdicts) {
  for (const support::OracleHistory& row : support::oracle_histories()) {
    const History history = support::parse(row.text);
    for (const LevelInfo& level : all_levels()) {
      const std::optional<bool> expected = support::expected_verdict(row, level.level);
      EXPECT_EQ(expected.has_value(), support::applies(level.level, history)) << row.id;
      if (!expected) continue;
      EXPECT_EQ(brute_force_holds(history, level.level, 0), *expected)
          << row.id << " (" << row.what << ") at " << level.name;
    }
  }
}

// The verdicts of the literature, by history, in the order of the levels named.
struct Column {
  std::string_view id;
  std::string_view verdicts;
};

void expect_verdicts(std::span<const Level> levels, std::span<const Column> columns) {
  for (const Column& column : columns) {
    const auto rows = support::oracle_histories();
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const auto& each) { return each.id == column.id; });
    ASSERT_NE(row, rows.end()) << column.id;
    ASSERT_EQ(column.verdicts.size(), levels.size());
    for (std::size_t i = 0; i < levels.size(); ++i) {
      EXPECT_EQ(support::expected_verdict(*row, levels[i]), column.verdicts[i] == 'Y')
          << column.id << " at " << info(levels[i]).name;
    }
  }
}

TEST(Theory, TableHasTheVerdictsOfTheLiterature) {
  constexpr auto kIsolation = std::to_array(
      {Level::kReadUncommitted, Level::kReadCommitted, Level::kReadAtomic,
       Level::kParallelSnapshotIsolation, Level::kSnapshotIsolation, Level::kSerializable});
  expect_verdicts(
      kIsolation,
      std::to_array<Column>({
          {"O1", "YYYYYY"},   {"O2", "YYYnnn"},  {"O3", "YYYYYY"},  {"O4", "YYYYYY"},
          {"O4b", "YYnnnn"},  {"O5", "YYYnnn"},  {"O6", "Ynnnnn"},  {"O6b", "Ynnnnn"},
          {"O7", "YYnnnn"},   {"O8", "YYYYYn"},  {"O8a", "YYYYYY"}, {"O9", "YYnnnn"},
          {"O10", "YYYYYY"},  {"O11", "YYYYYY"}, {"O12", "YYYYYY"}, {"O13", "YYYYnn"},
          {"O13b", "YYYYnn"}, {"O17", "YYYYYY"}, {"O26", "YYYYYY"}, {"O26b", "YYYnnn"},
          {"O27", "YYYYYY"},  {"O28", "Ynnnnn"}, {"O29", "YYnnnn"}, {"O30", "YYYnnn"},
          {"O31", "YYYnnn"},
      }));
  constexpr auto kTimed = std::to_array(
      {Level::kSnapshotIsolation, Level::kSerializable, Level::kStrictSerializable});
  expect_verdicts(kTimed, std::to_array<Column>({
                              {"O14", "YYY"},
                              {"O15", "YYn"},
                              {"O16", "YYn"},
                              {"O8t", "Ynn"},
                              {"O32", "YYn"},
                              {"O32s", "YYn"},
                              {"O37", "YYY"},
                              {"O38", "YYY"},
                              {"O39", "YYn"},
                          }));
  constexpr auto kSessions =
      std::to_array({Level::kReadYourWrites, Level::kMonotonicReads, Level::kMonotonicWrites,
                     Level::kWritesFollowReads, Level::kCausal, Level::kSequential});
  expect_verdicts(
      kSessions,
      std::to_array<Column>({
          {"O15", "nYYYnn"}, {"O16", "YYYYYY"}, {"O18", "YYYYYn"},  {"O19", "YYYYnn"},
          {"O20", "YnYYnn"}, {"O21", "YYYYYn"}, {"O22", "nYYYnn"},  {"O23", "YnYYnn"},
          {"O24", "YYYYnn"}, {"O25", "YYYYnn"}, {"O26", "YYYYYY"},  {"O33", "nYYYnn"},
          {"O34", "YYYYYY"}, {"O35", "YYYYYY"}, {"O35r", "YnYYnn"}, {"O36", "YnYYnn"},
          {"O40", "nYYYnn"}, {"O41", "YYYYYY"}, {"O42", "nnnnnn"},
      }));
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

bool holds_at(Level level, const char* text, std::int64_t clock_error_ns = 0) {
  return brute_force_holds(support::parse(text), level, clock_error_ns);
}

TEST(Theory, EqualValuesMayComeFromEitherWriter) {
  for (const Level level :
       {Level::kMonotonicAtomicView, Level::kReadAtomic, Level::kStrongSessionReadAtomic,
        Level::kTransactionalCausal, Level::kParallelSnapshotIsolation, Level::kSequential,
        Level::kCausal, Level::kMonotonicReads}) {
    EXPECT_FALSE(holds_at(level, "A: w(x=1) w(y=1) ; C: r(x=1) r(y=_)")) << info(level).name;
    EXPECT_TRUE(holds_at(level, "A: w(x=1) w(y=1) ; B: w(x=1) ; C: r(x=1) r(y=_)"))
        << info(level).name;
  }
  // What an earlier transaction read from whom matters to a later one's causes: D does not see
  // A only if C read from B.
  for (const Level level : {Level::kTransactionalCausal, Level::kParallelSnapshotIsolation}) {
    EXPECT_TRUE(
        holds_at(level, "A: w(x=1) w(y=1) ; B: w(x=1) ; C: r(x=1) w(z=1) ; D: r(z=1) r(y=_)"));
    EXPECT_FALSE(holds_at(level, "A: w(x=1) w(y=1) ; C: r(x=1) w(z=1) ; D: r(z=1) r(y=_)"));
  }
}

TEST(Theory, ReadUncommittedAsksForTheOrderInListsOnly) {
  const auto holds = [](const char* text) { return holds_at(Level::kReadUncommitted, text); };
  EXPECT_FALSE(holds("A: a(l=1) a(l=3) ; B: a(l=2) r(l=[1 2 3])"));
  EXPECT_TRUE(holds("A: a(l=1) a(l=3) r(l=[3]) ; B: a(l=2) r(l=[1 2])"));
  // What is read may be dirty, torn, and not what the reader wrote.
  EXPECT_TRUE(holds("A: a(l=1) a(l=3) ! ; B: a(l=2) ; C: r(l=[1 2 3 9])"));
  EXPECT_TRUE(holds("A: w(x=1) r(x=2) r(y=7) w(y=7) ; B: a(l=1) r(l=[])"));
  // Being read is no sign of having committed.
  EXPECT_TRUE(holds("A: a(l=1) a(l=3) ? ; B: a(l=2) ; C: r(l=[1 2 3])"));
  // Readers that did not take effect say nothing, elements of several transactions neither.
  EXPECT_TRUE(holds("A: a(l=1) a(l=3) ; B: a(l=2) ; C: r(l=[1 2 3]) ?"));
  EXPECT_TRUE(holds("A: a(l=1) a(l=3) ; B: a(l=2) ; C: r(l=[1 2 3]) ; D: a(l=2) !"));
  // Own elements count, but not the reader as such.
  EXPECT_FALSE(holds("A: a(l=1) r(l=[2 1]) ; B: a(l=2) r(l=[1 2])"));
  EXPECT_FALSE(
      holds_at(Level::kStrongSessionReadUncommitted, "A: a(l=1) | a(l=2) ; B: r(l=[2 1])"));
  EXPECT_FALSE(holds_at(Level::kStrongReadUncommitted,
                        "A: a(l=1) @1,2 ; C: a(l=2) @4,5 ; B: r(l=[2 1])", 1));
  EXPECT_TRUE(holds_at(Level::kStrongReadUncommitted,
                       "A: a(l=1) @1,2 ; C: a(l=2) @4,5 ; B: r(l=[2 1])", 2));
}

TEST(Theory, LinearizableLooksAtEachKeyAlone) {
  const auto holds = [](const char* text) { return holds_at(Level::kLinearizable, text); };
  // Half of an indeterminate transaction may have happened.
  EXPECT_TRUE(holds("A: w(x=1) w(y=1) ? @1,2 ; B: r(x=1) r(y=_) @3,4"));
  EXPECT_FALSE(holds("A: w(x=1) w(y=1) @1,2 ; B: r(x=1) r(y=_) @3,4"));
  // Operations of one transaction on one key happen together.
  EXPECT_FALSE(holds("A: r(x=_) r(x=1) @1,9 ; B: w(x=1) @1,9"));
  EXPECT_FALSE(holds("A: r(x=_) w(x=2) @1,9 ; B: r(x=_) w(x=1) @1,9"));
  // Own writes must be read.
  EXPECT_FALSE(holds("A: w(x=1) r(x=2) @1,2 ; B: w(x=2) @1,2"));
}

TEST(Theory, SessionGuaranteesLookAtWhatTheySay) {
  // A write is an operation too: what comes before it in the session comes before its state.
  const char* const future = "A: w(x=1) r(y=1) | w(y=1)";
  EXPECT_FALSE(holds_at(Level::kReadYourWrites, future));
  EXPECT_FALSE(holds_at(Level::kMonotonicReads, future));
  EXPECT_FALSE(holds_at(Level::kMonotonicWrites, future));
  EXPECT_FALSE(holds_at(Level::kWritesFollowReads, future));
  // Only the session's own reads matter to the first three.
  const char* const circle = "A: r(y=1) w(x=1) ; B: r(x=1) w(y=1) ; C: r(z=_)";
  EXPECT_TRUE(holds_at(Level::kReadYourWrites, circle));
  EXPECT_TRUE(holds_at(Level::kMonotonicReads, circle));
  EXPECT_TRUE(holds_at(Level::kMonotonicWrites, circle));
  EXPECT_FALSE(holds_at(Level::kWritesFollowReads, circle));
  EXPECT_FALSE(holds_at(Level::kCausal, circle));
  // A transaction without operations or with unknown results asks nothing.
  EXPECT_TRUE(holds_at(Level::kReadYourWrites, "A: w(x=1) | nop | r(x=?)"));
  // Own writes must be read, by all.
  EXPECT_FALSE(holds_at(Level::kMonotonicWrites, "A: w(x=1) r(x=_) ; B: r(x=_)"));
}

TEST(Theory, ThereIsAnExecutionForEachSessionOrKey) {
  const History history = support::parse("A: w(x=1) | r(y=_) ; B: w(y=1) ? ; C: r(x=_)");
  const auto orders = [&](Level level) { return *brute_force_executions(history, level, 0); };
  EXPECT_EQ(orders(Level::kSerializable).size(), 1U);
  EXPECT_EQ(orders(Level::kCausal).size(), 3U);
  for (const std::vector<TxnId>& order : orders(Level::kCausal)) EXPECT_EQ(order.size(), 3U);
  ASSERT_EQ(orders(Level::kLinearizable).size(), 2U);
  EXPECT_EQ(orders(Level::kLinearizable)[0], (std::vector<TxnId>{TxnId(3), TxnId(0)}));
  EXPECT_EQ(orders(Level::kLinearizable)[1], (std::vector<TxnId>{TxnId(1)}));
  EXPECT_TRUE(brute_force_execution(support::parse(""), Level::kCausal, 0)->empty());
}

}  // namespace
}  // namespace isolde::oracle
