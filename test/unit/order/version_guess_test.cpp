// Goal: guesses put versions in the order of the ends, or in the order that reads and sessions
// show; and say which orders follow. Method: hand histories.
#include "order/version_guess.hpp"

#include <gtest/gtest.h>

#include "order/simulation.hpp"
#include "support/proved.hpp"

namespace isolde::checker {
namespace {

using infer::WriteId;
using test::Observed;

/// Writers of the first key in the order of their versions, "!" in front of those whose place
/// is forced.
std::string versions(const Observed& observed, const VersionGuess& guess) {
  WriteId at = observed.seen.writes_of(test::key(0)).front();
  while (guess.neighbours[at.raw()].before.is_some()) at = guess.neighbours[at.raw()].before;
  std::string text;
  for (; at.is_some(); at = guess.neighbours[at.raw()].after) {
    const bool forced = !guess.forced.empty() && guess.forced[at.raw()];
    text += (text.empty() ? "" : " ") + std::string(forced ? "!" : "") +
            std::to_string(observed.seen.writer(at).raw());
  }
  return text;
}

std::string by_time(const char* text) {
  const Observed observed(text);
  base::Budget budget;
  return versions(observed, guess_by_time(observed.seen, budget));
}

std::string by_sessions(const char* text) {
  const Observed observed(text);
  base::Budget budget;
  return versions(observed, guess_by_sessions(observed.seen, budget));
}

TEST(VersionGuess, FollowsEnds) {
  EXPECT_EQ(by_time("A: w(x=1) @1,9 ; B: w(x=2) @2,8 ; C: w(x=3) @3,4"), "2 1 0");
  EXPECT_EQ(by_time("A: a(x=1) @1,9 ; B: a(x=2) @2,8 ; C: r(x=[1]) @3,4"), "0 1");
}

TEST(VersionGuess, TakesEffectsOfUnknownMomentsForAsSoonAsThoseOfOthers) {
  EXPECT_EQ(by_time("A: w(x=1) ? @1,_ ; B: w(x=2) @2,4 ; C: r(x=1) @20,29"), "1 0");
  EXPECT_EQ(by_time("A: w(x=1) ? @1,_ ; B: w(x=2) @5,9 ; C: r(x=1) @20,22"), "0 1");
  // Whoever read from it ended behind it.
  const char* const read =
      "A: w(x=1) ? @1,_ ; B: r(x=1) @2,3 ; C: w(x=2) @3,4 ; D: w(y=1) @5,99";
  EXPECT_EQ(by_time(read), "0 2");
  EXPECT_EQ(by_time("A: w(x=1) ? @1,_ ; B: r(x=1) ? @2,_ ; C: w(x=2) @3,4 ; D: r(x=1) @5,99"),
            "2 0");
}

TEST(VersionGuess, FollowsSessionsAndReads) {
  EXPECT_EQ(by_sessions("A: w(x=1) | w(x=2)"), "0 !1");
  EXPECT_EQ(by_sessions("A: w(x=1) ; B: r(x=1) w(x=2)"), "0 !1");
  // A reader of the one comes behind the writer of the other.
  EXPECT_EQ(by_sessions("A: w(x=1) ; B: w(x=2) w(y=1) ; C: r(y=1) | r(x=1)"), "1 !0");
  // What that shows shows more: the readers of B's x come before A's write, so its z is older.
  EXPECT_EQ(by_sessions("A: w(z=1) ; B: w(x=2) w(y=1) ; C: r(y=1) | r(x=1) ; D: w(x=1) | "
                        "w(z=2) ; E: r(x=2) r(z=1)"),
            "0 !5");
}

TEST(VersionGuess, ExchangesNeighbours) {
  const Observed observed("A: w(x=1) @1,2 ; B: w(x=2) @3,4 ; C: w(x=3) @5,6");
  base::Budget budget;
  VersionGuess guess = guess_by_time(observed.seen, budget);
  guess.exchange(observed.seen.find_write(test::txn(2), test::key(0)));
  EXPECT_EQ(versions(observed, guess), "0 2 1");
  guess.exchange(observed.seen.find_write(test::txn(2), test::key(0)));
  EXPECT_EQ(versions(observed, guess), "2 0 1");
}

TEST(Simulation, RunsAStore) {
  const Observed observed("A: w(x=1) | w(x=2) ; B: r(x=1) ; C: w(z=1) !");
  base::Budget budget;
  const std::vector<TxnId> order = simulate(observed.seen, budget);
  EXPECT_EQ(order, (std::vector<TxnId>{test::txn(0), test::txn(2), test::txn(1)}));
  const Observed circle("A: w(x=1) r(y=1) ; B: r(x=1) w(y=1)");
  EXPECT_TRUE(simulate(circle.seen, budget).empty());
}

TEST(Simulation, KnowsMoments) {
  const Observed timed("A: w(x=1) @1,9 ; B: w(x=2) @3,_");
  EXPECT_EQ(moment_of(*timed.history, test::txn(0), false), 1);
  EXPECT_EQ(moment_of(*timed.history, test::txn(0), true), 9);
  EXPECT_EQ(moment_of(*timed.history, test::txn(1), true), 3);
  const Observed paced("A: w(x=1) | w(x=2) ; B: w(x=3)");
  EXPECT_LT(moment_of(*paced.history, test::txn(2), true),
            moment_of(*paced.history, test::txn(1), true));
}

}  // namespace
}  // namespace isolde::checker
