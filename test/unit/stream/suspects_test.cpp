// The search for a violation by itself; with rounds around it in rounds_test.cpp.
#include "stream/suspects.hpp"

#include <gtest/gtest.h>

#include "support/history_dsl.hpp"

namespace isolde::stream {
namespace {

struct Outcome {
  std::string text;
  std::size_t readings = 0;
};

/// What is found where the last of the parts is a round and those from `kept` on are kept.
Outcome search(const std::vector<std::string>& texts, std::size_t kept, std::int64_t late_from,
               bool can_reread, bool guesses) {
  std::deque<NumberedPart> parts;
  std::deque<NumberedPart> all;
  TxnNumber first = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    History part = support::parse(texts[i]);
    const std::size_t count = part.txn_count();
    if (i >= kept) parts.push_back({part, first});
    all.push_back({std::move(part), first});
    first += count;
  }
  Boundary boundary;
  const History& round = all.back().history;
  std::vector<Boundary::Key> keys;
  for (std::size_t i = 0; i < round.key_count(); ++i) {
    keys.push_back(boundary.key(round, KeyId::at(i)));
  }
  std::size_t readings = 0;
  Reread reread;
  if (can_reread) {
    reread = [&](const Visit& visit) {
      ++readings;
      for (const NumberedPart& part : all) visit(part.history, part.first);
      return ok_status();
    };
  }
  CheckOptions options;
  options.levels = {Level::kStrictSerializable};
  const HistoryOrigin origin;
  base::Budget budget;
  const auto violation =
      find_violation({round, keys, late_from, parts, origin, false, nullptr, guesses}, boundary,
                     reread, options, budget);
  return {violation ? support::to_text(violation->history) : "", readings};
}

/// The same with and without a guess.
std::string found(const std::vector<std::string>& texts, std::size_t kept,
                  std::int64_t late_from = 1000, bool can_reread = true) {
  const Outcome guessed = search(texts, kept, late_from, can_reread, true);
  const Outcome plain = search(texts, kept, late_from, can_reread, false);
  EXPECT_EQ(guessed.text, plain.text);
  EXPECT_LE(guessed.readings, plain.readings);
  return guessed.text;
}

TEST(Suspects, AreReadsOfWhatIsNotThere) {
  const std::vector<std::string> parts = {"A: w(x=1) @0,1", "A: w(x=2) @2,3", "B: w(y=1) @2,3",
                                          "C: r(x=1) @4,5"};
  EXPECT_EQ(found(parts, 0), "A: w(x=1) @0,1\nA: w(x=2) @2,3\nC: r(x=1) @4,5\n");
  // The writer of what was seen is found; who replaced it is among what is kept.
  EXPECT_EQ(found(parts, 1), "A: w(x=1) @0,1\nA: w(x=2) @2,3\nC: r(x=1) @4,5\n");
  EXPECT_EQ(found(parts, 1, 1000, false), "");
  // It may have read from somebody who has not come.
  EXPECT_EQ(found(parts, 0, 5), "");
}

TEST(Suspects, AreMostlyFoundInOneReading) {
  const std::vector<std::string> parts = {
      "A: w(x=1) w(z=5) @0,1", "D: w(u=6) @1,2\nA: r(u=6) w(x=2) @2,3", "C: r(x=1) @4,5"};
  EXPECT_EQ(search(parts, 1, 1000, true, true).readings, 1U);
  EXPECT_EQ(search(parts, 1, 1000, true, false).readings, 2U);
  // Without a suspect nobody is looked for at first.
  const std::vector<std::string> round = {"Z: w(y=1) @0,1",
                                          "A: w(x=1) @1,2\nA: w(x=2) @3,4\nC: r(x=1) @5,6"};
  EXPECT_EQ(search(round, 1, 1000, true, true).readings, 1U);
}

TEST(Suspects, AreNoneWhereManyWroteTheSame) {
  std::string many;
  for (int i = 0; i < 40; ++i) {
    many += "A: w(x=1) @" + std::to_string(2 * i) + "," + std::to_string(2 * i + 1) + "\n";
  }
  EXPECT_NE(found({many, "A: w(x=2) @82,83\nC: r(x=1) @84,85"}, 1), "");
  EXPECT_EQ(found({many + "B: w(x=1) @0,_ ?", "A: w(x=2) @82,83\nC: r(x=1) @84,85"}, 1), "");
}

TEST(Suspects, MayHaveReadWhatNobodyWrote) {
  EXPECT_EQ(found({"A: w(x=1) @0,1", "B: r(x=7) @2,3"}, 1), "B: r(x=7) @2,3\n");
}

TEST(Suspects, AreNoneWhereSomebodyElseWroteTheSame) {
  const std::string stale = "A: w(x=2) @2,3\nC: r(x=1) @4,5";
  EXPECT_NE(found({"A: w(x=1) @0,1", stale}, 1), "");
  EXPECT_EQ(found({"A: w(x=1) @0,1\nB: w(x=1) @0,_ ?", stale}, 1), "");
  EXPECT_EQ(found({"start(x=1)\nB: w(x=1) @0,_ ?", stale}, 1), "");
  // Nor where the read is no suspect.
  const std::string round = "A: w(x=1) @1,2\nA: w(x=2) @3,4\nC: r(x=1) @5,6";
  EXPECT_NE(found({"Z: w(y=1) @0,_ ?", round}, 1), "");
  EXPECT_EQ(found({"Z: w(x=1) @0,_ ?", round}, 1), "");
  // Whoever aborted is no source.
  EXPECT_NE(found({"A: w(x=1) @0,1\nB: w(x=1) @0,1 !", stale}, 1), "");
}

TEST(Suspects, MayHaveReadWhatTheSourceTellsOfTheStart) {
  const std::string stale = "A: w(x=2) @2,3\nC: r(x=1) @4,5";
  const std::string both = "start(x=1)\nA: w(x=2) @2,3\nC: r(x=1) @4,5\n";
  EXPECT_EQ(found({"start(x=1)\n" + stale}, 0), both);
  EXPECT_EQ(found({"start(x=1)\nB: r(x=1) @0,1", stale}, 1), both);
  EXPECT_EQ(found({"start(x=1)", stale}, 0), both);  // a first part without transactions
  EXPECT_EQ(found({"start(x=7)\nA: w(x=2) @2,3\nC: r(x=2) @4,5"}, 0), "");
  // Unless somebody else wrote the same.
  EXPECT_EQ(found({"start(x=1)\nB: w(x=1) @0,_ ?", stale}, 1), "");
  EXPECT_EQ(found({"start(x=1)\nB: w(x=1) @0,_ ?\n" + stale}, 0), "");
  const std::string written = "start(x=1)\nA: w(x=1) @0,1\n";
  EXPECT_EQ(found({written, stale}, 1), written + stale + "\n");
  EXPECT_EQ(found({written + "B: w(x=1) @0,_ ?", stale}, 1), "");
  EXPECT_EQ(found({"B: r(x=1) @0,1", stale}, 1), "B: r(x=1) @0,1\n");
}

TEST(Suspects, AreListsThatDoNotFit) {
  // [1 2] is settled, and somebody still sees [1]; who appended 2 is looked for.
  const std::string before = "A: a(x=1) @0,1\nB: a(x=2) r(y=[]) @2,3\nC: a(z=1) @4,5";
  EXPECT_EQ(found({before, "D: r(x=[1]) @6,7"}, 1),
            "A: a(x=1) @0,1\nB: a(x=2) r(y=_) @2,3\nD: r(x=[1]) @6,7\n");
  // Nobody appended 3; of 1 it is not even known.
  EXPECT_NE(found({before, "D: r(x=[1 2 3]) @6,7"}, 1), "");
  // What was there at the start is nobody's.
  EXPECT_EQ(found({"start(x=[9])\n" + before, "D: r(x=[9 1 2]) @6,7"}, 1), "");
  EXPECT_NE(found({"start(x=[9])\n" + before, "D: r(x=[9 1]) @6,7"}, 1), "");
}

TEST(Suspects, MayBeListsThatLackWhatTheSourceTellsOfTheStart) {
  const std::string start = "start(x=[8 9])\n";
  EXPECT_EQ(found({start + "A: a(y=1) @0,1", "B: r(x=[8]) @2,3"}, 1),
            start + "B: r(x=[8]) @2,3\n");
  EXPECT_EQ(found({start + "A: a(y=1) @0,1", "B: r(x=[9 8]) @2,3"}, 1),
            start + "B: r(x=[9 8]) @2,3\n");
  EXPECT_EQ(found({start + "A: a(x=1) @0,1", "B: r(x=[1 8 9]) @2,3"}, 1),
            start + "A: a(x=1) @0,1\nB: r(x=[1 8 9]) @2,3\n");
  EXPECT_EQ(found({start + "A: a(x=1) @0,1\nC: a(x=2) @2,3", "B: r(x=[8 9 1]) @4,5"}, 1),
            start + "A: a(x=1) @0,1\nC: a(x=2) @2,3\nB: r(x=[8 9 1]) @4,5\n");
  EXPECT_EQ(found({start + "A: a(x=1) @0,1\nB: r(x=[8 9 1]) @2,3"}, 0), "");
  // Nobody has to have appended what was there, and who did is another one.
  EXPECT_EQ(found({start + "A: a(x=9) @0,1", "B: r(x=[8 9 9]) @2,3"}, 1), "");
  EXPECT_NE(found({start + "A: a(x=9) @0,1", "B: r(x=[8 9]) @2,3"}, 1), "");
  EXPECT_EQ(found({start + "A: a(x=9) @0,1\nC: a(x=8) @0,_ ?", "B: r(x=[8 9 9 8]) @2,3"}, 1),
            "");
  // Who is left out takes along what he appended, unless it looks like what was there.
  const auto with = [&](const std::string& element) {
    const std::string whole = start + "A: a(x=" + element + ") @0,1\nE: a(x=5) @2,3\n";
    const std::string rest = "C: a(y=1) @4,5\nD: r(y=[]) r(x=[8 9 " + element + " 5]) @6,7";
    return found({whole, rest}, 1);
  };
  EXPECT_EQ(with("7"),
            start + "E: a(x=5) @2,3\nC: a(y=1) @4,5\nD: r(y=[]) r(x=[8 9 5]) @6,7\n");
  EXPECT_EQ(with("8"), start + "A: a(x=8) @0,1\nE: a(x=5) @2,3\nC: a(y=1) @4,5\n" +
                           "D: r(y=[]) r(x=[8 9 8 5]) @6,7\n");
}

TEST(Suspects, MayHaveReadFromOneOfUnknownOutcome) {
  const std::string writer = "A: w(x=1) ? @0,_\n";
  const std::string stale = "C: w(x=2) @4,5\nD: r(x=1) @6,7";
  // That it took effect before is known of somebody who read it long ago.
  EXPECT_EQ(found({writer + "B: r(x=1) r(y=7) @1,2\nZ: r(x=1) @1,3", stale}, 1),
            writer + "B: r(x=1) r(y=?) @1,2\n" + stale + "\n");
  EXPECT_EQ(found({writer + "Z: w(y=1) @1,2", stale}, 1), "");
  EXPECT_EQ(found({writer + "B: r(x=1) ! @1,2", stale}, 1), "");
}

TEST(Suspects, AreNoneWhereSomebodyElseAppendedTheSame) {
  const std::string stale = "A: a(x=2) @2,3\nC: r(x=[1]) @4,5";
  EXPECT_NE(found({"A: a(x=1) @0,1", stale}, 1), "");
  EXPECT_EQ(found({"A: a(x=1) @0,1\nB: a(x=1) @0,_ ?", stale}, 1), "");
  // Nor is it he who made the list that was there.
  EXPECT_EQ(found({"start(x=[1])\nB: a(x=1) @0,_ ?", stale}, 1),
            "start(x=[1])\nB: a(x=1) ? @0,_\n" + stale + "\n");
}

TEST(Suspects, TellNothingOfReadsInPart) {
  // That it is not 2 leaves it open whose it is.
  EXPECT_EQ(found({"A: w(x=1) @0,1", "B: w(x=2) @2,3\nC: r(x=<>2) @4,5"}, 1), "");
}

}  // namespace
}  // namespace isolde::stream
