#include "search/pair_theory.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace isolde::checker {

using graph::EdgeId;
using solver::Lit;
using solver::Var;

PairTheory::PairTheory(EventGraph& events, std::vector<VersionOrder> established,
                       const std::vector<NodeId>& order, base::Budget& budget)
    : EdgeTheory(events, order, budget), established_(std::move(established)) {
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

Lit PairTheory::prefer(Var var) const { return prefer_order(var, pairs_[var.raw()]); }

bool PairTheory::assign(Lit lit, std::vector<Lit>& conflict) {
  edge_counts_.push_back(events_.graph().extra_count());
  const std::uint64_t work_before = order_.work();
  bool fits = true;
  events_.order_edges(order_of(lit), [&](NodeId from, NodeId to) {
    if (!fits) return;
    fits = order_.insert(from, to);
    if (fits) {
      events_.graph().add(from, to, tag_of(lit));
    } else {
      const Edge edge = events_.name_order_edge(from, to, order_of(lit));
      explain(from, to, {edge, {lit, Lit()}}, conflict);
    }
  });
  for (const NodeId node : order_.moved()) on_move(node);
  order_.moved().clear();
  budget_.spend(8 + (order_.work() - work_before) * 4);
  return fits;
}

void PairTheory::backtrack(std::size_t count) {
  ISOLDE_ASSERT(count < edge_counts_.size());
  events_.graph().pop_to(edge_counts_[count]);
  edge_counts_.resize(count);
}

LabelledEdge PairTheory::label_of(EdgeId edge) const {
  const graph::Digraph& graph = events_.graph();
  const std::uint32_t tag = graph.tag(edge);
  if (tag >= kReplaces) return replaces_[tag - kReplaces];
  LabelledEdge label;
  label.edge = events_.name_order_edge(graph.from(edge), graph.to(edge), order_of_tag(tag));
  if (tag < first_choice()) {
    label.facts[0] = tag;
  } else {
    label.lits[0] = Lit::from_code(tag - first_choice());
  }
  return label;
}

std::uint32_t PairTheory::price(EdgeId edge) const {
  return events_.graph().tag(edge) < first_choice() ? 4 : 16;
}

solver::Theory::Final PairTheory::replace_live_versions(
    const std::vector<BrokenPair>& broken, std::vector<std::vector<Lit>>& conflicts) {
  bool any = false;
  for (const BrokenPair& pair : broken) any = ask_for_deletions(pair) || any;
  if (any) return Final::kMore;
  for (const BrokenPair& pair : broken) {
    std::optional<LabelledEdge> replaces = replacement(pair);
    if (!replaces) continue;
    const NodeId from = events_.commit(pair.first);
    const NodeId to = events_.begin(pair.second);
    if (!order_.insert(from, to)) {
      explain(from, to, *replaces, conflicts.emplace_back());
      return Final::kMore;
    }
    any = true;
    events_.graph().add(from, to, kReplaces + static_cast<std::uint32_t>(replaces_.size()));
    replaces_.push_back(*replaces);
    for (const NodeId node : order_.moved()) on_move(node);
    order_.moved().clear();
  }
  return any ? Final::kModel : Final::kStopped;
}

void PairTheory::on_new_order(VersionOrder pair) {
  pairs_.push_back(pair);
  ISOLDE_ASSERT(pairs_.size() == solver_->var_count());  // P1
}

bool PairTheory::is_settled(Var var) const {
  bool settled = true;
  events_.order_edges(order_of(prefer(var)), [&](NodeId from, NodeId to) {
    settled = settled && order_.position(from) < order_.position(to);
  });
  return settled;
}

}  // namespace isolde::checker
