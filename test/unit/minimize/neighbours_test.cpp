// Goal: what the search begins with. Method: proofs by hand about histories by hand.
#include "minimize/neighbours.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/history_dsl.hpp"

namespace isolde::minimize {
namespace {

TxnId txn(std::uint32_t number) { return TxnId(number); }

std::string numbers(const std::vector<TxnId>& txns) {
  std::string text;
  for (const TxnId each : txns) text += (text.empty() ? "" : " ") + std::to_string(each.raw());
  return text;
}

Certificate certificate_of(Proof proof, Level level = Level::kSerializable) {
  return {level, 0, 0, std::move(proof)};
}

TEST(Neighbours, TransactionsThatAProofNames) {
  const History history = support::parse("A: w(x=1) ; B: w(y=1) ; C: w(x=2) ; D: r(x=?)");
  Finding finding;
  finding.txn = txn(2);
  EXPECT_EQ(numbers(named_txns(history, certificate_of(finding))), "2");
  finding.other = txn(0);
  EXPECT_EQ(numbers(named_txns(history, certificate_of(finding))), "0 2");
  EXPECT_EQ(numbers(named_txns(history, certificate_of(KeyExhaustion{KeyId(0), txn(2)}))),
            "0 2");

  // The first step serves nothing.
  const RefutationStep idle{{{txn(3), txn(0)}}, {}, {}};
  const Edge edge{txn(0), txn(1), EdgeKind::kAntiDependency, KeyId(0), txn(2)};
  const Refutation refutation{{idle, RefutationStep{{}, {edge}, {}}}, {}};
  EXPECT_EQ(numbers(named_txns(history, certificate_of(refutation))), "0 1 2");
}

TEST(Neighbours, ReadersThatAProofNeeds) {
  const History doubt =
      support::parse("A: w(x=1) ? ; B: r(x=1) ! ; C: r(x=1) ? ; D: r(x=1) ; E: r(x=1)");
  EXPECT_EQ(numbers(widened(doubt, {txn(0)}, {}, Reach::kReaders)), "0 3");
  const History lists =
      support::parse("A: a(l=1) ; B: r(l=[1]) ; C: r(l=[1 2]) ; D: a(l=2) ; B: r(l=[])");
  EXPECT_EQ(numbers(widened(lists, {txn(0)}, {}, Reach::kReaders)), "0 2");
  const SessionId b = lists.session_of(txn(1));
  EXPECT_EQ(numbers(widened(lists, {txn(0)}, b, Reach::kReaders)), "0 1");
}

TEST(Neighbours, WritersOfWhatWasRead) {
  const History history = support::parse(
      "A: w(x=1) ; B: w(x=1) ! ; C: w(x=2) ; D: r(x=1) a(l=9) r(l=[7 8 9]) r(z=<>1) ; E: a(l=7)"
      " w(z=5) ; F: a(l=8)");
  EXPECT_EQ(numbers(widened(history, {txn(3)}, {}, Reach::kReaders)), "3");
  EXPECT_EQ(numbers(widened(history, {txn(3)}, {}, Reach::kSources)), "0 1 3 5");
  EXPECT_EQ(numbers(widened(history, {txn(3)}, {}, Reach::kAll)), "0 1 3 4 5");
}

// C missed A's z, which D had seen in a way: through B, which comes before D's first.
TEST(Neighbours, CausesOfViews) {
  const History history = support::parse(
      "A: w(x=1) w(z=1) ; B: r(x=1) w(y=1) ; D: r(y=1) | nop | r(z=_) ; E: w(v=1) ; D: r(v=1)");
  const Edge view{txn(0), txn(0), EdgeKind::kCausalView, KeyId(1), txn(4)};
  const Refutation refutation{{RefutationStep{{}, {view}, {}}}, {}};
  base::Budget budget;
  const Certificate proof = certificate_of(refutation, Level::kTransactionalCausal);
  EXPECT_EQ(numbers(causes_of_views(history, proof, budget)), "0 1 2 3");
  EXPECT_EQ(numbers(causes_of_views(history, certificate_of(Refutation{}), budget)), "");
}

TEST(Neighbours, CausesInRealTime) {
  const History history = support::parse(
      "A: w(x=1) @0,10 ; B: w(y=1) @20,30 ; C: r(y=1) @25,40 ; D: w(z=1) @0,11 ; C: r(x=_)"
      " @50,60");
  const Edge view{txn(0), txn(0), EdgeKind::kCausalView, KeyId(0), txn(2)};
  const Refutation refutation{{RefutationStep{{}, {view}, {}}}, {}};
  base::Budget budget;
  Certificate proof = certificate_of(refutation, Level::kStrongTransactionalCausal);
  EXPECT_EQ(numbers(causes_of_views(history, proof, budget)), "0");
  // Too close for C, but not for a cause of a later transaction.
  proof.clock_error_ns = 16;
  EXPECT_EQ(numbers(causes_of_views(history, proof, budget)), "");
  std::get<Refutation>(proof.proof).steps[0].cycle[0].via = txn(4);
  EXPECT_EQ(numbers(causes_of_views(history, proof, budget)), "0");
}

}  // namespace
}  // namespace isolde::minimize
