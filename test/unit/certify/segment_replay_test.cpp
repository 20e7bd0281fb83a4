// What the verifier of segments accepts and what it objects to. That it agrees with the
// verifier of whole witnesses is in test/prop/stream_prop.cpp.
#include "certify/segment_replay.hpp"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <string>
#include <vector>

#include "isolde/history_builder.hpp"
#include "support/history_dsl.hpp"

namespace isolde::certify {
namespace {

using Order = std::vector<std::uint64_t>;

/// The first objection to all parts, then the orders one after the other, then the end.
std::string objection(const std::vector<std::string>& parts, const std::vector<Order>& orders,
                      std::int64_t clock_error_ns = 0,
                      Level level = Level::kStrictSerializable) {
  SegmentReplay replay(level, clock_error_ns);
  std::string objection;
  for (const std::string& part : parts) {
    if (objection.empty()) objection = replay.take(support::parse(part));
  }
  for (const Order& order : orders) {
    if (objection.empty()) objection = replay.place(order);
  }
  return objection.empty() ? replay.finish() : objection;
}

TEST(SegmentReplay, TakesAnOrderThatExplainsWhatWasRead) {
  const std::vector<std::string> parts = {"A: w(x=1) @0,10\nB: w(x=2) r(x=2) @0,20",
                                          "C: r(x=1) @5,30\nC: r(x=2) w(x=3) @31,40"};
  EXPECT_EQ(objection(parts, {{0, 2}, {1, 3}}), "");
  EXPECT_EQ(objection(parts, {{0, 2, 1, 3}}), "");
  EXPECT_EQ(objection(parts, {{1, 0, 2, 3}}), "transaction 4 did not read what x holds there");
}

TEST(SegmentReplay, KeepsRealTimeBeyondTheClockError) {
  const std::vector<std::string> parts = {
      "A: w(x=1) @0,10\nB: w(x=2) @15,20\nC: r(x=1) @30,40"};
  EXPECT_EQ(objection(parts, {{1, 0, 2}}),
            "transaction 1 ended before one started that comes before it in the order, against "
            "real time");
  EXPECT_EQ(objection(parts, {{1, 0, 2}}, 4),
            "transaction 1 ended before one started that comes before it in the order, against "
            "real time");
  EXPECT_EQ(objection(parts, {{1, 0, 2}}, 5), "");
}

TEST(SegmentReplay, ReadsAtTheSnapshotAndWritesAtTheCommit) {
  const std::vector<std::string> parts = {
      "A: r(x=_) w(y=1) @0,10\nB: r(y=_) w(x=1) r(x=1) @0,30\nC: r(x=1) r(y=1) @20,40"};
  const Level si = Level::kStrongSnapshotIsolation;
  EXPECT_EQ(objection(parts, {{0}, {1, 0}, {1, 2, 2}}, 0, si), "");
  EXPECT_EQ(objection(parts, {{1, 0, 0, 1, 2, 2}}, 0, si), "");
  EXPECT_EQ(objection(parts, {{0, 0, 1, 1, 2, 2}}, 0, si),
            "transaction 2 did not read what y holds there");
  EXPECT_EQ(objection(parts, {{0, 1, 0, 2, 1, 2}}, 0, si),
            "transaction 3 did not read what x holds there");
  EXPECT_EQ(objection(parts, {{0, 1, 1, 0, 2}}, 0, si),
            "1 transaction of the order did not commit in it");
  // C started after A had ended.
  const std::vector<std::string> late = {"A: w(y=1) @0,10\nC: r(y=_) @20,40"};
  EXPECT_EQ(objection(late, {{0, 1, 0, 1}}, 0, si),
            "transaction 1 ended before one started that comes before it in the order, against "
            "real time");
  EXPECT_EQ(objection(late, {{0, 1, 0, 1}}, 10, si), "");
}

TEST(SegmentReplay, KeepsTheOrderOfSessionsInPlaceOfRealTime) {
  const Level level = Level::kStrongSessionSerializable;
  const std::vector<std::string> parts = {"A: w(x=1) @0,10\nB: w(y=2) @15,20\nA: w(z=1) @30,40",
                                          "B: w(u=1) @50,60\nA: w(v=1) @70,80"};
  const std::string wrong =
      " comes before an earlier one of its session has committed, or behind a later one";
  EXPECT_EQ(objection(parts, {{0, 1, 2, 3, 4}}, 0, level), "");
  EXPECT_EQ(objection(parts, {{1, 3, 0}, {2, 4}}, 0, level), "");
  EXPECT_EQ(objection(parts, {{2, 0, 1, 3, 4}}, 0, level), "transaction 1" + wrong);
  EXPECT_EQ(objection(parts, {{0, 1, 4, 2, 3}}, 0, level), "transaction 3" + wrong);
  EXPECT_EQ(objection({"A: w(x=1)\nB: w(y=2)\nA: w(z=1)"}, {{1, 0, 2}}, 0, level), "");
  const Level si = Level::kStrongSessionSnapshotIsolation;
  EXPECT_EQ(objection(parts, {{0, 1, 0, 2, 1, 2}, {3, 4, 3, 4}}, 0, si), "");
  EXPECT_EQ(objection(parts, {{0, 2, 0, 2, 1, 1}, {3, 4, 3, 4}}, 0, si),
            "transaction 3" + wrong);
  const std::vector<std::string> one = {"A: w(x=1)\nA: w(x=2) ?\nB: w(y=1)"};
  EXPECT_EQ(objection(one, {{1, 0, 2}}, 0, level), "transaction 1" + wrong);
}

// Those of which others of the part have a place long before.
TEST(SegmentReplay, KnowsSessionsOfThoseThatComeLate) {
  std::string part = "A: w(x=1)\nA: w(x=2)";
  Order most;
  for (std::uint64_t i = 0; i < 40; ++i) {
    part += "\nB: w(y=" + std::to_string(i) + ")";
    most.push_back(2 + i);
  }
  const Level level = Level::kStrongSessionSerializable;
  SegmentReplay replay(level, 0);
  EXPECT_EQ(replay.take(support::parse(part)), "");
  EXPECT_EQ(replay.place(most), "");
  EXPECT_EQ(replay.take(support::parse("C: w(z=1)")), "");
  const Order wrong = {1, 0};
  EXPECT_NE(replay.place(wrong), "");
}

TEST(SegmentReplay, LetsNoTwoThatOverlapWriteOneKey) {
  const std::vector<std::string> parts = {"A: r(x=_) w(x=1) @0,10\nB: r(x=_) w(x=2) @0,10"};
  EXPECT_EQ(objection(parts, {{0, 1, 0, 1}}, 0, Level::kStrongSnapshotIsolation),
            "transaction 2 overlaps another one that wrote x");
  EXPECT_EQ(objection(parts, {{0, 1, 0, 1}}, 0, Level::kStrongPrefixConsistency), "");
}

TEST(SegmentReplay, WantsEveryTransactionThatCommittedOnce) {
  const std::vector<std::string> parts = {
      "A: w(x=1) @0,10\nB: w(x=2) ! @0,20\nC: w(x=3) ? @0,20"};
  EXPECT_EQ(objection(parts, {{0}}), "");
  EXPECT_EQ(objection(parts, {{0, 2}}), "");
  EXPECT_EQ(objection(parts, {{2}}), "1 transaction that committed has no place in the order");
  EXPECT_EQ(objection(parts, {{0, 0}}),
            "transaction 1 has a place already, or takes no effect");
  EXPECT_EQ(objection(parts, {{0, 1}}),
            "transaction 2 has a place already, or takes no effect");
  EXPECT_EQ(objection(parts, {{3}}), "transaction 4 has not come");
}

TEST(SegmentReplay, RemembersWhatIsLeftOfOldParts) {
  std::string many = "A: w(x=0) @0,1000\n";
  Order rest;
  for (int i = 1; i < 40; ++i) {
    many += "B: w(y=" + std::to_string(i) + ") @" + std::to_string(2 * i) + "," +
            std::to_string(2 * i + 1) + "\n";
    rest.push_back(static_cast<std::uint64_t>(i));
  }
  SegmentReplay replay(Level::kStrictSerializable, 0);
  ASSERT_EQ(replay.take(support::parse(many)), "");
  ASSERT_EQ(replay.place(rest), "");
  // Only now the first part is nearly empty.
  ASSERT_EQ(replay.take(support::parse("C: r(y=39) w(y=a) @500,600")), "");
  ASSERT_EQ(replay.take(support::parse("C: r(x=0) r(y=a) @700,800")), "");
  const Order early{5};
  EXPECT_EQ(SegmentReplay(replay).place(early),
            "transaction 6 has a place already, or takes no effect");
  const Order last{40, 0, 41};
  EXPECT_EQ(SegmentReplay(replay).place(Order{40, 0, 0}),
            "transaction 1 has a place already, or takes no effect");
  EXPECT_EQ(SegmentReplay(replay).place(Order{40, 41}),
            "transaction 42 did not read what x holds there");
  EXPECT_EQ(replay.place(last), "");
  EXPECT_EQ(replay.finish(), "");
  EXPECT_EQ(replay.placed(), 42U);
  EXPECT_EQ(replay.came(), 42U);
}

TEST(SegmentReplay, TakesUnknownContentsFromTheFirstRead) {
  const History history = support::parse(
      "start(k=3)\nA: r(x=?) r(x=5) r(y=_) @0,9\nB: r(x=5) r(k=3) @0,9\nC: w(x=6) @0,9\n"
      "D: r(x=6) @0,9\nE: r(x=5) @0,9\nF: r(y=1) @0,9\nG: r(k=4) @0,9");
  const auto objection = [&](std::vector<std::uint64_t> order) {
    SegmentReplay replay(Level::kStrictSerializable, 0, true);
    EXPECT_EQ(replay.take(history), "");
    return replay.place(order);
  };
  EXPECT_EQ(objection({0, 1, 2, 3}), "");
  EXPECT_EQ(objection({2, 3}), "");
  EXPECT_EQ(objection({2, 0}), "transaction 1 did not read what x holds there");
  EXPECT_EQ(objection({0, 2, 4}), "transaction 5 did not read what x holds there");
  EXPECT_EQ(objection({0, 5}), "transaction 6 did not read what y holds there");
  EXPECT_EQ(objection({0, 6}), "transaction 7 did not read what k holds there");
  SegmentReplay replay(Level::kStrictSerializable, 0);
  EXPECT_EQ(replay.take(history), "");
  EXPECT_EQ(replay.place(std::vector<std::uint64_t>{0}),
            "transaction 1 did not read what x holds there");
}

TEST(SegmentReplay, TakesWhatListsBeganWithFromTheFirstRead) {
  const History history = support::parse(
      "start(k=[3])\nA: a(x=1) @0,9\nB: r(x=[7 8 1]) @0,9\nC: a(x=2) r(x=[7 8 1 2]) @0,9\n"
      "D: r(x=[8 1]) r(k=[3]) @0,9\nE: r(x=[]) @0,9\nF: r(k=[5 3]) @0,9\nG: r(x=_) a(x=4) "
      "@0,9");
  const auto objection = [&](std::vector<std::uint64_t> order) {
    SegmentReplay replay(Level::kStrictSerializable, 0, true);
    EXPECT_EQ(replay.take(history), "");
    return replay.place(order);
  };
  EXPECT_EQ(objection({0, 1, 2}), "");
  EXPECT_EQ(objection({0, 2}), "");
  EXPECT_EQ(objection({1, 0}), "");  // 1 was there at the start, and comes once more
  EXPECT_EQ(objection({2, 1}), "transaction 2 did not read the list that x holds there");
  EXPECT_EQ(objection({0, 1, 3}), "transaction 4 did not read the list that x holds there");
  EXPECT_EQ(objection({0, 3}), "");
  EXPECT_EQ(objection({0, 4}), "transaction 5 did not read the list that x holds there");
  EXPECT_EQ(objection({4, 6, 1}), "transaction 2 did not read the list that x holds there");
  EXPECT_EQ(objection({5}), "transaction 6 did not read the list that k holds there");
  SegmentReplay replay(Level::kStrictSerializable, 0, true);
  SegmentReplay known(Level::kStrictSerializable, 0);
  EXPECT_EQ(replay.take(support::parse("A: a(x=1) @0,9\nB: r(x=[7 1]) @0,9")), "");
  EXPECT_EQ(known.take(support::parse("A: a(x=7) a(x=1) @0,9")), "");
  EXPECT_EQ(replay.place(Order{0, 1}), "");
  EXPECT_EQ(known.place(Order{0}), "");
  EXPECT_EQ(replay.state(), known.state());
}

TEST(SegmentReplay, TakesNoNoteOfOtherKeys) {
  SegmentReplay replay(Level::kStrictSerializable, 0, false, "x*");
  EXPECT_EQ(replay.take(support::parse("start(y=1 x=2)\nA: r(y=7) a(l=1) r(x=2) @0,1")), "");
  EXPECT_EQ(replay.place(std::vector<std::uint64_t>{0}), "");
  EXPECT_EQ(replay.take(support::parse("A: r(x1=7) @2,3")), "");
  EXPECT_EQ(replay.place(std::vector<std::uint64_t>{1}),
            "transaction 2 did not read what x1 holds there");
}

TEST(SegmentReplay, TellsTextsNumbersAndLiteralsApart) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session("a"));
  builder.set_times({0, 1});
  builder.write(builder.key(builder.integer(7)), builder.string("7"));
  builder.begin_txn(builder.session("a"));
  builder.set_times({2, 3});
  builder.read(builder.key(builder.string("7")), Value());
  builder.begin_txn(builder.session("a"));
  builder.set_times({4, 5});
  builder.read(builder.key(builder.integer(7)), builder.integer(7));
  SegmentReplay replay(Level::kStrictSerializable, 0);
  ASSERT_EQ(replay.take(std::move(builder.finish()).value()), "");
  EXPECT_EQ(replay.place(Order{0, 1}), "");
  EXPECT_EQ(replay.place(Order{2}), "transaction 3 did not read what 7 holds there");
}

TEST(SegmentReplay, TakesListsByLengthAndHash) {
  const std::vector<std::string> parts = {
      "start(x=[7])\nA: a(x=1) r(x=[7 1]) a(x=b) @0,10\nB: r(x=[7]) @0,20",
      "C: r(x=[7 1 b]) @5,30\nD: r(y=[]) a(y=1) r(y=[1]) @5,30"};
  EXPECT_EQ(objection(parts, {{1, 0, 2, 3}}), "");
  EXPECT_EQ(objection(parts, {{0, 1, 2, 3}}),
            "transaction 2 did not read the list that x holds there");
  EXPECT_EQ(objection({"A: a(x=1) @0,10\nB: r(x=[]) @0,10", "C: r(x=[]) @0,10"}, {{1, 0, 2}}),
            "transaction 3 did not read the list that x holds there");
  EXPECT_EQ(objection({"A: a(x=1) @0,10\nB: r(x=[2]) @0,10"}, {{0, 1}}),
            "transaction 2 did not read the list that x holds there");
  EXPECT_EQ(objection({"A: a(x=1) @0,10", "B: w(x=1) @0,10"}, {{0, 1}}),
            "x is used as a register and as a list");
  // Whatever it is told to have held.
  EXPECT_EQ(objection({"start(x=[7])\nA: w(y=1) @0,10", "B: w(x=1) @0,10"}, {{0, 1}}),
            "x is used as a register and as a list");
  EXPECT_EQ(objection({"start(x=7)\nA: w(y=1) @0,10", "B: a(x=1) @0,10"}, {{0, 1}}),
            "x is used as a register and as a list");
  // Nothing is what a register holds as well.
  EXPECT_EQ(objection({"A: r(x=[]) r(y=_) @0,10", "B: a(x=1) w(y=1) @0,10"}, {{0, 1}}), "");
}

TEST(SegmentReplay, AppendsToAListAsItCommits) {
  const std::string parts =
      "A: a(x=1) r(x=[1]) @0,10\nB: a(x=2) r(x=[2]) @0,20\nC: r(x=[2 1]) @21,30";
  const Level prefixes = Level::kStrongPrefixConsistency;
  EXPECT_EQ(objection({parts}, {{0, 1}, {1, 0, 2, 2}}, 0, prefixes), "");
  EXPECT_EQ(objection({parts}, {{0, 1}, {0, 1, 2, 2}}, 0, prefixes),
            "transaction 3 did not read the list that x holds there");
  EXPECT_EQ(objection({parts}, {{0, 1}, {1, 0, 2, 2}}, 0, Level::kStrongSnapshotIsolation),
            "transaction 1 overlaps another one that wrote x");
}

TEST(SegmentReplay, GoesOnWithLists) {
  // Of what x held only the rest was read: [1 2] is settled, and [1 2 3] was read.
  SegmentReplay whole(Level::kStrictSerializable, 0);
  ASSERT_EQ(whole.take(support::parse("A: a(x=1) a(x=2) @0,1\nB: r(x=[1 2]) a(x=3) @0,9")), "");
  ASSERT_EQ(whole.place(Order{0}), "");
  // The chain of [1 2], as docs/formats/segments.md says.
  const auto hash = [](std::string_view text, std::uint64_t seed) {
    return XXH3_64bits_withSeed(text.data(), text.size(), seed);
  };
  const std::uint64_t chain = hash("i2", hash("i1", 0));
  const std::string numbers =
      std::to_string(chain >> 32) + " " + std::to_string(chain & 0xffffffffU);
  HistoryBuilder open;
  open.begin_txn(open.session("B"));
  open.set_label(open.integer(2));
  open.set_times({0, 9});
  const KeyId x = open.key(open.string("x"));
  open.read_list(x, {});
  open.append(x, open.integer(3));
  const History rest = std::move(open.finish()).value();
  const History registers = support::parse("start(x=[2 " + numbers + "])");
  const SegmentReplay::Start start{registers, rest, 2, 0};
  EXPECT_TRUE(whole.is_at(start));
  const History other = support::parse("start(x=[3 " + numbers + "])");
  EXPECT_FALSE(whole.is_at({other, rest, 2, 0}));
  SegmentReplay later(Level::kStrictSerializable, 0);
  ASSERT_EQ(later.begin(start), "");
  EXPECT_EQ(later.place(Order{1}), "");
  ASSERT_EQ(whole.place(Order{1}), "");
  EXPECT_EQ(later.state(), whole.state());
}

TEST(SegmentReplay, RefusesWhatRegistersAreNot) {
  EXPECT_EQ(objection({"A: i(x+1) @0,10"}, {}), "increments are not verified in segments");
}

TEST(SegmentReplay, SumsWhatRegistersHold) {
  SegmentReplay one(Level::kStrictSerializable, 0);
  ASSERT_EQ(one.take(support::parse("A: w(x=1) @0,1\nA: w(y=2) @2,3\nA: w(x=3) @4,5")), "");
  SegmentReplay other(Level::kStrictSerializable, 0);
  ASSERT_EQ(other.take(support::parse("A: w(y=2) @0,1\nA: w(x=3) @2,3")), "");
  EXPECT_EQ(one.state(), 0U);
  ASSERT_EQ(one.place(Order{0, 1}), "");
  ASSERT_EQ(other.place(Order{0}), "");
  EXPECT_NE(one.state(), other.state());
  ASSERT_EQ(one.place(Order{2}), "");
  ASSERT_EQ(other.place(Order{1}), "");
  EXPECT_EQ(one.state(), other.state());
}

/// Open at the start: B of "A: w(x=1) @0,10\nB: r(x=1) @1,20", or a change of that.
History open_reader(std::int64_t label, std::int64_t read = 1, std::int64_t end = 20) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session("B"));
  builder.set_label(builder.integer(label));
  builder.set_times({1, end});
  builder.read(builder.key(builder.string("x")), builder.integer(read));
  return std::move(builder.finish()).value();
}

TEST(SegmentReplay, GoesOnFromAStart) {
  const History registers = support::parse("start(x=1)");
  const History open = open_reader(2);
  SegmentReplay replay(Level::kStrictSerializable, 0);
  ASSERT_EQ(replay.begin({registers, open, 2, 15}), "");
  EXPECT_EQ(replay.take(support::parse("C: w(x=2) @22,30")), "");
  EXPECT_EQ(replay.finish(), "2 transactions that committed have no place in the order");
  EXPECT_EQ(replay.place(Order{1, 2}), "");
  EXPECT_EQ(replay.finish(), "");
  // A deleted transaction that started later than this one ended comes before it.
  SegmentReplay late(Level::kStrictSerializable, 0);
  ASSERT_EQ(late.begin({registers, open, 2, 21}), "");
  EXPECT_EQ(late.place(Order{1}),
            "transaction 2 ended before one started that comes before it in the order, against "
            "real time");
  SegmentReplay other(Level::kStrictSerializable, 0);
  ASSERT_EQ(other.begin({support::parse("start(x=7)"), open, 2, 0}), "");
  EXPECT_EQ(other.place(Order{1}), "transaction 2 did not read what x holds there");
  EXPECT_EQ(SegmentReplay(Level::kStrictSerializable, 0).begin({registers, open, 1, 0}),
            "an open transaction has no number of an earlier one");
  EXPECT_EQ(
      SegmentReplay(Level::kStrictSerializable, 0).begin({registers, open_reader(0), 2, 0}),
      "an open transaction has no number of an earlier one");
}

TEST(SegmentReplay, KnowsWhetherItIsAtAStart) {
  SegmentReplay replay(Level::kStrictSerializable, 0);
  ASSERT_EQ(replay.take(support::parse("A: w(x=1) @0,10\nB: r(x=1) @1,20")), "");
  ASSERT_EQ(replay.place(Order{0}), "");
  const History registers = support::parse("start(x=1)");
  const History open = open_reader(2);
  EXPECT_TRUE(replay.is_at({registers, open, 2, 0}));
  EXPECT_FALSE(replay.is_at({registers, open, 3, 0}));
  EXPECT_FALSE(replay.is_at({registers, open, 2, 1}));
  EXPECT_FALSE(replay.is_at({support::parse("start(x=2)"), open, 2, 0}));
  EXPECT_FALSE(replay.is_at({registers, support::parse(""), 2, 0}));
  EXPECT_FALSE(replay.is_at({registers, open_reader(1), 2, 0}));
  EXPECT_FALSE(replay.is_at({registers, open_reader(2, 2), 2, 0}));
  EXPECT_FALSE(replay.is_at({registers, open_reader(2, 1, 19), 2, 0}));
}

}  // namespace
}  // namespace isolde::certify
