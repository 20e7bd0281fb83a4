// Goal: each transaction is held to its own level, and to nothing more. Method: small histories
// of which one transaction's level decides, and the verifier's word on every proof. The
// property tests compare with the oracle.
#include "weak/mixed.hpp"

#include <gtest/gtest.h>

#include "certify/verify.hpp"
#include "check/check.hpp"
#include "support/history_dsl.hpp"

namespace isolde::checker {
namespace {

std::string checked(const char* text, Level level) {
  const History history = support::parse(text);
  CheckOptions options;
  options.levels = {level};
  base::Budget budget;
  const CheckReport report = check(history, options, budget);
  const LevelReport& row = report.levels[0];
  if (row.verdict == Verdict::kHolds || row.verdict == Verdict::kViolated) {
    const Certificate certificate{level, history.digest(), 0, report.proofs[row.proof]};
    const certify::VerifyResult result = certify::verify(history, certificate);
    EXPECT_TRUE(result.proves) << text << ": " << result.reason;
    EXPECT_EQ(certificate.holds(), row.verdict == Verdict::kHolds);
  }
  return row.reason.empty() ? std::string(name(row.verdict)) : row.reason;
}

TEST(Mixed, EachTransactionIsHeldToItsOwnLevel) {
  struct Case {
    const char* what;
    const char* text;
    bool holds;
  };
  const Case cases[] = {
      {"write skew of two serializable ones", "A: r(x=_) w(y=1) %ser ; B: r(y=_) w(x=1) %ser",
       false},
      {"only one of them serializable: it comes first",
       "A: r(x=_) w(y=1) %ser ; B: r(y=_) w(x=1) %si", true},
      {"and the other way round", "A: r(x=_) w(y=1) %rc ; B: r(y=_) w(x=1) %ser", true},
      {"lost update at snapshot isolation", "A: r(x=_) w(x=1) %si ; B: r(x=_) w(x=2) %si",
       false},
      {"a careful one comes first, the careless overwrites it",
       "A: r(x=_) w(x=1) %si ; B: r(x=_) w(x=2) %pc", true},
      {"the careless overwrites what the careful replaced",
       "A: r(x=_) w(x=1) %si ; B: r(x=_) w(x=2) %pc | r(x=2) %ser ; C: r(x=1) %ser", true},
      {"but the careful cannot come second",
       "A: r(x=_) w(x=1) %si ; B: r(x=_) w(x=2) %pc ; C: r(x=2) %ser | r(x=1) %ser", false},
      {"long fork seen by serializable readers",
       "A: w(x=1) %ser ; B: w(y=1) %ser ; C: r(x=1) r(y=_) %ser ; D: r(x=_) r(y=1) %ser",
       false},
      {"and by one that is causal only",
       "A: w(x=1) %ser ; B: w(y=1) %ser ; C: r(x=1) r(y=_) %ser ; D: r(x=_) r(y=1) %tcc", true},
      {"fractured read at read atomic", "A: w(x=1) w(y=1) %rc ; B: r(x=1) r(y=_) %ra", false},
      {"fractured read, in the order that monotonic atomic view allows",
       "A: w(x=1) w(y=1) %ser ; B: r(y=_) r(x=1) %mav", true},
      {"and in the order that it does not", "A: w(x=1) w(y=1) %ser ; B: r(x=1) r(y=_) %mav",
       false},
      {"at read committed either is fine", "A: w(x=1) w(y=1) %ser ; B: r(x=1) r(y=_) %rc",
       true},
      {"causality of a weak writer binds a causal reader",
       "A: w(x=1) %ser ; B: r(x=1) w(y=1) %rc ; C: r(y=1) r(x=_) %tcc", false},
      {"but not a read atomic one",
       "A: w(x=1) %ser ; B: r(x=1) w(y=1) %rc ; C: r(y=1) r(x=_) %ra", true},
      {"session order binds all", "A: w(x=1) %ser | r(x=_) %si", false},
      {"a read committed one may still read the past", "A: w(x=1) %ser | r(x=_) %rc", true},
      {"nobody reads aborted values", "A: w(x=1) ! ; B: r(x=1) %rc", false},
      {"a non-repeatable read of a serializable one", "A: w(x=1) %rc ; B: r(x=_) r(x=1) %rr",
       false},
      {"of one at read committed", "A: w(x=1) %rc ; B: r(x=_) r(x=1) %rc", true},
      {"lists: both orders seen, one by somebody who need not agree",
       "A: a(l=1) %ser ; B: a(l=2) %ser ; C: r(l=[1]) r(k=_) %ser ; D: r(l=[1 2]) %rc", true},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(checked(each.text, Level::kMixed), each.holds ? "holds" : "violated")
        << each.what;
  }
}

TEST(Mixed, RealTimeBindsWhereItIsAskedFor) {
  const char* const stale = "A: w(x=1) @1,2 %ser ; B: r(x=_) @3,4 %ser";
  EXPECT_EQ(checked(stale, Level::kMixed), "holds");
  EXPECT_EQ(checked(stale, Level::kStrongMixed), "violated");
  EXPECT_EQ(checked("A: w(x=1) @1,2 %ser ; B: r(x=_) @3,4 %rc", Level::kStrongMixed), "holds");
  EXPECT_EQ(checked("A: w(x=1) @1,2 %ser ; B: r(x=_) @3,4 %ra", Level::kStrongMixed),
            "violated");
}

TEST(Mixed, AppliesWhereAllStateALevelThatCanBeMixed) {
  EXPECT_EQ(checked("A: w(x=1)", Level::kMixed), "no transaction states a level");
  EXPECT_EQ(checked("A: w(x=1) %ser | r(x=1)", Level::kMixed),
            "transaction A:1 states no level");
  EXPECT_EQ(checked("A: w(x=1) %lin", Level::kMixed),
            "transaction A:0 states linearizable, for which mixing has no clear definition");
  EXPECT_EQ(
      checked("A: w(x=1) %sser", Level::kMixed),
      "transaction A:0 states strict-serializable; state the level without real time, and "
      "ask for strong-mixed");
  EXPECT_EQ(checked("A: w(x=1) %sser ! | nop %ser", Level::kMixed), "holds");
}

// What repeatable read means where rows are told in part is undefined only if somebody who took
// effect was told so.
TEST(Mixed, RowsToldInPartCountWhereTheReaderDidNotAbort) {
  const std::string unclear =
      "transaction B:0 states repeatable-read, and there are selections or reads that tell a "
      "row in part; what it means in a mixture with these is not decided";
  for (const char* const in_part : {"start(x=1) ; A: r(x=_)", "A: r(x=<>2) ; C: w(x=1) %ser",
                                    "A: s(:) ; C: w(x=1) %ser", "A: s(keys=5..4:)"}) {
    const std::string text = in_part;
    const std::size_t end = text.find(" ; C");
    const std::string head = text.substr(0, end);
    const std::string tail =
        (end == std::string::npos ? "" : text.substr(end)) + " ; B: nop %rr";
    EXPECT_EQ(checked((head + " %si" + tail).c_str(), Level::kMixed), unclear) << head;
    EXPECT_EQ(checked((head + " %si !" + tail).c_str(), Level::kMixed), "holds") << head;
  }
}

TEST(Mixed, TheVerifierAsksForTheLevelsToo) {
  const History history = support::parse("A: w(x=1)");
  const Certificate certificate{Level::kMixed, history.digest(), 0, Witness{1, {TxnId(0)}, {}}};
  EXPECT_EQ(certify::verify(history, certificate).reason,
            "A:0 states no level that can be mixed");
}

TEST(Mixed, TheVerifierHoldsEachTransactionToItsOwnLevel) {
  const char* const text = "A: r(x=_) w(y=1) %{} ; B: r(y=_) w(x=1) %{}";
  const auto verdict = [&](const char* a, const char* b, const Proof& proof) {
    std::string with = text;
    with.replace(with.find("{}"), 2, a);
    with.replace(with.find("{}"), 2, b);
    const History history = support::parse(with);
    const Certificate certificate{Level::kMixed, history.digest(), 0, proof};
    return certify::verify(history, certificate).proves;
  };
  const Proof b_first = Witness{1, {TxnId(1), TxnId(0)}, {}};
  EXPECT_TRUE(verdict("rc", "ser", b_first));
  EXPECT_FALSE(verdict("si", "ser", b_first));
  const Proof overlap = Witness{2, {TxnId(0), TxnId(1), TxnId(1), TxnId(0)}, {}};
  EXPECT_TRUE(verdict("si", "ser", overlap));
  EXPECT_FALSE(verdict("ser", "si", overlap));
  Refutation cycle;
  cycle.steps.emplace_back();
  cycle.steps.back().cycle = {
      {TxnId(0), TxnId(1), EdgeKind::kAntiDependency, KeyId(0), TxnId::none()},
      {TxnId(1), TxnId(0), EdgeKind::kAntiDependency, KeyId(1), TxnId::none()}};
  EXPECT_TRUE(verdict("ser", "ser", cycle));
  EXPECT_FALSE(verdict("ser", "si", cycle));
  EXPECT_FALSE(verdict("pc", "ser", cycle));
  EXPECT_FALSE(verdict("rc", "ser", cycle));
}

}  // namespace
}  // namespace isolde::checker
