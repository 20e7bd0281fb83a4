// Version orders that one session's reads force. A writer X of a key that reaches a read of the
// key must precede the read's source W, if it is another one. Adding these orders may make more
// writers reach reads, so it runs in rounds, to a fixpoint.
//
// Why this suffices: take the past of the session's first read, then what the past of the
// second adds, and so on, and order the commits in these blocks, each block by the edges. A
// read at the end of its block finds that its source is the last writer of the key, because all
// others in the blocks so far precede it. (At read-your-writes the past of an update takes the
// place of the past of a read, and a read whose source is not in it comes right after its
// source. The reads of one selection are alike: its block is the past of what comes before it,
// and then comes a block with the pasts of its sources.) So there is an execution exactly when
// the edges are acyclic and no read of an initial version has a writer in its past.
//
// COST of a round: near-linear in the past. A transaction enters the past once; each writer in
// it is examined when the session next reads its key, and then precedes a later one.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "base/budget.hpp"
#include "session/session_graph.hpp"

namespace isolde::checker {

class SessionSaturation {
 public:
  /// "order.before precedes order.after", because it reaches the read, using only extra edges
  /// below the limit.
  struct Derived {
    VersionOrder order;
    std::uint32_t read = 0;  ///< position in SessionGraph::reads()
    std::uint32_t edge_limit = 0;
  };

  /// Adds an extra edge to the graph, tagged by position in derived(), for each order.
  SessionSaturation(SessionGraph& events, base::Budget& budget);

  /// An order of all included transactions that explains the session's reads, or none: then
  /// impossible() is set, the graph has a cycle, or the budget ran out.
  std::optional<std::vector<TxnId>> run();

  const std::vector<Derived>& derived() const { return derived_; }
  /// An impossible order that some read forces.
  const std::optional<Derived>& impossible() const { return impossible_; }
  std::uint64_t rounds() const { return rounds_; }

 private:
  using WriteId = infer::WriteId;

  /// Writers of a key in the past, in order of entry; those before `first` precede one of the
  /// others.
  struct Visible {
    std::vector<WriteId> writes;
    std::size_t first = 0;
  };

  void sweep();
  void grow_before(std::uint32_t index);
  void look_at(std::uint32_t index);
  void grow(NodeId node);
  void enter(NodeId node);
  void derive(WriteId before, std::uint32_t index);

  SessionGraph& events_;
  const infer::Observations& seen_;
  base::Budget& budget_;
  std::uint64_t rounds_ = 0;
  std::vector<Derived> derived_;
  std::optional<Derived> impossible_;
  std::unordered_set<std::uint64_t> known_;  // derived orders

  // Of the current round.
  std::vector<std::uint32_t> block_;  // by node: the read whose past it came in with, or kLater
  std::uint32_t now_ = 0;
  std::vector<Visible> visible_;        // by key
  std::vector<std::uint32_t> covered_;  // by write: how many of its key's list precede it
  std::vector<NodeId> work_;
};

}  // namespace isolde::checker
