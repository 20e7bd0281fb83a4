// Goal: parallel snapshot isolation and its forms: which orders are witnesses, what the theory
// makes pairs and conflicts of, and the verdicts of known histories on each way through the
// stages. Method: hand histories, among them the oracles of Crooks 2019 (O1, O2, ...); the
// verifier's word on every proof.
#include <gtest/gtest.h>

#include "check/check.hpp"
#include "order/guess.hpp"
#include "search/parallel_check.hpp"
#include "search/version_theory.hpp"
#include "solver/solver.hpp"
#include "support/proved.hpp"

namespace isolde::checker {
namespace {

using infer::Encoding;
using solver::Answer;
using solver::Lit;
using solver::Solver;
using solver::Theory;
using test::Observed;
using test::proved;
using test::txn;
using enum Level;

Encoding dependencies() {
  Encoding encoding;
  encoding.role.has_anti_dependencies = false;
  return encoding;
}

bool is_witness(std::string_view text, const std::vector<std::uint32_t>& order) {
  base::Budget budget;
  const Observed observed(text);
  EventGraph events(observed.seen, dependencies(), budget);
  std::vector<NodeId> nodes;
  for (const std::uint32_t number : order) nodes.push_back(events.commit(txn(number)));
  const bool answer = is_parallel_witness(events, nodes, budget);
  EXPECT_EQ(events.graph().extra_count(), 0U);
  return answer;
}

TEST(ParallelCheck, NoReadMissesAWriteThatReachesIt) {
  // C reads z from D, which read x from B; so B must not come after A on x.
  const char* const text = "A: w(x=1) ; B: w(x=2) ; C: r(x=1) r(z=1) ; D: r(x=2) w(z=1)";
  EXPECT_FALSE(is_witness(text, {0, 1, 3, 2}));
  EXPECT_TRUE(is_witness(text, {1, 3, 0, 2}));
  EXPECT_TRUE(is_witness(text, {1, 0, 3, 2}));
}

TEST(ParallelCheck, VersionOrdersReach) {
  // B's write follows A's on x, so who reads from B must not miss A's z.
  const char* const text = "A: w(x=1) w(z=1) ; B: w(x=2) w(y=1) ; C: r(y=1) r(z=_)";
  EXPECT_FALSE(is_witness(text, {0, 1, 2}));
  EXPECT_TRUE(is_witness(text, {1, 0, 2}));
  EXPECT_TRUE(is_witness(text, {1, 2, 0}));
}

TEST(ParallelCheck, ReadersThatWriteTheKeyMissNothingOfTheirOwn) {
  EXPECT_TRUE(is_witness("A: w(x=1) ; B: r(x=1) w(x=2) ; C: r(x=1)", {0, 1, 2}));
  EXPECT_TRUE(is_witness("A: r(x=_) w(x=1) ; B: r(x=_)", {0, 1}));
}

struct ParallelSearch {
  explicit ParallelSearch(std::string_view text)
      : observed(text),
        events(observed.seen, dependencies(), budget),
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

std::size_t anti_dependencies(const std::vector<Edge>& cycle) {
  return static_cast<std::size_t>(
      std::count_if(cycle.begin(), cycle.end(),
                    [](const Edge& edge) { return edge.kind == EdgeKind::kAntiDependency; }));
}

TEST(VersionTheoryOfParallelSnapshots, MakesPairsOnlyWhereAReadMissesAWrite) {
  ParallelSearch fork("B: w(x=2) ; C: w(y=2) ; D: r(x=2) r(y=_) ; E: r(x=_) r(y=2)");
  EXPECT_EQ(fork.solver.solve(), Answer::kSat);
  EXPECT_EQ(fork.solver.var_count(), 0U);
  ParallelSearch wrong("A: w(x=1) ; B: w(x=2) ; C: r(x=1) r(z=1) ; D: r(x=2) w(z=1)");
  ASSERT_EQ(wrong.solver.solve(), Answer::kSat);
  EXPECT_EQ(wrong.solver.var_count(), 1U);
  EXPECT_EQ(proved(*wrong.observed.history, kParallelSnapshotIsolation, wrong.theory.witness()),
            "holds");
}

TEST(VersionTheoryOfParallelSnapshots, ConflictsAreCyclesWithOneAntiDependency) {
  ParallelSearch search(
      "A: w(x=1) w(y=1) ; B: w(x=2) w(y=2) ; C: r(x=1) r(y=2) ; D: r(x=2) r(y=1)");
  ASSERT_EQ(search.solver.solve(), Answer::kUnsat);
  ASSERT_GE(search.theory.lemmas().size(), 2U);
  for (const Lemma& lemma : search.theory.lemmas()) {
    EXPECT_TRUE(lemma.facts.empty());
    EXPECT_EQ(anti_dependencies(lemma.cycle), 1U);
    for (std::size_t i = 0; i < lemma.cycle.size(); ++i) {
      EXPECT_EQ(lemma.cycle[i].to, lemma.cycle[(i + 1) % lemma.cycle.size()].from);
    }
  }
}

TEST(VersionTheoryOfParallelSnapshots, CertainCyclesNeedNoPairs) {
  ParallelSearch search("A: w(x=1) ; B: r(x=1) w(y=2) ; C: r(y=2) r(x=_)");
  std::vector<std::vector<Lit>> conflicts;
  EXPECT_EQ(search.theory.final_check(conflicts), Theory::Final::kMore);
  EXPECT_EQ(conflicts, (std::vector<std::vector<Lit>>{{}}));
  EXPECT_EQ(search.events.graph().extra_count(), 0U);
  EXPECT_EQ(search.solver.var_count(), 0U);
  ASSERT_EQ(search.theory.lemmas().size(), 1U);
  EXPECT_EQ(search.theory.lemmas()[0].cycle,
            (std::vector<Edge>{test::wr(0, 1, 0), test::wr(1, 2, 1), test::rw(2, 0, 0)}));
}

TEST(VersionTheoryOfParallelSnapshots, EstablishedOrdersAreNamedInLemmas) {
  base::Budget budget;
  const Observed observed("A: w(x=1) ; B: w(x=2) w(z=1) ; C: r(z=1) r(x=1)");
  EventGraph events(observed.seen, dependencies(), budget);
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
  EXPECT_EQ(conflicts, (std::vector<std::vector<Lit>>{{}}));
  EXPECT_EQ(theory.lemmas()[0].facts, std::vector<std::uint32_t>{0});
  EXPECT_EQ(theory.lemmas()[0].cycle,
            (std::vector<Edge>{test::wr(1, 2, 1), test::rw(2, 1, 0, txn(0))}));
}

struct Known {
  const char* id;
  const char* text;
  const char* verdicts;  ///< strong, strong-session, without either
};

constexpr Known kKnown[] = {
    {"O1", "A: r(a=_) w(a=80) r(b=_) w(b=120) ; B: r(a=80) w(a=30) r(c=_) w(c=250)", "-YY"},
    {"O2", "A: r(a=_) w(a=80) r(b=_) w(b=120) ; B: r(a=_) w(a=50) r(c=_) w(c=250)", "-nn"},
    {"O4", "A: w(a=1) w(b=1) ; B: w(a=2) w(b=2)", "-YY"},
    {"O4b", "A: w(a=1) w(b=1) ; B: w(a=2) w(b=2) ; C: r(a=2) r(b=1)", "-nn"},
    {"O5", "A: r(x=_) w(x=99a) ; B: r(x=_) w(x=99b)", "-nn"},
    {"O7", "A: r(x=_) r(x=1) ; B: w(x=1)", "-nn"},
    {"O8", "A: r(S=_) r(C=_) w(C=-10) ; B: r(S=_) r(C=_) w(S=-10)", "-YY"},
    {"O9", "A: r(x=_) w(x=10) r(y=_) w(y=90) ; B: r(x=10) r(y=_)", "-nn"},
    {"O13",
     "A: w(x=1) w(y=1) ; B: r(x=1) w(x=2) ; C: r(y=1) w(y=2) ; D: r(x=2) r(y=1) ; "
     "E: r(x=1) r(y=2)",
     "-YY"},
    {"O13b", "B: w(x=2) ; C: w(y=2) ; D: r(x=2) r(y=_) ; E: r(x=_) r(y=2)", "-YY"},
    {"O26",
     "A: w(c=a) ; B: w(c=b) ; C: r(c=a) w(r=p) ; D: r(c=b) w(i=n) ; R: r(c=b) r(r=p) r(i=n)",
     "-YY"},
    {"O26b",
     "A: r(c=_) w(c=a) ; B: r(c=_) w(c=b) ; C: r(c=a) w(r=p) ; D: r(c=b) w(i=n) ; "
     "R: r(c=b) r(r=p) r(i=n)",
     "-nn"},
    {"O28", "A: w(x=1) r(y=2) ; B: w(y=2) r(x=1)", "-nn"},
    {"O29", "A: w(x=1) w(y=1) ; B: r(x=1) r(y=_)", "-nn"},
    {"O30", "A: w(x=1) ; B: r(x=1) w(y=2) ; C: r(y=2) r(x=_)", "-nn"},
    {"O31", "A: r(c=_) w(c=1) ; B: r(c=_) w(c=2) ; C: r(c=1)", "-nn"},
    {"O18", "A: w(a=1) ; B: w(b=1) ; C: r(a=1) | r(b=_) ; D: r(b=1) | r(a=_)", "-YY"},
    {"O19", "A: w(acl=1) | w(photo=1) ; B: r(photo=1) | r(acl=_)", "-nY"},
    {"O21", "A: w(x=1) ; B: w(x=2) ; C: r(x=1) | r(x=2) ; D: r(x=2) | r(x=1)", "-nY"},
    {"O22", "A: w(x=1) | r(x=_)", "-nY"},
    {"O15", "A: w(x=1) @1,2 ; B: r(x=1) w(x=2) @3,4 | r(x=1) @5,6", "nnY"},
    {"O16", "A: w(x=1) @1,2 ; B: r(x=1) w(x=2) @3,4 ; C: r(x=1) @5,6", "nYY"},
    {"O32", "A: w(x=1) @1,2 ; B: r(x=_) @3,4", "nYY"},
    {"O38", "A: w(x=1) @1,3 ; B: w(x=2) @2,4", "YYY"},
    {"real time, then read-from", "A: w(x=1) @1,2 ; B: w(y=1) @3,9 ; C: r(y=1) r(x=_) @0,9",
     "nYY"},
    {"old list after a newer one was read",
     "A: a(l=1) ; B: a(l=2) ; C: r(l=[1 2]) w(k=1) ; D: r(k=1) r(l=[1])", "-nn"},
    {"append that no list shows", "A: a(l=1) ; B: a(l=2) w(k=1) ; C: r(l=[1]) r(k=1)", "-nn"},
    {"long fork of lists", "A: a(l=1) ; B: a(m=1) ; C: r(l=[1]) r(m=[]) ; D: r(l=[]) r(m=[1])",
     "-YY"},
    {"one order of A and B", "A: w(x=1) ; B: w(x=2) ; C: r(x=1) r(z=1) ; D: r(x=2) w(z=1)",
     "-YY"},
    {"neither order of A and B",
     "A: w(x=1) ; B: w(x=2) ; C: r(x=1) r(z=1) ; D: r(x=2) w(z=1) r(u=1) ; E: r(x=1) w(u=1)",
     "-nn"},
};

TEST(Parallel, KnownHistories) {
  for (const Known& each : kKnown) {
    const History history = support::parse(each.text);
    for (int variant = 0; variant < 4; ++variant) {
      CheckOptions options;
      options.levels = {kStrongParallelSnapshotIsolation,
                        kStrongSessionParallelSnapshotIsolation, kParallelSnapshotIsolation};
      options.skip_guess = (variant & 1) != 0;
      options.skip_saturation = (variant & 2) != 0;
      base::Budget budget;
      const CheckReport report = check(history, options, budget);
      std::string verdicts;
      for (const LevelReport& level : report.levels) {
        verdicts += "Ynu-"[static_cast<std::size_t>(level.verdict)];
        if (level.verdict == Verdict::kNotApplicable) continue;
        EXPECT_EQ(proved(history, level.level, report.proofs[level.proof]), name(level.verdict))
            << each.id;
      }
      EXPECT_EQ(verdicts, each.verdicts) << each.id << " variant " << variant;
    }
  }
}

}  // namespace
}  // namespace isolde::checker
