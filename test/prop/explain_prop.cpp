// Goal: what explanations make of a proof still proves the violation, and says nothing that the
// history contradicts. Method: random histories of all kinds, the engine's refutations at all
// levels; simplified ones go through the verifier, and no list is said to lack what it has.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/budget.hpp"
#include "base/hash.hpp"
#include "certify/verify.hpp"
#include "explain/evidence.hpp"
#include "explain/narrate.hpp"
#include "explain/scenario.hpp"
#include "explain/simplify.hpp"
#include "isolde/check.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"

namespace isolde::prop {
namespace {

using explain::Ground;
using explain::Scenario;
using explain::ScenarioEdge;
using explain::ScenarioStep;

support::PlainHistory random_case(base::Rng& rng) {
  support::RandomHistoryOptions options = support::random_options(rng);
  if (rng.below(4) == 0) options = support::random_selection_options(rng, false);
  if (rng.below(5) == 0) options.duplicate_share = 0.3;
  options.txn_count += rng.below(4);
  return support::random_history(rng, options);
}

/// Whether a read of a list is said to lack an element that it has.
bool contradicts(const History& history, const ScenarioEdge& step) {
  const Edge& edge = step.edge;
  if (edge.kind != EdgeKind::kAntiDependency || !history.is_list(edge.key)) return false;
  const auto read = explain::read_of(history, edge.from, edge.key, edge.via);
  if (!read || explain::op_at(history, *read).kind != OpKind::kReadList) return false;
  const std::span<const Value> list =
      explain::before_own_elements(history, edge.from, explain::op_at(history, *read));
  return std::any_of(list.begin(), list.end(), [&](Value element) {
    const auto ops = history.ops(edge.to);
    return std::any_of(ops.begin(), ops.end(), [&](const Op& op) {
      return op.kind == OpKind::kAppend && op.key == edge.key && op.value == element;
    });
  });
}

std::string complaint_about(const History& history, const Certificate& proof) {
  const auto& refutation = std::get<Refutation>(proof.proof);
  Certificate simple = proof;
  simple.proof = explain::simplified(history, info(proof.level).base, refutation);
  const certify::VerifyResult result = certify::verify(history, simple);
  if (!result.proves) return "the simplified proof does not stand: " + result.reason;
  const auto& steps = std::get<Refutation>(simple.proof).steps;
  if (steps.size() > refutation.steps.size()) return "the simplified proof is longer";
  const Scenario scenario = explain::make_scenario(history, proof);
  for (const ScenarioStep& step : scenario.steps) {
    for (const ScenarioEdge& edge : step.cycle) {
      if (contradicts(history, edge)) {
        return "not true: " + edge.because + "\n" + explain::narrate(history, scenario, {});
      }
    }
  }
  return {};
}

TEST(SimplifiedProofs, StandAndAreTrue) {
  const std::uint64_t seed = support::run_seed();
  const std::uint64_t cases = support::case_count(20'000);
  std::uint64_t refutations = 0;
  std::uint64_t shorter = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    base::Rng rng(base::mix2(seed, i));
    const History history = support::build(random_case(rng));
    base::Budget budget(0, 0);
    const CheckReport report = check(history, {}, budget);
    for (const LevelReport& level : report.levels) {
      if (level.verdict != Verdict::kViolated) continue;
      const Certificate proof{level.level, history.digest(), 0, report.proofs[level.proof]};
      const auto* refutation = std::get_if<Refutation>(&proof.proof);
      if (refutation == nullptr) continue;
      ++refutations;
      const std::string complaint = complaint_about(history, proof);
      ASSERT_EQ(complaint, "") << "seed " << seed << " case " << i << " at "
                               << info(level.level).name << "\n"
                               << support::to_text(support::to_plain(history));
      if (explain::simplified(history, info(level.level).base, *refutation).steps.size() <
          refutation->steps.size()) {
        ++shorter;
      }
    }
  }
  EXPECT_GT(refutations, cases / 10);
  EXPECT_GT(shorter, cases / 1000);
}

}  // namespace
}  // namespace isolde::prop
