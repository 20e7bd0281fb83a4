#include "session/session_graph.hpp"

#include "base/assert.hpp"

namespace isolde::checker {

using infer::Observations;
using infer::ReadFrom;
using infer::WriteId;
using Of = SessionRules::Of;

SessionGraph::SessionGraph(const Observations& seen, BaseLevel base, SessionId session,
                           base::Budget& budget)
    : seen_(&seen), rules_(traits(base).session), session_(session), graph_(build(budget)) {}

void SessionGraph::collect_reads() {
  if (!has_read_events()) return;
  const bool has_steps = seen_->history().has_selections();
  for (const TxnId txn : seen_->history().session_txns(session_)) {
    const std::size_t first = reads_.size();
    for (const ReadFrom& read : seen_->reads(txn)) {
      if (has_steps) {
        step_ends_.push_back(first + seen_->end_of_step(txn, reads_.size() - first));
      }
      reads_.push_back({txn, read});
    }
  }
}

/// Nodes between the reads of a selection and what comes after.
std::size_t SessionGraph::count_joins() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < step_ends_.size(); i = step_ends_[i]) {
    count += step_ends_[i] > i + 1 ? 1 : 0;
  }
  return count;
}

base::Csr<NodeId> SessionGraph::build(base::Budget& budget) {
  collect_reads();
  const std::size_t txn_count = seen_->txn_count();
  first_waypoint_ = static_cast<std::uint32_t>(txn_count + reads_.size());
  const bool waypoints = rules_.writes_follow_reads;
  const std::size_t node_count = first_waypoint_ + (waypoints ? txn_count : count_joins());
  ISOLDE_CHECK(node_count < NodeId::max_count());
  return base::Csr<NodeId>::build(node_count, [&](const auto& add_item) {
    const auto add = [&](NodeId from, NodeId to) { add_item(from.raw(), to); };
    emit_own_reads(add);
    emit_other_reads(add);
    emit_sessions(add);
    if (waypoints) emit_writes_follow_reads(add);
    emit_lists(add);
    budget.spend(seen_->write_count() * 4 + txn_count);
  });
}

/// The session's own events in order, where it has read events.
template <typename Add>
void SessionGraph::emit_own_reads(const Add& add) const {
  if (!has_read_events()) return;
  const bool chained = rules_.seen != Of::kUpdates;
  std::size_t next = 0;
  std::uint32_t next_join = first_waypoint_;
  NodeId last;  // causal, monotonic-reads: the last event; read-your-writes: the last update
  for (const TxnId txn : seen_->history().session_txns(session_)) {
    if (!seen_->is_included(txn)) continue;
    NodeId before = last;
    while (next < reads_.size() && reads_[next].txn == txn) {
      const std::size_t end = end_of_step(next);
      const NodeId join = end > next + 1 ? NodeId(next_join++) : NodeId::none();
      const NodeId after = !chained ? commit(txn) : join;
      NodeId event;
      for (; next < end; ++next) {
        event = read(next);
        const WriteId source = reads_[next].from.source;
        if (source.is_some()) add(commit(seen_->writer(source)), event);
        if (before.is_some()) add(before, event);
        if (after.is_some()) add(event, after);
      }
      if (chained) before = join.is_some() ? join : event;
    }
    if (before.is_some()) add(before, commit(txn));
    if (rules_.seen == Of::kReads) last = before;
    if (rules_.seen == Of::kAll || (!chained && is_update(txn))) last = commit(txn);
  }
}

/// Reads that are not events: their source commits before their transaction.
template <typename Add>
void SessionGraph::emit_other_reads(const Add& add) const {
  const auto emit = [&](TxnId txn) {
    for (const ReadFrom& read : seen_->reads(txn)) {
      if (read.source.is_some()) add(commit(seen_->writer(read.source)), commit(txn));
    }
  };
  const History& history = seen_->history();
  if (rules_.all_reads_count) {
    for (std::size_t t = 0; t < seen_->txn_count(); ++t) {
      const bool own = has_read_events() && history.session_of(TxnId::at(t)) == session_;
      if (!own) emit(TxnId::at(t));
    }
  } else if (!has_read_events()) {
    for (const TxnId txn : history.session_txns(session_)) emit(txn);
  }
}

template <typename Add>
void SessionGraph::emit_sessions(const Add& add) const {
  if (rules_.ordered == Of::kNothing) return;
  const bool all = rules_.ordered == Of::kAll;
  for (std::size_t s = 0; s < seen_->history().session_count(); ++s) {
    if (all && SessionId::at(s) == session_) continue;
    TxnId last;
    for (const TxnId txn : seen_->history().session_txns(SessionId::at(s))) {
      if (!seen_->is_included(txn) || (!all && !is_update(txn))) continue;
      if (last.is_some()) add(commit(last), commit(txn));
      last = txn;
    }
  }
}

/// A waypoint before each update, in a chain: sources of reads -> waypoint -> later updates.
template <typename Add>
void SessionGraph::emit_writes_follow_reads(const Add& add) const {
  std::vector<WriteId> sources;
  for (std::size_t s = 0; s < seen_->history().session_count(); ++s) {
    sources.clear();
    NodeId last;
    for (const TxnId txn : seen_->history().session_txns(SessionId::at(s))) {
      if (!seen_->is_included(txn)) continue;
      if (is_update(txn)) {
        const NodeId waypoint(first_waypoint_ + txn.raw());
        if (last.is_some()) add(last, waypoint);
        for (const WriteId source : sources) add(commit(seen_->writer(source)), waypoint);
        add(waypoint, commit(txn));
        sources.clear();
        last = waypoint;
      }
      for (const ReadFrom& read : seen_->reads(txn)) {
        if (read.source.is_some()) sources.push_back(read.source);
      }
    }
  }
}

template <typename Add>
void SessionGraph::emit_lists(const Add& add) const {
  for (std::size_t k = 0; k < seen_->history().key_count(); ++k) {
    const std::span<const WriteId> order = seen_->list_order(KeyId::at(k));
    if (order.empty()) continue;
    for (std::size_t i = 1; i < order.size(); ++i) {
      add(commit(seen_->writer(order[i - 1])), commit(seen_->writer(order[i])));
    }
    if (order.size() == seen_->writes_of(KeyId::at(k)).size()) continue;
    for (const WriteId write : seen_->writes_of(KeyId::at(k))) {
      if (seen_->list_rank(write) != Observations::kUnseen) continue;
      add(commit(seen_->writer(order.back())), commit(seen_->writer(write)));
    }
  }
}

bool SessionGraph::precedes_in_session(TxnId a, TxnId b) const {
  const History& history = seen_->history();
  return history.session_of(a) == history.session_of(b) &&
         history.position_of(a) < history.position_of(b);
}

void SessionGraph::add_edge(const Edge& edge, std::vector<Edge>& edges) {
  const bool joins = !edges.empty() && edge.kind == EdgeKind::kSessionOrder &&
                     edges.back().kind == EdgeKind::kSessionOrder;
  if (joins) {
    edges.back().to = edge.to;
  } else {
    edges.push_back(edge);
  }
}

/// Names the reason for a base edge, or for a path through waypoints.
void SessionGraph::name_base(NodeId from, NodeId to, std::vector<Edge>& edges) const {
  const auto read_at = [&](NodeId node) { return reads_[node.raw() - seen_->txn_count()]; };
  const auto so = [](TxnId first, TxnId second) {
    return Edge{first, second, EdgeKind::kSessionOrder, KeyId::none(), TxnId::none()};
  };
  if (!is_commit(from)) {
    const TxnId first = read_at(from).txn;
    const TxnId second = is_commit(to) ? txn(to) : read_at(to).txn;
    if (first != second) add_edge(so(first, second), edges);
    return;
  }
  const TxnId first = txn(from);
  if (!is_commit(to)) {
    const SessionRead second = read_at(to);
    add_edge(is_session_order(first, second.txn)
                 ? so(first, second.txn)
                 : Edge{first, second.txn, EdgeKind::kReadFrom, second.from.key, {}},
             edges);
    return;
  }
  const TxnId between =
      rules_.writes_follow_reads ? reader_before(first, txn(to)) : TxnId::none();
  if (between.is_none() || name_read_from(first, txn(to)).key.is_some()) {
    return add_edge(name_commits(first, txn(to)), edges);
  }
  add_edge(name_read_from(first, between), edges);
  add_edge(so(between, txn(to)), edges);
}

Edge SessionGraph::name_commits(TxnId from, TxnId to) const {
  if (is_session_order(from, to)) {
    return {from, to, EdgeKind::kSessionOrder, KeyId::none(), TxnId::none()};
  }
  const Edge read = name_read_from(from, to);
  return read.key.is_some() ? read : name_order({from, to});
}

/// The first commits before all that the second does, by session order.
bool SessionGraph::is_session_order(TxnId from, TxnId to) const {
  if (!precedes_in_session(from, to)) return false;
  if (rules_.ordered == Of::kAll) return true;
  if (!is_update(from)) return false;
  if (rules_.ordered == Of::kUpdates) return is_update(to);
  return rules_.seen == Of::kUpdates && seen_->history().session_of(from) == session_;
}

/// Without a key when `to` does not read from `from`.
Edge SessionGraph::name_read_from(TxnId from, TxnId to) const {
  for (const ReadFrom& read : seen_->reads(to)) {
    if (read.source.is_some() && seen_->writer(read.source) == from) {
      return {from, to, EdgeKind::kReadFrom, read.key, TxnId::none()};
    }
  }
  return {from, to, EdgeKind::kReadFrom, KeyId::none(), TxnId::none()};
}

/// On the first key that both write; for an order shown by lists, on such a key.
Edge SessionGraph::name_order(VersionOrder order) const {
  Edge edge{order.before, order.after, EdgeKind::kVersionOrder, KeyId::none(), TxnId::none()};
  for (const WriteId write : seen_->writes(order.before)) {
    const KeyId key = seen_->written_key(write);
    const WriteId after = seen_->find_write(order.after, key);
    if (after.is_none()) continue;
    const bool shown = seen_->is_list(key) && seen_->list_rank(write) < seen_->list_rank(after);
    if (edge.key.is_none() || shown) edge.key = key;
    if (shown) break;
  }
  ISOLDE_CHECK(edge.key.is_some());
  return edge;
}

/// A transaction before `update` in its session that reads from `source`, or none.
TxnId SessionGraph::reader_before(TxnId source, TxnId update) const {
  for (const WriteId write : seen_->writes(source)) {
    for (const TxnId reader : seen_->readers(write)) {
      if (precedes_in_session(reader, update)) return reader;
    }
  }
  return TxnId::none();
}

}  // namespace isolde::checker
