// Goal: every violation that a survey lists is one, no two share a read, and nothing is left
// when it says so. Method: histories by hand; the verifier's word on each.
#include "minimize/survey.hpp"

#include <gtest/gtest.h>

#include <string>

#include "certify/verify.hpp"
#include "check/check.hpp"
#include "isolde/history_builder.hpp"
#include "support/history_dsl.hpp"

namespace isolde::minimize {
namespace {

using enum Level;

Survey surveyed(const History& history, Level level, std::size_t limit) {
  base::Budget budget;
  CheckOptions options;
  options.levels = {level};
  CheckReport report = check(history, options, budget);
  EXPECT_EQ(report.levels[0].verdict, Verdict::kViolated);
  const Certificate proof{level, history.digest(), 0,
                          std::move(report.proofs.at(report.levels[0].proof))};
  Result<Survey> made = survey(history, proof, limit, {}, budget);
  EXPECT_TRUE(made.ok());
  return std::move(made).value();
}

std::string names(const History& whole, const Minimized& violation) {
  EXPECT_TRUE(certify::verify(violation.history, violation.certificate).proves);
  std::string text;
  for (const TxnId txn : violation.origin) {
    text += (text.empty() ? "" : " ") + whole.txn_name(txn);
  }
  return text;
}

// Two lost updates, a write skew and an aborted read.
constexpr const char* kSeveral =
    "A: r(x=_) w(x=1) ; B: r(x=_) w(x=2) ; C: r(y=_) w(y=1) ; D: r(y=_) w(y=2) ; E: r(u=_) "
    "w(v=1)"
    " ; F: r(v=_) w(u=1) ; G: w(z=1) ! ; H: r(z=1) ; I: r(x=1) r(y=2)";

TEST(Survey, FindsAllThatShareNoRead) {
  const History history = support::parse(kSeveral);
  const Survey all = surveyed(history, kSerializable, 10);
  EXPECT_TRUE(all.is_complete);
  EXPECT_EQ(all.reason, "");
  std::string text;
  for (const Minimized& each : all.violations) text += names(history, each) + "; ";
  EXPECT_EQ(text, "G:0 H:0; A:0 B:0; C:0 D:0; E:0 F:0; ");
}

TEST(Survey, EndsAtItsLimit) {
  const History history = support::parse(kSeveral);
  const Survey some = surveyed(history, kSerializable, 2);
  EXPECT_FALSE(some.is_complete);
  EXPECT_EQ(some.violations.size(), 2U);
  EXPECT_EQ(some.reason, "the limit of 2 was reached");
}

TEST(Survey, EndsWithItsBudget) {
  const History history = support::parse("A: r(x=_) w(x=1) ; B: r(x=_) w(x=2)");
  base::Budget budget;
  CheckOptions options;
  options.levels = {kSerializable};
  CheckReport report = check(history, options, budget);
  const Certificate proof{kSerializable, history.digest(), 0, report.proofs.at(0)};
  budget.cancel();
  const Result<Survey> made = survey(history, proof, 5, {}, budget);
  ASSERT_TRUE(made.ok());
  EXPECT_TRUE(made->violations.empty());
  EXPECT_FALSE(made->is_complete);
  EXPECT_EQ(made->reason, "interrupted");
}

TEST(Survey, GoesOnWhereNothingWasRead) {
  const History history = support::parse(
      "A: nop @20,30 | nop @0,10 ; B: r(x=_) w(x=1) @0,5 ; C: r(x=_) w(x=2) @0,5");
  const Survey all = surveyed(history, kStrongTransactionalCausal, 10);
  ASSERT_EQ(all.violations.size(), 1U);
  EXPECT_EQ(names(history, all.violations[0]), "A:0 A:1");
  EXPECT_TRUE(all.is_complete);
}

TEST(Survey, LeavesOutSelections) {
  const History history = support::parse(
      "A: s(keys=1..9:) w(1=5) ; B: s(keys=1..9:) w(2=6) ; C: r(x=_) w(x=1) ; D: r(x=_) "
      "w(x=2)");
  const Survey all = surveyed(history, kSerializable, 10);
  EXPECT_TRUE(all.is_complete);
  EXPECT_EQ(all.violations.size(), 2U);
}

TEST(Survey, LeavesOutRefusedInserts) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session("A"));
  for (const int key : {1, 2}) builder.insert_refused(builder.key(Value::integer(key)));
  const History history = std::move(builder.finish()).value();
  const Survey all = surveyed(history, kSerializable, 10);
  EXPECT_TRUE(all.is_complete);
  EXPECT_EQ(all.violations.size(), 2U);
}

}  // namespace
}  // namespace isolde::minimize
