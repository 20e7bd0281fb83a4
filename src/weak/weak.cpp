// Read committed: reads see final committed values and the read-from relation is acyclic
// (Adya's no G1; for lists together with the version orders that reads show).
//
// The levels above it follow the axioms of Biswas & Enea (OOPSLA 2019): when a transaction
// reads x from t1 although t2, which also writes x, was visible to it, then t2 precedes t1.
// With read-from, session and real-time order these edges must be acyclic. weak/visible.hpp
// defines what is visible at which level.
#include "weak/weak.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/assert.hpp"
#include "base/hash.hpp"
#include "infer/event_graph.hpp"
#include "level/level_traits.hpp"
#include "order/guess.hpp"
#include "refute/refutation.hpp"
#include "weak/visible.hpp"

namespace isolde::checker {
namespace {

using infer::Observations;
using infer::WriteId;

Refutation single_cycle(std::vector<Edge> cycle) {
  Refutation refutation;
  refutation.steps.emplace_back();
  refutation.steps.back().cycle = std::move(cycle);
  return refutation;
}

/// Orders the events by the graph's edges and `more`, edges between transactions.
std::optional<Proof> order_or_cycle(infer::EventGraph& events, const std::vector<Edge>& more,
                                    base::Budget& budget) {
  for (std::size_t i = 0; i < more.size(); ++i) {
    if (more[i].from == more[i].to) return single_cycle({more[i]});
    events.graph().add(events.commit(more[i].from), events.begin(more[i].to),
                       static_cast<std::uint32_t>(i));
  }
  const std::vector<NodeId> order = order_by_time(events, budget);
  if (budget.exhausted()) return std::nullopt;
  if (!order.empty() || events.graph().node_count() == 0) return to_witness(events, order);
  const auto cycle = find_short_cycle(events, budget);
  return single_cycle(events.name_cycle(
      cycle, [&](graph::EdgeId edge) { return more[events.graph().tag(edge)]; }));
}

/// The order in which list reads show the appends of committed transactions.
class ShownOrder {
 public:
  ShownOrder(const History& history, base::Budget& budget)
      : history_(history), budget_(budget) {}

  /// One edge for each two adjacent appends of committed transactions.
  std::vector<Edge> edges() {
    index_appends();
    if (writers_.empty()) return {};
    longest_.resize(history_.key_count());
    for (std::size_t t = 0; t < history_.txn_count(); ++t) {
      if (history_.status(TxnId::at(t)) != TxnStatus::kCommitted) continue;
      for (const Op& op : history_.ops(TxnId::at(t))) {
        if (op.kind == OpKind::kReadList) look_at(op.key, history_.list(op));
      }
    }
    return std::move(edges_);
  }

 private:
  struct Name {
    std::uint64_t value;
    KeyId key;
    friend bool operator==(const Name&, const Name&) = default;
  };
  struct NameHash {
    std::size_t operator()(const Name& name) const {
      return base::mix2(name.value, name.key.raw());
    }
  };

  /// Writer of each element; none when there are several.
  void index_appends() {
    for (std::size_t t = 0; t < history_.txn_count(); ++t) {
      const TxnId txn = TxnId::at(t);
      for (const Op& op : history_.ops(txn)) {
        if (op.kind != OpKind::kAppend) continue;
        const auto [at, fresh] = writers_.try_emplace({op.value.bits(), op.key}, txn);
        if (!fresh && at->second != txn) at->second = TxnId::none();
      }
      budget_.spend(history_.ops(txn).size() * 4);
    }
  }

  void look_at(KeyId key, std::span<const Value> list) {
    std::span<const Value>& longest = longest_[key.raw()];
    budget_.spend(list.size());
    const std::size_t shared = std::min(list.size(), longest.size());
    if (std::equal(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(shared),
                   longest.begin())) {
      if (list.size() == shared) return;
    }
    if (list.size() > longest.size()) longest = list;
    TxnId last;
    for (const Value element : list) {
      const auto at = writers_.find({element.bits(), key});
      if (at == writers_.end() || at->second.is_none()) continue;
      if (history_.status(at->second) != TxnStatus::kCommitted) continue;
      if (last.is_some() && last != at->second) {
        edges_.push_back({last, at->second, EdgeKind::kVersionOrder, key, TxnId::none()});
      }
      last = at->second;
    }
  }

  const History& history_;
  base::Budget& budget_;
  std::unordered_map<Name, TxnId, NameHash> writers_;
  std::vector<std::span<const Value>> longest_;  // by key, of those looked at
  std::vector<Edge> edges_;
};

/// Under dirty reads, being read does not imply a commit. What did not certainly commit has
/// only session order edges here, from one transaction of the session to the next.
void pass_over_uncommitted(const History& history, std::vector<Edge>& cycle) {
  const auto committed = [&](TxnId txn) {
    return history.status(txn) == TxnStatus::kCommitted;
  };
  std::rotate(cycle.begin(),
              std::find_if(cycle.begin(), cycle.end(),
                           [&](const Edge& edge) { return committed(edge.from); }),
              cycle.end());
  std::vector<Edge> kept;
  for (const Edge& edge : cycle) {
    if (committed(edge.from)) {
      kept.push_back(edge);
    } else {
      kept.back().to = edge.to;
    }
  }
  cycle = std::move(kept);
}

}  // namespace

std::optional<Proof> decide_weak(const Observations& seen, const LevelInfo& level,
                                 std::int64_t clock_error_ns, base::Budget& budget,
                                 unsigned threads) {
  ISOLDE_CHECK(traits(level.base).method == Method::kViews);
  infer::EventGraph events(seen, encoding(level, clock_error_ns), budget);
  const std::vector<Edge> views = all_views(events, level, std::max(threads, 1U), budget);
  if (budget.exhausted()) return std::nullopt;
  return order_or_cycle(events, views, budget);
}

std::optional<Proof> decide_uncommitted(const Observations& seen, const LevelInfo& level,
                                        std::int64_t clock_error_ns, base::Budget& budget) {
  ISOLDE_CHECK(traits(level.base).method == Method::kShownOrders);
  infer::EventGraph events(seen, encoding(level, clock_error_ns), budget);
  std::optional<Proof> proof =
      order_or_cycle(events, ShownOrder(seen.history(), budget).edges(), budget);
  auto* refutation = proof ? std::get_if<Refutation>(&*proof) : nullptr;
  if (refutation == nullptr) return proof;
  pass_over_uncommitted(seen.history(), refutation->steps.back().cycle);
  return proof;
}

}  // namespace isolde::checker
