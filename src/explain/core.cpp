#include "explain/core.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/memory_guard.hpp"
#include "explain/evidence.hpp"

namespace isolde::explain {
namespace {

using OrderKey = std::pair<TxnId, TxnId>;

OrderKey key_of(VersionOrder order) { return {order.before, order.after}; }

bool contains(const std::vector<VersionOrder>& clause, VersionOrder order) {
  return std::find(clause.begin(), clause.end(), order) != clause.end();
}

/// Position of the first step that establishes each order.
std::map<OrderKey, std::size_t> established_orders(const Refutation& refutation) {
  std::map<OrderKey, std::size_t> known;
  for (std::size_t i = 0; i < refutation.steps.size(); ++i) {
    const RefutationStep& step = refutation.steps[i];
    if (step.clause.size() == 1 && step.claims.empty())
      known.emplace(key_of(step.clause.front()), i);
  }
  return known;
}

struct Grounded {
  Ground ground = Ground::kCertain;
  std::size_t fact = 0;
};

Grounded ground_of(const Edge& edge, const RefutationStep& step, std::size_t position,
                   const std::map<OrderKey, std::size_t>& known) {
  const VersionOrder order = rests_on(edge);
  if (order.before.is_none() || order.after.is_none()) return {};
  if (contains(step.clause, {order.after, order.before})) return {Ground::kAssumed, 0};
  const auto fact = known.find(key_of(order));
  if (fact == known.end() || fact->second >= position) return {};
  return {Ground::kEstablished, fact->second};
}

/// For each step the first one that says the same: steps that only repeat an earlier one (a
/// clause that follows from a single step) are no news to the reader.
std::vector<std::size_t> first_mentions(const Refutation& refutation) {
  std::vector<std::size_t> first(refutation.steps.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    const RefutationStep& step = refutation.steps[i];
    const bool repeats = step.is_derived() && step.from.size() == 1 && step.from[0] < i &&
                         step.clause == refutation.steps[step.from[0]].clause &&
                         step.claims == refutation.steps[step.from[0]].claims;
    first[i] = repeats ? first[step.from[0]] : i;
  }
  return first;
}

}  // namespace

VersionOrder rests_on(const Edge& edge) {
  if (edge.kind == EdgeKind::kVersionOrder) return {edge.from, edge.to};
  if (edge.kind == EdgeKind::kAntiDependency) return {edge.via, edge.to};
  return {};
}

bool rests_on_claim(const History& history, const Edge& edge,
                    const std::vector<Claim>& claims) {
  return std::any_of(claims.begin(), claims.end(), [&](const Claim& claim) {
    const auto [reader, op, writer] = claim.source;
    if (!claim.denied || op == Claim::kNoOp) return false;
    const bool same_key = history.ops(reader)[op].key == edge.key;
    switch (edge.kind) {
      case EdgeKind::kReadFrom:
        return same_key && reader == edge.to && writer == edge.from;
      case EdgeKind::kAntiDependency:
        return same_key && reader == edge.from && writer == edge.via;
      default:
        break;
    }
    // `to` is `from` itself where the reader saw the initial version instead.
    const TxnId seen = edge.to == edge.from ? TxnId::none() : edge.to;
    return is_view(edge.kind) && reader == edge.via &&
           (writer == edge.from || (same_key && writer == seen));
  });
}

bool is_between_two(const std::vector<VersionOrder>& clause, const std::vector<Claim>& claims,
                    const std::vector<Edge>& cycle) {
  if (clause.size() != 1 || !claims.empty() || cycle.size() != 2) return false;
  const auto [before, after] = clause.front();
  const TxnId first = cycle.front().from;
  const TxnId second = cycle.front().to;
  return (first == before && second == after) || (first == after && second == before);
}

namespace {

/// Both edges as one, where that is one of the same kind or a longer gap in time.
std::optional<Edge> joined(const History& history, const Edge& edge, const Edge& next) {
  const auto by_time = [](const Edge& one) { return one.kind == EdgeKind::kRealTime; };
  const auto orders = [&](const Edge& one) {
    return one.key.is_none() && (by_time(one) || one.kind == EdgeKind::kSessionOrder);
  };
  if (!orders(edge) || !orders(next)) return std::nullopt;
  Edge both{edge.from, next.to, edge.kind, {}, {}};
  if (edge.kind == next.kind) return both;
  both.kind = EdgeKind::kRealTime;
  const TxnTimes first = history.times(edge.from);
  const TxnTimes middle = history.times(edge.to);
  const TxnTimes last = history.times(next.to);
  // That a transaction of unknown outcome ended says nothing: it may take effect later.
  const bool committed = history.status(edge.from) == TxnStatus::kCommitted;
  const bool grows = by_time(edge)
                         ? middle.start != kNoTime && last.start >= middle.start
                         : committed && first.end != kNoTime && first.end <= middle.end;
  return grows ? std::optional(both) : std::nullopt;
}

}  // namespace

void straighten(const History& history, CoreStep& step) {
  const auto set_kind = [&](Edge& edge) {
    const bool is_session = edge.kind == EdgeKind::kRealTime && edge.key.is_none() &&
                            precedes_in_session(history, edge.from, edge.to);
    if (is_session) edge.kind = EdgeKind::kSessionOrder;
  };
  for (std::size_t i = 0; i < step.cycle.size() && step.cycle.size() > 2;) {
    const std::size_t next = (i + 1) % step.cycle.size();
    const std::optional<Edge> both = joined(history, step.cycle[i], step.cycle[next]);
    if (!both || both->from == both->to) {
      ++i;
      continue;
    }
    step.cycle[i] = *both;
    const auto at = static_cast<std::ptrdiff_t>(next);
    step.cycle.erase(step.cycle.begin() + at);
    step.grounds.erase(step.grounds.begin() + at);
    step.facts.erase(step.facts.begin() + at);
    i = i > next ? i - 1 : i;
  }
  for (Edge& edge : step.cycle) set_kind(edge);
}

namespace {

/// By key: who deletes it.
std::map<KeyId, std::set<TxnId>> deleters_of(const History& history) {
  std::map<KeyId, std::set<TxnId>> deleters;
  if (!history.origin().rows_are_deleted) return deleters;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    base::MemoryGuard::spend(history.ops(TxnId::at(t)).size());
    for (const Op& op : history.ops(TxnId::at(t))) {
      if (op.is_delete()) deleters[op.key].insert(TxnId::at(t));
    }
  }
  return deleters;
}

std::vector<CoreStep> core_of(const Refutation& refutation,
                              const std::map<KeyId, std::set<TxnId>>& deleters) {
  if (refutation.steps.empty()) return {};
  const std::vector<std::size_t> first = first_mentions(refutation);
  const std::map<OrderKey, std::size_t> known = established_orders(refutation);
  std::vector<std::uint8_t> needed(refutation.steps.size(), 0);
  needed[first.back()] = 1;
  for (std::size_t i = refutation.steps.size(); i-- > 0;) {
    if (needed[i] == 0) continue;
    const RefutationStep& step = refutation.steps[i];
    const auto need = [&](VersionOrder order) {
      const auto fact = known.find(key_of(order));
      if (fact != known.end() && fact->second < i) needed[fact->second] = 1;
    };
    for (const Edge& edge : step.cycle) {
      const Grounded grounded = ground_of(edge, step, i, known);
      if (grounded.ground == Ground::kEstablished) needed[grounded.fact] = 1;
      const auto deleted = deleters.find(edge.key);
      if (edge.kind != EdgeKind::kVersionOrder || deleted == deleters.end()) continue;
      // That the later writer has seen the earlier one's version: no deletion is in between.
      for (const TxnId txn : deleted->second) {
        need({txn, edge.from});
        need({edge.to, txn});
      }
    }
    for (std::uint32_t earlier : step.from) {
      if (earlier < i) needed[first[earlier]] = 1;
    }
  }
  std::vector<CoreStep> core;
  std::vector<std::size_t> place(refutation.steps.size(), 0);
  for (std::size_t i = 0; i < refutation.steps.size(); ++i) {
    if (needed[i] == 0) continue;
    const RefutationStep& step = refutation.steps[i];
    CoreStep kept{step.clause, step.cycle, {}, {}, {}, step.claims, step.wrong_result};
    for (const Edge& edge : step.cycle) {
      const Grounded grounded = ground_of(edge, step, i, known);
      kept.grounds.push_back(grounded.ground);
      kept.facts.push_back(place[grounded.fact]);
    }
    for (std::uint32_t earlier : step.from) {
      if (earlier < i) kept.from.push_back(place[first[earlier]]);
    }
    place[i] = core.size();
    core.push_back(std::move(kept));
  }
  return core;
}

}  // namespace

std::vector<CoreStep> proof_core(const History& history, const Refutation& refutation) {
  return core_of(refutation, deleters_of(history));
}

std::vector<CoreStep> proof_core(const Refutation& refutation) {
  return core_of(refutation, {});
}

}  // namespace isolde::explain
