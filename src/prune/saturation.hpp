// Saturation: derives version orders that reachability forces, to a fixpoint.
//
// For a key x written by a and b (W in Cobra's polygraphs, OSDI'20; Vbox and PolySI prune
// alike):
//
//   S1  a reaches a reader of b's x, so "b before a" would close a cycle through the rw edge
//       from that reader to a. Hence a precedes b.
//   S2  the begin of a reaches the commit of b, so "b before a" would close a cycle through the
//       ww edge from b to a. Hence a precedes b. (The commit of a, where writers may overlap.)
//
// and "a precedes b" adds the ww edge and an rw edge from each reader of a's x to b. When
// session order binds, sessions are chains, and one counter per session and event (how many of
// the session's events reach this one) answers every reachability question; only the nearest
// writer of each session matters, because earlier ones precede it (AWDIT: Moldrup &
// Pavlogiannis, PLDI 2025, uses the same for weak levels). That replaces the n x n matrices of
// the papers.
//
// Where values repeat, reads have several possible sources. A read of x by r did not come from
// the write of b
//
//   S3  when the begin of r reaches the commit of b: the wr edge would close a cycle;
//   S4  when b precedes another writer a of x (rule S2), and a reaches r: so would the rw edge
//       from r to a. The initial version precedes all.
//
// The only remaining source is the read's source. From then on the read counts for S1 and for
// what "b precedes a" adds. VeriStrong (arXiv 2511.14067) prunes its hyper-polygraphs by the
// same two rules, with matrices.
//
// Cost of a round: O((n + m) s) time and 4 n s bytes for n events, m operations, s sessions,
// plus logarithms for finding writers; rounds are few (each adds an edge against the last
// order).
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/budget.hpp"
#include "infer/event_graph.hpp"

namespace isolde::prune {

using infer::EventGraph;
using infer::NodeId;

/// What was derived, and why.
struct Fact {
  enum class Kind : std::uint8_t {
    kOrder,      ///< `order`: by S1 with a read of `via`, or by S2 where that is none
    kExclusion,  ///< `read` did not come from `source`: by S4 with writer `via`, or by S3
    kSource,     ///< `read` came from `source`, the only one left
  };
  VersionOrder order = {};
  TxnId via = {};
  /// Extra edges below this number were in the graph when it was derived.
  std::uint32_t edge_limit = 0;
  Kind kind = Kind::kOrder;
  std::uint32_t read = 0;      ///< in Observations::open_reads()
  infer::WriteId source = {};  ///< none: the initial version
};

/// A read whose source was found.
struct FoundRead {
  infer::ReadFrom read;
  std::uint32_t fact = 0;
};

/// The result of a saturation.
struct Derivation {
  static constexpr std::uint32_t kNone = 0xffffffffU;

  /// Later facts rest on earlier ones. The graph's extra edges have their numbers as tags: of
  /// an order, or of a source for a wr edge or an rw edge out of a read of the initial version.
  std::vector<Fact> facts;

  // Empty where no read is open.
  std::vector<std::size_t> begin;                 ///< by open read, in `candidates`
  std::vector<infer::WriteId> candidates;         ///< of each read the first `left` remain
  std::vector<std::uint32_t> left;                ///< by open read
  std::vector<std::uint32_t> found_by;            ///< by open read: the kSource fact, or kNone
  std::vector<std::vector<FoundRead>> found;      ///< by reader
  std::vector<std::vector<TxnId>> found_readers;  ///< by write
  std::uint32_t without_source = kNone;           ///< an open read without remaining sources

  bool narrows() const { return !left.empty(); }
  bool is_found(std::size_t read) const { return narrows() && found_by[read] != kNone; }
  /// The read's remaining sources, ascending; none, the initial version, comes last. REQUIRES:
  /// narrows().
  std::span<const infer::WriteId> sources(std::size_t read) const {
    ISOLDE_INVARIANT(read < left.size() && begin[read] + left[read] <= candidates.size());
    return std::span(candidates).subspan(begin[read], left[read]);
  }
};

/// Invariants: I1 clocks tell only what edges of the graph imply; I2 the writes of a group
/// ascend by their transactions' places in the session; I3 an event that is being closed is
/// reached by all events of its session before it, and by none after it; I4 each extra edge has
/// the number of a fact as its tag.
class Saturation {
 public:
  enum class Outcome : std::uint8_t {
    kFixpoint,
    kCycle,     ///< the graph with the derived edges has a cycle
    kNoSource,  ///< some read has no remaining source
    kSkipped,   ///< the clocks would need more memory than allowed
    kStopped,   ///< budget
  };

  /// Adds edges to `events.graph()`, with the numbers of facts as their tags.
  /// REQUIRES: the certain edges order the transactions of each session that certainly took
  /// effect; the graph has no extra edges. Where reads are open, the level orders versions, and
  /// reads miss what overwrites them.
  Saturation(EventGraph& events, base::Budget& budget);

  Outcome run();

  /// How many certain transactions come before one, and how many after it.
  struct Neighbours {
    std::uint32_t before = 0;
    std::uint32_t after = 0;
  };
  /// By transaction; zeros for those that are not certain. REQUIRES: run() found a fixpoint,
  /// and every session has a clock. COST: linear in transactions times sessions.
  std::vector<Neighbours> neighbours() const;

  const std::vector<Fact>& facts() const { return derived_.facts; }
  /// REQUIRES: nothing is called afterwards.
  Derivation take() { return std::move(derived_); }
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
  template <typename Visit>
  void order_edges(VersionOrder order, const Visit& visit) const;
  bool is_settled(WriteId before, WriteId after) const;
  bool is_implied(NodeId from, NodeId to) const;
  void add_edge(NodeId from, NodeId to, std::uint32_t tag);
  void merge(NodeId into, NodeId from);
  bool is_certain(TxnId txn) const { return seen_.is_included(txn) && !seen_.is_doubtful(txn); }

  // open_reads.cpp
  void list_sources();
  bool narrow();
  bool narrow(std::uint32_t read);
  void find_last_writes(const infer::OpenRead& read);
  bool exclude(const infer::OpenRead& read, WriteId source, Fact& why) const;
  void find(std::uint32_t read);

  std::uint32_t* clock(NodeId node) { return &clocks_[node.raw() * session_count_]; }
  const std::uint32_t* clock(NodeId node) const {
    return &clocks_[node.raw() * session_count_];
  }
  /// Number of the event in its session's chain, from 1.
  std::uint32_t chain_number(NodeId node) const;
  /// How many of a session's transactions have passed the event at which a ww edge would
  /// arrive, after this many events of its chain.
  std::uint32_t overwritable(std::uint32_t ticks) const;
  std::uint32_t committed(std::uint32_t ticks) const;

  EventGraph& events_;
  const infer::Observations& seen_;
  base::Budget& budget_;
  bool split_;
  std::size_t session_count_;  // with clocks; others only read, and have links
  std::vector<std::uint32_t>
      place_;                     // by transaction: position among the included of its session
  std::vector<TxnId> following_;  // by transaction of a session without clock: its link's end
  base::Csr<Group> groups_;       // by key
  std::vector<WriteId> session_writes_;
  std::vector<std::uint32_t> write_places_;       // by the same index: place_ of the writer
  std::vector<std::uint32_t> clocks_;             // by node and session
  std::vector<std::uint8_t> closed_;              // by node: passed in this sweep
  std::vector<std::uint8_t> changed_;             // by node: its clock changed, not yet used
  std::vector<std::pair<NodeId, NodeId>> fresh_;  // edges of this sweep
  Derivation derived_;
  std::unordered_map<std::uint64_t, std::uint32_t> known_;  // facts that are orders, packed
  std::vector<std::uint8_t> settled_;  // by open read: its source was found, or cannot be
  std::vector<WriteId> last_writes_;  // before a read, by other transactions: last of a session
  std::uint64_t rounds_ = 0;
};

}  // namespace isolde::prune
