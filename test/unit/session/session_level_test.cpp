// Goal: causal consistency and the session guarantees, each session by itself. Method: the
// histories of Crooks 2019, chapter 4, by hand, with the proofs where they are short; the
// verifier's word on every proof. test/prop has random histories.
#include "session/session_level.hpp"

#include <gtest/gtest.h>

#include "session/session_test.hpp"
#include "session/session_view.hpp"
#include "support/proved.hpp"

namespace isolde::checker {
namespace {

using test::key;
using test::Observed;
using test::proved;
using test::rw;
using test::so;
using test::txn;
using test::wr;
using test::ww;
using enum Level;

Proof decide(const Observed& observed, Level level, bool skip_guess = true) {
  base::Budget budget;
  CheckOptions options;
  options.skip_guess = skip_guess;
  CheckStatistics statistics;
  return decide_sessions(observed.seen, info(level), options, statistics, budget).proof.value();
}

// Letters: read-your-writes, monotonic-reads, monotonic-writes, writes-follow-reads, causal.
TEST(SessionLevel, HistoriesOfTheThesis) {
  const Level levels[] = {kReadYourWrites, kMonotonicReads, kMonotonicWrites,
                          kWritesFollowReads, kCausal};
  const struct {
    const char* id;
    const char* text;
    const char* verdicts;
  } cases[] = {
      {"O15", "A: w(x=1) ; B: r(x=1) w(x=2) | r(x=1)", "nYYYn"},
      {"O16", "A: w(x=1) ; B: r(x=1) w(x=2) ; C: r(x=1)", "YYYYY"},
      {"O18", "A: w(a=1) ; B: w(b=1) ; C: r(a=1) | r(b=_) ; D: r(b=1) | r(a=_)", "YYYYY"},
      {"O19", "A: w(acl=1) | w(photo=1) ; B: r(photo=1) | r(acl=_)", "YYYYn"},
      {"O20", "A: w(x=1) ; B: w(x=2) ; C: r(x=1) | r(x=2) | r(x=1)", "YnYYn"},
      {"O21", "A: w(x=1) ; B: w(x=2) ; C: r(x=1) | r(x=2) ; D: r(x=2) | r(x=1)", "YYYYY"},
      {"O22", "A: w(x=1) | r(x=_)", "nYYYn"},
      {"O23", "A: w(x=1) ; B: r(x=1) | r(x=_)", "YnYYn"},
      {"O24", "A: w(x=1) | w(x=2) ; B: r(x=2) | r(x=1)", "YYYYn"},
      {"O25", "A: w(x=1) ; B: r(x=1) | w(y=1) ; C: r(y=1) | r(x=_)", "YYYYn"},
      {"O34", "A: r(x=_) w(x=1) ; B: r(x=_) w(x=2)", "YYYYY"},
      {"O35", "W: w(x=1) w(y=1) ; R: r(y=_) r(x=1)", "YYYYY"},
      {"O35r", "W: w(x=1) w(y=1) ; R: r(x=1) r(y=_)", "YnYYn"},
      {"O36", "W: w(x=1) w(y=1) ; B: r(x=1) | r(y=_)", "YnYYn"},
      {"O40", "A: w(x=1) | w(x=2) | r(x=1)", "nYYYn"},
      {"O41", "A: w(x=1) | r(x=2) ; B: w(x=2)", "YYYYY"},
      {"O42", "A: r(y=1) w(x=1) | w(y=1)", "nnnnn"},
      {"nothing", "A: nop", "YYYYY"},
      {"blind appends, seen backwards", "A: a(l=1) | a(l=2) ; B: r(l=[2 1])", "YYnYn"},
      {"two orders of a list", "A: a(l=1) ; B: a(l=2) ; C: r(l=[1 2]) ; D: r(l=[2 1])",
       "YYY--"},
      {"rows", "A: w(1=1) w(2=1) ; B: s(: 1=1)", "YYYYY"},
      {"rows, row", "A: w(1=1) w(2=1) ; B: s(: 1=1) r(2=_)", "YnYYn"},
      {"row, rows", "A: w(1=1) w(2=1) ; B: r(1=1) s(: 1=1)", "YnYYn"},
      {"rows, rows", "A: w(1=1) w(2=1) ; B: s(keys=1..1: 1=1) s(keys=2..2:)", "YnYYn"},
      {"rows | rows", "A: w(1=1) w(2=1) ; B: s(: 1=1) | s(: 1=1)", "YnYYn"},
      {"new and old", "A: w(1=1) w(2=1) | w(1=2) w(2=2) ; B: s(: 1=2 2=1)", "YYYYY"},
      {"new and old, back", "A: w(1=1) w(2=1) | w(1=2) w(2=2) ; B: s(: 1=2 2=1) | r(1=1)",
       "YYYYn"},
      {"rows and lists",
       "L: a(l=1) ; A: w(1=1) w(2=1) ; B: r(l=[1]) s(keys=1..2: 1=1) ; C: r(l=[])", "YYYYY"},
      {"rows and lists, row",
       "L: a(l=1) ; A: w(1=1) w(2=1) ; B: r(l=[1]) s(keys=1..2: 1=1) r(2=_) ; C: r(l=[])",
       "YnYYn"},
  };
  for (const auto& each : cases) {
    const Observed observed(each.text);
    for (std::size_t i = 0; i < 5; ++i) {
      if (each.verdicts[i] == '-') continue;
      const char* expected = each.verdicts[i] == 'Y' ? "holds" : "violated";
      for (const bool skip_guess : {true, false}) {
        EXPECT_EQ(proved(*observed.history, levels[i], decide(observed, levels[i], skip_guess)),
                  expected)
            << each.id << " at " << info(levels[i]).name;
      }
    }
  }
}

// O20: reading x=2 after x=1 puts B first or second, and both are impossible.
TEST(SessionLevel, RefutationNamesTheSessionAndDerivesOrders) {
  const Observed observed("A: w(x=1) ; B: w(x=2) ; C: r(x=1) | r(x=2) | r(x=1)");
  const auto refutation = std::get<Refutation>(decide(observed, kMonotonicReads));
  EXPECT_EQ(refutation.session, observed.history->session_of(txn(2)));
  ASSERT_EQ(refutation.steps.size(), 3U);
  EXPECT_EQ(refutation.steps[0].clause, (std::vector<VersionOrder>{{txn(0), txn(1)}}));
  EXPECT_EQ(refutation.steps[0].cycle,
            (std::vector<Edge>{wr(0, 2), so(2, 3), rw(3, 0, 0, txn(1))}));
  EXPECT_EQ(refutation.steps[2].cycle.size(), 2U);
}

TEST(SessionLevel, MissingTheInitialVersionIsOneCycle) {
  const Observed observed("A: w(x=1) ; B: r(x=1) | r(x=_)");
  const auto refutation = std::get<Refutation>(decide(observed, kMonotonicReads));
  ASSERT_EQ(refutation.steps.size(), 1U);
  EXPECT_EQ(refutation.steps[0].cycle, (std::vector<Edge>{wr(0, 1), so(1, 2), rw(2, 0)}));
}

TEST(SessionLevel, OneOrderForAllWhereThereIsOne) {
  const Observed same("A: w(x=1) ; B: r(x=1) w(x=2) ; C: r(x=2)");
  EXPECT_TRUE(std::holds_alternative<Witness>(decide(same, kCausal, false)));
  const Observed apart("A: w(a=1) ; B: w(b=1) ; C: r(a=1) | r(b=_) ; D: r(b=1) | r(a=_)");
  EXPECT_TRUE(std::holds_alternative<SessionWitness>(decide(apart, kCausal, false)));
}

// A second round: that 2 precedes 1 is known only from C's last read, and then the first reads
// of C have it in their past.
TEST(SessionLevel, SaturatesInRounds) {
  const Observed observed(
      "A: w(x=1) w(y=1) ; B: w(x=2) w(z=2) ; C: r(y=1) | r(z=_) | r(z=2) | r(x=1)");
  EXPECT_EQ(proved(*observed.history, kMonotonicReads, decide(observed, kMonotonicReads)),
            "violated");
}

TEST(SessionTest, TellsWhomAnExecutionServes) {
  const Observed observed("A: w(x=1) ; B: w(x=2) ; C: r(x=1) | r(x=2) ; D: r(x=2) | r(x=1)");
  base::Budget budget;
  const std::vector<TxnId> order = {txn(0), txn(2), txn(1), txn(3), txn(4), txn(5)};
  EXPECT_EQ(SessionTest(observed.seen, BaseLevel::kCausal).served(order, budget),
            (std::vector<bool>{true, true, true, false}));
}

TEST(SessionTest, RowsOfASelectionDoNotBindEachOther) {
  const Observed observed(
      "A: w(1=1) w(2=1) ; B: s(: 1=1) ; C: s(: 1=1) r(2=_) ; D: r(1=1) s(: 1=1)");
  base::Budget budget;
  const std::vector<TxnId> order = {txn(0), txn(1), txn(2), txn(3)};
  for (const BaseLevel base : {BaseLevel::kCausal, BaseLevel::kMonotonicReads}) {
    EXPECT_EQ(SessionTest(observed.seen, base).served(order, budget),
              (std::vector<bool>{true, true, false, false}));
  }
}

TEST(SessionView, KeepsSelections) {
  const char* text =
      "A: a(l=1) w(1=a) w(2=b) w(3=c) ! ; "
      "B: w(2=x) s(keys=1..4: 1=a) r(l=[]) s(keys=1..4 equal=c:) ; C: w(4=1)";
  const Observed observed(text);
  const History view =
      session_view(*observed.history, observed.seen, observed.history->session_of(txn(1)));
  EXPECT_EQ(support::to_text(view), support::to_text(*observed.history));
  ASSERT_EQ(view.ops(txn(1)).size(), observed.history->ops(txn(1)).size());
  for (std::uint32_t op = 0; op < view.ops(txn(1)).size(); ++op) {
    EXPECT_EQ(view.step(txn(1), op), observed.history->step(txn(1), op));
  }
  const History other =
      session_view(*observed.history, observed.seen, observed.history->session_of(txn(2)));
  EXPECT_EQ(support::to_text(other),
            "A: a(l=1) w(1=a) w(2=b) w(3=c) !\nB: w(2=x)\nC: w(4=1)\n");
}

// Goal: where rows that selections left out count only as far as they matter, so they do in the
// view of a session, with the numbers that they have there.
TEST(SessionView, LeavesOutNoMoreRowsThanTheHistory) {
  const Observed observed(
      "A: w(1=1) w(2=1) w(3=1) ; B: s(keys=1..4:) w(1=2) s(keys=1..4: 1=2) r(2=1) ; "
      "C: s(keys=1..4: 1=1)");
  std::vector<std::uint32_t> numbers;
  const std::uint32_t first = observed.history->first_op(txn(1));
  for (const std::vector<std::uint32_t>& kept :
       {std::vector<std::uint32_t>{}, {first + 1}, {first, first + 2, first + 5}}) {
    const History reduced = observed.history->without_absent_reads(kept, numbers);
    base::Budget budget;
    const infer::Observations seen = infer::observe_open(reduced, budget);
    const History view = session_view(reduced, seen, reduced.session_of(txn(1)));
    ASSERT_EQ(view.ops(txn(1)).size(), reduced.ops(txn(1)).size());
    for (std::uint32_t op = 0; op < view.ops(txn(1)).size(); ++op) {
      EXPECT_EQ(view.ops(txn(1))[op].kind, reduced.ops(txn(1))[op].kind);
      EXPECT_EQ(view.ops(txn(1))[op].key, reduced.ops(txn(1))[op].key);
      EXPECT_EQ(view.step(txn(1), op), reduced.step(txn(1), op));
    }
    EXPECT_EQ(view.ops(txn(2)).size(), 0U);
  }
}

TEST(SessionView, KeepsAllWritesAndTheOwnReads) {
  const Observed observed("A: a(l=1) r(l=[1]) ? ; B: r(l=[1]) r(s=_) w(s=v) ; C: r(l=[])");
  const History view =
      session_view(*observed.history, observed.seen, observed.history->session_of(txn(1)));
  EXPECT_EQ(support::to_text(view), "A: a(l=1)\nB: r(l=[1]) r(s=_) w(s=v)\nC: nop\n");
}

}  // namespace
}  // namespace isolde::checker
