#include "session/session_saturation.hpp"

#include <algorithm>

#include "graph/topological.hpp"

namespace isolde::checker {

using graph::EdgeId;
using infer::Observations;

namespace {

constexpr std::uint32_t kLater = 0xffffffffU;

}  // namespace

SessionSaturation::SessionSaturation(SessionGraph& events, base::Budget& budget)
    : events_(events), seen_(events.observations()), budget_(budget) {}

std::optional<std::vector<TxnId>> SessionSaturation::run() {
  events_.graph().index_in_edges();
  block_.assign(events_.graph().node_count(), kLater);
  if (!events_.reads().empty()) {
    visible_.resize(seen_.history().key_count());
    std::size_t before = 0;
    do {
      before = derived_.size();
      sweep();
      if (impossible_ || !budget_.look()) return std::nullopt;
    } while (derived_.size() > before);
  }
  const std::vector<NodeId> order = graph::topological_order(events_.graph(), block_, budget_);
  if (budget_.exhausted() || order.size() != events_.graph().node_count()) return std::nullopt;
  std::vector<TxnId> commits;
  commits.reserve(seen_.included_count());
  for (const NodeId node : order) {
    const bool counts = events_.is_commit(node) && seen_.is_included(events_.txn(node));
    if (counts) commits.push_back(events_.txn(node));
  }
  return commits;
}

void SessionSaturation::sweep() {
  ++rounds_;
  std::fill(block_.begin(), block_.end(), kLater);
  covered_.assign(seen_.write_count(), 0);
  for (Visible& visible : visible_) {
    visible.writes.clear();
    visible.first = 0;
  }
  budget_.spend(block_.size() + covered_.size() + visible_.size());
  const auto count = static_cast<std::uint32_t>(events_.reads().size());
  const bool stays_outside = events_.rules().seen == SessionRules::Of::kUpdates;
  for (std::uint32_t first = 0; first < count;) {
    const auto end = static_cast<std::uint32_t>(events_.end_of_step(first));
    now_ = first;
    for (std::uint32_t index = first; index < end; ++index) {
      grow_before(index);
      look_at(index);
    }
    // What reaches a source precedes it anyway. At read-your-writes it stays outside. The reads
    // of a selection are independent of each other's sources, which come in their own block.
    if (end > first + 1) now_ = first + 1;
    for (; first < end; ++first) {
      if (!stays_outside) grow(events_.read(first));
    }
    if (impossible_ || budget_.exhausted()) return;
  }
}

/// Adds what reaches the read, except its source.
void SessionSaturation::grow_before(std::uint32_t index) {
  const infer::WriteId source = events_.reads()[index].from.source;
  const NodeId writer =
      source.is_none() ? NodeId::none() : events_.commit(seen_.writer(source));
  events_.graph().in_edges(events_.read(index), [&](NodeId before, EdgeId) {
    if (before != writer) grow(before);
    return true;
  });
}

/// Adds the node and all that reaches it to the past.
void SessionSaturation::grow(NodeId node) {
  if (block_[node.raw()] != kLater) return;
  block_[node.raw()] = now_;
  work_.push_back(node);
  while (!work_.empty()) {
    const NodeId at = work_.back();
    work_.pop_back();
    enter(at);
    events_.graph().in_edges(at, [&](NodeId before, EdgeId) {
      if (block_[before.raw()] != kLater) return true;
      block_[before.raw()] = now_;
      work_.push_back(before);
      return true;
    });
    budget_.spend(8);
  }
}

void SessionSaturation::enter(NodeId node) {
  if (!events_.is_commit(node)) return;
  const TxnId txn = events_.txn(node);
  for (const WriteId write : seen_.writes(txn)) {
    Visible& visible = visible_[seen_.written_key(write).raw()];
    visible.first = std::max<std::size_t>(visible.first, covered_[write.raw()]);
    visible.writes.push_back(write);
  }
}

void SessionSaturation::look_at(std::uint32_t index) {
  const infer::ReadFrom& read = events_.reads()[index].from;
  Visible& visible = visible_[read.key.raw()];
  bool is_visible = false;
  for (std::size_t i = visible.first; i < visible.writes.size() && !impossible_; ++i) {
    is_visible = is_visible || visible.writes[i] == read.source;
    if (visible.writes[i] != read.source) derive(visible.writes[i], index);
  }
  budget_.spend((visible.writes.size() - visible.first) * 4 + 1);
  if (read.source.is_none()) return;
  const auto count = static_cast<std::uint32_t>(visible.writes.size());
  if (is_visible) {
    visible.first = count;
    visible.writes.push_back(read.source);
  } else {
    covered_[read.source.raw()] = count;
  }
}

void SessionSaturation::derive(WriteId before, std::uint32_t index) {
  const infer::ReadFrom& read = events_.reads()[index].from;
  const auto limit = static_cast<std::uint32_t>(events_.graph().extra_count());
  const TxnId source = seen_.writer_or_none(read.source);
  const Derived derived{{seen_.writer(before), source}, index, limit};
  if (source.is_none()) {
    impossible_ = derived;
    return;
  }
  if (seen_.is_list(read.key) && (seen_.list_rank(before) != Observations::kUnseen ||
                                  seen_.list_rank(read.source) != Observations::kUnseen)) {
    if (seen_.list_rank(before) > seen_.list_rank(read.source)) impossible_ = derived;
    return;
  }
  const std::uint64_t name =
      (std::uint64_t{derived.order.before.raw()} << 32) | derived.order.after.raw();
  if (!known_.insert(name).second) return;
  const auto tag = static_cast<std::uint32_t>(derived_.size());
  derived_.push_back(derived);
  events_.graph().add(events_.commit(derived.order.before), events_.commit(source), tag);
}

}  // namespace isolde::checker
