// Read committed: reads see final committed values and the read-from relation is acyclic
// (Adya's no G1; for lists together with the version orders that reads show).
//
// Monotonic atomic view, by the axiom of Biswas & Enea (OOPSLA 2019) for what they call read
// committed: when a transaction reads from t2 and afterwards reads x from t1 although t2 writes
// x, then t2 comes before t1. Added to read-from and session order that must stay acyclic.
#include "check/weak.hpp"

#include <vector>

#include "base/assert.hpp"
#include "check/guess.hpp"
#include "check/refutation.hpp"
#include "infer/event_graph.hpp"

namespace isolde::checker {
namespace {

using infer::Observations;
using infer::ReadFrom;
using infer::WriteId;

/// Emits the axiom's edges of one transaction after the other.
class ViewEdges {
 public:
  explicit ViewEdges(const Observations& seen)
      : seen_(seen),
        writers_(seen.history().key_count()),
        writers_of_(seen.history().key_count()),
        source_of_(seen.txn_count()) {}

  /// Calls visit(edge) for each; from == to says that the initial version was read.
  template <typename Visit>
  void of(TxnId txn, const Visit& visit) {
    for (const ReadFrom& read : seen_.reads(txn)) {
      const TxnId source = read.source.is_none() ? TxnId::none() : seen_.writer(read.source);
      if (writers_of_[read.key.raw()] == txn) {
        for (const TxnId writer : writers_[read.key.raw()]) {
          if (writer == source) continue;
          visit(Edge{writer, source.is_none() ? writer : source, EdgeKind::kMonotonicView,
                     read.key, txn});
        }
      }
      if (source.is_some() && source_of_[source.raw()] != txn) note(txn, source);
    }
  }

 private:
  /// From now on the transaction has seen part of `source`.
  void note(TxnId txn, TxnId source) {
    source_of_[source.raw()] = txn;
    for (WriteId write = seen_.first_write(source); write != seen_.end_write(source);
         write = WriteId(write.raw() + 1)) {
      const KeyId key = seen_.written_key(write);
      if (writers_of_[key.raw()] != txn) writers_[key.raw()].clear();
      writers_of_[key.raw()] = txn;
      writers_[key.raw()].push_back(source);
    }
  }

  const Observations& seen_;
  std::vector<std::vector<TxnId>> writers_;  // by key: sources so far that write it
  std::vector<TxnId> writers_of_;            // by key: the transaction that list belongs to
  std::vector<TxnId> source_of_;             // by transaction: last one it was a source of
};

Refutation single_cycle(std::vector<Edge> cycle) {
  Refutation refutation;
  refutation.steps.emplace_back();
  refutation.steps.back().cycle = std::move(cycle);
  return refutation;
}

}  // namespace

Proof decide_weak(const Observations& seen, const LevelInfo& level, base::Budget& budget) {
  infer::Encoding encoding;
  encoding.anti_dependencies = false;
  encoding.session_order = level.session_order;
  infer::EventGraph events(seen, encoding, budget);
  std::vector<Edge> views;
  if (level.base == BaseLevel::kMonotonicAtomicView) {
    ViewEdges view_edges(seen);
    for (std::size_t t = 0; t < seen.txn_count(); ++t) {
      view_edges.of(TxnId::at(t), [&](const Edge& edge) { views.push_back(edge); });
      if (!budget.spend(seen.reads(TxnId::at(t)).size() * 8)) return Refutation{};
    }
    for (std::size_t i = 0; i < views.size(); ++i) {
      if (views[i].from == views[i].to) return single_cycle({views[i]});
      events.graph().add(events.commit(views[i].from), events.begin(views[i].to),
                         static_cast<std::uint32_t>(i));
    }
  } else {
    ISOLDE_CHECK(level.base == BaseLevel::kReadCommitted);
  }
  const std::vector<NodeId> order = order_by_time(events, budget);
  if (budget.exhausted()) return Refutation{};
  if (!order.empty() || seen.txn_count() == 0) return to_witness(events, order);
  const auto cycle = find_short_cycle(events, budget);
  return single_cycle(events.name_cycle(
      cycle, [&](graph::EdgeId edge) { return views[events.graph().tag(edge)]; }));
}

}  // namespace isolde::checker
