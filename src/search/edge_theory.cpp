#include "search/edge_theory.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"

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

EdgeTheory::EdgeTheory(EventGraph& events, const std::vector<NodeId>& order,
                       base::Budget& budget)
    : events_(events),
      budget_(budget),
      order_(events.graph(), indexed(events, order)),
      paths_(events.graph()) {}

/// The path lies between the two positions, because the order agrees with every edge.
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
  lemmas_.push_back(std::move(lemma));
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
  order_vars_.emplace(name, solver_->new_var());
  on_new_order(pair);
  return true;
}

/// Of the key, but the pair itself.
template <typename Visit>
void EdgeTheory::for_deleters(const BrokenPair& pair, const Visit& visit) const {
  const infer::Observations& seen = events_.observations();
  for (const infer::WriteId write : seen.writes_of(pair.key)) {
    const TxnId txn = seen.writer(write);
    if (seen.is_dead(write) && txn != pair.first && txn != pair.second) visit(txn);
  }
}

bool EdgeTheory::ask_for_deletions(const BrokenPair& pair) {
  bool any = false;
  for_deleters(pair, [&](TxnId txn) {
    any = ask_for_order(txn, pair.first) || any;
    any = ask_for_order(txn, pair.second) || any;
  });
  return any;
}

std::optional<LabelledEdge> EdgeTheory::replacement(const BrokenPair& pair) {
  const infer::Observations& seen = events_.observations();
  if (seen.is_dead(seen.find_write(pair.first, pair.key)) ||
      events_.replace(seen.find_write(pair.first, pair.key), pair.second) !=
          events_.begin(pair.second) ||
      !seen.all_deleters_are_certain(pair.key)) {
    return std::nullopt;
  }
  const auto position = [&](TxnId txn) { return order_.position(events_.commit(txn)); };
  std::vector<Lit> lits;
  const auto add = [&](TxnId before, TxnId after) {
    const std::optional<Lit> lit = find_literal({before, after});
    ISOLDE_CHECK(lit && solver_->is_true(*lit));
    add_once(lits, *lit);
  };
  add(pair.first, pair.second);
  for_deleters(pair, [&](TxnId txn) {
    if (position(txn) < position(pair.first)) return add(txn, pair.first);
    ISOLDE_CHECK(position(pair.second) < position(txn));
    add(pair.second, txn);
  });
  const auto number = static_cast<std::uint32_t>(replacements_.size());
  replacements_.push_back(std::move(lits));
  LabelledEdge label;
  label.edge = {pair.first, pair.second, EdgeKind::kVersionOrder, pair.key, TxnId::none()};
  label.replaces = number;
  return label;
}

std::optional<Lit> EdgeTheory::find_literal(VersionOrder order) const {
  const bool negated = order.after < order.before;
  const auto found =
      order_vars_.find(packed(negated ? VersionOrder{order.after, order.before} : order));
  if (found == order_vars_.end()) return std::nullopt;
  return Lit(found->second, negated);
}

Lit EdgeTheory::prefer_order(Var var, VersionOrder pair) const {
  const bool forward = order_.position(events_.commit(pair.before)) <
                       order_.position(events_.commit(pair.after));
  return Lit(var, !forward);
}

}  // namespace isolde::checker
