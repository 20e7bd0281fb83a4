// Goal: proofs at sequential and causal consistency and the session guarantees are accepted
// when, and only when, they prove what they say. Method: hand-made histories, many of them from
// Crooks 2019, chapter 4, with one good proof and the bad ones next to it.
#include <gtest/gtest.h>

#include "certify/certificate_io.hpp"
#include "notation.hpp"
#include "support/history_dsl.hpp"

namespace isolde::certify::test {
namespace {

using enum Level;

SessionWitness::Execution execution(const std::vector<std::uint32_t>& sessions,
                                    const std::vector<std::uint32_t>& order) {
  SessionWitness::Execution one;
  for (const std::uint32_t session : sessions) one.sessions.emplace_back(session);
  for (const std::uint32_t position : order) one.order.push_back(txn(position));
  return one;
}

std::string apart(const History& history, Level level,
                  std::vector<SessionWitness::Execution> executions) {
  return outcome(history, {level, history.digest(), 0, SessionWitness{std::move(executions)}});
}

std::string refutation(const History& history, Level level, int session,
                       std::vector<RefutationStep> steps) {
  Certificate certificate = refuted(history, level, std::move(steps));
  if (session >= 0) {
    std::get<Refutation>(certificate.proof).session =
        SessionId(static_cast<std::uint32_t>(session));
  }
  return outcome(history, certificate);
}

// O18: two observers disagree, and each may.
TEST(VerifySession, EachSessionMayHaveItsOwnExecution) {
  const History h = history({"A w:a=1", "B w:b=1", "C r:a=1", "C r:b=_", "D r:b=1", "D r:a=_"});
  const auto c = execution({0, 1, 2}, {0, 2, 3, 1, 4, 5});
  const auto d = execution({3}, {1, 4, 5, 0, 2, 3});
  EXPECT_EQ(apart(h, kCausal, {c, d}), "proves");
  EXPECT_EQ(apart(h, kMonotonicReads, {c, d}), "proves");
  EXPECT_EQ(apart(h, kSequential, {c, d}),
            "at this level one execution must serve all sessions");
  EXPECT_EQ(apart(h, kReadCommitted, {c, d}),
            "at this level one execution must serve all sessions");
  EXPECT_EQ(apart(h, kCausal, {c}), "session D has no execution");
  EXPECT_EQ(apart(h, kCausal, {}), "there is no execution");
  EXPECT_EQ(apart(h, kCausal, {c, execution({3}, {0, 2, 3, 1, 4, 5})}),
            "D:1 reads a state that is older than its session");
  EXPECT_EQ(apart(h, kCausal, {c, execution({7}, {1, 4, 5, 0, 2, 3})}),
            "an execution is for an unknown session");
  EXPECT_EQ(apart(h, kCausal, {c, execution({3}, {1, 4, 5, 0, 2})}),
            "C:1 committed but is not in the order");
}

TEST(VerifySession, OneExecutionForAllSessions) {
  const History h = history({"A r:x=_ w:x=1", "B r:x=_ w:x=2", "A r:x=1", "B r:x=2"});
  for (const Level level : {kSequential, kCausal, kMonotonicReads, kReadYourWrites}) {
    EXPECT_EQ(outcome(h, holds(h, level, {0, 2, 1, 3})), "proves") << info(level).name;
    EXPECT_EQ(outcome(h, holds(h, level, {0, 0, 2, 2, 1, 1, 3, 3}, 2)),
              "at this level each transaction is mentioned once");
  }
  // Reads may look back, as long as they do not go back.
  EXPECT_EQ(outcome(h, holds(h, kSequential, {0, 1, 2, 3})), "proves");
  EXPECT_EQ(outcome(h, holds(h, kSequential, {2, 0, 1, 3})),
            "A:1 commits before what precedes it in its session");
  EXPECT_EQ(outcome(h, holds(h, kMonotonicReads, {2, 0, 1, 3})),
            "A:1 operation 0 (a read of x) does not return an earlier committed state");
}

// What each guarantee asks and the others do not.
TEST(VerifySession, EveryGuaranteeHasItsOwnTest) {
  const History own = history({"A w:x=1", "A r:x=_"});
  EXPECT_EQ(outcome(own, holds(own, kMonotonicReads, {0, 1})), "proves");
  EXPECT_EQ(outcome(own, holds(own, kReadYourWrites, {0, 1})),
            "A:1 reads a state that is older than its session");
  const History twice = history({"A w:x=1", "A w:y=1"});
  EXPECT_EQ(outcome(twice, holds(twice, kReadYourWrites, {1, 0})),
            "A:1 commits before what its session has seen or done");
  const History back = history({"A w:x=1", "B r:x=1", "B r:x=_"});
  EXPECT_EQ(outcome(back, holds(back, kReadYourWrites, {0, 1, 2})), "proves");
  EXPECT_EQ(outcome(back, holds(back, kMonotonicReads, {0, 1, 2})),
            "B:1 reads a state that is older than its session");
  const History blind = history({"A w:x=1", "A w:x=2"});
  EXPECT_EQ(outcome(blind, holds(blind, kWritesFollowReads, {1, 0})), "proves");
  EXPECT_EQ(outcome(blind, holds(blind, kMonotonicWrites, {1, 0})),
            "A:1 commits before what precedes it in its session");
  const History follows = history({"A w:x=1", "B r:x=1", "B w:y=1"});
  EXPECT_EQ(outcome(follows, holds(follows, kMonotonicWrites, {2, 0, 1})), "proves");
  EXPECT_EQ(outcome(follows, holds(follows, kWritesFollowReads, {2, 0, 1})),
            "B:1 commits before what precedes it in its session");
}

// O20.
TEST(VerifySession, RefutesForOneSession) {
  const History h = history({"A w:x=1", "B w:x=2", "C r:x=1", "C r:x=2", "C r:x=1"});
  const KeyId x = key(h, "x");
  const std::vector<RefutationStep> steps = {
      {{order(0, 1)}, {wr(0, 2, x), so(2, 3), rw(3, 0, x, 1)}, {}},
      {{}, {wr(1, 3, x), so(3, 4), rw(4, 1, x, 0)}, {}}};
  EXPECT_EQ(refutation(h, kMonotonicReads, 2, steps), "proves");
  EXPECT_EQ(refutation(h, kCausal, 2, steps), "proves");
  EXPECT_EQ(refutation(h, kSequential, -1, steps), "proves");
  EXPECT_EQ(refutation(h, kSequential, 2, steps), "at this level it is about no session alone");
  EXPECT_EQ(refutation(h, kMonotonicReads, -1, steps),
            "it does not say which session it is about");
  EXPECT_EQ(refutation(h, kMonotonicReads, 9, steps), "there is no such session");
  EXPECT_EQ(refutation(h, kMonotonicReads, 0, steps),
            "step 0: edge 0: the level asks nothing of another session's reads");
  EXPECT_EQ(refutation(h, kReadYourWrites, 2, steps),
            "step 0: edge 1: the first writes nothing");
  EXPECT_EQ(refutation(h, kWritesFollowReads, -1, steps),
            "step 0: edge 1: the second writes nothing");
  std::vector<RefutationStep> bare = steps;
  bare.erase(bare.begin());
  EXPECT_NE(refutation(h, kMonotonicReads, 2, bare), "proves");
}

// O35 holds and O35r does not: what a transaction reads first it may read older.
TEST(VerifySession, ReadsOfATransactionMoveForward) {
  const History backwards = history({"W w:x=1 w:y=1", "R r:x=1 r:y=_"});
  const auto cycle = [](const History& h) {
    return std::vector<RefutationStep>{
        {{}, {wr(0, 1, key(h, "x")), rw(1, 0, key(h, "y"), -1)}, {}}};
  };
  EXPECT_EQ(refutation(backwards, kMonotonicReads, 1, cycle(backwards)), "proves");
  EXPECT_EQ(refutation(backwards, kReadYourWrites, 1, cycle(backwards)),
            "step 0: edge 0: at this level the reads of a transaction may happen in any order");
  const History forwards = history({"W w:x=1 w:y=1", "R r:y=_ r:x=1"});
  EXPECT_EQ(refutation(forwards, kSequential, -1, cycle(forwards)),
            "step 0: edge 0: it arrives after the read from which the next edge leaves");
}

TEST(VerifySession, ListsOfOthersDoNotCountAtTheGuarantees) {
  const History h = history({"A a:l=1", "B a:l=2", "C r:l=[1,2]", "D r:l=[2,1]"});
  Finding finding;
  finding.kind = FindingKind::kIncompatibleOrder;
  finding.txn = txn(3);
  finding.other = txn(2);
  EXPECT_EQ(outcome(h, found(h, kCausal, finding)), "proves");
  EXPECT_EQ(outcome(h, found(h, kMonotonicReads, finding)),
            "at this level two sessions may see different orders");
  EXPECT_EQ(apart(h, kMonotonicReads,
                  {execution({0, 1, 2}, {0, 1, 2, 3}), execution({3}, {1, 0, 2, 3})}),
            "proves");
}

TEST(VerifySession, ExecutionsAreForSessionsOfTheHistory) {
  const History h = history({"A w:a=1", "B r:a=1"});
  EXPECT_EQ(apart(h, kCausal, {execution({0}, {0, 1}), execution({1}, {0, 1})}), "proves");
  EXPECT_EQ(apart(h, kCausal, {execution({0}, {0, 1}), execution({1, 2}, {0, 1})}),
            "an execution is for an unknown session");
}

TEST(VerifySession, ProofsHaveAFileForm) {
  const History h = history({"A w:a=1", "B w:b=1", "C r:a=1", "C r:b=_", "D r:b=1", "D r:a=_"});
  const Certificate certificate{kCausal, h.digest(), 0,
                                SessionWitness{{execution({0, 1, 2}, {0, 2, 3, 1, 4, 5}),
                                                execution({3}, {1, 4, 5, 0, 2, 3})}}};
  const std::string text = certificate_text(h, certificate);
  EXPECT_NE(text.find("{\"sessions_of\":[0,1,2],\"order\":[0,2,3,1,4,5]}\n"
                      "{\"sessions_of\":[4],\"order\":[1,4,5,0,2,3]}\n"),
            std::string::npos);
  const Result<Certificate> read = parse_certificate(text, "c", h);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->proof, certificate.proof);

  const auto complaint = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    const Result<Certificate> broken = parse_certificate(changed, "c", h);
    return broken.ok() ? "read" : broken.error().message;
  };
  EXPECT_EQ(complaint("\"sessions_of\":[0,1,2],", ""),
            "c:3: sessions_of must be in the first line too");
  EXPECT_EQ(complaint("\"mentions\":1", "\"mentions\":2"),
            "c:2: sessions_of does not go with mentions 2");
  EXPECT_EQ(complaint("\"mentions\":1", "\"mentions\":1,\"session_of\":0"),
            "c:1: session_of belongs to the verdict 'violated'; an order has sessions_of");
  EXPECT_EQ(complaint("[0,1,2]", "[0,1,9]"),
            "c:2: expected the number of a transaction, a whole number from 0 and below 6");

  Certificate violated = refuted(h, kCausal, {{{}, {so(2, 3)}, {}}});
  std::get<Refutation>(violated.proof).session = h.session_of(txn(4));
  const std::string refutation_text = certificate_text(h, violated);
  EXPECT_NE(refutation_text.find(",\"session_of\":4}\n"), std::string::npos);
  EXPECT_EQ(parse_certificate(refutation_text, "c", h)->proof, violated.proof);
}

// A client cannot tell in which order a selection looked at its rows: here it can have looked
// for row 2 before A and for row 1 after it.
TEST(VerifySession, RowsOfASelectionHaveNoOrder) {
  const auto of = [](const std::string& reads, Level level) {
    const History h = support::parse("A: w(1=1) w(2=1) ; B: " + reads);
    const std::string held = outcome(h, holds(h, level, {0, 1}));
    RefutationStep missed;
    missed.cycle = {wr(0, 1, key(h, "1")), rw(1, 0, key(h, "2"), -1)};
    return held + "; " + refutation(h, level, level == kSequential ? -1 : 1, {missed});
  };
  for (const Level level : {kSequential, kCausal, kMonotonicReads}) {
    EXPECT_EQ(
        of("s(: 1=1)", level),
        "proves; step 0: edge 0: it arrives at one row of a selection, the next edge leaves "
        "another");
    const std::string violated = "B:0 reads a state that is older than its session; proves";
    EXPECT_EQ(of("s(: 1=1) r(2=_)", level), violated);
    EXPECT_EQ(of("r(1=1) s(: 1=1)", level), violated);
    EXPECT_EQ(of("s(keys=1..1: 1=1) s(keys=2..2:)", level), violated);
    EXPECT_EQ(
        of("s(keys=2..2:) s(keys=1..1: 1=1)", level),
        "proves; step 0: edge 0: it arrives after the read from which the next edge leaves");
  }
}

// Session order arrives before all rows and leaves from each.
TEST(VerifySession, SelectionsInSessions) {
  const History h = support::parse("A: w(1=1) w(2=1) ; B: s(: 1=1) | s(: 1=1)");
  for (const Level level : {kSequential, kCausal, kMonotonicReads}) {
    RefutationStep missed;
    missed.cycle = {wr(0, 1, key(h, "1")), so(1, 2), rw(2, 0, key(h, "2"), -1)};
    EXPECT_EQ(refutation(h, level, level == kSequential ? -1 : 1, {missed}), "proves");
  }
}

}  // namespace
}  // namespace isolde::certify::test
