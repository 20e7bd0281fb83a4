// Goal: assigning a version order inserts its edges, contradictions come with a cycle and the
// literals behind it, and backtracking restores the graph. Method: the theory driven by the
// solver on hand histories, and by hand.
#include "check/order_theory.hpp"

#include <gtest/gtest.h>

#include "check/guess.hpp"
#include "unit/check/proved.hpp"

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
        theory(events, {}, order_by_time(events, budget), budget),
        solver(theory, budget) {
    theory.connect(solver);
  }

  base::Budget budget;
  Observed observed;
  EventGraph events;
  OrderTheory theory;
  Solver solver;
};

/// Every order of A and B is wrong for C or D.
constexpr const char* kFork =
    "A: w(x=1) w(y=1) ; B: w(x=2) w(y=2) ; C: r(x=1) r(y=2) ; D: r(x=2) r(y=1)";

TEST(OrderTheory, MakesPairsOnlyWhereTheOrderIsWrong) {
  Search fits("A: w(x=1) ; B: w(x=2) ; C: r(x=2)");
  EXPECT_EQ(fits.solver.solve(), Answer::kSat);
  EXPECT_EQ(fits.solver.var_count(), 0U);
  Search wrong("A: w(x=1) ; B: w(x=2) ; C: r(x=1) r(z=1) ; D: r(x=2) w(z=1)");
  ASSERT_EQ(wrong.solver.solve(), Answer::kSat);
  EXPECT_EQ(wrong.solver.var_count(), 1U);
  EXPECT_EQ(wrong.theory.order_of(Lit(Var(0), false)), (VersionOrder{txn(0), txn(1)}));
  EXPECT_EQ(wrong.theory.order_of(Lit(Var(0), true)), (VersionOrder{txn(1), txn(0)}));
  EXPECT_EQ(proved(*wrong.observed.history, Level::kSerializable,
                   to_witness(wrong.events, wrong.theory.order())),
            "holds");
}

TEST(OrderTheory, ConflictsAreCyclesOfTheLiterals) {
  Search search(kFork);
  ASSERT_EQ(search.solver.solve(), Answer::kUnsat);
  ASSERT_EQ(search.theory.lemmas().size(), 2U);
  for (const OrderTheory::Lemma& lemma : search.theory.lemmas()) {
    EXPECT_TRUE(lemma.established.empty());
    ASSERT_FALSE(lemma.cycle.empty());
    for (std::size_t i = 0; i < lemma.cycle.size(); ++i) {
      EXPECT_EQ(lemma.cycle[i].to, lemma.cycle[(i + 1) % lemma.cycle.size()].from);
    }
  }
}

TEST(OrderTheory, BacktrackingRestoresTheGraph) {
  Search search("A: w(x=1) ; B: w(x=2) ; C: r(x=1) w(y=1) ; D: r(x=2) w(y=2) ; E: r(y=1)");
  // Drive the theory by hand: it asks for pairs until its order is right.
  std::vector<Lit> conflict;
  std::size_t assigned = 0;
  while (search.theory.final_check() == Theory::Final::kMore) {
    ASSERT_LT(assigned, search.solver.var_count());
    while (assigned < search.solver.var_count()) {
      const Var var = Var::at(assigned++);
      const Lit lit = search.theory.prefer(var);
      if (!search.theory.assign(lit, conflict)) break;
    }
    if (!conflict.empty()) break;
  }
  if (assigned > 0) {
    EXPECT_GT(search.events.graph().extra_count(), 0U);
    search.theory.backtrack(0);
  }
  EXPECT_EQ(search.events.graph().extra_count(), 0U);
}

TEST(OrderTheory, EstablishedOrdersAreNamedInLemmas) {
  // With "A before B" given as established, the order D needs contradicts it.
  base::Budget budget;
  const Observed observed("A: w(x=1) w(u=1) ; B: w(x=2) w(u=2) ; C: r(x=2) r(u=1)");
  EventGraph events(observed.seen, {}, budget);
  const VersionOrder order{txn(0), txn(1)};
  events.order_edges(order, [&](NodeId from, NodeId to) { events.graph().add(from, to, 0); });
  // wr B-C and rw C-B close a cycle: there is no order to start from.
  EXPECT_TRUE(order_by_time(events, budget).empty());
  events.graph().pop_to(0);
  events.order_edges({txn(1), txn(0)},
                     [&](NodeId from, NodeId to) { events.graph().add(from, to, 0); });
  EXPECT_TRUE(order_by_time(events, budget).empty());
}

}  // namespace
}  // namespace isolde::checker
