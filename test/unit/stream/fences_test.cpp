// Goal: what comes before all that is yet to come is known by paths through fences alone.
// Method: small histories whose fences use the key f.
#include "stream/fences.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "stream/rounds.hpp"
#include "support/history_dsl.hpp"

namespace isolde::stream {
namespace {

std::string marks_of(const std::vector<bool>& marked) {
  std::string marks;
  for (const bool is_marked : marked) marks += is_marked ? 'x' : '-';
  return marks;
}

/// Which transactions come before all that is yet to come, as "x-" for the first of two.
std::string reached(std::string_view text, std::int64_t session_timeout_ns = 0) {
  const History open = support::parse(text);
  Fences fences("f", session_timeout_ns);
  EXPECT_TRUE(fences.take(open));
  return marks_of(fences.reached(open));
}

TEST(Fences, SettleWhatComesBeforeThatOfEverySession) {
  EXPECT_EQ(reached("A: r(f=_) w(f=1) | w(x=1) | r(f=1) w(f=2) | w(x=2)\n"), "xxx-");
  // B has seen the first one only.
  EXPECT_EQ(reached("A: r(f=_) w(f=1) | w(x=1) | r(f=2) w(f=3)\n"
                    "B: r(f=1) w(f=2) | w(y=1)"),
            "x--x-");
  EXPECT_EQ(reached("A: r(f=_) w(f=1) | w(x=1) | r(f=2) w(f=3)\n"
                    "B: r(f=1) w(f=2) | w(y=1) | r(f=3) w(f=4) | w(y=2)"),
            "xxxx---")
      << "B's write comes before its own fence alone";
}

// Goal: a path is known by fences alone. Method: B has read what A wrote behind its second
// fence, or, as far as anybody knows, what one wrote who is settled.
TEST(Fences, SettleByNoOtherRead) {
  EXPECT_EQ(reached("A: r(f=_) w(f=1) | w(x=1) | r(f=2) w(f=3) | w(x=2)\n"
                    "B: r(f=1) w(f=2) | w(y=1) | r(x=2)"),
            "x---x--");
  EXPECT_EQ(reached("A: r(f=_) w(f=1) | w(x=1) | r(f=2) w(f=3) | w(x=2)\n"
                    "B: r(f=1) w(f=2) | w(y=1)\n"
                    "C: nop"),
            "x---x--")
      << "who never made a fence holds nothing back";
}

TEST(Fences, AreTransactionsThatReadAndThenWrite) {
  EXPECT_EQ(reached("A: w(f=1) | w(x=1)"), "--");
  EXPECT_EQ(reached("A: r(f=_) | w(x=1)"), "--");
  EXPECT_EQ(reached("A: w(f=1) r(f=1) | w(x=1)"), "--");
  EXPECT_EQ(reached("A: r(g=_) w(g=1) | w(x=1)"), "--");
  EXPECT_EQ(reached("A: r(f=7) w(f=1) | w(x=1)"), "--") << "nobody knows what came before";
}

TEST(Fences, SettleNothingBehindAFork) {
  const std::string text =
      "A: r(f=_) w(f=1) | w(x=1) | r(f=2) w(f=3)\n"
      "B: r(f=1) w(f=2) | r(f=3) w(f=4)\n"
      "C: r(f=3) w(f=5) | w(z=1)";
  const History open = support::parse(text);
  Fences fences("f", 0);
  EXPECT_TRUE(fences.take(open));
  EXPECT_EQ(marks_of(fences.reached(open)), "xxxx---");
  EXPECT_TRUE(fences.is_forked());
  EXPECT_EQ(reached("A: r(f=_) w(f=1)\nB: r(f=_) w(f=2)"), "--");
}

TEST(Fences, OfUnknownOutcomeAreNoneUnlessSomebodyHasReadThem) {
  // C's took no effect, as far as anybody knows, and C is gone.
  EXPECT_EQ(reached("A: r(f=_) w(f=1) | w(x=1) | r(f=1) w(f=3)\nC: r(f=1) w(f=2) ?"), "xxx-");
  EXPECT_EQ(reached("A: r(f=_) w(f=1) | w(x=1) | r(f=2) w(f=3)\nC: r(f=1) w(f=2) ?"), "xxxx");
  EXPECT_EQ(reached("A: r(f=_) w(f=1) ! | w(x=1)"), "--");
}

TEST(Fences, HoldBackForSessionsThatAreThere) {
  const std::string before =
      "A: r(f=_) w(f=1) @0,1 | w(x=1) @2,3 | r(f=2) w(f=3) @100,101\n"
      "B: r(f=1) w(f=2) @1,2";
  EXPECT_EQ(reached(before), "x--x");
  EXPECT_EQ(reached(before, 99), "x--x");
  EXPECT_EQ(reached(before, 98), "xxxx");
  // The part before has all of B, so nothing more is reached.
  Fences fences("f", 0);
  EXPECT_TRUE(fences.take(support::parse("B: r(f=_) w(f=1)")));
  EXPECT_TRUE(fences.take(support::parse("A: r(f=1) w(f=2) | w(x=1)")));
  EXPECT_EQ(marks_of(fences.reached(support::parse("A: r(f=_) w(f=2) | w(x=1)"))), "--");
}

TEST(Fences, TellWhoBeginsWithoutOne) {
  const auto has_strays = [](std::string_view text, std::int64_t session_timeout_ns = 0) {
    Fences fences("f", session_timeout_ns);
    EXPECT_TRUE(fences.take(support::parse(text)));
    return fences.has_strays();
  };
  EXPECT_FALSE(has_strays("A: w(x=1) ! | r(f=_) w(f=1) | w(x=2)"));
  EXPECT_TRUE(has_strays("A: r(f=_) w(f=1)\nB: w(x=1)"));
  EXPECT_TRUE(has_strays("A: r(f=_) w(f=1)\nB: w(x=1) ?"));
  EXPECT_FALSE(has_strays("A: r(f=_) w(f=1)\nB: r(f=1) w(f=2) ?"));
  const std::string silent = "A: r(f=_) w(f=1) @0,1 | w(x=1) @2,3\nA: w(x=2) @50,60";
  EXPECT_FALSE(has_strays(silent));
  // By what others have come to.
  const std::string others = "A: r(f=_) w(f=1) @0,1\nB: r(f=1) w(f=2) @50,60\nA: w(x=2) @61,62";
  EXPECT_FALSE(has_strays(others));
  EXPECT_TRUE(has_strays(others, 58));
  EXPECT_FALSE(has_strays(others, 59));
  EXPECT_TRUE(
      has_strays("A: r(f=_) w(f=1) @0,1\nB: r(f=1) w(f=2) @50,60\nA: r(f=2) w(f=3) @61,62", 58))
      << "what it has done last may come late";
}

TEST(Fences, KnowNothingOfASessionThatGoesOnBehindAnUnknownOutcome) {
  Fences fences("f", 0);
  EXPECT_FALSE(fences.take(support::parse("A: w(x=1) ? | w(x=2)")));
  Fences others("f", 0);
  EXPECT_TRUE(others.take(support::parse("A: w(x=1) ? | w(x=2) !\nB: w(x=3)")));
  EXPECT_FALSE(others.take(support::parse("A: w(y=1)")));
}

std::string waiting(std::string_view text, const std::string& reached) {
  std::vector<bool> marks;
  for (const char mark : reached) marks.push_back(mark == 'x');
  return marks_of(held_back(support::parse(text), marks));
}

TEST(HeldBackByFences, IsWhoReadWhatNobodyWroteAndWhoComesBehind) {
  const std::string text =
      "A: r(x=1) w(y=1) | w(z=1)\nB: r(y=1)\nC: r(z=1) | r(x=_)\nD: w(u=1)";
  EXPECT_EQ(waiting(text, "------"), "xxxxx-");
  EXPECT_EQ(waiting(text, "x-----"), "------") << "nobody is yet to come who wrote it";
  EXPECT_EQ(waiting("A: r(x=1)\nB: w(x=1) !", "--"), "--") << "that is what it read";
  EXPECT_EQ(waiting("A: r(x=1) !\nA: r(y=2) w(z=1) | r(y=_) ! | w(u=1)", "----"), "-x-x");
  EXPECT_EQ(waiting("A: r(x=[1 2])\nB: a(x=2)", "--"), "x-");
  EXPECT_EQ(waiting("B: r(z=1)\nA: r(x=9) w(z=1)", "--"), "xx");
}

std::string first(std::string_view text, const std::vector<std::size_t>& order, int mentions,
                  const std::string& may, bool keeps_writers_apart = false) {
  Witness witness;
  witness.mentions = mentions;
  for (const std::size_t txn : order) witness.order.push_back(TxnId::at(txn));
  std::vector<bool> may_settle;
  for (const char mark : may) may_settle.push_back(mark == 'x');
  const SettledFirst found =
      settled_first(support::parse(text), witness, keeps_writers_apart, may_settle);
  std::string out;
  for (std::size_t i = 0; i < found.witness.order.size(); ++i) {
    if (i == found.settled.count) out += '|';
    out += static_cast<char>('a' + found.witness.order[i].raw());
  }
  for (std::size_t t = 0; t < found.settled.begun.size(); ++t) {
    if (found.settled.begun[t]) out += std::string(" ") + static_cast<char>('a' + t);
  }
  return out;
}

TEST(SettledFirst, PassesThoseOfWhomNothingDepends) {
  const std::string text = "A: w(x=1)\nB: w(y=1)\nC: r(y=1)\nD: w(z=1)";
  EXPECT_EQ(first(text, {0, 1, 2, 3}, 1, "xxxx"), "abcd");
  EXPECT_EQ(first(text, {0, 1, 2, 3}, 1, "-xxx"), "bcd|a");
  EXPECT_EQ(first(text, {0, 1, 2, 3}, 1, "x-xx"), "ad|bc");
}

TEST(SettledFirst, KeepsTheOrderOfEachKeyAndSession) {
  EXPECT_EQ(first("A: w(x=1)\nB: w(x=2)\nC: w(y=1)", {0, 1, 2}, 1, "-xx"), "c|ab");
  EXPECT_EQ(first("A: r(x=_)\nB: w(x=2)\nC: r(x=2)", {0, 1, 2}, 1, "-xx"), "|abc");
  EXPECT_EQ(first("A: r(x=_)\nB: r(x=_)", {0, 1}, 1, "-x"), "b|a");
  EXPECT_EQ(first("A: w(x=1) | w(y=1)\nB: w(z=1)", {0, 1, 2}, 1, "-xx"), "c|ab");
  EXPECT_EQ(first("A: a(x=1)\nB: r(x=[1])\nC: a(x=2)", {0, 1, 2}, 1, "x-x"), "a|bc");
}

TEST(SettledFirst, CutsBetweenSnapshotAndCommit) {
  const std::string text = "A: r(x=_) w(y=1)\nB: r(y=_) w(x=1)\nC: r(x=1)";
  EXPECT_EQ(first(text, {0, 1, 0, 1, 2, 2}, 2, "xxx"), "ababcc");
  EXPECT_EQ(first(text, {0, 1, 0, 1, 2, 2}, 2, "-xx"), "b|aabcc b");
  EXPECT_EQ(first(text, {0, 1, 0, 1, 2, 2}, 2, "xx-"), "abab|cc");
  // It may not have been there at all.
  EXPECT_EQ(first("A: r(x=_) w(y=1)\nB: r(y=_) w(x=1) ?", {0, 1, 0, 1}, 2, "-x"), "|abab");
  const std::string writers = "A: w(x=1)\nB: r(y=_) w(x=2)";
  EXPECT_EQ(first(writers, {0, 1, 0, 1}, 2, "-x"), "b|aab b");
  EXPECT_EQ(first(writers, {0, 0, 1, 1}, 2, "-x"), "b|aab b");
  EXPECT_EQ(first(writers, {0, 0, 1, 1}, 2, "-x", true), "|aabb");
}

/// How many are settled, and the verdict, after each part and at the end.
std::string rounds(const std::vector<std::string>& parts, RoundsOptions options = {}) {
  if (info(options.level).real_time) options.level = Level::kStrongSessionSerializable;
  options.fence = "f";
  if (options.left_open == RoundsOptions().left_open) options.left_open = 0;
  base::Budget budget;
  Rounds rounds(options, budget);
  std::vector<NumberedPart> taken;
  rounds.reread = [&](const Visit& visit) {
    for (const NumberedPart& part : taken) visit(part.history, part.first);
    return ok_status();
  };
  std::string out;
  const auto note = [&] {
    out +=
        std::to_string(rounds.settled()) +
        (rounds.verdict() == Verdict::kHolds ? " " : std::string(name(rounds.verdict())) + " ");
  };
  for (const std::string& part : parts) {
    taken.push_back({support::parse(part), rounds.txn_count()});
    rounds.take(support::parse(part), kNoTime);
    note();
  }
  rounds.finish();
  note();
  return out + rounds.reason();
}

TEST(RoundsByFences, SettleWithoutTimes) {
  EXPECT_EQ(rounds({"A: r(f=_) w(f=1) | w(x=1)\nB: r(f=1) w(f=2)", "A: r(f=2) w(f=3)",
                    "B: r(f=3) w(f=4) | r(x=1)"}),
            "1 2 4 6 ");
  // Of what is missing somebody may still tell.
  EXPECT_EQ(rounds({"A: r(f=_) w(f=1)\nB: r(f=1) w(f=2) | r(x=1) | r(f=2) w(f=3)",
                    "A: w(x=1) | r(f=3) w(f=4)", "B: r(f=4) w(f=5)"}),
            "1 2 6 7 ");
}

TEST(RoundsByFences, TellAReadOfWhatNobodyWroteOnceNobodyCanHave) {
  EXPECT_EQ(rounds({"A: r(f=_) w(f=1)\nB: r(f=1) w(f=2) | r(x=1) | r(f=2) w(f=3)",
                    "A: r(f=3) w(f=4)", "B: r(f=4) w(f=5)"}),
            "1 1violated 1violated 1violated ");
  // Where somebody came without a fence, only the end tells.
  EXPECT_EQ(rounds({"A: r(f=_) w(f=1)\nB: r(f=1) w(f=2) | r(x=1) | r(f=2) w(f=3)\nC: w(y=1)",
                    "A: r(f=3) w(f=4)"}),
            "1 1 1violated ");
}

// Goal: where updates may be lost, one who comes late may stand before a fence that others have
// read. Method: N does, at a level that allows it and at one that does not.
TEST(RoundsByFences, TellViolationsAtTheEndWhereFencesMayFork) {
  const std::vector<std::string> parts = {
      "A: r(f=_) w(f=1) | r(x=7) | r(f=2) w(f=3)\nB: r(f=1) w(f=2) | r(f=3) w(f=4)",
      "N: r(f=1) w(f=9) | w(x=7)"};
  RoundsOptions options;
  options.level = Level::kStrongSessionPrefixConsistency;
  EXPECT_EQ(rounds(parts, options).find("violated"), std::string::npos)
      << rounds(parts, options);
  EXPECT_NE(rounds({parts[0]}, options).find("violated"), std::string::npos)
      << rounds({parts[0]}, options);
  EXPECT_NE(rounds(parts).find("violated"), std::string::npos) << rounds(parts);
}

// Goal: what nobody has a fence behind is waited for. Method: B's read of what A aborted, with
// many parts before the fence that reaches it.
TEST(RoundsByFences, WaitForTheFenceBehindWhatDoesNotFit) {
  std::vector<std::string> parts = {"A: r(f=_) w(f=1) | w(x=1) !\nB: r(f=1) w(f=2) | r(x=1)"};
  for (int i = 0; i < 5; ++i) parts.push_back("A: w(y=" + std::to_string(i) + ")");
  RoundsOptions options;
  options.left_open = 100;  // so that there are rounds in between
  const std::string before = rounds(parts, options);
  parts.push_back("A: r(f=2) w(f=3)\nB: r(f=3) w(f=4)");
  parts.push_back("A: r(f=4) w(f=5)");
  const std::string all = rounds(parts, options);
  EXPECT_EQ(all.find("unknown"), std::string::npos) << all;
  EXPECT_NE(all.find("violated"), std::string::npos) << all;
  EXPECT_NE(before.find("violated"), std::string::npos) << "at the end: " << before;
}

TEST(RoundsByFences, DoNotWaitForTheDead) {
  const std::vector<std::string> parts = {
      "A: r(f=_) w(f=1) @0,1\nB: r(f=1) w(f=2) @2,3 | w(x=1) @4,5",
      "B: r(f=2) w(f=3) @100,101 | w(x=2) @102,103", "B: w(x=3) @200,201"};
  EXPECT_EQ(rounds(parts), "1 1 1 6 ");
  RoundsOptions options;
  options.session_timeout_ns = 150;
  EXPECT_EQ(rounds(parts, options), "1 1 4 6 ");
  // What A has done last came late: so nothing was violated.
  const std::vector<std::string> late = {
      "A: r(f=_) w(f=1) @0,1\nB: r(f=1) w(f=2) @2,3 | r(x=1) @60,61",
      "B: r(f=2) w(f=3) @200,201 | w(y=1) @202,203", "A: w(x=1) @50,51"};
  EXPECT_EQ(rounds(late, options).find("violated"), std::string::npos) << rounds(late, options);
}

// Goal: how far clocks may be off is told where times count, and blamed where it is why.
TEST(RoundsByFences, TellClocksOnlyWhereTimesCount) {
  base::Budget budget;
  RoundsOptions options;
  options.level = Level::kStrongSessionSerializable;
  Rounds by_times(options, budget);
  by_times.raise_clock_error(10);
  EXPECT_EQ(by_times.clock_error_ns(), 10);
  by_times.take(support::parse("A: w(x=1) @0,1 | w(x=2) @5,6"), kNoTime);
  EXPECT_NE(by_times.reason().find("sooner than its clock may be off"), std::string::npos)
      << by_times.reason();
  options.fence = "f";
  Rounds by_fences(options, budget);
  by_fences.raise_clock_error(10);
  EXPECT_EQ(by_fences.clock_error_ns(), 0);
}

TEST(RoundsByFences, KeepTheOrderOfSessions) {
  EXPECT_EQ(rounds({"A: r(f=_) w(f=1) | w(x=1) | w(x=2)\nB: r(f=1) w(f=2) | r(x=2) | r(x=1)"}),
            "0 0violated ");
  EXPECT_EQ(
      rounds({"A: w(x=1) ? | w(x=2)"}),
      "0unknown 0unknown a session goes on behind a transaction of unknown outcome, which may "
      "take effect later and yet comes before in the session");
}

}  // namespace
}  // namespace isolde::stream
