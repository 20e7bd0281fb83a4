#include "explain/core.hpp"

#include <gtest/gtest.h>

#include "unit/explain/histories.hpp"

namespace isolde::explain {
namespace {

const VersionOrder kOneTwo{TxnId(1), TxnId(2)};
const VersionOrder kTwoOne{TxnId(2), TxnId(1)};

// Goal: steps that nothing uses disappear and references follow. Method: a proof with an unused
// first step and a final cycle that rests on the second.
TEST(ProofCore, KeepsWhatTheLastStepNeeds) {
  Refutation proof;
  proof.steps.push_back({{{txn(5), txn(6)}}, {ww(6, 5, 0)}, {}});
  proof.steps.push_back({{kOneTwo}, {ww(2, 1, 0), wr(1, 2, 1)}, {}});
  proof.steps.push_back({{}, {ww(1, 2, 0), wr(2, 1, 1)}, {}});
  const std::vector<CoreStep> core = proof_core(proof);
  ASSERT_EQ(core.size(), 2U);
  EXPECT_EQ(core[0].grounds[0], Ground::kAssumed);
  EXPECT_EQ(core[1].grounds[0], Ground::kEstablished);
  EXPECT_EQ(core[1].facts[0], 0U);
  EXPECT_EQ(core[1].grounds[1], Ground::kCertain);
}

TEST(ProofCore, FollowsStepsWithoutCycle) {
  Refutation proof;
  proof.steps.push_back({{kOneTwo}, {ww(2, 1, 0)}, {}});
  proof.steps.push_back({{{txn(8), txn(9)}}, {ww(9, 8, 0)}, {}});
  proof.steps.push_back({{kTwoOne}, {ww(1, 2, 0)}, {}});
  proof.steps.push_back({{}, {}, {0, 2}});
  const std::vector<CoreStep> core = proof_core(proof);
  ASSERT_EQ(core.size(), 3U);
  EXPECT_EQ(core[2].from, (std::vector<std::size_t>{0, 1}));
}

// Goal: a step that only repeats another one is left out.
TEST(ProofCore, DropsRepetitions) {
  Refutation proof;
  proof.steps.push_back({{kOneTwo}, {ww(2, 1, 0)}, {}});
  proof.steps.push_back({{kOneTwo}, {}, {0}});
  proof.steps.push_back({{kTwoOne}, {ww(1, 2, 0)}, {}});
  proof.steps.push_back({{}, {}, {1, 2}});
  const std::vector<CoreStep> core = proof_core(proof);
  ASSERT_EQ(core.size(), 3U);
  EXPECT_EQ(core[2].from, (std::vector<std::size_t>{0, 1}));
}

}  // namespace
}  // namespace isolde::explain
