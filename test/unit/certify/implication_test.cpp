// Goal: a verdict is taken over from another level when, and only when, that is right. Method:
// the verifier's table against the engine's implies(), which the oracle's tests hold against
// executions; forged certificates next to good ones.
#include "certify/implication.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "certify/certificate_io.hpp"
#include "notation.hpp"
#include "support/history_dsl.hpp"

namespace isolde::certify::test {
namespace {

using enum Level;

Certificate follows(Level level, const Certificate& other) {
  DirectProof proof = std::visit(
      [](const auto& each) -> DirectProof {
        if constexpr (std::is_same_v<std::decay_t<decltype(each)>, Implication>) {
          return each.proof;
        } else {
          return each;
        }
      },
      other.proof);
  return {level, other.history_digest, other.clock_error_ns,
          Implication{other.level, std::move(proof)}};
}

/// Without its proof.
std::string implied(const char* text, Level stronger, Level weaker) {
  const Objection objection = check_implication(support::parse(text), stronger, weaker, 0);
  return objection.empty() ? "implied" : objection;
}

TEST(Implication, IsWhatTheEngineSaysItIs) {
  int count = 0;
  for (const LevelInfo& strong : all_levels()) {
    for (const LevelInfo& weak : all_levels()) {
      for (const bool timed : {false, true}) {
        const bool known = implies(strong.level, weak.level, timed);
        EXPECT_EQ(is_weaker(strong.level, weak.level, timed, {}), known)
            << strong.name << ", " << weak.name << (timed ? ", sessions in turn" : "");
        count += known ? 1 : 0;
      }
    }
  }
  EXPECT_GT(count, 500);
}

TEST(Implication, OfAnyFactsOfRowsIsWhatTheEngineSaysItIs) {
  int lost = 0;
  for (int facts = 0; facts < 8; ++facts) {
    const RowFacts rows{(facts & 1) != 0, (facts & 2) != 0, (facts & 4) != 0};
    for (const LevelInfo& strong : all_levels()) {
      for (const LevelInfo& weak : all_levels()) {
        for (const bool timed : {false, true}) {
          const bool known = implies_there(strong.level, weak.level, timed, rows);
          EXPECT_EQ(is_weaker(strong.level, weak.level, timed, rows), known)
              << strong.name << ", " << weak.name << ", facts " << facts
              << (timed ? ", sessions in turn" : "");
          lost += !known && implies(strong.level, weak.level, timed) ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(lost, 100);
  EXPECT_FALSE(implies_there(kSnapshotIsolation, kReadCommitted, false, {.refused = true}));
  EXPECT_TRUE(implies_there(kSerializable, kReadCommitted, false, {.refused = true}));
  EXPECT_TRUE(implies_there(kSnapshotIsolation, kReadUncommitted, false, {.refused = true}));
}

TEST(Implication, RepeatableReadDisregardsRowsThatWereLeftOut) {
  for (const LevelInfo& strong : all_levels()) {
    for (const LevelInfo& weak : all_levels()) {
      const bool is_below = std::ranges::any_of(all_levels(), [&](const LevelInfo& middle) {
        return middle.base == BaseLevel::kReadCommitted &&
               implies(middle.level, weak.level, false);
      });
      const bool stays =
          strong.base != BaseLevel::kRepeatableRead || weak.base == strong.base || is_below;
      const bool known = stays && implies(strong.level, weak.level, false);
      EXPECT_EQ(is_weaker(strong.level, weak.level, false, {.left_out = true}), known)
          << strong.name << ", " << weak.name;
    }
  }
  const char* const left_out = "A: w(1=1) w(2=1) ; B: s(keys=1..2: 1=1)";
  EXPECT_EQ(implied(left_out, kRepeatableRead, kReadAtomic),
            "repeatable-read does not imply read-atomic");
  EXPECT_EQ(implied(left_out, kRepeatableRead, kReadCommitted), "implied");
  EXPECT_EQ(implied("A: w(1=1) ; B: s(keys=1..2: 1=1)", kRepeatableRead, kReadAtomic),
            "implied");
}

TEST(Implication, RealTimeBindsSessionsOnlyWhereTheyFollowIt) {
  const auto session_form = [](const char* text) {
    return implied(text, kStrictSerializable, kStrongSessionSerializable);
  };
  const std::string overlap =
      "strict-serializable does not imply strong-session-serializable where transactions of "
      "one "
      "session overlap";
  EXPECT_EQ(session_form("A: w(x=1) @1,2 | w(x=2) @3,4 ; B: w(x=3) @1,9"), "implied");
  EXPECT_EQ(session_form("A: w(x=1) @1,3 | w(x=2) @3,4"), overlap);
  EXPECT_EQ(session_form("A: w(x=1) | w(x=2)"), overlap);
  EXPECT_EQ(session_form("A: w(x=1) ? @1,2 | w(x=2) @3,4"), "implied");
  EXPECT_EQ(session_form("A: w(x=1) ? @1,2 | w(x=2) @3,4 ; B: r(x=1)"), overlap);
  const History near = support::parse("A: w(x=1) @1,2 | w(x=2) @5,6");
  EXPECT_EQ(check_implication(near, kStrictSerializable, kStrongSessionSerializable, 2), "");
  EXPECT_NE(check_implication(near, kStrictSerializable, kStrongSessionSerializable, 3), "");
}

TEST(Implication, WhatHoldsImpliesWhatIsWeaker) {
  const History h = history({"A@0-9 w:x=1", "B@20-29 r:x=1"});
  const Certificate strict = holds(h, kStrictSerializable, {0, 1});
  EXPECT_EQ(outcome(h, follows(kLinearizable, strict)), "proves");
  EXPECT_EQ(outcome(h, follows(kReadCommitted, strict)), "proves");
  const Certificate weak = holds(h, kReadCommitted, {0, 1});
  EXPECT_EQ(outcome(h, follows(kStrictSerializable, weak)),
            "read-committed does not imply strict-serializable");
  // Levels that have nothing to do with each other.
  EXPECT_EQ(outcome(h, follows(kLinearizable, holds(h, kSerializable, {0, 1}))),
            "serializable does not imply linearizable");
  EXPECT_EQ(outcome(h, follows(kMixed, holds(h, kStrongSessionSerializable, {0, 1}))),
            "A:0 states no level that can be mixed");
  // The proof of the other level must be one.
  EXPECT_EQ(outcome(h, follows(kReadCommitted, holds(h, kStrictSerializable, {1, 0}))),
            "A:0 commits after B:0 begins, against real time");
}

TEST(Implication, WhatIsViolatedTakesWhatIsStrongerWithIt) {
  const History h = history({"A@0-9 w:x=1", "B@20-29 r:x=9"});
  const Certificate weak =
      found(h, kReadCommitted, {FindingKind::kUnwrittenRead, txn(1), 0, 0, {}, 0});
  EXPECT_EQ(outcome(h, weak), "proves");
  EXPECT_EQ(outcome(h, follows(kSerializable, weak)), "proves");
  EXPECT_EQ(outcome(h, follows(kReadUncommitted, weak)),
            "read-uncommitted does not imply read-committed");
  EXPECT_EQ(outcome(h, follows(kMonotonicReads, weak)),
            "monotonic-reads does not imply read-committed");
  Certificate unknown = follows(kSerializable, weak);
  std::get<Implication>(unknown.proof).level = static_cast<Level>(200);
  EXPECT_EQ(outcome(h, unknown), "the level that it follows from does not exist");
}

TEST(Implication, IsReadBackAsItWasWritten) {
  const History h = history({"A@0-9 w:x=1", "B@0-9 w:x=1", "C@20-29 w:x=2", "D@40-49 r:x=1"});
  const auto digest = h.digest();
  const std::vector<Certificate> all = {
      {kPerKeyStrictSerializable, digest, 0,
       Implication{kLinearizable, KeyExhaustion{key(h, "x"), txn(3)}}},
      {kLinearizable, digest, 7, Implication{kStrictSerializable, Witness{1, {txn(0)}, {}}}},
      {kReadCommitted, digest, 0,
       Implication{kCausal, SessionWitness{{{{SessionId(0)}, {txn(0), txn(1)}}}}}},
      {kStrictSerializable, digest, 0,
       Implication{kReadCommitted, Finding{FindingKind::kUnwrittenRead, txn(3), 0, 0, {}, 0}}},
  };
  for (const Certificate& certificate : all) {
    const std::string text = certificate_text(h, certificate);
    const Result<Certificate> read = parse_certificate(text, "c", h);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->level, certificate.level);
    EXPECT_EQ(read->proof, certificate.proof);
    EXPECT_EQ(certificate_text(h, *read), text);
  }
  EXPECT_EQ(outcome(h, all[0]), "proves");
  const auto refusal = [&](const char* level) {
    std::string text = certificate_text(h, all[0]);
    const std::string name = "\"follows_from\":\"linearizable\"";
    text.replace(text.find(name), name.size(), "\"follows_from\":" + std::string(level));
    const Result<Certificate> read = parse_certificate(text, "c", h);
    return read ? std::string("read") : read.error().message;
  };
  EXPECT_EQ(refusal("\"perfect\""), "c:1: unknown level 'perfect'");
  EXPECT_EQ(refusal("1"), "c:1: expected a level, a string");
  EXPECT_EQ(refusal("\"pkser\""),
            "c:1: follows_from names the level itself; it is for a proof of another level");
  EXPECT_EQ(refusal("\"lin\",\"follows_from\":\"lin\""), "c:1: a member appears twice");
}

}  // namespace
}  // namespace isolde::certify::test
