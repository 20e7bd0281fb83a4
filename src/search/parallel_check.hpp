// ParallelCheck: the engine's own commit test of parallel snapshot isolation (Crooks 2019, I4).
//
// The event graph holds the dependencies wr and ww, and so and rt where they bind, but no
// anti-dependencies: the level allows cycles with two of them. An order of the events fixes all
// version orders. It remains to ask, for each read, whether the writer of the next version
// reaches the reader; that path and the anti-dependency would form a cycle with exactly one.
//
// A path runs forwards in the order, so only reads whose next version precedes the reader
// matter, and only the part of the graph between the two.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/budget.hpp"
#include "infer/event_graph.hpp"

namespace isolde::checker {

using infer::EventGraph;
using infer::NodeId;
using infer::WriteId;

/// A read of a version that its reader must see overwritten: `next`, the write right after it,
/// reaches the reader.
struct MissedWrite {
  TxnId reader;
  infer::ReadFrom read;
  WriteId next;
};

/// Invariant: place_ says for each write where it stands in its row of sorted_, from the first
/// follow() on.
class ParallelCheck {
 public:
  /// REQUIRES: one event a transaction, no anti-dependencies. The graph must outlive this
  /// object.
  explicit ParallelCheck(EventGraph& events, base::Budget& budget);

  /// Takes each key's version order from the positions and adds it to the graph: extra edges
  /// from each write to the next one, with `first_tag` plus the key as their tag. The caller
  /// removes them. REQUIRES: the positions agree with all edges, and stay valid.
  void follow(std::span<const std::uint32_t> positions, std::uint32_t first_tag);

  /// Transactions that may miss a write.
  std::span<const TxnId> readers() const { return readers_; }
  /// A write that the reader misses, or none. REQUIRES: follow(). COST: linear in what reaches
  /// the reader and comes after the next version of its oldest read.
  std::optional<MissedWrite> look(TxnId reader);

  /// The writes after `next` of its key, `next` included, in the order followed.
  std::span<const WriteId> writes_from(WriteId next) const;

 private:
  std::uint32_t position(TxnId txn) const { return positions_[events_->commit(txn).raw()]; }
  /// The write after the version, when its writer comes before the reader; or none.
  WriteId next_before(const infer::ReadFrom& read, TxnId reader) const;
  void mark_ancestors(NodeId node, std::uint32_t lowest);

  EventGraph* events_;
  base::Budget& budget_;
  base::Csr<WriteId> sorted_;         // by key, in the order followed
  std::vector<std::uint32_t> place_;  // by write: in its row of sorted_
  std::vector<TxnId> readers_;
  std::span<const std::uint32_t> positions_;
  std::vector<std::uint32_t> mark_;  // by node: the search that met it last
  std::uint32_t search_ = 0;
  std::vector<NodeId> work_;
};

/// Whether the order is a witness: a topological order of the graph in which no read misses a
/// write.
bool is_parallel_witness(EventGraph& events, const std::vector<NodeId>& order,
                         base::Budget& budget);

}  // namespace isolde::checker
