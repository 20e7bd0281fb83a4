// Goal: what a certificate claims, in words, for each kind of proof.
#include "api/proof.hpp"

#include <gtest/gtest.h>

namespace isolde::api {
namespace {

std::string claim_of(Level level, Proof proof) {
  return claim({level, 0, 0, std::move(proof)});
}

TEST(Claim, NamesTheKindOfProof) {
  using enum Level;
  EXPECT_EQ(claim_of(kSerializable, Witness{2, {TxnId(0), TxnId(0)}}),
            "serializable holds, by an order of 1 transaction");
  EXPECT_EQ(claim_of(kCausal, SessionWitness{{{}, {}}}),
            "causal holds, by 2 orders for different sessions");
  EXPECT_EQ(claim_of(kSerializable, Finding{}), "serializable is violated, by a single read");
  EXPECT_EQ(claim_of(kLinearizable, KeyWitness{{0, 0}, {}}),
            "linearizable holds, by an order for the key");
  EXPECT_EQ(claim_of(kLinearizable, KeyWitness{{0, 0, 0}, {}}),
            "linearizable holds, by an order for each of 2 keys");
  EXPECT_EQ(claim_of(kLinearizable, KeyExhaustion{}),
            "linearizable is violated, by trying all orders of one key");
  EXPECT_EQ(claim_of(kSerializable, Refutation{{{}}}), "serializable is violated, by a cycle");
  EXPECT_EQ(claim_of(kSerializable, Refutation{{{}, {}}}),
            "serializable is violated, by an argument of 2 steps");
  EXPECT_EQ(
      claim_of(kSerializable, Implication{kSnapshotIsolation, Finding{}}),
      "serializable is violated, because snapshot-isolation is violated, by a single read");
}

TEST(Claim, SaysWhatItAssumesOfClocks) {
  EXPECT_EQ(claim({Level::kStrictSerializable, 0, 10'000'000, Finding{}}),
            "strict-serializable is violated, by a single read, with clocks up to 10ms apart");
  EXPECT_EQ(claim({Level::kSerializable, 0, 10'000'000, Finding{}}),
            "serializable is violated, by a single read");
}

}  // namespace
}  // namespace isolde::api
