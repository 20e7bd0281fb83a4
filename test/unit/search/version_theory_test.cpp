// Goal: assigning a version order inserts its edges, contradictions come with a cycle and the
// literals behind it, and backtracking restores the graph. Method: the theory driven by the
// solver on hand histories, and by hand.
#include "search/version_theory.hpp"

#include <gtest/gtest.h>

#include "order/guess.hpp"
#include "support/proved.hpp"

namespace isolde::checker {
namespace {

using infer::Encoding;
using solver::Answer;
using solver::Lit;
using solver::Solver;
using solver::Theory;
using solver::Var;
using test::Observed;
using test::proved;
using test::txn;

struct Search {
  explicit Search(std::string_view text, const Encoding& encoding = {})
      : observed(text),
        events(observed.seen, encoding, budget),
        theory(events, derived, order_by_time(events, budget), budget),
        solver(theory, budget) {
    theory.connect(solver);
  }

  base::Budget budget;
  Observed observed;
  EventGraph events;
  prune::Derivation derived;
  VersionTheory theory;
  Solver solver;
};

/// Every order of A and B is wrong for C or D.
constexpr const char* kFork =
    "A: w(x=1) w(y=1) ; B: w(x=2) w(y=2) ; C: r(x=1) r(y=2) ; D: r(x=2) r(y=1)";

TEST(VersionTheory, MakesPairsOnlyWhereTheOrderIsWrong) {
  Search fits("A: w(x=1) ; B: w(x=2) ; C: r(x=2)");
  EXPECT_EQ(fits.solver.solve(), Answer::kSat);
  EXPECT_EQ(fits.solver.var_count(), 0U);
  Search wrong("A: w(x=1) ; B: w(x=2) ; C: r(x=1) r(z=1) ; D: r(x=2) w(z=1)");
  ASSERT_EQ(wrong.solver.solve(), Answer::kSat);
  EXPECT_EQ(wrong.solver.var_count(), 1U);
  EXPECT_EQ(wrong.theory.order_of(Lit(Var(0), false)), (VersionOrder{txn(0), txn(1)}));
  EXPECT_EQ(wrong.theory.order_of(Lit(Var(0), true)), (VersionOrder{txn(1), txn(0)}));
  EXPECT_EQ(proved(*wrong.observed.history, Level::kSerializable, wrong.theory.witness()),
            "holds");
}

TEST(VersionTheory, ConflictsAreCyclesOfTheLiterals) {
  Search search(kFork);
  ASSERT_EQ(search.solver.solve(), Answer::kUnsat);
  ASSERT_EQ(search.theory.lemmas().size(), 2U);
  for (const Lemma& lemma : search.theory.lemmas()) {
    EXPECT_TRUE(lemma.facts.empty());
    ASSERT_FALSE(lemma.cycle.empty());
    for (std::size_t i = 0; i < lemma.cycle.size(); ++i) {
      EXPECT_EQ(lemma.cycle[i].to, lemma.cycle[(i + 1) % lemma.cycle.size()].from);
    }
  }
}

TEST(VersionTheory, BacktrackingRestoresTheGraph) {
  Search search("A: w(x=1) ; B: w(x=2) ; C: r(x=1) w(y=1) ; D: r(x=2) w(y=2) ; E: r(y=1)");
  std::vector<std::vector<Lit>> conflicts;
  ASSERT_EQ(search.theory.final_check(conflicts), Theory::Final::kMore);
  EXPECT_TRUE(conflicts.empty());
  std::vector<Lit> conflict;
  ASSERT_EQ(search.solver.var_count(), 2U);
  const graph::Digraph& graph = search.events.graph();
  ASSERT_TRUE(search.theory.assign(search.theory.prefer(Var(0)), conflict));
  const std::size_t after_one = graph.extra_count();
  EXPECT_GT(after_one, 0U);
  ASSERT_TRUE(search.theory.assign(search.theory.prefer(Var(1)), conflict));
  EXPECT_GT(graph.extra_count(), after_one);
  search.theory.backtrack(1);
  EXPECT_EQ(graph.extra_count(), after_one);
  search.theory.backtrack(0);
  EXPECT_EQ(graph.extra_count(), 0U);
}

TEST(VersionTheory, EstablishedOrdersAreNamedInLemmas) {
  // D -wr- A, A before B by the established order, B -wr- C: so "C before D" closes a cycle.
  // E asks for the pair, because it reads D's y and comes last.
  base::Budget budget;
  const Observed observed(
      "A: r(v=1) w(x=1) ; B: w(x=2) w(z=1) ; C: r(z=1) w(y=1) ; D: w(y=2) w(v=1) ; E: r(y=2)");
  EventGraph events(observed.seen, {}, budget);
  const VersionOrder established{txn(0), txn(1)};
  prune::Derivation derived;
  derived.facts.push_back({.order = established});
  events.order_edges(established,
                     [&](NodeId from, NodeId to) { events.graph().add(from, to, 0); });
  VersionTheory theory(events, derived, order_by_time(events, budget), budget);
  Solver solver(theory, budget);
  theory.connect(solver);
  std::vector<std::vector<Lit>> conflicts;
  ASSERT_EQ(theory.final_check(conflicts), Theory::Final::kMore);
  std::vector<Lit> conflict;
  ASSERT_EQ(solver.var_count(), 1U);
  const Lit wrong(Var(0), false);
  ASSERT_EQ(theory.order_of(wrong), (VersionOrder{txn(2), txn(3)}));
  EXPECT_FALSE(theory.assign(wrong, conflict));
  EXPECT_EQ(conflict, std::vector<Lit>{wrong});
  ASSERT_EQ(theory.lemmas().size(), 1U);
  EXPECT_EQ(theory.lemmas()[0].facts, std::vector<std::uint32_t>{0});
  EXPECT_EQ(theory.lemmas()[0].cycle,
            (std::vector<Edge>{test::wr(3, 0, 0), test::ww(0, 1, 1), test::wr(1, 2, 2),
                               test::ww(2, 3, 3)}));
  theory.backtrack(0);
  EXPECT_EQ(events.graph().extra_count(), 1U);
}

}  // namespace
}  // namespace isolde::checker
