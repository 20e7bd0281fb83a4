#include "refute/refutation.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/assert.hpp"
#include "graph/short_cycle.hpp"
#include "infer/open_index.hpp"

namespace isolde::checker {

using graph::EdgeId;
using graph::PathFinder;
using infer::Observations;
using infer::WriteId;

namespace {

/// The first two readers of the version that also write the key, where each must have seen what
/// the other wrote before.
std::optional<std::pair<TxnId, TxnId>> two_overwriters(const Observations& seen,
                                                       WriteId version, KeyId key,
                                                       bool may_insert_again) {
  WriteId first;
  for (const TxnId reader : seen.readers(version, key)) {
    const WriteId write = seen.find_write(reader, key);
    if (write.is_none()) continue;
    if (may_insert_again && seen.is_dead(write)) continue;
    if (first.is_some() && may_insert_again && !seen.must_see(first, write)) continue;
    if (first.is_some()) return std::pair{seen.writer(first), reader};
    first = write;
  }
  return std::nullopt;
}

/// Whichever of the two comes second, the other overwrote its read in between.
Refutation lost_update(TxnId a, TxnId b, KeyId key, TxnId version) {
  ISOLDE_ASSERT(a != b && a != version && b != version);
  const auto half = [&](TxnId first, TxnId second) {
    RefutationStep step;
    step.cycle = {{first, second, EdgeKind::kVersionOrder, key, TxnId::none()},
                  {second, first, EdgeKind::kAntiDependency, key, version}};
    return step;
  };
  Refutation refutation;
  refutation.steps.push_back(half(a, b));
  refutation.steps.back().clause = {{b, a}};
  refutation.steps.push_back(half(b, a));
  return refutation;
}

/// Cost of an edge to a human reader: free inside a transaction and along auxiliary nodes, high
/// when it needs its own justification.
std::uint32_t price(const EventGraph& events, EdgeId edge, NodeId from, NodeId to) {
  if (edge.is_some()) return 12;
  if (!events.is_txn(to)) return events.is_txn(from) ? 1 : 0;
  if (!events.is_txn(from)) return 0;
  return events.txn(from) == events.txn(to) ? 0 : 1;
}

}  // namespace

std::optional<Refutation> find_lost_update(const Observations& seen, bool may_insert_again) {
  for (std::size_t k = 0; k < seen.history().key_count(); ++k) {
    const KeyId key = KeyId::at(k);
    if (const auto pair = two_overwriters(seen, WriteId::none(), key, may_insert_again)) {
      return lost_update(pair->first, pair->second, key, TxnId::none());
    }
    for (const WriteId version : seen.writes_of(key)) {
      if (seen.readers(version).size() < 2) continue;
      if (const auto pair = two_overwriters(seen, version, key, may_insert_again)) {
        return lost_update(pair->first, pair->second, key, seen.writer(version));
      }
    }
  }
  return std::nullopt;
}

Refutation refute_read(const Observations& seen, const Finding& non_repeatable) {
  const TxnId reader = non_repeatable.txn;
  const KeyId key = seen.history().ops(reader)[non_repeatable.op].key;
  std::vector<TxnId> sources;
  for (const infer::ReadFrom& read : seen.reads(reader)) {
    if (read.key != key || sources.size() == 2) continue;
    const TxnId writer = seen.writer_or_none(read.source);
    if (sources.empty() || sources[0] != writer) sources.push_back(writer);
  }
  ISOLDE_CHECK(sources.size() == 2);
  if (sources[1].is_none()) std::swap(sources[0], sources[1]);
  const auto [first, second] = std::pair(sources[0], sources[1]);
  const auto missed = [&](TxnId source, TxnId next) {
    RefutationStep step;
    step.cycle = {{reader, next, EdgeKind::kAntiDependency, key, source},
                  {next, reader, EdgeKind::kReadFrom, key, TxnId::none()}};
    return step;
  };
  Refutation refutation;
  if (first.is_some()) {
    refutation.steps.push_back(missed(second, first));
    refutation.steps.back().clause = {{first, second}};
  }
  refutation.steps.push_back(missed(first, second));
  return refutation;
}

std::vector<PathFinder::Step> find_short_cycle(const EventGraph& events, base::Budget& budget) {
  return graph::short_cycle(
      events.graph(), [&](NodeId node) { return events.is_txn(node); },
      [&](NodeId from, NodeId to, EdgeId edge) { return price(events, edge, from, to); },
      budget);
}

std::vector<Edge> RefutationBuilder::name(const Path& cycle, const Denial* denial,
                                          std::vector<std::uint32_t>& facts) const {
  const graph::Digraph& graph = events_.graph();
  ISOLDE_INVARIANT(graph::is_closed(graph, cycle));
  return events_.name_cycle(cycle, [&](EdgeId edge) {
    const bool is_denied = denial != nullptr && edge == cycle.back().edge;
    const DerivedEdge named = is_denied ? denial->closing
                                        : derived_edge(events_, derived_, graph.from(edge),
                                                       graph.to(edge), graph.tag(edge));
    std::copy_if(named.facts.begin(), named.facts.end(), std::back_inserter(facts),
                 [](std::uint32_t fact) { return fact != DerivedEdge::kNone; });
    return named.edge;
  });
}

Claim RefutationBuilder::claim(std::uint32_t read, WriteId source, bool denied) const {
  const Observations& seen = events_.observations();
  const infer::OpenRead& open = seen.open_reads()[read];
  const TxnId writer = seen.writer_or_none(source);
  return {{open.txn, open.op, writer}, denied};
}

/// A step whose cycle rests on `facts`: orders have their own earlier steps; sources must be
/// denied by its clause, and another step removes them from it.
void RefutationBuilder::add_step(RefutationStep step, const std::vector<std::uint32_t>& facts,
                                 Justification& out, NeededFacts& needed) const {
  RefutationStep conclusion{step.clause, {}, {}, step.claims};
  bool takes_for_granted = false;
  for (const std::uint32_t fact : facts) {
    needed.push(fact);
    if (derived_.facts[fact].kind != prune::Fact::Kind::kSource) continue;
    const Claim denied = claim(derived_.facts[fact].read, derived_.facts[fact].source, true);
    if (std::find(step.claims.begin(), step.claims.end(), denied) != step.claims.end())
      continue;
    step.claims.push_back(denied);
    out.rests_on.push_back(fact);
    takes_for_granted = true;
  }
  out.steps.push_back(std::move(step));
  if (takes_for_granted) out.steps.push_back(std::move(conclusion));
}

/// Proves "a before b" by the edge of the opposite order that closes a cycle: ww (rule S2), or
/// a reader's rw edge (S1).
RefutationBuilder::Denial RefutationBuilder::deny_order(VersionOrder order,
                                                        TxnId reader) const {
  Denial denial;
  denial.step.clause = {order};
  denial.from = reader.is_some() ? events_.reads_at(reader) : events_.commit(order.after);
  denial.to = reader.is_some() ? events_.commit(order.before)
                               : events_.overwrite(VersionOrder{order.after, order.before});
  denial.closing =
      order_edge(events_, derived_, denial.from, denial.to, {order.after, order.before});
  return denial;
}

/// Proves that the read did not come from the source, by the wr edge (S3), or by the rw edge to
/// a later writer (S4).
RefutationBuilder::Denial RefutationBuilder::deny_source(const prune::Fact& fact) const {
  const Observations& seen = events_.observations();
  const infer::OpenRead& read = seen.open_reads()[fact.read];
  const TxnId writer = seen.writer_or_none(fact.source);
  ISOLDE_ASSERT(writer.is_some() || fact.via.is_some());
  Denial denial;
  denial.step.claims = {claim(fact.read, fact.source, true)};
  if (fact.via.is_none()) {
    denial.from = events_.commit(writer);
    denial.to = events_.begin(read.txn);
    denial.closing.edge = {writer, read.txn, EdgeKind::kReadFrom, read.key, TxnId::none()};
  } else {
    denial.from = events_.reads_at(read.txn);
    denial.to = events_.commit(fact.via);
    denial.closing.edge = {read.txn, fact.via, EdgeKind::kAntiDependency, read.key, writer};
  }
  return denial;
}

/// Finds a path from the denied edge's end to its start among the edges below the limit.
void RefutationBuilder::add_denial(Denial denial, std::uint32_t edge_limit, Justification& out,
                                   NeededFacts& needed) {
  ISOLDE_ASSERT(edge_limit <= events_.graph().extra_count());
  Path cycle =
      paths_.shortest(denial.to, denial.from, [&](NodeId from, NodeId to, EdgeId edge) {
        const bool exists = edge.is_none() || edge.raw() < edge_limit;
        return exists ? price(events_, edge, from, to) : PathFinder::kForbidden;
      });
  ISOLDE_CHECK(!cycle.empty());
  // Naming needs a closed path, so the denied edge is added temporarily.
  graph::Digraph& graph = events_.graph();
  cycle.push_back({denial.from, graph.add(denial.from, denial.to, 0)});
  std::vector<std::uint32_t> facts;
  denial.step.cycle = name(cycle, &denial, facts);
  graph.pop_to(graph.extra_count() - 1);
  add_step(std::move(denial.step), facts, out, needed);
}

Justification RefutationBuilder::justify(std::uint32_t number, NeededFacts& needed) {
  const prune::Fact& fact = derived_.facts[number];
  Justification out;
  switch (fact.kind) {
    case prune::Fact::Kind::kOrder:
      add_denial(deny_order(fact.order, fact.via), fact.edge_limit, out, needed);
      break;
    case prune::Fact::Kind::kExclusion:
      if (fact.via.is_some() && fact.source.is_some()) {
        const TxnId writer = events_.observations().writer(fact.source);
        add_denial(deny_order({writer, fact.via}, TxnId::none()), fact.edge_limit, out, needed);
      }
      add_denial(deny_source(fact), fact.edge_limit, out, needed);
      break;
    case prune::Fact::Kind::kSource:
      out.rests_on = exclusions(fact.read);
      ISOLDE_ASSERT(out.rests_on.empty() || out.rests_on.back() < number);
      for (const std::uint32_t each : out.rests_on) needed.push(each);
      out.steps.push_back({{}, {}, {}, {claim(fact.read, fact.source, false)}});
      break;
  }
  return out;
}

/// The facts that exclude sources of the read.
const std::vector<std::uint32_t>& RefutationBuilder::exclusions(std::uint32_t read) {
  if (exclusions_.empty()) {
    exclusions_.resize(events_.observations().open_reads().size());
    for (std::uint32_t i = 0; i < derived_.facts.size(); ++i) {
      const prune::Fact& fact = derived_.facts[i];
      if (fact.kind == prune::Fact::Kind::kExclusion) exclusions_[fact.read].push_back(i);
    }
    budget_.spend(derived_.facts.size());
  }
  return exclusions_[read];
}

Established RefutationBuilder::establish(NeededFacts needed) {
  return checker::establish(
      std::move(needed),
      [&](std::uint32_t number, NeededFacts& more) { return justify(number, more); }, budget_);
}

Refutation RefutationBuilder::conclude(Justification last, NeededFacts needed) {
  Established all = establish(std::move(needed));
  all.add(std::move(last));
  return {std::move(all.steps), {}};
}

Refutation RefutationBuilder::from_cycle() {
  NeededFacts needed;
  std::vector<std::uint32_t> facts;
  RefutationStep step;
  step.cycle = name(find_short_cycle(events_, budget_), nullptr, facts);
  Justification last;
  add_step(std::move(step), facts, last, needed);
  return conclude(std::move(last), std::move(needed));
}

Refutation RefutationBuilder::from_missing_source() {
  Justification last;
  ISOLDE_ASSERT(derived_.left[derived_.without_source] == 0);
  last.rests_on = exclusions(derived_.without_source);
  NeededFacts needed(last.rests_on.begin(), last.rests_on.end());
  last.steps.emplace_back();
  return conclude(std::move(last), std::move(needed));
}

/// The facts behind the solver's input clauses, which say that a read has one of its remaining
/// sources.
std::vector<std::uint32_t> RefutationBuilder::facts_of_input(const RefutationStep& step) {
  if (!derived_.narrows()) return {};
  for (const Claim& claim : step.claims) {
    if (claim.denied || claim.source.op == Claim::kNoOp) continue;
    return exclusions(
        infer::find_open(events_.observations(), claim.source.txn, claim.source.op));
  }
  return {};
}

Refutation RefutationBuilder::from_conflicts(const solver::Solver& solver,
                                             const std::vector<Lemma>& lemmas,
                                             const AddLiteral& add_literal) {
  const std::vector<solver::ProofStep> core = solver.core();
  std::vector<Justification> found(core.size());
  NeededFacts needed;
  for (std::size_t i = 0; i < core.size(); ++i) {
    RefutationStep step;
    for (const solver::Lit lit : core[i].clause) add_literal(lit, step);
    if (core[i].from.empty() && !core[i].is_input) {
      ISOLDE_ASSERT(core[i].theory_index < lemmas.size());
      const Lemma& lemma = lemmas[core[i].theory_index];
      if (!lemma.steps.empty()) continue;
      step.cycle = lemma.cycle;
      step.wrong_result = lemma.wrong_result;
      add_step(std::move(step), lemma.facts, found[i], needed);
      continue;
    }
    if (core[i].is_input) found[i].rests_on = facts_of_input(step);
    for (const std::uint32_t fact : found[i].rests_on) needed.push(fact);
    found[i].steps.push_back(std::move(step));
  }
  Established all = establish(std::move(needed));
  std::vector<std::uint32_t> places;
  for (std::size_t i = 0; i < core.size(); ++i) {
    if (found[i].steps.empty()) {
      all.add_all(lemmas[core[i].theory_index].steps);
    } else {
      for (const solver::ProofId id : core[i].from) {
        ISOLDE_INVARIANT(id.raw() < places.size());
        found[i].steps.front().from.push_back(places[id.raw()]);
      }
      all.add(std::move(found[i]));
    }
    places.push_back(static_cast<std::uint32_t>(all.steps.size() - 1));
  }
  // A lemma may be the whole proof.
  const auto end = std::find_if(all.steps.begin(), all.steps.end(), [](const auto& step) {
    return step.clause.empty() && step.claims.empty();
  });
  ISOLDE_CHECK(end != all.steps.end());
  all.steps.erase(end + 1, all.steps.end());
  return {std::move(all.steps), {}};
}

}  // namespace isolde::checker
