// Goal: causal consistency and the session guarantees where values repeat, with sources for
// each session's execution. Method: histories by hand in which one source fits, several or
// none, with and without the guess; the verifier's word on every proof, and the oracle's on
// every verdict.
#include "source/session_choices.hpp"

#include <gtest/gtest.h>

#include "oracle/brute.hpp"
#include "session/session_level.hpp"
#include "session/session_test.hpp"
#include "support/history_dsl.hpp"
#include "support/proved.hpp"

namespace isolde::checker {
namespace {

using test::proved;
using test::txn;
using enum Level;

struct Answer {
  std::optional<Proof> proof;
  std::string stopped;
};

Answer search(const History& history, Level level, bool skip_guess) {
  base::Budget budget;
  CheckStatistics statistics;
  CheckOptions options;
  options.skip_guess = skip_guess;
  const infer::Observations seen = infer::observe_open(history, budget);
  EXPECT_EQ(seen.ambiguity(), "");
  if (seen.finding() && !is_excused(history, *seen.finding(), info(level).base)) {
    return {*seen.finding(), ""};
  }
  SessionChoices engine(seen, info(level), options, statistics, budget);
  std::optional<Proof> proof = engine.search(0);
  return {std::move(proof), engine.stopped()};
}

constexpr Level kLevels[] = {kReadYourWrites, kMonotonicReads, kMonotonicWrites,
                             kWritesFollowReads, kCausal};

struct SessionCase {
  const char* what;
  const char* text;
  const char* verdicts;  // at kLevels
};

const SessionCase kCases[] = {
    {"both sources fit", "A: w(x=1) ; B: w(x=1) ; C: r(x=1)", "YYYYY"},
    {"none fits a session that saw more", "A: w(x=1) ; B: w(x=1) ; C: r(x=1) | r(x=_)",
     "YnYYn"},
    {"only the later one fits", "A: w(x=1) | w(x=2) | w(x=1) ; C: r(x=2) | r(x=1)", "YYYYY"},
    {"its own write replaced both",
     "A: w(x=1) w(y=1) ; B: w(x=1) w(z=1) ; C: r(y=1) r(z=1) | w(x=3) | r(x=1)", "YYYYn"},
    {"a read of its own later write", "A: r(x=1) | w(x=1) | w(x=1)", "YnYnn"},
    {"another may have written it", "A: r(x=1) | w(x=1) ; B: w(x=1)", "YYYYY"},
    {"other sessions' reads count",
     "A: r(y=1) w(x=1) ; B: r(x=1) w(y=1) ; C: w(z=1) ; D: w(z=1) ; E: r(z=1)", "YYYnn"},
    {"two sessions see two writes in different orders",
     "A: w(x=1) w(a=1) ; B: w(x=1) w(b=1) ; C: r(b=1) r(a=_) | r(x=1) ; "
     "D: r(a=1) r(b=_) | r(x=1)",
     "YYYYY"},
    {"reads of one transaction", "A: w(x=1) ; B: w(x=1) ; C: w(x=2) ; D: r(x=1) r(x=2) r(x=1)",
     "YYYYY"},
    {"reads of one transaction, twice back",
     "A: w(x=1) ; C: w(x=2) ; B: w(y=1) ; E: w(y=1) ; D: r(x=1) r(y=1) r(x=2) r(x=1)", "YnYYn"},
    {"lists that others saw",
     "A: a(l=1) ; B: a(l=2) ; C: r(l=[1 2]) | r(x=1) ; D: r(l=[2 1]) ; "
     "E: w(x=1) ; F: w(x=1)",
     "YYYnn"},
    {"needs one that may have failed", "A: w(x=1) ? ; B: w(x=1) ? ; C: r(x=1)", "YYYYY"},
    {"the one that it needs needs another", "A: r(x=1) | w(x=1) ? ; D: r(x=1) w(x=1) ?",
     "YYYnn"},
    {"the nearest one cannot have taken effect",
     "D: r(z=2) | r(z=_) w(y=1) ? ; E: w(z=2) | w(y=1) ? ; A: r(y=1)", "YYYYY"},
};

TEST(SessionChoices, SmallHistories) {
  for (const SessionCase& each : kCases) {
    SCOPED_TRACE(each.what);
    const History history = support::parse(each.text);
    for (const bool skip_guess : {false, true}) {
      std::string verdicts;
      for (const Level level : kLevels) {
        const Answer answer = search(history, level, skip_guess);
        ASSERT_TRUE(answer.proof) << info(level).name << answer.stopped;
        const std::string proof = proved(history, level, *answer.proof);
        verdicts += proof == "holds" ? "Y" : proof == "violated" ? "n" : proof;
        EXPECT_EQ(proof == "holds", oracle::brute_force_holds(history, level, 0));
      }
      EXPECT_EQ(verdicts, each.verdicts);
    }
  }
}

// Each of A's sources contradicts its own session, so no choice serves all. That takes steps
// about two sessions, which no certificate has.
TEST(SessionChoices, SessionsThatNeedDifferentTransactionsAreLeftOpen) {
  const History history = support::parse(
      "D: r(z=2) | r(z=_) w(y=1) ? ; E: r(z=2) | r(z=_) w(y=1) ? ; F: w(z=2) ; A: r(y=1)");
  const Answer answer = search(history, kMonotonicReads, false);
  EXPECT_FALSE(answer.proof);
  EXPECT_EQ(answer.stopped,
            "no choice of indeterminate transactions was found that serves all sessions");
  EXPECT_FALSE(oracle::brute_force_holds(history, kMonotonicReads, 0));
}

// At monotonic reads nothing is asked of what another session read.
TEST(SessionChoices, ClaimsAreAboutReadsThatTheLevelAsksFor) {
  const History history =
      support::parse("A: w(x=1) ; B: w(x=1) ; C: r(x=1) | r(x=_) ; D: r(x=1)");
  const Answer answer = search(history, kMonotonicReads, true);
  ASSERT_TRUE(answer.proof);
  ASSERT_EQ(proved(history, kMonotonicReads, *answer.proof), "violated");
  Refutation forged = std::get<Refutation>(*answer.proof);
  forged.session = history.session_of(txn(4));
  EXPECT_NE(proved(history, kMonotonicReads, forged), "violated");
  const TxnId reader = txn(2);
  bool any = false;
  forged = std::get<Refutation>(*answer.proof);
  for (RefutationStep& step : forged.steps) {
    for (Claim& claim : step.claims) {
      if (claim.source.txn != reader) continue;
      claim.source.txn = txn(4);
      any = true;
    }
  }
  ASSERT_TRUE(any);
  EXPECT_NE(proved(history, kMonotonicReads, forged), "violated");
}

// The order of commits serves a session with the first version that fits, and binds what
// follows to no later one.
TEST(SessionChoices, AnOrderServesSessionsWithTheFirstVersionThatFits) {
  const History history = support::parse(
      "A: w(x=1) | w(y=1) | w(x=1) ; C: r(x=1) | r(y=_) ; D: r(y=1) r(x=1) | r(x=2) ; B: "
      "w(x=2)");
  base::Budget budget;
  const infer::Observations seen = infer::observe_open(history, budget);
  ASSERT_EQ(seen.open_reads().size(), 2U);
  // A's and B's writes first: x=1, x=2, y=1, x=1. Then D's second transaction finds nothing.
  const std::vector<TxnId> order = {txn(0), txn(7), txn(1), txn(2),
                                    txn(3), txn(4), txn(5), txn(6)};
  const auto served = [&](BaseLevel base) {
    std::string text;
    for (const bool each : SessionTest(seen, base).served(order, budget))
      text += each ? 'Y' : 'n';
    return text;
  };
  EXPECT_EQ(served(BaseLevel::kMonotonicReads), "YYnY");
  EXPECT_EQ(served(BaseLevel::kReadYourWrites), "YYYY");
}

}  // namespace
}  // namespace isolde::checker
