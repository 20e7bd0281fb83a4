#include "search/pair_theory.hpp"

#include <algorithm>

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

PairTheory::PairTheory(EventGraph& events, std::vector<VersionOrder> established,
                       const std::vector<NodeId>& order, base::Budget& budget)
    : events_(events),
      budget_(budget),
      established_(std::move(established)),
      order_(events.graph(), indexed(events, order)),
      paths_(events.graph()) {
  for (std::size_t edge = 0; edge < events.graph().extra_count(); ++edge) {
    ISOLDE_INVARIANT(events.graph().tag(EdgeId::at(edge)) < first_choice());
  }
}

VersionOrder PairTheory::order_of(Lit lit) const {
  ISOLDE_INVARIANT(lit.var().raw() < pairs_.size());
  const VersionOrder pair = pairs_[lit.var().raw()];
  return lit.negated() ? VersionOrder{pair.after, pair.before} : pair;
}

VersionOrder PairTheory::order_of_tag(std::uint32_t tag) const {
  ISOLDE_ASSERT(tag < end_of_choices());
  return tag < first_choice() ? established_[tag]
                              : order_of(Lit::from_code(tag - first_choice()));
}

Lit PairTheory::prefer(Var var) const {
  const VersionOrder pair = pairs_[var.raw()];
  const bool forward = order_.position(events_.commit(pair.before)) <
                       order_.position(events_.commit(pair.after));
  return Lit(var, !forward);
}

bool PairTheory::assign(Lit lit, std::vector<Lit>& conflict) {
  edge_counts_.push_back(events_.graph().extra_count());
  const std::uint64_t work_before = order_.work();
  bool fits = true;
  events_.order_edges(order_of(lit), [&](NodeId from, NodeId to) {
    fits = fits && insert(from, to, lit, conflict);
  });
  for (const NodeId node : order_.moved()) on_move(node);
  order_.moved().clear();
  budget_.spend(8 + (order_.work() - work_before) * 4);
  return fits;
}

bool PairTheory::insert(NodeId from, NodeId to, Lit lit, std::vector<Lit>& conflict) {
  if (order_.insert(from, to)) {
    events_.graph().add(from, to, tag_of(lit));
    return true;
  }
  explain(from, to, lit, conflict);
  return false;
}

/// The edge would close a cycle: finds the path back with the fewest decided choices. The path
/// lies between the two positions, because the order agrees with every edge.
void PairTheory::explain(NodeId from, NodeId to, Lit lit, std::vector<Lit>& conflict) {
  const std::uint32_t low = order_.position(to);
  const std::uint32_t high = order_.position(from);
  ISOLDE_ASSERT(low < high);
  const std::uint64_t work_before = paths_.work();
  std::vector<PathFinder::Step> cycle =
      paths_.shortest(to, from, [&](NodeId, NodeId target, EdgeId edge) -> std::uint32_t {
        const std::uint32_t position = order_.position(target);
        if (position < low || position > high) return PathFinder::kForbidden;
        if (edge.is_none()) return 1;
        return events_.graph().tag(edge) < first_choice() ? 4 : 16;
      });
  budget_.spend((paths_.work() - work_before) * 8);
  ISOLDE_CHECK(!cycle.empty());

  Lemma lemma;
  std::vector<Lit> used{lit};
  for (const PathFinder::Step& step : cycle) {
    if (step.edge.is_none()) continue;
    const std::uint32_t tag = events_.graph().tag(step.edge);
    if (tag < first_choice()) {
      lemma.facts.push_back(tag);
    } else {
      used.push_back(Lit::from_code(tag - first_choice()));
    }
  }
  for (const Lit each : used) {
    if (std::find(conflict.begin(), conflict.end(), each) == conflict.end()) {
      conflict.push_back(each);
    }
  }
  // The edge itself is added temporarily, so that it is named like the others.
  cycle.push_back({from, events_.graph().add(from, to, tag_of(lit))});
  ISOLDE_INVARIANT(graph::is_closed(events_.graph(), cycle));
  lemma.cycle = events_.name_cycle(cycle, [&](EdgeId edge) {
    const VersionOrder order = order_of_tag(events_.graph().tag(edge));
    return events_.name_order_edge(events_.graph().from(edge), events_.graph().to(edge), order);
  });
  events_.graph().pop_to(events_.graph().extra_count() - 1);
  lemmas_.push_back(std::move(lemma));
}

void PairTheory::backtrack(std::size_t count) {
  ISOLDE_ASSERT(count < edge_counts_.size());
  events_.graph().pop_to(edge_counts_[count]);
  edge_counts_.resize(count);
}

bool PairTheory::add_pair(TxnId a, TxnId b) {
  ISOLDE_ASSERT(a != b);
  const VersionOrder pair{std::min(a, b), std::max(a, b)};
  const std::uint64_t name = packed(pair);
  if (const auto found = pair_index_.find(name); found != pair_index_.end()) {
    if (!solver_->is_open(found->second)) return false;
    solver_->ask(found->second);
    return true;
  }
  pair_index_.emplace(name, solver_->new_var());
  pairs_.push_back(pair);
  ISOLDE_ASSERT(pairs_.size() == solver_->var_count());  // P2
  return true;
}

bool PairTheory::is_settled(Var var) const {
  bool settled = true;
  events_.order_edges(order_of(prefer(var)), [&](NodeId from, NodeId to) {
    settled = settled && order_.position(from) < order_.position(to);
  });
  return settled;
}

std::optional<Lit> PairTheory::find_literal(VersionOrder order) const {
  const bool negated = order.after < order.before;
  const auto found =
      pair_index_.find(packed(negated ? VersionOrder{order.after, order.before} : order));
  if (found == pair_index_.end()) return std::nullopt;
  return Lit(found->second, negated);
}

}  // namespace isolde::checker
