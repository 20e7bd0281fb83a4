// SessionGraph: the order required in one session's own execution, at causal consistency and
// the four session guarantees (Crooks 2019, Table 4.1).
//
// Events are the commits of all included transactions and, where versions may not be missed,
// the external reads of the session's transactions; a read stands for a moment at which the
// state that it shows is current. Every read comes after the commit of its source and before
// that of its own transaction. Further edges, for session s:
//
//   causal               read-from and session order of all transactions; the reads of s follow
//                        each other and the commits of the transactions before theirs
//   read-your-writes     an update of s precedes all that s does in later transactions
//   monotonic-reads      the reads of s follow each other, and precede later commits of s
//   monotonic-writes     the updates of each session follow each other
//   writes-follow-reads  what a transaction reads precedes later updates of its session
//
// and the order in which lists show appends. The reads of one selection are unordered: each
// follows what comes before the selection and precedes what comes after it (several reads
// through a node of their own). Read-from counts for the transactions of s only, but at causal
// and writes-follow-reads for all. At writes-follow-reads the session makes no difference.
#pragma once

#include <span>
#include <vector>

#include "base/budget.hpp"
#include "graph/digraph.hpp"
#include "graph/paths.hpp"
#include "history/certificate.hpp"
#include "infer/observations.hpp"
#include "isolde/level.hpp"
#include "level/level_traits.hpp"

namespace isolde::checker {

using graph::NodeId;

/// An external read of the session.
struct SessionRead {
  TxnId txn;
  infer::ReadFrom from;
};

class SessionGraph {
 public:
  /// The observations must outlive this object. REQUIRES: explains_sessions_apart(base); the
  /// observations have no finding and no ambiguity. COST: linear.
  SessionGraph(const infer::Observations& seen, BaseLevel base, SessionId session,
               base::Budget& budget);

  const infer::Observations& observations() const { return *seen_; }
  const SessionRules& rules() const { return rules_; }
  SessionId session() const { return session_; }
  graph::Digraph& graph() { return graph_; }
  const graph::Digraph& graph() const { return graph_; }

  /// The reads that are events, in session order.
  std::span<const SessionRead> reads() const { return reads_; }
  /// One past the last read of the same selection.
  std::size_t end_of_step(std::size_t index) const {
    return step_ends_.empty() ? index + 1 : step_ends_[index];
  }
  NodeId commit(TxnId txn) const { return NodeId(txn.raw()); }
  NodeId read(std::size_t index) const { return NodeId::at(seen_->txn_count() + index); }
  bool is_commit(NodeId node) const { return node.raw() < seen_->txn_count(); }
  TxnId txn(NodeId commit) const { return TxnId(commit.raw()); }

  /// Names the dependencies along a path of nodes that starts at a commit and ends at the node
  /// `end`; edges inside a transaction are left out, and session order becomes one edge.
  /// `order_of(edge)` is the version order behind an extra edge.
  template <typename OrderOf>
  std::vector<Edge> name_path(std::span<const graph::PathFinder::Step> path, NodeId end,
                              const OrderOf& order_of) const {
    std::vector<Edge> edges;
    for (std::size_t i = 0; i < path.size(); ++i) {
      const NodeId from = path[i].node;
      if (path[i].edge.is_some()) {
        add_edge(name_order(order_of(path[i].edge)), edges);
        continue;
      }
      std::size_t next = i + 1;
      while (next < path.size() && is_waypoint(path[next].node)) ++next;
      name_base(from, next < path.size() ? path[next].node : end, edges);
      i = next - 1;
    }
    return edges;
  }

 private:
  base::Csr<NodeId> build(base::Budget& budget);
  void collect_reads();
  std::size_t count_joins() const;
  template <typename Add>
  void emit_own_reads(const Add& add) const;
  template <typename Add>
  void emit_other_reads(const Add& add) const;
  template <typename Add>
  void emit_sessions(const Add& add) const;
  template <typename Add>
  void emit_writes_follow_reads(const Add& add) const;
  template <typename Add>
  void emit_lists(const Add& add) const;

  bool has_read_events() const { return rules().seen != SessionRules::Of::kNothing; }
  bool is_update(TxnId txn) const { return !seen_->writes(txn).empty(); }
  bool is_waypoint(NodeId node) const { return node.raw() >= first_waypoint_; }
  bool precedes_in_session(TxnId a, TxnId b) const;
  bool is_session_order(TxnId from, TxnId to) const;

  static void add_edge(const Edge& edge, std::vector<Edge>& edges);
  void name_base(NodeId from, NodeId to, std::vector<Edge>& edges) const;
  Edge name_commits(TxnId from, TxnId to) const;
  Edge name_read_from(TxnId from, TxnId to) const;
  Edge name_order(VersionOrder order) const;
  TxnId reader_before(TxnId source, TxnId update) const;

  const infer::Observations* seen_;
  SessionRules rules_;
  SessionId session_;
  std::vector<SessionRead> reads_;
  std::vector<std::size_t> step_ends_;  // by read, or empty without selections
  std::uint32_t first_waypoint_ = 0;
  graph::Digraph graph_;
};

}  // namespace isolde::checker
