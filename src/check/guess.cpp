#include "check/guess.hpp"

#include <algorithm>
#include <limits>

#include "base/assert.hpp"
#include "graph/topological.hpp"

namespace isolde::checker {

using graph::EdgeId;
using infer::Observations;
using infer::ReadFrom;
using infer::WriteId;

namespace {

/// What events are sorted by: a time, or a place in the session scaled so that all sessions run
/// at the same pace; then a tie-break that is the input order.
struct Moment {
  std::int64_t time = 0;
  std::uint32_t node = 0;
  friend auto operator<=>(const Moment&, const Moment&) = default;
};

Moment moment_of(const EventGraph& events, NodeId node) {
  if (!events.is_txn(node)) return {std::numeric_limits<std::int64_t>::min(), node.raw()};
  const History& history = events.observations().history();
  const TxnId txn = events.txn(node);
  const bool at_commit = node == events.commit(txn);
  const TxnTimes times = history.times(txn);
  if (history.has_times()) {
    std::int64_t time = at_commit ? times.end : times.start;
    if (time == kNoTime) time = at_commit ? times.start : times.end;
    return {time, node.raw()};
  }
  const std::int64_t length =
      static_cast<std::int64_t>(history.session_txns(history.session_of(txn)).size());
  const std::int64_t place = history.position_of(txn);
  return {(place << 30) / length, node.raw()};
}

std::vector<std::uint32_t> ranks_by_moment(const EventGraph& events) {
  const std::size_t count = events.graph().node_count();
  std::vector<Moment> moments(count);
  for (std::size_t node = 0; node < count; ++node) {
    moments[node] = moment_of(events, NodeId::at(node));
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

/// Runs the transactions one after the other against a store that knows, for each key, how many
/// readers of the present version are still to come.
class Simulation {
 public:
  Simulation(const EventGraph& events, base::Budget& budget)
      : events_(events), seen_(events.observations()), budget_(budget) {}

  /// Rank of each transaction.
  std::vector<std::uint32_t> run() {
    prepare();
    std::vector<std::uint32_t> rank(seen_.txn_count(), 0);
    for (std::uint32_t next_rank = 0; next_rank < seen_.included_count(); ++next_rank) {
      const TxnId txn = next();
      if (txn.is_none()) break;  // read-from and session order form a cycle
      rank[txn.raw()] = next_rank;
      execute(txn);
      budget_.spend(16);
    }
    return rank;
  }

 private:
  using Entry = std::uint64_t;  // rank by moment, transaction

  Entry entry(TxnId txn) const {
    return (std::uint64_t{wish_[events_.commit(txn).raw()]} << 32) | txn.raw();
  }
  static TxnId txn_of(Entry entry) { return TxnId(static_cast<std::uint32_t>(entry)); }
  static void push(std::vector<Entry>& heap, Entry entry) {
    heap.push_back(entry);
    std::push_heap(heap.begin(), heap.end(), std::greater<>());
  }
  static Entry pop(std::vector<Entry>& heap) {
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    const Entry top = heap.back();
    heap.pop_back();
    return top;
  }

  void prepare() {
    wish_ = ranks_by_moment(events_);
    const History& history = seen_.history();
    missing_.assign(seen_.txn_count(), 0);
    next_in_session_.assign(seen_.txn_count(), TxnId::none());
    done_.assign(seen_.txn_count(), 0);
    pending_.resize(history.key_count());
    version_.assign(history.key_count(), WriteId::none());
    waiting_.resize(history.key_count());
    for (std::size_t k = 0; k < history.key_count(); ++k) {
      pending_[k] = static_cast<std::uint32_t>(seen_.initial_readers(KeyId::at(k)).size());
    }
    for (std::size_t w = 0; w < seen_.write_count(); ++w) {
      for (const TxnId reader : seen_.readers(WriteId::at(w))) ++missing_[reader.raw()];
    }
    for (std::size_t s = 0; s < history.session_count(); ++s) {
      TxnId last;
      for (const TxnId txn : history.session_txns(SessionId::at(s))) {
        if (!seen_.is_included(txn)) continue;
        if (last.is_some()) {
          next_in_session_[last.raw()] = txn;
          ++missing_[txn.raw()];
        }
        last = txn;
      }
    }
    for (std::size_t t = 0; t < seen_.txn_count(); ++t) {
      const bool ready = seen_.is_included(TxnId::at(t)) && missing_[t] == 0;
      if (ready) push(ready_, entry(TxnId::at(t)));
    }
  }

  /// A key the transaction would overwrite although readers of the version are still to come.
  KeyId blocking_key(TxnId txn) const {
    for (WriteId write = seen_.first_write(txn); write != seen_.end_write(txn);
         write = WriteId(write.raw() + 1)) {
      const KeyId key = seen_.written_key(write);
      const std::span<const TxnId> readers = seen_.readers(version_[key.raw()], key);
      const bool reads_itself = std::binary_search(readers.begin(), readers.end(), txn);
      if (pending_[key.raw()] > (reads_itself ? 1U : 0U)) return key;
    }
    return KeyId::none();
  }

  TxnId next() {
    while (!ready_.empty()) {
      const Entry top = pop(ready_);
      if (done_[txn_of(top).raw()] != 0) continue;
      const KeyId key = blocking_key(txn_of(top));
      if (key.is_none()) return txn_of(top);
      waiting_[key.raw()].push_back(top);
      push(blocked_, top);
    }
    // Everything is blocked: run the earliest all the same; its version order is a bad guess.
    while (!blocked_.empty()) {
      const TxnId txn = txn_of(pop(blocked_));
      if (done_[txn.raw()] == 0) return txn;
    }
    return TxnId::none();
  }

  void execute(TxnId txn) {
    done_[txn.raw()] = 1;
    const ReadFrom* last = nullptr;
    for (const ReadFrom& read : seen_.reads(txn)) {
      const bool present = version_[read.key.raw()] == read.source;
      const bool repeated = last != nullptr && last->key == read.key;
      if (present && !repeated && pending_[read.key.raw()] > 0) {
        --pending_[read.key.raw()];
        wake(read.key);
      }
      last = &read;
    }
    for (WriteId write = seen_.first_write(txn); write != seen_.end_write(txn);
         write = WriteId(write.raw() + 1)) {
      const KeyId key = seen_.written_key(write);
      version_[key.raw()] = write;
      pending_[key.raw()] = static_cast<std::uint32_t>(seen_.readers(write).size());
      for (const TxnId reader : seen_.readers(write)) release(reader);
      wake(key);
    }
    if (next_in_session_[txn.raw()].is_some()) release(next_in_session_[txn.raw()]);
  }

  void release(TxnId txn) {
    if (--missing_[txn.raw()] == 0) push(ready_, entry(txn));
  }

  void wake(KeyId key) {
    if (pending_[key.raw()] > 1) return;
    for (const Entry entry : waiting_[key.raw()]) {
      if (done_[txn_of(entry).raw()] == 0) push(ready_, entry);
    }
    waiting_[key.raw()].clear();
  }

  const EventGraph& events_;
  const Observations& seen_;
  base::Budget& budget_;
  std::vector<std::uint32_t> wish_;
  std::vector<std::uint32_t> missing_;  // unmet session and read-from predecessors
  std::vector<TxnId> next_in_session_;
  std::vector<std::uint8_t> done_;
  std::vector<std::uint32_t> pending_;  // by key: readers of the present version to come
  std::vector<WriteId> version_;
  std::vector<std::vector<Entry>> waiting_;  // by key: transactions it blocks
  std::vector<Entry> ready_;
  std::vector<Entry> blocked_;
};

}  // namespace

std::vector<NodeId> order_by_time(const EventGraph& events, base::Budget& budget) {
  const std::vector<std::uint32_t> ranks = ranks_by_moment(events);
  budget.spend(ranks.size() * 8);
  return complete_or_nothing(graph::topological_order(events.graph(), ranks, budget),
                             events.graph().node_count());
}

std::vector<NodeId> order_by_simulation(const EventGraph& events, base::Budget& budget) {
  const std::vector<std::uint32_t> txn_rank = Simulation(events, budget).run();
  const std::size_t count = events.graph().node_count();
  std::vector<std::uint32_t> ranks(count, 0);
  for (std::size_t node = 0; node < events.event_count(); ++node) {
    const TxnId txn = events.txn(NodeId::at(node));
    const bool at_commit = NodeId::at(node) == events.commit(txn);
    ranks[node] = txn_rank[txn.raw()] * 2 + (at_commit ? 1 : 0);
  }
  return complete_or_nothing(graph::topological_order(events.graph(), ranks, budget), count);
}

std::optional<std::vector<NodeId>> follow_version_orders(EventGraph& events,
                                                         const std::vector<NodeId>& order,
                                                         base::Budget& budget) {
  const Observations& seen = events.observations();
  graph::Digraph& graph = events.graph();
  const std::size_t base_edges = graph.extra_count();
  std::vector<std::uint32_t> position(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    position[order[i].raw()] = static_cast<std::uint32_t>(i);
  }
  std::vector<WriteId> writes;
  for (std::size_t k = 0; k < seen.history().key_count(); ++k) {
    const std::span<const WriteId> all = seen.writes_of(KeyId::at(k));
    writes.assign(all.begin(), all.end());
    std::sort(writes.begin(), writes.end(), [&](WriteId a, WriteId b) {
      return position[events.commit(seen.writer(a)).raw()] <
             position[events.commit(seen.writer(b)).raw()];
    });
    for (std::size_t i = 0; i + 1 < writes.size(); ++i) {
      const TxnId writer = seen.writer(writes[i]);
      const TxnId next = seen.writer(writes[i + 1]);
      graph.add(events.commit(writer), events.overwrite(next), 0);
      for (const TxnId reader : seen.readers(writes[i])) {
        if (reader == next || !events.misses(reader)) continue;
        graph.add(events.reads_at(reader), events.commit(next), 0);
      }
    }
    if (!budget.spend(all.size() * 8)) break;
  }
  std::vector<NodeId> found = graph::topological_order(graph, position, budget);
  graph.pop_to(base_edges);
  if (found.size() != order.size() || budget.exhausted()) return std::nullopt;
  return found;
}

Witness to_witness(const EventGraph& events, const std::vector<NodeId>& order) {
  Witness witness;
  witness.mentions = events.encoding().split ? 2 : 1;
  witness.order.reserve(events.event_count());
  for (const NodeId node : order) {
    if (!events.is_txn(node)) continue;
    const TxnId txn = events.txn(node);
    if (events.observations().is_included(txn)) witness.order.push_back(txn);
  }
  return witness;
}

}  // namespace isolde::checker
