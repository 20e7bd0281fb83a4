#include "explain/core.hpp"

#include <algorithm>
#include <map>
#include <utility>

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
    const bool repeats = step.cycle.empty() && step.from.size() == 1 && step.from[0] < i &&
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
        return is_view(edge.kind) && reader == edge.via &&
               (writer == edge.from || (same_key && writer == edge.to));
    }
  });
}

std::vector<CoreStep> proof_core(const Refutation& refutation) {
  if (refutation.steps.empty()) return {};
  const std::vector<std::size_t> first = first_mentions(refutation);
  const std::map<OrderKey, std::size_t> known = established_orders(refutation);
  std::vector<std::uint8_t> needed(refutation.steps.size(), 0);
  needed[first.back()] = 1;
  for (std::size_t i = refutation.steps.size(); i-- > 0;) {
    if (needed[i] == 0) continue;
    const RefutationStep& step = refutation.steps[i];
    for (const Edge& edge : step.cycle) {
      const Grounded grounded = ground_of(edge, step, i, known);
      if (grounded.ground == Ground::kEstablished) needed[grounded.fact] = 1;
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
    CoreStep kept{step.clause, step.cycle, {}, {}, {}, step.claims};
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

}  // namespace isolde::explain
