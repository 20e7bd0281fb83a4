#include "search/edge_theory.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "order/guess.hpp"
#include "refute/derived_edges.hpp"
#include "refute/refutation.hpp"

namespace isolde::checker {

using graph::EdgeId;
using graph::PathFinder;
using infer::packed;
using solver::Lit;
using solver::Var;

namespace {

const std::vector<NodeId>& indexed(EventGraph& events, const std::vector<NodeId>& order) {
  events.graph().index_in_edges();
  return order;
}

}  // namespace

void add_once(std::vector<Lit>& lits, Lit lit) {
  if (lit == Lit()) return;
  if (std::find(lits.begin(), lits.end(), lit) == lits.end()) lits.push_back(lit);
}

EdgeTheory::EdgeTheory(EventGraph& events, const prune::Derivation& derived,
                       const std::vector<NodeId>& order, base::Budget& budget)
    : events_(events),
      derived_(derived),
      seen_(events.observations()),
      budget_(budget),
      order_(events.graph(), indexed(events, order)),
      paths_(events.graph()) {
  for (std::size_t edge = 0; edge < events.graph().extra_count(); ++edge) {
    ISOLDE_INVARIANT(events.graph().tag(EdgeId::at(edge)) < first_choice());  // E3
  }
}

// ---- Variables

Var EdgeTheory::make(const Meaning& meaning, bool wanted) {
  const Var var = solver_->new_var(wanted);
  meanings_.push_back(meaning);
  ISOLDE_ASSERT(meanings_.size() == solver_->var_count());  // E2
  return var;
}

bool EdgeTheory::ask_for_order(TxnId a, TxnId b) {
  ISOLDE_ASSERT(a != b);
  const VersionOrder pair{std::min(a, b), std::max(a, b)};
  const std::uint64_t name = packed(pair);
  if (const auto found = order_vars_.find(name); found != order_vars_.end()) {
    if (!solver_->is_open(found->second)) return false;
    solver_->ask(found->second);
    return true;
  }
  order_vars_.emplace(name, make({Meaning::Kind::kOrder, pair.before, pair.after, 0, {}}));
  return true;
}

std::optional<Lit> EdgeTheory::find_literal(VersionOrder order) const {
  const bool negated = order.after < order.before;
  const auto found =
      order_vars_.find(packed(negated ? VersionOrder{order.after, order.before} : order));
  if (found == order_vars_.end()) return std::nullopt;
  return Lit(found->second, negated);
}

VersionOrder EdgeTheory::order_of(Lit lit) const {
  ISOLDE_INVARIANT(lit.var().raw() < meanings_.size());
  const Meaning& meaning = meanings_[lit.var().raw()];
  ISOLDE_INVARIANT(meaning.kind == Meaning::Kind::kOrder);
  return lit.negated() ? VersionOrder{meaning.second, meaning.first}
                       : VersionOrder{meaning.first, meaning.second};
}

void EdgeTheory::state(Lit lit, RefutationStep& step) const {
  step.clause.push_back(order_of(lit));
}

/// The value that the current order of events suggests.
Lit EdgeTheory::prefer(Var var) const {
  const Meaning& pair = meanings_[var.raw()];
  const bool forward = order_.position(events_.commit(pair.first)) <
                       order_.position(events_.commit(pair.second));
  return Lit(var, !forward);
}

// ---- Assignments

bool EdgeTheory::assign(Lit lit, std::vector<Lit>& conflict) {
  trail_.push_back(
      {lit, static_cast<std::uint32_t>(labels_.size()), events_.graph().extra_count()});
  const std::uint64_t work_before = order_.work();
  const bool fits = apply(lit, conflict);
  report_moves();
  budget_.spend(8 + (order_.work() - work_before) * 4);
  return fits;
}

bool EdgeTheory::apply(Lit lit, std::vector<Lit>& conflict) {
  return add_order(order_of(lit), lit, conflict);
}

void EdgeTheory::backtrack(std::size_t count) {
  ISOLDE_ASSERT(count < trail_.size());
  ISOLDE_INVARIANT(trail_[count].labels <= labels_.size());
  events_.graph().pop_to(trail_[count].edges);
  labels_.resize(trail_[count].labels);
  trail_.resize(count);
}

void EdgeTheory::report_moves() {
  for (const NodeId node : order_.moved()) on_move(node);
  order_.moved().clear();
}

bool EdgeTheory::add_order(const VersionOrder& order, Lit lit, std::vector<Lit>& conflict) {
  bool fits = true;
  events_.order_edges(order, [&](NodeId from, NodeId to) {
    if (!fits) return;
    fits = order_.insert(from, to);
    if (fits) {
      events_.graph().add(from, to, first_choice() + lit.code());
    } else {
      explain(from, to, {events_.name_order_edge(from, to, order), {lit, Lit()}}, conflict);
    }
  });
  return fits;
}

bool EdgeTheory::insert(NodeId from, NodeId to, const LabelledEdge& label,
                        std::vector<Lit>& conflict) {
  if (try_insert(from, to, label)) return true;
  explain(from, to, label, conflict);
  return false;
}

bool EdgeTheory::try_insert(NodeId from, NodeId to, const LabelledEdge& label) {
  budget_.spend(16);
  if (!order_.insert(from, to)) return false;
  events_.graph().add(from, to, kLabelled + static_cast<std::uint32_t>(labels_.size()));
  labels_.push_back(label);
  return true;
}

// ---- Answers

Witness EdgeTheory::witness() const { return to_witness(events_, order_.order()); }

Refutation EdgeTheory::refutation() const {
  return RefutationBuilder(events_, derived_, budget_)
      .from_conflicts(*solver_, lemmas_,
                      [&](Lit lit, RefutationStep& step) { state(lit, step); });
}

// ---- Conflicts

bool EdgeTheory::is_direct(VersionOrder order) const {
  for (const infer::ReadFrom& read : seen_.reads(order.after)) {
    if (seen_.writer_or_none(read.source) == order.before) return true;
  }
  return infer::lists_show(seen_, order);
}

LabelledEdge EdgeTheory::label_of(EdgeId edge) const {
  const graph::Digraph& graph = events_.graph();
  const std::uint32_t tag = graph.tag(edge);
  if (tag >= kLabelled) return labels_[tag - kLabelled];
  if (tag < first_choice()) {
    const DerivedEdge named =
        derived_edge(events_, derived_, graph.from(edge), graph.to(edge), tag);
    return {named.edge, {}, named.facts};
  }
  const Lit lit = Lit::from_code(tag - first_choice());
  return {events_.name_order_edge(graph.from(edge), graph.to(edge), order_of(lit)), {lit}};
}

std::uint32_t EdgeTheory::price(EdgeId edge) const {
  const std::uint32_t tag = events_.graph().tag(edge);
  if (tag < first_choice()) return kDerivedPrice;
  if (tag < kLabelled) return kChoicePrice;
  const LabelledEdge& label = labels_[tag - kLabelled];
  std::uint32_t price = kDerivedPrice;
  if (label.replaces != LabelledEdge::kNoFact) price = kChoicePrice;
  for (const Lit lit : label.lits) {
    price += lit == Lit() ? 0 : kChoicePrice - kDerivedPrice;
  }
  return price;
}

/// The edge would close a cycle: adds a lemma, and the literals that the cycle rests on to the
/// conflict. The path lies between the two positions, because of E1. REQUIRES: the order of
/// events refused the edge.
void EdgeTheory::explain(NodeId from, NodeId to, const LabelledEdge& closing,
                         std::vector<Lit>& conflict) {
  const std::uint32_t low = order_.position(to);
  const std::uint32_t high = order_.position(from);
  ISOLDE_ASSERT(low < high);
  const std::uint64_t work_before = paths_.work();
  std::vector<PathFinder::Step> cycle =
      paths_.shortest(to, from, [&](NodeId, NodeId target, EdgeId edge) -> std::uint32_t {
        const std::uint32_t position = order_.position(target);
        if (position < low || position > high) return PathFinder::kForbidden;
        return edge.is_none() ? 1 : price(edge);
      });
  budget_.spend((paths_.work() - work_before) * 8);
  ISOLDE_CHECK(!cycle.empty());
  // The edge itself is added temporarily, so that it is named like the others.
  graph::Digraph& graph = events_.graph();
  const EdgeId last = graph.add(from, to, 0);
  cycle.push_back({from, last});
  ISOLDE_INVARIANT(graph::is_closed(graph, cycle));
  Lemma lemma;
  const auto rest_on = [&](const LabelledEdge& named) {
    for (const Lit each : named.lits) add_once(conflict, each);
    if (named.replaces != LabelledEdge::kNoFact) {
      for (const Lit each : replacements_[named.replaces]) add_once(conflict, each);
    }
    for (const std::uint32_t fact : named.facts) {
      if (fact != LabelledEdge::kNoFact) lemma.facts.push_back(fact);
    }
  };
  rest_on(closing);
  lemma.cycle = events_.name_cycle(cycle, [&](EdgeId edge) {
    if (edge == last) return closing.edge;
    const LabelledEdge named = label_of(edge);
    rest_on(named);
    return named.edge;
  });
  graph.pop_to(graph.extra_count() - 1);
  add_effects(lemma.cycle, conflict);
  lemmas_.push_back(std::move(lemma));
}

}  // namespace isolde::checker
