// EventGraph: the certain dependencies of a history at one level, as a graph over events.
//
// A transaction is one event (serializability) or two, begin and commit (snapshot isolation,
// the BC-polygraph of Viper: Zhang et al., EuroSys 2023). The history satisfies the level
// exactly when the version orders of all keys can be chosen so that the graph stays acyclic:
//
//   so, rt, wr, ww   leave the commit of one transaction and arrive at the begin of the other
//   rw               leaves the begin of the reader and arrives at the commit of the overwriter
//
// Prefix consistency has two events too, but writers of a key may overlap: there a ww edge
// arrives at the commit. Parallel snapshot isolation has one event and no rw edges: it allows
// cycles with two of them, and search/parallel_check looks for those with exactly one.
//
// Two kinds of auxiliary nodes keep the number of edges linear: a *clock* node per distinct end
// time, in a chain, stands for real time (one chain for each key where only transactions with a
// common key are ordered); a *frontier* node per key stands between the readers of a version
// and the writes that are certainly later (all writes after the initial version; unseen appends
// after the last list element seen).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "graph/digraph.hpp"
#include "graph/paths.hpp"
#include "history/certificate.hpp"
#include "infer/observations.hpp"

namespace isolde::infer {

using graph::NodeId;

/// What a level requires of a transaction; the defaults are serializability.
struct Role {
  /// Its reads happen at its begin, not its commit: its rw edges leave there.
  bool snapshot = false;
  /// Other writers of its keys commit before it begins or begin after it commits.
  bool forbids_concurrent_writers = true;
  bool has_anti_dependencies = true;  ///< rw edges leave it
  friend bool operator==(const Role&, const Role&) = default;
};

/// What transactions at different levels require. Both events of each are in the graph.
struct Mixture {
  std::vector<Role> roles;  ///< by transaction
  /// Edges that the axioms of weaker levels add. Ascending by from and to.
  std::vector<Edge> views;
  friend bool operator==(const Mixture&, const Mixture&) = default;
};

/// What a level requires of the graph.
struct Encoding {
  /// Of each transaction. With snapshots, begin and commit are separate events.
  Role role = {};
  bool read_from = true;   ///< wr edges count
  bool list_order = true;  ///< ww edges that list reads show count
  bool session_order = false;
  bool real_time = false;
  bool real_time_by_key = false;  ///< between transactions with a common key
  std::int64_t clock_error_ns = 0;
  /// Additional order across sessions: `first` commits before `second` begins. Ascending; of
  /// included transactions.
  std::vector<std::pair<TxnId, TxnId>> links = {};
  /// None or a number of sessions: those from this one on write nothing, and each of their
  /// transactions has one link to a later one, in a session below.
  std::optional<std::size_t> line_count = std::nullopt;
  /// None: all transactions run at the same level. REQUIRES: `role` is that of snapshot
  /// isolation where there is one.
  std::optional<Mixture> mixture = std::nullopt;
  /// By transaction, or empty: starts and ends in place of those of the history. A graph with
  /// them serves to look for witnesses only.
  std::vector<std::pair<std::int64_t, std::int64_t>> supposed = {};
  friend bool operator==(const Encoding&, const Encoding&) = default;
};

class EventGraph {
 public:
  /// The observations must outlive this object. REQUIRES: they have no finding and no
  /// ambiguity. COST: linear, with real time O(n log n).
  EventGraph(const Observations& observations, const Encoding& encoding, base::Budget& budget);

  const Observations& observations() const { return *observations_; }
  const Encoding& encoding() const { return encoding_; }
  graph::Digraph& graph() { return graph_; }
  const graph::Digraph& graph() const { return graph_; }

  NodeId begin(TxnId txn) const { return NodeId(has_begins() ? txn.raw() * 2 : txn.raw()); }
  NodeId commit(TxnId txn) const {
    return NodeId(has_begins() ? txn.raw() * 2 + 1 : txn.raw());
  }
  bool is_txn(NodeId node) const { return node.raw() < event_count_; }
  TxnId txn(NodeId node) const { return TxnId(has_begins() ? node.raw() / 2 : node.raw()); }
  /// Number of transaction events; they are the nodes below this one.
  std::size_t event_count() const { return event_count_; }

  /// What the level, or the transaction's own level, requires of it.
  const Role& role(TxnId txn) const {
    return encoding_.mixture ? encoding_.mixture->roles[txn.raw()] : encoding_.role;
  }
  /// Where the ww edge of two versions arrives at the writer of the second: at its commit where
  /// it need not have seen the first.
  NodeId overwrite(WriteId before, WriteId after) const {
    const TxnId txn = observations_->writer(after);
    const bool at_begin =
        role(txn).forbids_concurrent_writers && observations_->must_see(before, after);
    return at_begin ? begin(txn) : commit(txn);
  }
  /// The same of all keys that both transactions write.
  NodeId overwrite(VersionOrder order) const {
    if (!role(order.after).forbids_concurrent_writers) return commit(order.after);
    if (!observations_->has_deletions()) return begin(order.after);
    bool must_see = false;
    observations_->for_each_common_key(order, [&](WriteId before, WriteId after) {
      must_see = must_see || observations_->must_see(before, after);
    });
    return must_see ? begin(order.after) : commit(order.after);
  }
  /// Where it arrives at the writer of the version that comes right after this one.
  NodeId replace(WriteId before, TxnId next) const {
    const bool at_begin =
        role(next).forbids_concurrent_writers && !observations_->is_dead(before);
    return at_begin ? begin(next) : commit(next);
  }
  /// Where an rw edge from the transaction leaves.
  NodeId reads_at(TxnId txn) const { return role(txn).snapshot ? begin(txn) : commit(txn); }
  /// Calls visit(from, to) for each edge that "before precedes after in the version order"
  /// adds: ww, and rw from each reader of `before` on each key both write.
  template <typename Visit>
  void order_edges(VersionOrder order, const Visit& visit) const {
    [[maybe_unused]] bool any = false;
    observations_->for_each_common_key(order, [&](WriteId before, WriteId) {
      any = true;
      if (!encoding_.role.has_anti_dependencies) return;
      for (const TxnId reader : observations_->readers(before)) {
        if (reader == order.after || !role(reader).has_anti_dependencies) continue;
        visit(reads_at(reader), commit(order.after));
      }
    });
    ISOLDE_ASSERT(any);
    visit(commit(order.before), overwrite(order));
  }

  /// Names the dependencies along a closed path, leaving out what is not a dependency between
  /// two transactions. `name_extra(edge)` names extra edges of the graph.
  std::vector<Edge> name_cycle(std::span<const graph::PathFinder::Step> cycle,
                               const std::function<Edge(graph::EdgeId)>& name_extra) const;

  /// The ww or rw dependency that order_edges() visited as (from, to).
  Edge name_order_edge(NodeId from, NodeId to, VersionOrder order) const;

 private:
  bool has_begins() const { return encoding_.role.snapshot; }

  /// A version of a key that certainly precedes a set of writes.
  struct Frontier {
    KeyId key;
    WriteId version;  ///< none = initial
    NodeId node;
  };

  base::Csr<NodeId> build(base::Budget& budget);
  std::int64_t start_of(TxnId txn) const {
    return encoding_.supposed.empty() ? observations_->history().times(txn).start
                                      : encoding_.supposed[txn.raw()].first;
  }
  std::int64_t end_of(TxnId txn) const;
  void sort_ends(base::Budget& budget);
  void add_clocks(std::span<const TxnId> txns);
  std::vector<TxnId> included_txns() const;
  template <typename Add>
  void emit_transactions(const Add& add) const;
  template <typename Add>
  void emit_real_time(const Add& add) const;
  template <typename Add>
  void emit_clocks(std::size_t chain, std::span<const TxnId> txns, const Add& add) const;
  template <typename Add>
  void emit_overwrites(const Add& add) const;
  template <typename Add>
  void emit_frontier(const Frontier& frontier, const Add& add) const;
  template <typename Add>
  void emit_list_order(KeyId key, const Add& add) const;

  bool writes_after(const Frontier& frontier, WriteId write) const;
  /// The reader of the frontier version that writes the next version, or none, as always where
  /// reads and commit are two events.
  TxnId frontier_overwriter(const Frontier& frontier) const;
  /// The write that certainly comes right after this one, or none.
  WriteId next_version(WriteId write) const;
  NodeId view_arrives_at(const Edge& view) const;

  Edge name_certain(NodeId from_event, NodeId to_event) const;
  Edge name_through(NodeId from, NodeId auxiliary, NodeId to) const;
  bool find_anti_dependency(TxnId from, TxnId to, Edge& edge) const;
  const Edge* find_view(TxnId from, NodeId to_event) const;

  const Observations* observations_;
  Encoding encoding_;
  std::size_t event_count_ = 0;
  std::vector<std::int64_t> ends_;   // distinct end times, ascending in each chain
  std::vector<std::size_t> chains_;  // first of each chain; one, or one a key
  base::Csr<TxnId> users_;           // by key, for chains of keys
  std::uint32_t first_clock_ = 0;    // node of ends_[0]
  std::vector<Frontier> frontiers_;  // ascending node
  graph::Digraph graph_;
};

/// A lookup key for each version order.
inline std::uint64_t packed(VersionOrder order) {
  return (std::uint64_t{order.before.raw()} << 32) | order.after.raw();
}

/// When the transaction had certainly taken effect: its end time, if it committed. The end of
/// an indeterminate one is only when the client gave up.
std::int64_t certain_end(const History& history, TxnId txn);

/// True when b started more than `clock_error_ns` after the certain end of a.
bool ended_before(const History& history, TxnId a, TxnId b, std::int64_t clock_error_ns);

/// List reads show the first transaction's append to some key before the second one's, or they
/// show only the first one's. COST: linear in the first one's writes.
bool lists_show(const Observations& seen, VersionOrder order);

}  // namespace isolde::infer
