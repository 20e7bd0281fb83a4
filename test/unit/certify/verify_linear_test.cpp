// Goal: proofs about linearizability are accepted when, and only when, they prove it. Method:
// small histories with one good proof and the bad ones next to it.
#include <gtest/gtest.h>

#include "certify/certificate_io.hpp"
#include "certify/external_reads.hpp"
#include "certify/proof_parts.hpp"
#include "notation.hpp"
#include "support/history_dsl.hpp"

namespace isolde::certify::test {
namespace {

constexpr Level kLin = Level::kLinearizable;

/// One order for each key, in the order of keys.
std::string by_key(const History& history,
                   const std::vector<std::vector<std::uint32_t>>& orders) {
  KeyWitness witness;
  witness.begin.push_back(0);
  for (const std::vector<std::uint32_t>& order : orders) {
    for (const std::uint32_t each : order) witness.order.push_back(txn(each));
    witness.begin.push_back(witness.order.size());
  }
  return outcome(history, {kLin, history.digest(), 0, witness});
}

std::string exhausted(const History& history, std::uint32_t until, std::uint32_t key = 0) {
  return outcome(history,
                 {kLin, history.digest(), 0, KeyExhaustion{KeyId::at(key), txn(until)}});
}

TEST(VerifyLinear, EachKeyHasItsOrder) {
  const History h = history({"A@0-9 r:x=_ w:y=1", "B@0-9 r:y=_ w:x=1"});
  EXPECT_EQ(by_key(h, {{0, 1}, {1, 0}}), "proves");
  EXPECT_EQ(by_key(h, {{1, 0}, {1, 0}}),
            "key x: A:0 operation 0 does not return the state of the key");
  EXPECT_EQ(by_key(h, {{0, 1}, {1}}), "key y: A:0 committed but is not in the order");
  EXPECT_EQ(by_key(h, {{0, 1, 1}, {1, 0}}),
            "key x: B:0 is in the order twice or does not use the key");
  EXPECT_EQ(by_key(h, {{0, 1}}), "there is not one order for each key");
  EXPECT_EQ(by_key(h, {{0, 1, 7}, {1, 0}}), "key x: the order names unknown transaction 7");
}

TEST(VerifyLinear, RefusesOrdersThatAreNoOrders) {
  const History h = history({"A@0-9 w:x=1"});
  const auto result = [&](std::vector<std::size_t> begin) {
    return outcome(h, {kLin, h.digest(), 0, KeyWitness{std::move(begin), {txn(0)}}});
  };
  EXPECT_EQ(result({0, 1}), "proves");
  for (const auto& begin : std::vector<std::vector<std::size_t>>{
           {}, {0}, {1, 1}, {0, 2}, {0, 0}, {0, 5, 1}, {0, 1, 1}}) {
    EXPECT_EQ(result(begin), "there is not one order for each key");
  }
  const History two = history({"A@0-9 w:x=1", "A w:y=1"});
  EXPECT_EQ(outcome(two, {kLin, two.digest(), 0, KeyWitness{{0, 3, 2}, {txn(0), txn(1)}}}),
            "key x: A:1 is in the order twice or does not use the key");
}

TEST(VerifyLinear, RealTimeBindsAndUnknownOutcomesHaveNoEnd) {
  const History h =
      history({"A@0-9 w:x=1", "B@20-29 w:x=2", "C?@20-29 w:x=3", "D@40-49 r:x=2"});
  EXPECT_EQ(by_key(h, {{0, 1, 3}}), "proves");
  EXPECT_EQ(by_key(h, {{1, 0, 3}}), "key x: B:0 comes before A:0, against real time");
  EXPECT_EQ(by_key(h, {{0, 1, 3, 2}}), "proves");
  EXPECT_EQ(by_key(h, {{2, 0, 1, 3}}), "key x: C:0 comes before A:0, against real time");
  const History aborted = history({"A!@0-9 w:x=1", "B@20-29 r:x=_"});
  EXPECT_EQ(by_key(aborted, {{1}}), "proves");
  EXPECT_EQ(by_key(aborted, {{1, 0}}), "key x: A:0 is in the order but aborted");
}

TEST(VerifyLinear, AnOrderForAllKeysServesEach) {
  const History h = history({"A@0-9 w:x=1 w:y=1", "B@5-12 r:y=1 r:x=1"});
  EXPECT_EQ(outcome(h, holds(h, kLin, {0, 1})), "proves");
  EXPECT_NE(outcome(h, holds(h, kLin, {1, 0})), "proves");
}

TEST(VerifyLinear, OtherLevelsDoNotTakeItsProofs) {
  const History h = history({"A@0-9 w:x=1"});
  EXPECT_EQ(outcome(h, {Level::kSerializable, h.digest(), 0, KeyWitness{{0, 1}, {txn(0)}}}),
            "a proof of this form is for linearizability only");
  EXPECT_EQ(outcome(h, {Level::kSerializable, h.digest(), 0, KeyExhaustion{KeyId(0), txn(0)}}),
            "a proof of this form is for linearizability only");
}

TEST(VerifyLinear, CyclesStayOnOneKey) {
  const History h = history({"A@0-9 r:x=_ w:y=1", "B@0-9 r:y=_ w:x=1", "C@20-29 r:x=_"});
  const KeyId x = key(h, "x");
  const KeyId y = key(h, "y");
  EXPECT_EQ(outcome(h, refuted(h, kLin, {{{}, {rw(2, 1, x, -1), rt(1, 2)}, {}}})), "proves");
  EXPECT_EQ(outcome(h, refuted(h, kLin, {{{}, {rw(0, 1, x, -1), rw(1, 0, y, -1)}, {}}})),
            "its edges are on several keys");
  EXPECT_EQ(outcome(h, refuted(h, kLin, {{{}, {rt(0, 1), rt(1, 0)}, {}}})),
            "its edges are on no key");
  EXPECT_EQ(outcome(h, refuted(h, kLin, {})), "its edges are on no key");
  const History through = history({"A@0-9 w:x=1", "B@20-29 r:y=_", "C@40-49 r:x=_"});
  EXPECT_EQ(
      outcome(through, refuted(through, kLin,
                               {{{}, {rw(2, 0, KeyId::at(0), -1), rt(0, 1), rt(1, 2)}, {}}})),
      "B:0 does not use the key");
}

TEST(VerifyLinear, WhatTookEffectIsJudgedByTheKeyAlone) {
  // A was seen on y, so it took effect there; its read of x proves nothing.
  const History h = history({"A?@0-9 r:x=5 w:y=1", "B@20-29 r:y=1"});
  const Finding finding{FindingKind::kUnwrittenRead, txn(0), 0, 0, {}, 0};
  EXPECT_EQ(outcome(h, found(h, Level::kReadCommitted, finding)), "proves");
  EXPECT_NE(outcome(h, found(h, kLin, finding)), "proves");
}

TEST(VerifyLinear, FindingsCountOperationsOfTheWholeTransaction) {
  const History h = history({"A@0-9 w:y=1 r:y=1 r:x=_ r:y=1 r:x=5", "B@0-9 w:x=5"});
  const auto result = [&](std::uint32_t op, std::uint32_t other_op) {
    return outcome(
        h, found(h, kLin, {FindingKind::kNonRepeatableRead, txn(0), op, 0, {}, other_op}));
  };
  EXPECT_EQ(result(4, 2), "proves");
  EXPECT_NE(result(4, 1), "proves");
  EXPECT_NE(result(4, 4), "proves");
  EXPECT_NE(result(4, 9), "proves");
  EXPECT_EQ(result(9, 2), "there is no such operation");
}

TEST(VerifyLinear, RowsThatDoNotMatchAreWrong) {
  const History h = support::parse(
      "A: w(1=3) w(2=9) r(1=3) s(keys=1..2: 1=3 2=9) s(keys=2..2: 1=3) s(values=3..8: 2=9) "
      "s(equal=4:)");
  std::string wrong;
  for (std::uint32_t op = 0; op < h.ops(txn(0)).size(); ++op) {
    wrong += is_wrong_row(h, txn(0), op) ? 'x' : '.';
  }
  // Behind rows come the keys that a selection leaves out.
  EXPECT_EQ(wrong, ".....x.x.");
}

// History notation of its own has no selections.
TEST(VerifyLinear, ARowThatDoesNotMatchHasNoPlaceInAnOrder) {
  const History h = support::parse("A: w(1=3) @1,2 ; B: s(keys=3..3: 1=3) @3,4");
  EXPECT_EQ(by_key(h, {{0, 1}}),
            "key 1: B:0 operation 0 is a row that its selection does not select");
  EXPECT_EQ(outcome(h, found(h, kLin, {FindingKind::kUnselectedRow, txn(1), 0, 0, {}, 0})),
            "proves");
  EXPECT_NE(outcome(h, found(h, kLin, {FindingKind::kUnselectedRow, txn(0), 0, 0, {}, 0})),
            "proves");
  EXPECT_EQ(exhausted(h, 1), "proves");
  const History good = support::parse("A: w(1=3) @1,2 ; B: s(keys=1..3: 1=3) @3,4");
  EXPECT_EQ(by_key(good, {{0, 1}}), "proves");
  EXPECT_NE(
      outcome(good, found(good, kLin, {FindingKind::kUnselectedRow, txn(1), 0, 0, {}, 0})),
      "proves");
  EXPECT_EQ(exhausted(good, 1), "an order explains what had returned when B:0 returned");
  // Of unknown outcome, it cannot have taken effect, but one like it can.
  const History other =
      support::parse("A: w(1=3) @1,2 ; B: s(keys=3..3: 1=3) w(1=4) ? @3,4 ; C: r(1=4) @5,6");
  EXPECT_EQ(exhausted(other, 2), "proves");
  EXPECT_NE(by_key(other, {{0, 1, 2}}), "proves");
  const History alike = support::parse(
      "A: w(1=3) @1,2 ; B: s(keys=3..3: 1=3) w(1=4) ? @3,4 ; D: r(1=3) w(1=4) ? @3,4 ; "
      "C: r(1=4) @5,6");
  EXPECT_EQ(exhausted(alike, 3), "an order explains what had returned when C:0 returned");
  EXPECT_EQ(by_key(alike, {{0, 2, 3}}), "proves");
}

// Of unknown outcome it may have taken effect or not, but not for some of the rows alone.
TEST(VerifyLinear, AnAggregateIsInTheOrdersOfAllItsKeysOrInNone) {
  const History h = support::parse("A: w(1=3) @1,2 | w(2=3) @1,9 ; B: s(get=count: 2) ? @5,6");
  EXPECT_EQ(by_key(h, {{0, 2}, {1, 2}}), "proves");
  EXPECT_EQ(by_key(h, {{0}, {1}}), "proves");
  EXPECT_EQ(by_key(h, {{0, 2}, {1}}), "B:0 is not in the orders of all keys it counts");
  EXPECT_EQ(by_key(h, {{0}, {1, 2}}), "B:0 is not in the orders of all keys it counts");
  EXPECT_NE(by_key(h, {{0, 2}, {2, 1}}), "proves");  // the result is 1
}

TEST(VerifyLinear, TriesAllOrdersUpToTheReturn) {
  const History h = history(
      {"A@0-9 w:x=1", "B@0-9 w:x=1", "C@20-29 w:x=2", "D@40-49 r:x=1", "E@60-69 r:x=1"});
  EXPECT_EQ(exhausted(h, 3), "proves");
  EXPECT_EQ(exhausted(h, 4), "proves");
  EXPECT_EQ(exhausted(h, 2), "an order explains what had returned when C:0 returned");
  EXPECT_EQ(exhausted(h, 9), "there is no such transaction");
  EXPECT_EQ(exhausted(h, 3, 5), "there is no such key");
  const History unknown = history({"A@0-9 w:x=1", "B?@0-9 w:x=1", "C@20-29 w:x=2",
                                   "D@40-49 r:x=1", "E@60-69 w:x=2", "F@70-79 r:x=1"});
  EXPECT_EQ(exhausted(unknown, 3), "an order explains what had returned when D:0 returned");
  EXPECT_EQ(exhausted(unknown, 5), "proves");
  EXPECT_EQ(exhausted(unknown, 1), "B:0 did not commit or does not use the key");
}

TEST(VerifyLinear, GivesUpOnTooManyOrders) {
  std::vector<std::string> txns;
  for (int i = 0; i < 30; ++i) {
    txns.push_back("S" + std::to_string(i) + "@0-99 r:x=" + std::to_string(i % 6) +
                   " w:x=" + std::to_string((i * 5 + 1) % 6));
    txns.push_back("T" + std::to_string(i) + "@0-99 w:x=" + std::to_string(i % 6));
  }
  txns.push_back("U@200-201 r:x=9");
  const History h = history(txns);
  EXPECT_EQ(check_key_exhaustion(h, 0, {key(h, "x"), txn(60)}, 10'000),
            "there are too many orders to try all");
}

TEST(VerifyLinear, ProofsAreReadBackAsTheyWereWritten) {
  const History h = history({"A@0-9 w:x=1", "B@0-9 w:y=1 r:x=1"});
  const Certificate witness{kLin, h.digest(), 0,
                            KeyWitness{{0, 2, 3}, {txn(0), txn(1), txn(1)}}};
  const Certificate exhaustion{kLin, h.digest(), 0, KeyExhaustion{key(h, "y"), txn(1)}};
  for (const Certificate& each : {witness, exhaustion}) {
    const std::string text = certificate_text(h, each);
    const Result<Certificate> read = parse_certificate(text, "c", h);
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->proof, each.proof);
    EXPECT_EQ(certificate_text(h, *read), text);
  }
  const std::string text = certificate_text(h, witness);
  EXPECT_NE(text.find("\n{\"key\":\"x\",\"order\":[0,1]}\n{\"key\":\"y\",\"order\":[1]}\n"),
            std::string::npos);
  const std::string header = text.substr(0, text.find('\n') + 1);
  for (const char* line : {R"({"order":[0,1]})", R"({"key":"x"})", R"({"key":"x","until":1})",
                           R"({"key":"z","order":[0]})", R"({"key":"x","order":[9]})"}) {
    EXPECT_FALSE(parse_certificate(header + line + "\n", "c", h).ok()) << line;
  }
  const std::string ending = certificate_text(h, exhaustion);
  const std::string last = ending.substr(ending.find('\n') + 1);
  for (const std::string& more :
       {last, std::string("{\"clause\":[],\"from\":[]}\n"),
        std::string("{\"finding\":\"internal\",\"transaction\":0,\"op\":0}\n")}) {
    EXPECT_FALSE(parse_certificate(ending + more, "c", h).ok()) << more;
  }
}

/// Any truncation or change of one byte is an error, or a certificate; never a crash.
TEST(VerifyLinear, SurvivesDamage) {
  const History h = history({"A@0-9 w:x=1", "B@0-9 w:y=1 r:x=1", "C?@0-9 w:x=1"});
  const Certificate witness{kLin, h.digest(), 0,
                            KeyWitness{{0, 2, 3}, {txn(0), txn(1), txn(1)}}};
  const Certificate exhaustion{kLin, h.digest(), 0, KeyExhaustion{key(h, "y"), txn(1)}};
  for (const Certificate& each : {witness, exhaustion}) {
    const std::string text = certificate_text(h, each);
    for (std::size_t at = 0; at < text.size(); ++at) {
      const Result<Certificate> cut = parse_certificate(text.substr(0, at), "c", h);
      if (cut.ok()) verify(h, *cut);
      for (const char with : std::string_view("\0\n\"[]{},:-019az\xff", 17)) {
        std::string damaged = text;
        damaged[at] = with;
        const Result<Certificate> read = parse_certificate(damaged, "c", h);
        if (read.ok()) verify(h, *read);
      }
    }
  }
}

}  // namespace
}  // namespace isolde::certify::test
