#include "search/parallel_check.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "search/order_check.hpp"

namespace isolde::checker {

using graph::EdgeId;
using infer::Observations;
using infer::ReadFrom;

ParallelCheck::ParallelCheck(EventGraph& events, base::Budget& budget)
    : events_(&events),
      budget_(budget),
      sorted_(events.observations().writes_by_key()),
      place_(events.observations().write_count()),
      mark_(events.graph().node_count(), 0) {
  ISOLDE_CHECK(!events.encoding().role.snapshot &&
               !events.encoding().role.has_anti_dependencies);
  const Observations& seen = events.observations();
  for (std::size_t t = 0; t < seen.txn_count(); ++t) {
    const std::span<const ReadFrom> reads = seen.reads(TxnId::at(t));
    const bool may_miss = std::any_of(reads.begin(), reads.end(), [&](const ReadFrom& read) {
      return seen.writes_of(read.key).size() > (read.source.is_some() ? 1U : 0U);
    });
    if (may_miss) readers_.push_back(TxnId::at(t));
  }
  events.graph().index_in_edges();
}

void ParallelCheck::follow(std::span<const std::uint32_t> positions, std::uint32_t first_tag) {
  const Observations& seen = events_->observations();
  ISOLDE_ASSERT(positions.size() == mark_.size());
  positions_ = positions;
  for (std::uint32_t key = 0; key < sorted_.row_count(); ++key) {
    const std::span<WriteId> writes = sorted_.row(key);
    sort_by(writes, [&](WriteId write) { return position(seen.writer(write)); });
    for (std::uint32_t i = 0; i < writes.size(); ++i) {
      place_[writes[i].raw()] = i;
      if (i == 0) continue;
      events_->graph().add(events_->commit(seen.writer(writes[i - 1])),
                           events_->commit(seen.writer(writes[i])), first_tag + key);
    }
    budget_.spend(writes.size() * 4);
  }
}

std::span<const WriteId> ParallelCheck::writes_from(WriteId next) const {
  const KeyId key = events_->observations().written_key(next);
  const std::span<const WriteId> writes = sorted_.row(key.raw());
  const std::uint32_t place = place_[next.raw()];
  ISOLDE_ASSERT(place < writes.size() && writes[place] == next);
  return writes.subspan(place);
}

WriteId ParallelCheck::next_before(const ReadFrom& read, TxnId reader) const {
  const std::span<const WriteId> writes = sorted_.row(read.key.raw());
  const std::size_t place = read.source.is_none() ? 0 : place_[read.source.raw()] + 1;
  ISOLDE_INVARIANT(place == 0 || writes[place - 1] == read.source);
  if (place >= writes.size()) return WriteId::none();
  const TxnId writer = events_->observations().writer(writes[place]);
  return position(writer) < position(reader) ? writes[place] : WriteId::none();
}

std::optional<MissedWrite> ParallelCheck::look(TxnId reader) {
  const Observations& seen = events_->observations();
  const std::uint32_t present = position(reader);
  std::uint32_t lowest = present;
  for (const ReadFrom& read : seen.reads(reader)) {
    const WriteId next = next_before(read, reader);
    if (next.is_some()) lowest = std::min(lowest, position(seen.writer(next)));
  }
  budget_.spend(1 + seen.reads(reader).size());
  if (lowest == present) return std::nullopt;
  mark_ancestors(events_->begin(reader), lowest);
  for (const ReadFrom& read : seen.reads(reader)) {
    const WriteId next = next_before(read, reader);
    if (next.is_none()) continue;
    const bool missed = mark_[events_->commit(seen.writer(next)).raw()] == search_;
    if (missed) return MissedWrite{reader, read, next};
  }
  return std::nullopt;
}

/// Marks the nodes at positions from `lowest` on that reach the node.
void ParallelCheck::mark_ancestors(NodeId node, std::uint32_t lowest) {
  ++search_;
  work_.assign(1, node);
  std::size_t steps = 0;
  while (!work_.empty()) {
    const NodeId at = work_.back();
    work_.pop_back();
    events_->graph().in_edges(at, [&](NodeId source, EdgeId) {
      ++steps;
      if (mark_[source.raw()] == search_ || positions_[source.raw()] < lowest) return true;
      mark_[source.raw()] = search_;
      work_.push_back(source);
      return true;
    });
  }
  budget_.spend(steps);
}

bool is_parallel_witness(EventGraph& events, const std::vector<NodeId>& order,
                         base::Budget& budget) {
  ISOLDE_ASSERT(order.size() == events.graph().node_count());
  std::vector<std::uint32_t> positions(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    positions[order[i].raw()] = static_cast<std::uint32_t>(i);
  }
  const std::size_t edges = events.graph().extra_count();
  ParallelCheck check(events, budget);
  check.follow(positions, 0);
  const std::span<const TxnId> readers = check.readers();
  const bool misses = std::any_of(readers.begin(), readers.end(), [&](TxnId reader) {
    return budget.exhausted() || check.look(reader).has_value();
  });
  events.graph().pop_to(edges);
  return !misses && !budget.exhausted();
}

}  // namespace isolde::checker
