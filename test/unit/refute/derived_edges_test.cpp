// Goal: an edge that saturation added is named as the dependency that it is, with the facts
// behind it. Method: hand histories in which a source is found, and what follows from it.
#include "refute/derived_edges.hpp"

#include <gtest/gtest.h>

#include "support/proved.hpp"

namespace isolde::checker {
namespace {

using test::txn;

struct Derived {
  explicit Derived(std::string_view text)
      : history(support::parse(text)),
        seen(infer::observe_open(history, budget)),
        events(seen, {.session_order = true}, budget) {
    prune::Saturation saturation(events, budget);
    saturation.run();
    derived = saturation.take();
  }

  /// The first added edge between the two.
  DerivedEdge edge(TxnId from, TxnId to) const {
    const graph::Digraph& graph = events.graph();
    for (std::uint32_t e = 0; e < graph.extra_count(); ++e) {
      const graph::EdgeId id(e);
      if (events.txn(graph.from(id)) != from || events.txn(graph.to(id)) != to) continue;
      return derived_edge(events, derived, graph.from(id), graph.to(id), graph.tag(id));
    }
    ADD_FAILURE() << "no edge from " << from.raw() << " to " << to.raw();
    return {};
  }
  prune::Fact::Kind kind(std::uint32_t fact) const { return derived.facts.at(fact).kind; }

  base::Budget budget;
  History history;
  infer::Observations seen;
  infer::EventGraph events;
  prune::Derivation derived;
};

TEST(DerivedEdges, ASourceThatWasFound) {
  const Derived run("A: w(x=1) | w(x=2) ; B: r(x=2) | r(x=1) ; C: w(x=1)");
  const DerivedEdge edge = run.edge(txn(4), txn(3));
  EXPECT_EQ(edge.edge, (Edge{txn(4), txn(3), EdgeKind::kReadFrom, KeyId(0), TxnId::none()}));
  EXPECT_EQ(run.kind(edge.facts[0]), prune::Fact::Kind::kSource);
  EXPECT_EQ(edge.facts[1], DerivedEdge::kNone);
}

TEST(DerivedEdges, AnAntiDependencyOfASourceThatWasFound) {
  // B2 (3) read C's x (4). E (5) saw y of C and overwrote x, so B2 comes before E.
  const Derived run(
      "A: w(x=1) | w(x=2) ; B: r(x=2) | r(x=1) ; C: w(x=1) w(y=1) ; E: r(y=1) w(x=3)");
  const DerivedEdge edge = run.edge(txn(3), txn(5));
  EXPECT_EQ(edge.edge, (Edge{txn(3), txn(5), EdgeKind::kAntiDependency, KeyId(0), txn(4)}));
  EXPECT_EQ(run.kind(edge.facts[0]), prune::Fact::Kind::kSource);
  EXPECT_EQ(run.kind(edge.facts[1]), prune::Fact::Kind::kOrder);
}

TEST(DerivedEdges, AnOrder) {
  const Derived run("A: w(x=1) | w(y=1) ; B: w(x=2) ; C: r(y=1) r(x=2)");
  const DerivedEdge edge = run.edge(txn(0), txn(2));
  EXPECT_EQ(edge.edge,
            (Edge{txn(0), txn(2), EdgeKind::kVersionOrder, KeyId(0), TxnId::none()}));
  EXPECT_EQ(edge.facts[0], DerivedEdge::kNone);
  EXPECT_EQ(run.kind(edge.facts[1]), prune::Fact::Kind::kOrder);
}

}  // namespace
}  // namespace isolde::checker
