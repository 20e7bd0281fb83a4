#include "order/guess.hpp"

#include <algorithm>
#include <limits>

#include "base/assert.hpp"
#include "graph/topological.hpp"
#include "order/simulation.hpp"

namespace isolde::checker {

using infer::Observations;
using infer::WriteId;

namespace {

/// Sort key of events: time, then input order as the tie-break.
struct Moment {
  std::int64_t time = 0;
  std::uint32_t node = 0;
  friend auto operator<=>(const Moment&, const Moment&) = default;
};

Moment moment_of_event(const EventGraph& events, NodeId node) {
  if (!events.is_txn(node)) return {std::numeric_limits<std::int64_t>::min(), node.raw()};
  const TxnId txn = events.txn(node);
  const History& history = events.observations().history();
  return {checker::moment_of(history, txn, node == events.commit(txn)), node.raw()};
}

std::vector<std::uint32_t> ranks_by_moment(const EventGraph& events) {
  const std::size_t count = events.graph().node_count();
  std::vector<Moment> moments(count);
  for (std::size_t node = 0; node < count; ++node) {
    moments[node] = moment_of_event(events, NodeId::at(node));
  }
  std::sort(moments.begin(), moments.end());
  std::vector<std::uint32_t> ranks(count);
  for (std::size_t i = 0; i < count; ++i) {
    ranks[moments[i].node] = static_cast<std::uint32_t>(i);
  }
  return ranks;
}

std::vector<NodeId> complete_or_nothing(std::vector<NodeId> order, std::size_t count) {
  if (order.size() != count) order.clear();
  return order;
}

/// By key: its writes in the order of the commits.
base::Csr<WriteId> version_orders(const EventGraph& events, const std::vector<NodeId>& order) {
  const Observations& seen = events.observations();
  return base::Csr<WriteId>::scatter(1, seen.history().key_count(), [&](const auto& add) {
    for (const NodeId node : order) {
      if (!events.is_txn(node) || node != events.commit(events.txn(node))) continue;
      for (const WriteId write : seen.writes(events.txn(node))) {
        add(seen.written_key(write).raw(), write);
      }
    }
  });
}

/// By the event that they leave: the ww edges of consecutive versions, and the rw edges from
/// the readers of the first.
base::Csr<NodeId> version_order_edges(const EventGraph& events,
                                      const base::Csr<WriteId>& version_orders) {
  const Observations& seen = events.observations();
  return base::Csr<NodeId>::scatter(1, events.graph().node_count(), [&](const auto& add) {
    for (std::size_t k = 0; k < version_orders.row_count(); ++k) {
      const std::span<const WriteId> writes = version_orders.row(k);
      for (std::size_t i = 0; i + 1 < writes.size(); ++i) {
        const TxnId next = seen.writer(writes[i + 1]);
        add(events.commit(seen.writer(writes[i])).raw(), events.replace(writes[i], next));
        for (const TxnId reader : seen.readers(writes[i])) {
          if (reader == next || !events.role(reader).has_anti_dependencies) continue;
          add(events.reads_at(reader).raw(), events.commit(next));
        }
      }
    }
  });
}

}  // namespace

std::vector<NodeId> order_by_time(const EventGraph& events, base::Budget& budget) {
  const std::vector<std::uint32_t> ranks = ranks_by_moment(events);
  budget.spend(ranks.size() * 8);
  return complete_or_nothing(graph::topological_order(events.graph(), ranks, budget),
                             events.graph().node_count());
}

std::vector<NodeId> order_by_simulation(const EventGraph& events, base::Budget& budget) {
  const Observations& seen = events.observations();
  std::vector<std::uint32_t> txn_rank(seen.txn_count(), 0);
  std::uint32_t next_rank = 0;
  for (const TxnId txn : simulate(seen, budget)) txn_rank[txn.raw()] = next_rank++;
  ISOLDE_ASSERT(next_rank <= seen.included_count());
  const std::size_t count = events.graph().node_count();
  std::vector<std::uint32_t> ranks(count, 0);
  for (std::size_t node = 0; node < events.event_count(); ++node) {
    const TxnId txn = events.txn(NodeId::at(node));
    const bool at_commit = NodeId::at(node) == events.commit(txn);
    ranks[node] = txn_rank[txn.raw()] * 2 + (at_commit ? 1 : 0);
  }
  return complete_or_nothing(graph::topological_order(events.graph(), ranks, budget), count);
}

std::vector<NodeId> reordered(const EventGraph& events, const std::vector<NodeId>& order,
                              base::Budget& budget) {
  ISOLDE_ASSERT(order.size() == events.graph().node_count());
  std::vector<std::uint32_t> wish(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    wish[order[i].raw()] = static_cast<std::uint32_t>(i);
  }
  return graph::topological_order(events.graph(), wish, budget);
}

std::optional<std::vector<NodeId>> follow_version_orders(const EventGraph& events,
                                                         const std::vector<NodeId>& order,
                                                         base::Budget& budget) {
  ISOLDE_ASSERT(order.size() == events.graph().node_count());
  if (!budget.spend(events.observations().write_count() * 8)) return std::nullopt;
  const base::Csr<NodeId> added = version_order_edges(events, version_orders(events, order));
  std::vector<std::uint32_t> position(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    position[order[i].raw()] = static_cast<std::uint32_t>(i);
  }
  std::vector<NodeId> found = graph::topological_order(events.graph(), added, position, budget);
  if (found.size() != order.size() || budget.exhausted()) return std::nullopt;
  return found;
}

Witness to_witness(const EventGraph& events, const std::vector<NodeId>& order) {
  Witness witness;
  witness.mentions = events.encoding().role.snapshot ? 2 : 1;
  witness.order.reserve(events.event_count());
  for (const NodeId node : order) {
    if (!events.is_txn(node)) continue;
    const TxnId txn = events.txn(node);
    if (events.observations().is_included(txn)) witness.order.push_back(txn);
  }
  ISOLDE_ASSERT(witness.order.size() == (order.empty()
                                             ? 0
                                             : events.observations().included_count() *
                                                   static_cast<std::size_t>(witness.mentions)));
  return witness;
}

}  // namespace isolde::checker
