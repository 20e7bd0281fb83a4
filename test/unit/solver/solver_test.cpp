// Goal: the search loop, its restarts and its clause database on instances whose answer is
// known. Method: the toy theory of set_theory.hpp; small cases by hand, pigeonhole principles
// for many conflicts, every proof checked by proof_check.hpp.
#include "solver/solver.hpp"

#include <gtest/gtest.h>

#include "unit/solver/proof_check.hpp"
#include "unit/solver/set_theory.hpp"

namespace isolde::solver {
namespace {

using test::complaint_about;
using test::LitSet;
using test::no;
using test::SetTheory;
using test::yes;

struct Bench {
  Bench(std::uint32_t var_count, std::vector<LitSet> forbidden)
      : theory(var_count, std::move(forbidden)), solver(theory, budget) {
    theory.connect(solver, var_count, 1);
  }

  base::Budget budget;
  SetTheory theory;
  Solver solver;
};

TEST(Solver, NothingToDecideIsSatisfiable) {
  Bench run(0, {});
  EXPECT_EQ(run.solver.solve(), Answer::kSat);
  EXPECT_EQ(run.theory.final_checks(), 1U);
  EXPECT_EQ(run.solver.conflict_count(), 0U);
}

TEST(Solver, FollowsTheTheorysPreference) {
  Bench run(3, {});
  run.theory.set_preference(1, true);
  ASSERT_EQ(run.solver.solve(), Answer::kSat);
  EXPECT_TRUE(run.solver.is_true(no(0)));
  EXPECT_TRUE(run.solver.is_true(yes(1)));
  EXPECT_TRUE(run.solver.is_true(no(2)));
  EXPECT_FALSE(run.solver.is_true(yes(2)));
}

TEST(Solver, LearnsUnits) {
  Bench run(2, {{no(0)}, {yes(0), no(1)}});
  ASSERT_EQ(run.solver.solve(), Answer::kSat);
  EXPECT_TRUE(run.solver.is_true(yes(0)));
  EXPECT_TRUE(run.solver.is_true(yes(1)));
}

/// Requires one clause at a time, each at its first final check that does not satisfy it.
class LateTheory final : public Theory {
 public:
  explicit LateTheory(std::vector<LitSet> clauses) : clauses_(std::move(clauses)) {}
  void connect(Solver& solver) {
    solver_ = &solver;
    for (int i = 0; i < 3; ++i) solver.new_var(i == 0);
  }

  bool assign(Lit, std::vector<Lit>&) override { return true; }
  void backtrack(std::size_t) override {}
  Lit prefer(Var var) const override { return Lit(var, true); }
  Final final_check(std::vector<LitSet>&) override {
    if (required_ == clauses_.size()) return Final::kModel;
    solver_->require(clauses_[required_++]);
    return Final::kMore;
  }

 private:
  Solver* solver_ = nullptr;
  std::vector<LitSet> clauses_;
  std::size_t required_ = 0;
};

TEST(Solver, ClausesMayBeRequiredLate) {
  base::Budget budget;
  LateTheory theory({{yes(0), yes(1)}, {no(1), yes(2)}, {yes(0)}});
  Solver solver(theory, budget);
  theory.connect(solver);
  ASSERT_EQ(solver.solve(), Answer::kSat);
  EXPECT_TRUE(solver.is_true(yes(0)));
  LateTheory impossible({{yes(0), yes(1)}, {no(1)}, {no(0), yes(1)}});
  Solver refuted(impossible, budget);
  impossible.connect(refuted);
  ASSERT_EQ(refuted.solve(), Answer::kUnsat);
  for (const ProofStep& step : refuted.core()) EXPECT_EQ(step.is_input, step.from.empty());
}

TEST(Solver, RefutesAndGivesTheCore) {
  // The sets of variable 2 have no part in the contradiction.
  Bench run(3, {{no(2)}, {no(0), no(1)}, {no(0), yes(1)}, {yes(0), no(1)}, {yes(0), yes(1)}});
  ASSERT_EQ(run.solver.solve(), Answer::kUnsat);
  const std::vector<ProofStep> proof = run.solver.core();
  EXPECT_EQ(complaint_about(proof, run.theory.taught()), "");
  for (const ProofStep& step : proof) {
    for (const Lit lit : step.clause) EXPECT_NE(lit.var(), Var(2));
  }
}

TEST(Solver, RefutesAVariableThatCanBeNeither) {
  Bench run(1, {{yes(0)}, {no(0)}});
  ASSERT_EQ(run.solver.solve(), Answer::kUnsat);
  EXPECT_EQ(complaint_about(run.solver.core(), run.theory.taught()), "");
}

TEST(Solver, ConflictsMayComeLate) {
  // In the second the conflict speaks of the first decision only.
  for (const std::vector<LitSet>& forbidden :
       {std::vector<LitSet>{{no(0), no(1)}, {no(0), yes(1)}, {yes(0), no(1)}, {yes(0), yes(1)}},
        std::vector<LitSet>{{yes(0)}, {no(0)}}, std::vector<LitSet>{{}}}) {
    Bench run(3, forbidden);
    run.theory.object_late();
    ASSERT_EQ(run.solver.solve(), Answer::kUnsat);
    EXPECT_EQ(complaint_about(run.solver.core(), run.theory.taught()), "");
    EXPECT_EQ(run.theory.final_checks(), run.theory.taught().size());
  }
  Bench fits(3, {{no(0)}, {yes(0), no(2)}});
  fits.theory.object_late();
  ASSERT_EQ(fits.solver.solve(), Answer::kSat);
  EXPECT_TRUE(fits.solver.is_true(yes(0)));
  EXPECT_TRUE(fits.solver.is_true(yes(2)));
}

TEST(Solver, VariablesComeLate) {
  base::Budget budget;
  SetTheory theory(4, {{no(3)}, {yes(3), no(2)}, {yes(2), no(1), no(0)}, {yes(2), yes(0)}});
  Solver solver(theory, budget);
  theory.connect(solver, 0, 1);
  ASSERT_EQ(solver.solve(), Answer::kSat);
  EXPECT_EQ(solver.var_count(), 4U);
  EXPECT_GT(theory.final_checks(), 4U);
  EXPECT_TRUE(solver.is_true(yes(3)));
  EXPECT_TRUE(solver.is_true(yes(2)));
  EXPECT_TRUE(solver.is_true(no(0)));
  EXPECT_TRUE(solver.is_true(yes(1)));
}

TEST(Solver, LeavesOpenWhatTheTheoryCanDoWithout) {
  Bench run(4, {{no(1), yes(2)}, {no(1), no(2)}});
  run.theory.ask_when_needed();
  ASSERT_EQ(run.solver.solve(), Answer::kSat);
  EXPECT_TRUE(run.solver.is_true(yes(1)));
  EXPECT_TRUE(run.solver.is_open(Var(3)));
  // One that it could do without, but that a conflict was about, is decided.
  EXPECT_FALSE(run.solver.is_open(Var(2)));
}

TEST(Solver, GivesUpWithTheBudget) {
  Bench run(2, {{no(0)}});
  run.budget.cancel();
  run.budget.look();
  EXPECT_EQ(run.solver.solve(), Answer::kUnknown);
}

/// Variable p * holes + h: pigeon p sits in hole h.
std::vector<LitSet> pigeonhole(std::uint32_t pigeons, std::uint32_t holes) {
  std::vector<LitSet> forbidden;
  for (std::uint32_t p = 0; p < pigeons; ++p) {
    LitSet homeless;
    for (std::uint32_t h = 0; h < holes; ++h) homeless.push_back(no(p * holes + h));
    forbidden.push_back(homeless);
    for (std::uint32_t q = 0; q < p; ++q) {
      for (std::uint32_t h = 0; h < holes; ++h) {
        forbidden.push_back({yes(q * holes + h), yes(p * holes + h)});
      }
    }
  }
  return forbidden;
}

TEST(Solver, PigeonsThatFit) {
  Bench run(49, pigeonhole(7, 7));
  ASSERT_EQ(run.solver.solve(), Answer::kSat);
  for (std::uint32_t p = 0; p < 7; ++p) {
    int homes = 0;
    for (std::uint32_t h = 0; h < 7; ++h) homes += run.solver.is_true(yes(p * 7 + h)) ? 1 : 0;
    EXPECT_GE(homes, 1);
  }
}

TEST(Solver, PigeonsThatDoNotFit) {
  for (std::uint32_t holes = 1; holes <= 6; ++holes) {
    Bench run((holes + 1) * holes, pigeonhole(holes + 1, holes));
    ASSERT_EQ(run.solver.solve(), Answer::kUnsat) << holes;
    ASSERT_EQ(complaint_about(run.solver.core(), run.theory.taught()), "") << holes;
  }
}

TEST(Solver, KeepsWhatIsRequired) {
  Bench run(3, {{yes(0), yes(1)}, {yes(1), yes(2)}});
  run.solver.require({yes(1), yes(2)});
  run.solver.require({yes(0), yes(1)});
  ASSERT_EQ(run.solver.solve(), Answer::kSat);
  EXPECT_TRUE(run.solver.is_true(yes(1)) || run.solver.is_true(yes(2)));
  EXPECT_TRUE(run.solver.is_true(yes(0)) || run.solver.is_true(yes(1)));
}

TEST(Solver, RequirementsTakePartInProofs) {
  // Pigeons as requirements, holes as the theory.
  Bench run(6, {{yes(0), yes(2)},
                {yes(0), yes(4)},
                {yes(2), yes(4)},
                {yes(1), yes(3)},
                {yes(1), yes(5)},
                {yes(3), yes(5)}});
  for (const std::uint32_t pigeon : {0U, 2U, 4U}) {
    run.solver.require({yes(pigeon), yes(pigeon + 1)});
  }
  ASSERT_EQ(run.solver.solve(), Answer::kUnsat);
  EXPECT_EQ(complaint_about(run.solver.core(), run.theory.taught()), "");

  Bench unit(1, {{yes(0)}});
  unit.solver.require({yes(0)});
  ASSERT_EQ(unit.solver.solve(), Answer::kUnsat);
  EXPECT_EQ(complaint_about(unit.solver.core(), unit.theory.taught()), "");

  Bench nothing(1, {});
  nothing.solver.require({});
  ASSERT_EQ(nothing.solver.solve(), Answer::kUnsat);
  EXPECT_EQ(complaint_about(nothing.solver.core(), nothing.theory.taught()), "");
}

TEST(Solver, GoesOnWhereTheLimitStoppedIt) {
  Bench run(56, pigeonhole(8, 7));
  run.solver.limit_conflicts(300);
  ASSERT_EQ(run.solver.solve(), Answer::kUnknown);
  EXPECT_GE(run.solver.conflict_count(), 300U);
  run.solver.limit_conflicts(0);
  ASSERT_EQ(run.solver.solve(), Answer::kUnsat);
  EXPECT_EQ(complaint_about(run.solver.core(), run.theory.taught()), "");
}

/// Enough conflicts for restarts and for reductions of the clause database, twice the same.
TEST(Solver, SurvivesReductionsAndRepeatsItself) {
  std::vector<std::uint64_t> conflicts;
  for (int round = 0; round < 2; ++round) {
    Bench run(56, pigeonhole(8, 7));
    run.solver.reduce_after(500);
    ASSERT_EQ(run.solver.solve(), Answer::kUnsat);
    EXPECT_GT(run.solver.reduction_count(), 2U);
    conflicts.push_back(run.solver.conflict_count());
    EXPECT_GT(conflicts.back(), 2000U);
    if (round > 0) continue;
    EXPECT_EQ(complaint_about(run.solver.core(), run.theory.taught()), "");
  }
  EXPECT_EQ(conflicts[0], conflicts[1]);
}

// What is required of all solutions stays, also where it was learned that most of it is true.
TEST(Solver, ReductionsKeepWhatIsRequired) {
  Bench run(56, {});
  for (const LitSet& forbidden : pigeonhole(8, 7)) {
    std::vector<Lit> clause;
    for (const Lit lit : forbidden) clause.push_back(~lit);
    run.solver.require(clause);
  }
  run.solver.reduce_after(300);
  ASSERT_EQ(run.solver.solve(), Answer::kUnsat);
  EXPECT_GT(run.solver.reduction_count(), 2U);
}

}  // namespace
}  // namespace isolde::solver
