// Goal: the solver's answers are right and its proofs check. Method: model-based. Random
// forbidden sets over at most 12 variables, some made late, against brute force over all
// assignments; models are evaluated and proofs followed by proof_check.hpp. Larger random
// instances near the threshold of satisfiability force restarts and reductions; there the model
// or the proof alone says whether the answer is right.
#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "unit/solver/proof_check.hpp"
#include "unit/solver/set_theory.hpp"

namespace isolde::solver {
namespace {

using test::complaint_about;
using test::LitSet;
using test::SetTheory;

LitSet random_set(base::Rng& rng, std::uint32_t var_count, std::size_t size) {
  LitSet set;
  while (set.size() < size) {
    const Lit lit(Var(static_cast<std::uint32_t>(rng.below(var_count))), rng.chance(0.5));
    const bool fresh = std::none_of(set.begin(), set.end(),
                                    [&](Lit other) { return other.var() == lit.var(); });
    if (fresh) set.push_back(lit);
  }
  return set;
}

bool holds(const LitSet& set, std::uint32_t assignment) {
  return std::all_of(set.begin(), set.end(), [&](Lit lit) {
    return (((assignment >> lit.var().raw()) & 1U) != 0) != lit.negated();
  });
}

bool is_satisfiable(std::uint32_t var_count, const std::vector<LitSet>& forbidden) {
  for (std::uint32_t assignment = 0; assignment < (1U << var_count); ++assignment) {
    const bool allowed = std::none_of(forbidden.begin(), forbidden.end(),
                                      [&](const auto& set) { return holds(set, assignment); });
    if (allowed) return true;
  }
  return false;
}

/// Every forbidden set has a false literal; variables that were never made are neither.
bool is_model(const Solver& solver, const std::vector<LitSet>& forbidden) {
  return std::all_of(forbidden.begin(), forbidden.end(), [&](const LitSet& set) {
    return std::any_of(set.begin(), set.end(), [&](Lit lit) {
      return lit.var().raw() < solver.var_count() && solver.is_true(~lit);
    });
  });
}

TEST(SolverModel, AgreesWithBruteForce) {
  int answers[2] = {0, 0};
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    base::Rng rng(seed);
    const auto var_count = static_cast<std::uint32_t>(1 + rng.below(12));
    // Sets of size 3 become contradictory at about 4.3 of them a variable, smaller ones sooner.
    const std::size_t size_max = 1 + rng.below(std::min(var_count, 4U));
    std::vector<LitSet> forbidden(rng.below(var_count * (std::size_t{1} << size_max)) + 1);
    for (LitSet& set : forbidden) {
      const std::size_t size = rng.chance(0.9) ? size_max : 1 + rng.below(size_max);
      set = random_set(rng, var_count, size);
    }
    base::Budget budget;
    SetTheory theory(var_count, forbidden);
    if (seed % 3 == 0) theory.object_late();
    if (seed % 2 == 0) theory.ask_when_needed();
    for (std::uint32_t v = 0; v < var_count; ++v) theory.set_preference(v, rng.chance(0.5));
    Solver solver(theory, budget);
    theory.connect(solver, static_cast<std::uint32_t>(rng.below(var_count + 1)),
                   static_cast<std::uint32_t>(1 + rng.below(3)));
    const Answer answer = solver.solve();
    const bool satisfiable = is_satisfiable(var_count, forbidden);
    ASSERT_EQ(answer, satisfiable ? Answer::kSat : Answer::kUnsat) << "seed " << seed;
    ++answers[satisfiable ? 1 : 0];
    if (satisfiable) {
      ASSERT_TRUE(is_model(solver, forbidden)) << "seed " << seed;
    } else {
      ASSERT_EQ(complaint_about(solver.core(), theory.taught()), "") << "seed " << seed;
    }
  }
  EXPECT_GT(answers[0], 500);
  EXPECT_GT(answers[1], 500);
}

TEST(SolverModel, ModelsAndProofsOfLargerInstances) {
  int answers[2] = {0, 0};
  std::uint64_t conflicts_max = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    base::Rng rng(seed);
    const std::uint32_t var_count = 110;
    std::vector<LitSet> forbidden(static_cast<std::size_t>(var_count * 4.3));
    for (LitSet& set : forbidden) set = random_set(rng, var_count, 3);
    base::Budget budget;
    SetTheory theory(var_count, forbidden);
    if (seed % 2 == 0) theory.ask_when_needed();
    Solver solver(theory, budget);
    theory.connect(solver, var_count / 2, 7);
    const Answer answer = solver.solve();
    conflicts_max = std::max(conflicts_max, solver.conflict_count());
    if (answer == Answer::kSat) {
      ++answers[1];
      ASSERT_TRUE(is_model(solver, forbidden)) << "seed " << seed;
    } else {
      ASSERT_EQ(answer, Answer::kUnsat);
      ++answers[0];
      ASSERT_EQ(complaint_about(solver.core(), theory.taught()), "") << "seed " << seed;
    }
  }
  EXPECT_GT(answers[0], 0);
  EXPECT_GT(answers[1], 0);
  EXPECT_GT(conflicts_max, 500U);
}

}  // namespace
}  // namespace isolde::solver
