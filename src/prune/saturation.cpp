#include "prune/saturation.hpp"

#include <algorithm>
#include <functional>

#include "base/assert.hpp"
#include "graph/topological.hpp"

namespace isolde::prune {

using graph::EdgeId;
using infer::packed;
using infer::ReadFrom;

namespace {

/// Beyond this, histories are so wide that the solver's lazy pairs are cheaper.
constexpr std::uint64_t kClockBytesMax = std::uint64_t{1} << 31;

}  // namespace

Saturation::Saturation(EventGraph& events, base::Budget& budget)
    : events_(events),
      seen_(events.observations()),
      budget_(budget),
      split_(events.encoding().role.snapshot),
      session_count_(events.encoding().line_count.value_or(
          events.observations().history().session_count())) {
  ISOLDE_CHECK(events.graph().extra_count() == 0);
}

Saturation::Outcome Saturation::run() {
  const std::size_t node_count = events_.graph().node_count();
  if (std::uint64_t{node_count} * session_count_ * 4 > kClockBytesMax) return Outcome::kSkipped;
  index_sessions();
  index_writes();
  clocks_.assign(node_count * session_count_, 0);
  closed_.resize(node_count);
  changed_.assign(node_count, 1);
  if (!seen_.open_reads().empty()) list_sources();
  if (budget_.exhausted()) return Outcome::kStopped;
  // Each round's order is the priority for the next, so that later rounds run in linear time
  // where nothing changed.
  std::vector<std::uint32_t> wish(node_count, 0);
  while (true) {
    if (!budget_.look()) return Outcome::kStopped;
    const std::vector<NodeId> order = graph::topological_order(events_.graph(), wish, budget_);
    if (budget_.exhausted()) return Outcome::kStopped;
    if (order.size() != node_count) return Outcome::kCycle;
    for (std::size_t i = 0; i < order.size(); ++i) {
      wish[order[i].raw()] = static_cast<std::uint32_t>(i);
    }
    ++rounds_;
    const bool grew = sweep(order);
    if (budget_.exhausted()) return Outcome::kStopped;
    const bool narrowed = derived_.narrows() && narrow();
    if (derived_.without_source != Derivation::kNone) return Outcome::kNoSource;
    if (!grew && !narrowed) return Outcome::kFixpoint;
  }
}

void Saturation::index_sessions() {
  place_.assign(seen_.txn_count(), 0);
  const History& history = seen_.history();
  if (session_count_ < history.session_count()) {
    following_.resize(seen_.txn_count());
    for (const auto& [txn, next] : events_.encoding().links) following_[txn.raw()] = next;
  }
  for (std::size_t s = 0; s < session_count_; ++s) {
    std::uint32_t place = 0;
    for (const TxnId txn : history.session_txns(SessionId::at(s))) {
      if (is_certain(txn)) place_[txn.raw()] = place++;
    }
  }
}

void Saturation::index_writes() {
  const History& history = seen_.history();
  const auto session = [&](WriteId write) {
    return history.session_of(seen_.writer(write)).raw();
  };
  std::vector<std::uint32_t> begin;
  std::vector<Group> groups;
  session_writes_.reserve(seen_.write_count());
  for (std::size_t k = 0; k < history.key_count(); ++k) {
    begin.push_back(static_cast<std::uint32_t>(groups.size()));
    const std::size_t first = session_writes_.size();
    const std::span<const WriteId> writes = seen_.writes_of(KeyId::at(k));
    std::copy_if(writes.begin(), writes.end(), std::back_inserter(session_writes_),
                 [&](WriteId write) { return !seen_.is_doubtful(seen_.writer(write)); });
    std::stable_sort(session_writes_.begin() + static_cast<std::ptrdiff_t>(first),
                     session_writes_.end(),
                     [&](WriteId a, WriteId b) { return session(a) < session(b); });
    for (std::size_t i = first; i < session_writes_.size(); ++i) {
      const auto at = static_cast<std::uint32_t>(i);
      const bool fresh = i == first || session(session_writes_[i]) != groups.back().session;
      if (fresh) groups.push_back({session(session_writes_[i]), at, at, at});
      groups.back().end = at + 1;
    }
  }
  write_places_.reserve(session_writes_.size());
  for (const WriteId write : session_writes_) {
    write_places_.push_back(place_[seen_.writer(write).raw()]);
  }
  for (const Group& group : groups) {
    // I2: last_write() searches by it.
    ISOLDE_INVARIANT(std::adjacent_find(
                         write_places_.begin() + group.begin, write_places_.begin() + group.end,
                         std::greater_equal<>()) == write_places_.begin() + group.end);
  }
  begin.push_back(static_cast<std::uint32_t>(groups.size()));
  groups_ = base::Csr<Group>::from_parts(std::move(begin), std::move(groups));
}

std::uint32_t Saturation::chain_number(NodeId node) const {
  const std::uint32_t place = place_[events_.txn(node).raw()];
  if (!split_) return place + 1;
  return place * 2 + (node == events_.begin(events_.txn(node)) ? 1 : 2);
}

std::uint32_t Saturation::overwritable(std::uint32_t ticks) const {
  if (!events_.encoding().role.forbids_concurrent_writers) return committed(ticks);
  return split_ ? (ticks + 1) / 2 : ticks;
}

std::uint32_t Saturation::committed(std::uint32_t ticks) const {
  return split_ ? ticks / 2 : ticks;
}

std::vector<Saturation::Neighbours> Saturation::neighbours() const {
  ISOLDE_ASSERT(session_count_ == seen_.history().session_count());
  std::vector<std::vector<TxnId>> chains(session_count_);
  for (std::size_t s = 0; s < session_count_; ++s) {
    for (const TxnId txn : seen_.history().session_txns(SessionId::at(s))) {
      if (is_certain(txn)) chains[s].push_back(txn);
    }
  }
  std::vector<Neighbours> all(seen_.txn_count());
  for (std::size_t s = 0; s < session_count_; ++s) {
    for (const std::vector<TxnId>& chain : chains) {
      // The first `reached` of session s come before this one's transaction, and not before the
      // ones ahead of it.
      std::uint32_t reached = 0;
      for (std::uint32_t i = 0; i < chain.size(); ++i) {
        const bool is_own = &chain == &chains[s];
        const std::uint32_t now = is_own ? i : committed(clock(events_.begin(chain[i]))[s]);
        all[chain[i].raw()].before += now;
        for (; reached < now; ++reached) {
          all[chains[s][reached].raw()].after += static_cast<std::uint32_t>(chain.size()) - i;
        }
      }
    }
  }
  budget_.spend(std::uint64_t{seen_.txn_count()} * session_count_ * 2);
  return all;
}

/// One pass over the events in topological order; true when an edge was added. After the first
/// pass only events whose clocks have grown are examined: clocks only grow, and an unchanged
/// clock yields nothing new at an event.
bool Saturation::sweep(const std::vector<NodeId>& order) {
  for (const auto& [from, to] : std::exchange(fresh_, {})) merge(to, from);
  std::fill(closed_.begin(), closed_.end(), std::uint8_t{0});
  ISOLDE_ASSERT(order.size() == closed_.size());
  for (const NodeId node : order) {
    if (std::exchange(changed_[node.raw()], 0) != 0) {
      const bool is_event = events_.is_txn(node);
      if (is_event && is_certain(events_.txn(node))) close_event(node);
      // A doubtful transaction may not have taken effect: it passes nothing on.
      if (!is_event || is_certain(events_.txn(node))) push_clock(node);
      if (!budget_.spend(session_count_ * 4)) return false;
    }
    closed_[node.raw()] = 1;
  }
  return !fresh_.empty();
}

void Saturation::close_event(NodeId node) {
  const TxnId txn = events_.txn(node);
  const std::uint32_t session = seen_.history().session_of(txn).raw();
  if (node == events_.reads_at(txn)) look_at_reads(txn);
  if (node == events_.commit(txn)) look_at_writes(txn);
  if (session >= session_count_) return;
  // I3
  ISOLDE_INVARIANT(clock(node)[session] + 1 >= chain_number(node));
  ISOLDE_INVARIANT(clock(node)[session] <= chain_number(node));
  clock(node)[session] = std::max(clock(node)[session], chain_number(node));
}

void Saturation::push_clock(NodeId node) {
  events_.graph().out_edges(node, [&](NodeId target, EdgeId) {
    if (closed_[target.raw()] == 0) merge(target, node);
    return true;
  });
}

void Saturation::merge(NodeId into, NodeId from) {
  std::uint32_t* target = clock(into);
  const std::uint32_t* source = clock(from);
  std::uint32_t news = 0;
  for (std::size_t s = 0; s < session_count_; ++s) {
    const std::uint32_t most = std::max(target[s], source[s]);
    news |= most ^ target[s];
    target[s] = most;
  }
  if (news != 0) changed_[into.raw()] = 1;
}

/// Events are closed in topological order, so a session's counts grow, except for small steps
/// back: a search with doubling steps from the last end.
Saturation::WriteId Saturation::last_write(Group& group, std::uint32_t count) const {
  std::uint32_t low = group.hint;   // all before it are among the first `count`
  std::uint32_t high = group.hint;  // none from it on are
  std::uint32_t step = 1;
  while (high < group.end && write_places_[high] < count) {
    low = high + 1;
    high = std::min(group.end, high + step);
    step *= 2;
  }
  while (low > group.begin && write_places_[low - 1] >= count) {
    high = low - 1;
    low = low - group.begin > step ? low - step : group.begin;
    step *= 2;
  }
  const auto at =
      std::lower_bound(write_places_.begin() + low, write_places_.begin() + high, count);
  group.hint = static_cast<std::uint32_t>(at - write_places_.begin());
  ISOLDE_INVARIANT(group.hint == group.begin || write_places_[group.hint - 1] < count);
  ISOLDE_INVARIANT(group.hint == group.end || write_places_[group.hint] >= count);
  return group.hint == group.begin ? WriteId::none() : session_writes_[group.hint - 1];
}

/// Rule S1 for each read of the transaction, whose begin event is being closed.
void Saturation::look_at_reads(TxnId txn) {
  // Without any rw edges (parallel snapshot isolation), reads still count.
  if (events_.encoding().mixture && !events_.role(txn).has_anti_dependencies) return;
  const NodeId node = events_.reads_at(txn);
  const auto look = [&](const ReadFrom& read) {
    if (read.source.is_none()) return;
    budget_.spend(groups_.row(read.key.raw()).size() * 8);
    for (Group& group : groups_.row(read.key.raw())) {
      const WriteId write = last_write(group, committed(clock(node)[group.session]));
      if (write.is_none() || write == read.source || seen_.writer(write) == txn) continue;
      // What already reaches the source was handled when the source was closed (S2).
      const TxnId source = seen_.writer(read.source);
      if (is_implied(events_.commit(seen_.writer(write)), events_.begin(source))) continue;
      derive({seen_.writer(write), source}, txn);
    }
  };
  for (const ReadFrom& read : seen_.reads(txn)) look(read);
  if (derived_.found.empty()) return;
  for (const FoundRead& found : derived_.found[txn.raw()]) look(found.read);
}

/// Rule S2 for each write of the transaction, whose commit event is being closed.
void Saturation::look_at_writes(TxnId txn) {
  const NodeId node = events_.commit(txn);
  const std::uint32_t own_session = seen_.history().session_of(txn).raw();
  for (const WriteId own : seen_.writes(txn)) {
    budget_.spend(groups_.row(seen_.written_key(own).raw()).size() * 16);
    for (Group& group : groups_.row(seen_.written_key(own).raw())) {
      std::uint32_t count = overwritable(clock(node)[group.session]);
      if (group.session == own_session) count = std::min(count, place_[txn.raw()]);
      WriteId write = last_write(group, count);
      // Only its begin is known to come first, not the event where a ww edge to it arrives.
      if (write.is_some() &&
          place_[seen_.writer(write).raw()] >= committed(clock(node)[group.session]) &&
          events_.overwrite(own, write) != events_.begin(seen_.writer(write))) {
        write = last_write(group, committed(clock(node)[group.session]));
      }
      if (write.is_some() && !is_settled(write, own)) {
        derive({seen_.writer(write), txn}, TxnId::none());
      }
    }
  }
}

/// True when the path is known from the clocks of this sweep.
bool Saturation::is_implied(NodeId from, NodeId to) const {
  const std::uint32_t session = seen_.history().session_of(events_.txn(from)).raw();
  if (session >= session_count_) {
    const TxnId next = following_[events_.txn(from).raw()];
    ISOLDE_INVARIANT(next.is_some() && seen_.history().session_of(next).raw() < session_count_);
    return is_implied(events_.begin(next), to);
  }
  return clock(to)[session] >= chain_number(from);
}

/// As EventGraph::order_edges(), with the reads whose source was found.
template <typename Visit>
void Saturation::order_edges(VersionOrder order, const Visit& visit) const {
  events_.order_edges(order, visit);
  if (derived_.found_readers.empty()) return;
  for (const WriteId write : seen_.writes(order.before)) {
    const std::vector<TxnId>& readers = derived_.found_readers[write.raw()];
    if (readers.empty() || seen_.find_write(order.after, seen_.written_key(write)).is_none()) {
      continue;
    }
    for (const TxnId reader : readers) {
      if (reader != order.after) visit(events_.reads_at(reader), events_.commit(order.after));
    }
  }
}

/// True when all edges that "before precedes after" would add for their key exist already.
bool Saturation::is_settled(WriteId before, WriteId after) const {
  const TxnId overwriter = seen_.writer(after);
  if (!is_implied(events_.commit(seen_.writer(before)), events_.overwrite(before, after))) {
    return false;
  }
  if (!events_.encoding().role.has_anti_dependencies) return true;
  const auto is_met = [&](TxnId reader) {
    return reader == overwriter || !events_.role(reader).has_anti_dependencies ||
           is_implied(events_.reads_at(reader), events_.commit(overwriter));
  };
  for (const TxnId reader : seen_.readers(before)) {
    if (!is_met(reader)) return false;
  }
  if (derived_.found_readers.empty()) return true;
  const std::vector<TxnId>& found = derived_.found_readers[before.raw()];
  return std::all_of(found.begin(), found.end(), is_met);
}

void Saturation::derive(VersionOrder order, TxnId reader) {
  bool news = false;
  order_edges(order, [&](NodeId from, NodeId to) { news = news || !is_implied(from, to); });
  if (!news) return;
  ISOLDE_ASSERT(order.before != order.after);
  const auto number = static_cast<std::uint32_t>(derived_.facts.size());
  const auto [entry, is_new] = known_.try_emplace(packed(order), number);
  const std::uint32_t fact = entry->second;
  // Reads of the earlier version may have been found since.
  if (!is_new && !derived_.narrows()) return;
  if (is_new) {
    derived_.facts.push_back(
        {order, reader, static_cast<std::uint32_t>(events_.graph().extra_count())});
  }
  order_edges(order, [&](NodeId from, NodeId to) { add_edge(from, to, fact); });
}

void Saturation::add_edge(NodeId from, NodeId to, std::uint32_t tag) {
  if (is_implied(from, to)) return;
  ISOLDE_ASSERT(tag < derived_.facts.size());  // I4
  events_.graph().add(from, to, tag);
  fresh_.emplace_back(from, to);
  if (closed_[from.raw()] != 0 && closed_[to.raw()] == 0) merge(to, from);
}

}  // namespace isolde::prune
