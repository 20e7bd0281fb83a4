// Builds the certain edges of an event graph, and names them for explanations.
//
// Edges carry no labels: only a violation needs them, for a handful of edges, and the
// observations yield them again. That keeps the graph at 4 bytes an edge.
#include "infer/event_graph.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace isolde::infer {

using graph::PathFinder;

namespace {

bool is_before(std::int64_t end, std::int64_t start, std::int64_t clock_error_ns) {
  if (end == kNoTime || start == kNoTime || end >= start) return false;
  const std::uint64_t gap = static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(end);
  return gap > static_cast<std::uint64_t>(clock_error_ns);
}

}  // namespace

std::int64_t certain_end(const History& history, TxnId txn) {
  return history.status(txn) == TxnStatus::kCommitted ? history.times(txn).end : kNoTime;
}

bool ended_before(const History& history, TxnId a, TxnId b, std::int64_t clock_error_ns) {
  return is_before(certain_end(history, a), history.times(b).start, clock_error_ns);
}

EventGraph::EventGraph(const Observations& observations, const Encoding& encoding,
                       base::Budget& budget)
    : observations_(&observations),
      encoding_(encoding),
      event_count_(observations.txn_count() * (encoding.role.snapshot ? 2 : 1)),
      graph_(build(budget)) {}

base::Csr<NodeId> EventGraph::build(base::Budget& budget) {
  const Observations& seen = *observations_;
  ISOLDE_CHECK(encoding_.clock_error_ns >= 0);
  std::size_t next_node = event_count_;
  if (encoding_.role.has_anti_dependencies) {
    for (std::size_t k = 0; k < seen.history().key_count(); ++k) {
      const KeyId key = KeyId::at(k);
      const std::span<const WriteId> order = seen.list_order(key);
      const WriteId version = order.empty() ? WriteId::none() : order.back();
      if (seen.readers(version, key).empty()) continue;
      if (seen.writes_of(key).size() == order.size()) continue;
      frontiers_.push_back({key, version, NodeId::at(next_node++)});
    }
  }
  if (encoding_.real_time || encoding_.real_time_by_key) sort_ends(budget);
  first_clock_ = static_cast<std::uint32_t>(next_node);
  next_node += ends_.size();
  ISOLDE_CHECK(next_node < NodeId::max_count());
  return base::Csr<NodeId>::build(next_node, [&](const auto& add_item) {
    const auto add = [&](NodeId from, NodeId to) { add_item(from.raw(), to); };
    emit_transactions(add);
    if (!chains_.empty()) emit_real_time(add);
    if (encoding_.role.has_anti_dependencies) {
      if (encoding_.role.forbids_concurrent_writers) emit_overwrites(add);
      for (const Frontier& frontier : frontiers_) emit_frontier(frontier, add);
    }
    if (encoding_.mixture) {
      for (const Edge& view : encoding_.mixture->views) {
        add(commit(view.from), view_arrives_at(view));
      }
    }
    for (std::size_t k = 0; k < seen.history().key_count(); ++k) {
      const bool ordered = encoding_.list_order && seen.is_list(KeyId::at(k));
      if (ordered) emit_list_order(KeyId::at(k), add);
    }
    budget.spend(seen.write_count() * 4);
  });
}

std::int64_t EventGraph::end_of(TxnId txn) const {
  return encoding_.supposed.empty() ? certain_end(observations_->history(), txn)
                                    : encoding_.supposed[txn.raw()].second;
}

/// One chain for all transactions, or one for each key.
void EventGraph::sort_ends(base::Budget& budget) {
  const Observations& seen = *observations_;
  const History& history = seen.history();
  if (encoding_.real_time) {
    add_clocks(included_txns());
    budget.spend(ends_.size() * 8);
    return;
  }
  users_ = base::Csr<TxnId>::build(history.key_count(), [&](const auto& add) {
    std::vector<TxnId> last(history.key_count());
    for (std::size_t t = 0; t < seen.txn_count(); ++t) {
      if (!seen.is_included(TxnId::at(t))) continue;
      for (const Op& op : history.ops(TxnId::at(t))) {
        if (!op.uses_item() || last[op.key.raw()] == TxnId::at(t)) continue;
        last[op.key.raw()] = TxnId::at(t);
        add(op.key.raw(), TxnId::at(t));
      }
    }
  });
  for (std::size_t k = 0; k < history.key_count(); ++k) {
    add_clocks(users_.row(k));
    budget.spend(users_.row(k).size() * 16);
  }
}

void EventGraph::add_clocks(std::span<const TxnId> txns) {
  const std::size_t first = ends_.size();
  chains_.push_back(first);
  for (const TxnId txn : txns) {
    const std::int64_t end = end_of(txn);
    if (end != kNoTime) ends_.push_back(end);
  }
  const auto begin = ends_.begin() + static_cast<std::ptrdiff_t>(first);
  std::sort(begin, ends_.end());
  ends_.erase(std::unique(begin, ends_.end()), ends_.end());
}

std::vector<TxnId> EventGraph::included_txns() const {
  std::vector<TxnId> txns;
  txns.reserve(observations_->included_count());
  for (std::size_t t = 0; t < observations_->txn_count(); ++t) {
    if (observations_->is_included(TxnId::at(t))) txns.push_back(TxnId::at(t));
  }
  return txns;
}

/// begin -> commit, session order and read-from.
template <typename Add>
void EventGraph::emit_transactions(const Add& add) const {
  const Observations& seen = *observations_;
  for (std::size_t t = 0; t < seen.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    if (!seen.is_included(txn)) continue;
    if (has_begins()) add(begin(txn), commit(txn));
    if (!encoding_.read_from) continue;
    for (const WriteId write : seen.writes(txn)) {
      for (const TxnId reader : seen.readers(write)) add(commit(txn), begin(reader));
    }
  }
  if (!encoding_.session_order) return;
  for (std::size_t s = 0; s < seen.history().session_count(); ++s) {
    TxnId last;
    for (const TxnId txn : seen.history().session_txns(SessionId::at(s))) {
      if (!seen.is_included(txn)) continue;
      if (last.is_some()) add(commit(last), begin(txn));
      // A doubtful transaction may not have taken effect: it passes no session order on.
      if (!seen.is_doubtful(txn)) last = txn;
    }
  }
  for (const auto& [first, second] : encoding_.links) add(commit(first), begin(second));
}

template <typename Add>
void EventGraph::emit_real_time(const Add& add) const {
  if (encoding_.real_time) return emit_clocks(0, included_txns(), add);
  for (std::size_t k = 0; k < chains_.size(); ++k) emit_clocks(k, users_.row(k), add);
}

template <typename Add>
void EventGraph::emit_clocks(std::size_t chain, std::span<const TxnId> txns,
                             const Add& add) const {
  const std::size_t first = chains_[chain];
  const std::size_t last = chain + 1 < chains_.size() ? chains_[chain + 1] : ends_.size();
  const std::span<const std::int64_t> ends = std::span(ends_).subspan(first, last - first);
  const auto clock = [&](std::size_t i) { return NodeId::at(first_clock_ + first + i); };
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) add(clock(i), clock(i + 1));
  for (const TxnId txn : txns) {
    const std::int64_t own_end = end_of(txn);
    if (own_end != kNoTime) {
      const auto at = std::lower_bound(ends.begin(), ends.end(), own_end);
      add(commit(txn), clock(static_cast<std::size_t>(at - ends.begin())));
    }
    const std::int64_t start = start_of(txn);
    const auto after = std::partition_point(ends.begin(), ends.end(), [&](std::int64_t end) {
      return is_before(end, start, encoding_.clock_error_ns);
    });
    if (after != ends.begin()) {
      add(clock(static_cast<std::size_t>(after - ends.begin()) - 1), begin(txn));
    }
  }
}

WriteId EventGraph::next_version(WriteId write) const {
  const Observations& seen = *observations_;
  const KeyId key = seen.written_key(write);
  for (const TxnId reader : seen.readers(write)) {
    if (!role(reader).forbids_concurrent_writers) continue;
    const WriteId next = seen.find_write(reader, key);
    if (next.is_some() && seen.no_others_delete(key, seen.writer(write), reader)) return next;
  }
  return WriteId::none();
}

/// As a ww edge of its key.
NodeId EventGraph::view_arrives_at(const Edge& view) const {
  const WriteId before = observations_->find_write(view.from, view.key);
  const WriteId after = observations_->find_write(view.to, view.key);
  ISOLDE_ASSERT(before.is_some() && after.is_some());
  return overwrite(before, after);
}

/// Registers: a transaction that read a version and wrote the key created the next version, so
/// all other readers of the version come before it (Cobra's "combining writes": Tan et al.,
/// OSDI'20).
template <typename Add>
void EventGraph::emit_overwrites(const Add& add) const {
  const Observations& seen = *observations_;
  for (std::size_t w = 0; w < seen.write_count(); ++w) {
    const WriteId write = WriteId::at(w);
    if (seen.readers(write).size() < 2 || seen.is_list(seen.written_key(write))) continue;
    const WriteId next = next_version(write);
    if (next.is_none()) continue;
    const TxnId overwriter = seen.writer(next);
    for (const TxnId reader : seen.readers(write)) {
      if (reader == overwriter || !role(reader).has_anti_dependencies) continue;
      add(reads_at(reader), commit(overwriter));
    }
  }
}

bool EventGraph::writes_after(const Frontier& frontier, WriteId write) const {
  return frontier.version.is_none() || observations_->list_rank(write) == Observations::kUnseen;
}

TxnId EventGraph::frontier_overwriter(const Frontier& frontier) const {
  if (has_begins() && !encoding_.mixture) return TxnId::none();
  for (const TxnId reader : observations_->readers(frontier.version, frontier.key)) {
    if (!role(reader).has_anti_dependencies || reads_at(reader) != commit(reader)) continue;
    const WriteId write = observations_->find_write(reader, frontier.key);
    if (write.is_some() && writes_after(frontier, write)) return reader;
  }
  return TxnId::none();
}

/// readers -> frontier -> later writes. Where reads and commit are one event, a reader that
/// writes the key itself would close a loop through the node. It writes the next version then,
/// so the other readers come before it and it comes before the node.
template <typename Add>
void EventGraph::emit_frontier(const Frontier& frontier, const Add& add) const {
  const Observations& seen = *observations_;
  const TxnId next = frontier_overwriter(frontier);
  for (const TxnId reader : seen.readers(frontier.version, frontier.key)) {
    if (!role(reader).has_anti_dependencies) continue;
    if (next.is_none()) {
      add(reads_at(reader), frontier.node);
    } else if (reader != next) {
      add(reads_at(reader), commit(next));
    }
  }
  if (next.is_some()) add(commit(next), frontier.node);
  for (const WriteId write : seen.writes_of(frontier.key)) {
    if (!writes_after(frontier, write) || seen.writer(write) == next) continue;
    add(frontier.node, commit(seen.writer(write)));
  }
}

/// Lists: consecutive elements, then the unseen appends after the last one.
template <typename Add>
void EventGraph::emit_list_order(KeyId key, const Add& add) const {
  const Observations& seen = *observations_;
  const std::span<const WriteId> order = seen.list_order(key);
  if (order.empty()) return;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const TxnId txn = seen.writer(order[i]);
    if (i > 0) add(commit(seen.writer(order[i - 1])), overwrite(order[i - 1], order[i]));
    if (!encoding_.role.has_anti_dependencies) continue;
    for (const TxnId reader : seen.readers(i > 0 ? order[i - 1] : WriteId::none(), key)) {
      if (reader != txn && role(reader).has_anti_dependencies)
        add(reads_at(reader), commit(txn));
    }
  }
  if (order.size() == seen.writes_of(key).size()) return;
  const Frontier last{key, order.back(), NodeId::none()};
  for (const WriteId write : seen.writes_of(key)) {
    if (writes_after(last, write)) {
      add(commit(seen.writer(order.back())), overwrite(order.back(), write));
    }
  }
}

std::vector<Edge> EventGraph::name_cycle(
    std::span<const PathFinder::Step> cycle,
    const std::function<Edge(graph::EdgeId)>& name_extra) const {
  ISOLDE_CHECK(!cycle.empty());
  std::size_t start = 0;
  while (start < cycle.size() && !is_txn(cycle[start].node)) ++start;
  ISOLDE_CHECK(start < cycle.size());
  const auto step = [&](std::size_t i) { return cycle[(start + i) % cycle.size()]; };
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < cycle.size();) {
    const NodeId from = step(i).node;
    const graph::EdgeId extra = step(i).edge;
    std::size_t next = i + 1;
    while (!is_txn(step(next).node)) ++next;
    const NodeId to = step(next).node;
    if (next > i + 1) {
      edges.push_back(name_through(from, step(i + 1).node, to));
    } else if (extra.is_some()) {
      edges.push_back(name_extra(extra));
    } else if (txn(from) != txn(to)) {
      edges.push_back(name_certain(from, to));
    }
    i = next;
  }
  return edges;
}

Edge EventGraph::name_order_edge(NodeId from, NodeId to, VersionOrder order) const {
  Edge edge{txn(from), txn(to), EdgeKind::kVersionOrder, KeyId::none(), TxnId::none()};
  const bool is_ww = from == commit(order.before);
  observations_->for_each_common_key(order, [&](WriteId before, WriteId after) {
    if (edge.key.is_some()) return;
    if (is_ww && to != overwrite(before, after)) return;
    if (!is_ww) {
      const std::span<const TxnId> readers = observations_->readers(before);
      if (!std::binary_search(readers.begin(), readers.end(), edge.from)) return;
      edge.kind = EdgeKind::kAntiDependency;
      edge.via = order.before;
    }
    edge.key = observations_->written_key(before);
  });
  ISOLDE_CHECK(edge.key.is_some());
  return edge;
}

/// A base edge between two transactions: the first of wr, so, rw, ww that fits its ends.
Edge EventGraph::name_certain(NodeId from_event, NodeId to_event) const {
  const TxnId from = txn(from_event);
  const TxnId to = txn(to_event);
  const bool leaves_begin = has_begins() && from_event == begin(from);
  const bool arrives_commit = has_begins() && to_event == commit(to);
  const bool may_miss = role(from).has_anti_dependencies && from_event == reads_at(from) &&
                        to_event == commit(to);
  const Observations& seen = *observations_;
  const History& history = seen.history();
  Edge edge{from, to, EdgeKind::kSessionOrder, KeyId::none(), TxnId::none()};
  if (!leaves_begin && !arrives_commit) {
    for (const ReadFrom& read : seen.reads(to)) {
      if (!encoding_.read_from) break;
      if (read.source.is_none() || seen.writer(read.source) != from) continue;
      edge.kind = EdgeKind::kReadFrom;
      edge.key = read.key;
      return edge;
    }
    const bool same_session = history.session_of(from) == history.session_of(to);
    if (encoding_.session_order && same_session &&
        history.position_of(from) < history.position_of(to)) {
      return edge;
    }
    const std::vector<std::pair<TxnId, TxnId>>& links = encoding_.links;
    if (std::binary_search(links.begin(), links.end(), std::pair(from, to))) return edge;
  }
  if (may_miss && find_anti_dependency(from, to, edge)) return edge;
  if (const Edge* view = find_view(from, to_event)) return *view;
  for (const WriteId write : seen.writes(from)) {
    const KeyId key = seen.written_key(write);
    if (!seen.is_list(key) || seen.find_write(to, key).is_none()) continue;
    // Unseen appends have the largest rank, after all seen ones.
    if (seen.list_rank(write) >= seen.list_rank(seen.find_write(to, key))) continue;
    edge.kind = EdgeKind::kVersionOrder;
    edge.key = key;
    return edge;
  }
  ISOLDE_CHECK(false && "a base edge must have a reason");
  return edge;
}

/// Of several keys one whose edge arrives there: that of a dead version does so later.
const Edge* EventGraph::find_view(TxnId from, NodeId to_event) const {
  if (!encoding_.mixture) return nullptr;
  const std::vector<Edge>& views = encoding_.mixture->views;
  const auto ends = [](const Edge& edge) { return std::pair(edge.from, edge.to); };
  const std::pair wanted(from, txn(to_event));
  auto at =
      std::lower_bound(views.begin(), views.end(), wanted,
                       [&](const Edge& view, const auto& those) { return ends(view) < those; });
  for (; at != views.end() && ends(*at) == wanted; ++at) {
    if (view_arrives_at(*at) == to_event) return &*at;
  }
  return nullptr;
}

bool EventGraph::find_anti_dependency(TxnId from, TxnId to, Edge& edge) const {
  const Observations& seen = *observations_;
  for (const ReadFrom& read : seen.reads(from)) {
    const WriteId write = seen.find_write(to, read.key);
    if (write.is_none() || write == read.source) continue;
    const bool list_later = read.source.is_some() && seen.is_list(read.key) &&
                            seen.list_rank(read.source) < seen.list_rank(write);
    const bool overwrites = read.source.is_some() &&
                            encoding_.role.forbids_concurrent_writers &&
                            next_version(read.source) == write;
    if (read.source.is_some() && !list_later && !overwrites) continue;
    edge.kind = EdgeKind::kAntiDependency;
    edge.key = read.key;
    edge.via = seen.writer_or_none(read.source);
    return true;
  }
  return false;
}

/// A path from one transaction through auxiliary nodes to another.
Edge EventGraph::name_through(NodeId from, NodeId auxiliary, NodeId to) const {
  Edge edge{txn(from), txn(to), EdgeKind::kRealTime, KeyId::none(), TxnId::none()};
  if (auxiliary.raw() >= first_clock_) {
    if (!encoding_.real_time_by_key) return edge;
    const auto chain =
        std::upper_bound(chains_.begin(), chains_.end(), auxiliary.raw() - first_clock_);
    edge.key = KeyId::at(static_cast<std::size_t>(chain - chains_.begin()) - 1);
    return edge;
  }
  const auto at = std::lower_bound(
      frontiers_.begin(), frontiers_.end(), auxiliary,
      [](const Frontier& frontier, NodeId node) { return frontier.node < node; });
  ISOLDE_CHECK(at != frontiers_.end() && at->node == auxiliary);
  edge.kind = EdgeKind::kAntiDependency;
  edge.key = at->key;
  edge.via = observations_->writer_or_none(at->version);
  return edge;
}

bool lists_show(const Observations& seen, VersionOrder order) {
  for (const WriteId write : seen.writes(order.before)) {
    const KeyId key = seen.written_key(write);
    if (!seen.is_list(key)) continue;
    const WriteId later = seen.find_write(order.after, key);
    // Appends that no read shows have the largest rank.
    if (later.is_some() && seen.list_rank(write) < seen.list_rank(later)) return true;
  }
  return false;
}

}  // namespace isolde::infer
