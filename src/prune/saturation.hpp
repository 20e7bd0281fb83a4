// Saturation: derives version orders that reachability forces, to a fixpoint.
//
// For a key x written by a and b (W in Cobra's polygraphs, OSDI'20; Vbox and PolySI prune
// alike):
//
//   S1  a reaches a reader of b's x, so "b before a" would close a cycle through the rw edge
//   from
//       that reader to a. Hence a precedes b.
//   S2  the begin of a reaches the commit of b, so "b before a" would close a cycle through the
//       ww edge from b to a. Hence a precedes b. (The commit of a, where writers may overlap.)
//
// and "a precedes b" adds the ww edge and an rw edge from each reader of a's x to b. When
// session order binds, sessions are chains, and one counter per session and event (how many of
// the session's events reach this one) answers every reachability question; only the nearest
// writer of each session has to be looked at, because earlier ones precede it (AWDIT: Moldrup &
// Pavlogiannis, PLDI 2025, uses the same for weak levels). That replaces the n x n matrices of
// the papers.
//
// Cost of a round: O((n + m) s) time and 4 n s bytes for n events, m operations, s sessions,
// plus logarithms for finding writers; rounds are few (each adds an edge against the last
// order).
#pragma once

#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "infer/event_graph.hpp"

namespace isolde::prune {

using infer::EventGraph;
using infer::NodeId;

/// A derived version order and why: rule S1 with the reader, or S2 without.
struct DerivedOrder {
  VersionOrder order;
  TxnId reader;
  /// Extra edges below this number were in the graph when it was derived.
  std::uint32_t edge_limit = 0;
};

class Saturation {
 public:
  enum class Outcome : std::uint8_t {
    kFixpoint,
    kCycle,    ///< the graph with the derived edges has a cycle
    kSkipped,  ///< the clocks would need more memory than allowed
    kStopped,  ///< budget
  };

  /// Adds edges to `events.graph()` with the position in orders() as their tag.
  /// REQUIRES: the certain edges order the included transactions of each session; the graph has
  /// no extra edges.
  Saturation(EventGraph& events, base::Budget& budget);

  Outcome run();

  const std::vector<DerivedOrder>& orders() const { return orders_; }
  std::uint64_t rounds() const { return rounds_; }

 private:
  using WriteId = infer::WriteId;
  /// Writes of one key by one session, in session order: a range of session_writes_.
  struct Group {
    std::uint32_t session;
    std::uint32_t begin;
    std::uint32_t end;
    std::uint32_t hint;  ///< where the last search in it ended; the next one ends nearby
  };

  void index_sessions();
  void index_writes();
  bool sweep(const std::vector<NodeId>& order);
  void close_event(NodeId node);
  void push_clock(NodeId node);
  void look_at_reads(TxnId txn);
  void look_at_writes(TxnId txn);
  /// Last write of the group whose transaction is among the first `count` of its session.
  WriteId last_write(Group& group, std::uint32_t count) const;
  void derive(VersionOrder order, TxnId reader);
  bool is_settled(WriteId before, WriteId after) const;
  bool is_implied(NodeId from, NodeId to) const;
  void merge(NodeId into, NodeId from);

  std::uint32_t* clock(NodeId node) { return &clocks_[node.raw() * session_count_]; }
  const std::uint32_t* clock(NodeId node) const {
    return &clocks_[node.raw() * session_count_];
  }
  /// Number of the event in its session's chain, from 1.
  std::uint32_t chain_number(NodeId node) const;
  /// How many of a session's transactions have, after so many events of its chain, passed the
  /// event at which a ww edge would arrive.
  std::uint32_t overwritable(std::uint32_t ticks) const;
  std::uint32_t committed(std::uint32_t ticks) const;

  EventGraph& events_;
  const infer::Observations& seen_;
  base::Budget& budget_;
  bool split_;
  std::size_t session_count_;  // that have clocks: others only read, and have links
  std::vector<std::uint32_t>
      place_;                     // by transaction: position among the included of its session
  std::vector<TxnId> following_;  // by transaction of a session without clock: its link's end
  base::Csr<Group> groups_;       // by key
  std::vector<WriteId> session_writes_;
  std::vector<std::uint32_t> write_places_;  // by the same index: place_ of the writer
  std::vector<std::uint32_t> clocks_;        // by node and session
  std::vector<std::uint8_t> closed_;         // by node: was passed in this sweep
  std::vector<std::uint8_t> changed_;  // by node: its clock, and nothing followed from that
  std::vector<std::pair<NodeId, NodeId>> fresh_;  // edges of this sweep
  std::vector<DerivedOrder> orders_;
  std::unordered_set<std::uint64_t> known_;  // orders_, packed
  std::uint64_t rounds_ = 0;
};

}  // namespace isolde::prune
