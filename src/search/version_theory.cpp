#include "search/version_theory.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
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

VersionTheory::VersionTheory(EventGraph& events, const prune::Derivation& derived,
                             const std::vector<NodeId>& order, base::Budget& budget,
                             std::optional<Choosing> choosing)
    : events_(events),
      derived_(derived),
      seen_(events.observations()),
      history_(seen_.history()),
      budget_(budget),
      choosing_(std::move(choosing)),
      order_(events.graph(), indexed(events, order)),
      paths_(events.graph()),
      effective_(history_.txn_count()) {
  for (std::size_t edge = 0; edge < events.graph().extra_count(); ++edge) {
    ISOLDE_INVARIANT(events.graph().tag(EdgeId::at(edge)) < first_choice());  // E3
  }
  for (std::size_t t = 0; t < effective_.size(); ++t) {
    const TxnId txn = TxnId::at(t);
    effective_[t] = seen_.is_included(txn) && !seen_.is_doubtful(txn) ? 1 : 0;
  }
  if (choosing_) open_index_.emplace(seen_);
  if (choosing_ ? checker::order_tells_sources(level().base)
                : events.encoding().role.has_anti_dependencies) {
    check_.emplace(events);
  } else {
    choosing_ ? judge_sources() : look_for_missed_writes();
  }
}

void VersionTheory::connect(solver::Solver& solver) {
  ISOLDE_ASSERT(meanings_.empty() && solver.var_count() == 0);
  solver_ = &solver;
  if (choosing_) make_choices();
}

solver::Theory::Final VersionTheory::final_check(std::vector<std::vector<Lit>>& conflicts) {
  return check_ ? check_order(conflicts) : other_check_->run(conflicts);
}

// ---- Variables

/// Creates the variable. REQUIRES: as Solver::new_var().
Var VersionTheory::make(const Meaning& meaning, bool wanted) {
  const Var var = solver_->new_var(wanted);
  meanings_.push_back(meaning);
  ISOLDE_ASSERT(meanings_.size() == solver_->var_count());  // E2
  return var;
}

/// Creates the variable for the order of the two, or requests the existing one; false when it
/// is decided.
bool VersionTheory::ask_for_order(TxnId a, TxnId b) {
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

/// The literal for this order, if it has a variable.
std::optional<Lit> VersionTheory::find_literal(VersionOrder order) const {
  const bool negated = order.after < order.before;
  const auto found =
      order_vars_.find(packed(negated ? VersionOrder{order.after, order.before} : order));
  if (found == order_vars_.end()) return std::nullopt;
  return Lit(found->second, negated);
}

VersionOrder VersionTheory::order_of(Lit lit) const {
  ISOLDE_INVARIANT(lit.var().raw() < meanings_.size());
  const Meaning& meaning = meanings_[lit.var().raw()];
  ISOLDE_INVARIANT(meaning.kind == Meaning::Kind::kOrder);
  return lit.negated() ? VersionOrder{meaning.second, meaning.first}
                       : VersionOrder{meaning.first, meaning.second};
}

/// Adds what the literal says to the step's clause.
void VersionTheory::state(Lit lit, RefutationStep& step) const {
  const Meaning& meaning = meaning_of(lit);
  if (meaning.kind == Kind::kOrder) return step.clause.push_back(order_of(lit));
  const bool is_source = meaning.kind == Kind::kSource;
  step.claims.push_back(
      {{meaning.first, is_source ? read_of(meaning).op : Claim::kNoOp, meaning.second},
       lit.negated()});
}

/// What the current order of events suggests; no effect that nothing requires.
Lit VersionTheory::prefer(Var var) const {
  const Meaning& meaning = meanings_[var.raw()];
  if (meaning.kind == Kind::kEffect) return Lit(var, true);
  if (meaning.kind == Kind::kSource) return prefer_source(var);
  const bool forward = order_.position(events_.commit(meaning.first)) <
                       order_.position(events_.commit(meaning.second));
  return Lit(var, !forward);
}

/// Where the order tells sources, a read without a true one may come from the version that the
/// current order puts before it, and an effect that nothing requires is false. The final check
/// finds what is wrong with that. Where a row may have been inserted again, an order may be
/// wrong that violates no edge.
bool VersionTheory::needs(Var var) const {
  if (!order_tells_sources()) return true;
  const Meaning& meaning = meanings_[var.raw()];
  if (meaning.kind == Kind::kSource) {
    return wanted_[meaning.read] == var && chosen_[meaning.read].is_none();
  }
  if (meaning.kind == Kind::kEffect) return false;
  return seen_.has_deletions() || !is_settled(order_of(prefer(var)));
}

/// Visits the readers of each version that the order says is replaced, but the second writer.
template <typename Visit>
void VersionTheory::for_chosen_readers(const VersionOrder& order, const Visit& visit) const {
  if (readers_.empty()) return;
  seen_.for_each_common_key(order, [&](WriteId before, WriteId) {
    for (const Chosen& reader : readers_[before.raw()]) {
      if (reader.txn != order.after) visit(seen_.written_key(before), reader);
    }
  });
}

/// The current order satisfies all edges that the version order would add.
bool VersionTheory::is_settled(const VersionOrder& order) const {
  if (!took_effect(order.before) || !took_effect(order.after)) return true;
  bool settled = true;
  events_.order_edges(order, [&](NodeId from, NodeId to) {
    settled = settled && order_.position(from) < order_.position(to);
  });
  const std::uint32_t after = order_.position(events_.commit(order.after));
  for_chosen_readers(order, [&](KeyId, const Chosen& reader) {
    settled = settled && order_.position(events_.begin(reader.txn)) < after;
  });
  return settled;
}

// ---- Assignments

bool VersionTheory::assign(Lit lit, std::vector<Lit>& conflict) {
  trail_.push_back(
      {lit, static_cast<std::uint32_t>(labels_.size()), events_.graph().extra_count()});
  const std::uint64_t work_before = order_.work();
  const bool fits = apply(lit, conflict);
  report_moves();
  budget_.spend(8 + (order_.work() - work_before) * 4);
  return fits;
}

/// Adds the edges of the literal; false after a conflict.
bool VersionTheory::apply(Lit lit, std::vector<Lit>& conflict) {
  if (choosing_) return choose(lit, conflict);
  return add_order(order_of(lit), lit, conflict);
}

void VersionTheory::backtrack(std::size_t count) {
  ISOLDE_ASSERT(count < trail_.size());
  ISOLDE_INVARIANT(trail_[count].labels <= labels_.size());
  for (std::size_t at = trail_.size(); choosing_ && at-- > count;) undo(trail_[at].lit);
  events_.graph().pop_to(trail_[count].edges);
  labels_.resize(trail_[count].labels);
  trail_.resize(count);
}

/// Of the edges inserted since the last call.
void VersionTheory::report_moves() {
  if (check_) {
    for (const NodeId node : order_.moved()) {
      if (events_.is_txn(node)) touch(events_.txn(node));
    }
  }
  order_.moved().clear();
}

/// Adds the edges of the order, with all its readers; false after a conflict. Transactions that
/// did not take effect can be anywhere and must not constrain the others.
bool VersionTheory::add_order(const VersionOrder& order, Lit lit, std::vector<Lit>& conflict) {
  if (!took_effect(order.before) || !took_effect(order.after)) return true;
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
  for_chosen_readers(order, [&](KeyId key, const Chosen& reader) {
    if (!fits) return;
    const Edge edge{reader.txn, order.after, EdgeKind::kAntiDependency, key, order.before};
    fits = insert(events_.begin(reader.txn), events_.commit(order.after),
                  {edge, {lit, reader.lit}, {reader.fact, kNoFact}}, conflict);
  });
  return fits;
}

/// Adds the edge; false after a conflict.
bool VersionTheory::insert(NodeId from, NodeId to, const LabelledEdge& label,
                           std::vector<Lit>& conflict) {
  if (try_insert(from, to, label)) return true;
  explain(from, to, label, conflict);
  return false;
}

/// Adds the edge unless it would close a cycle.
bool VersionTheory::try_insert(NodeId from, NodeId to, const LabelledEdge& label) {
  budget_.spend(16);
  if (!order_.insert(from, to)) return false;
  events_.graph().add(from, to, kLabelled + static_cast<std::uint32_t>(labels_.size()));
  labels_.push_back(label);
  return true;
}

// ---- Answers

Witness VersionTheory::witness() const {
  Witness witness = judged_;
  if (check_ || !choosing_) {
    witness.mentions = events_.encoding().role.snapshot ? 2 : 1;
    for (const NodeId node : order_.order()) {
      if (events_.is_txn(node) && took_effect(events_.txn(node))) {
        witness.order.push_back(events_.txn(node));
      }
    }
  }
  if (choosing_) add_sources(witness);
  return witness;
}

Refutation VersionTheory::refutation() const {
  return RefutationBuilder(events_, derived_, budget_)
      .from_conflicts(*solver_, lemmas_,
                      [&](Lit lit, RefutationStep& step) { state(lit, step); });
}

// ---- Conflicts

/// No choice is needed to know it: the second transaction read from the first, or lists show
/// it.
bool VersionTheory::is_direct(VersionOrder order) const {
  for (const infer::ReadFrom& read : seen_.reads(order.after)) {
    if (seen_.writer_or_none(read.source) == order.before) return true;
  }
  return infer::lists_show(seen_, order);
}

LabelledEdge VersionTheory::label_of(EdgeId edge) const {
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

/// What an explanation pays for an extra edge; others cost 1.
std::uint32_t VersionTheory::price(EdgeId edge) const {
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
void VersionTheory::explain(NodeId from, NodeId to, const LabelledEdge& closing,
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
