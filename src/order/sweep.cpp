#include "order/sweep.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "base/parallel.hpp"

namespace isolde::checker {

using infer::Observations;
using infer::ReadFrom;
using infer::WriteId;

namespace {

constexpr std::size_t kBlock = 32;
/// More transactions than this no longer locate a violation.
constexpr std::size_t kLongCycle = 256;

}  // namespace

Sweep::Sweep(const Observations& seen, base::Budget& budget, unsigned threads)
    : seen_(seen),
      budget_(budget),
      guess_(seen.history().has_times() ? guess_by_time(seen, budget)
                                        : guess_by_sessions(seen, budget)),
      place_(seen.txn_count()) {
  for (std::size_t i = 0; i < guess_.order.size(); ++i) {
    place_[guess_.order[i].raw()] = static_cast<std::uint32_t>(i);
  }
  const bool complete = guess_.order.size() == seen.included_count();
  ISOLDE_ASSERT(guess_.order.size() <= seen.included_count());
  if (complete && !budget.exhausted()) find_settled(threads);
}

void Sweep::find_settled(unsigned threads) {
  ISOLDE_ASSERT(guess_.neighbours.size() == seen_.write_count());
  settled_.assign(seen_.txn_count(), 0);
  const std::span<const TxnId> order = guess_.order;
  base::run_parts(threads, base::part_count(threads), order.size(),
                  [&](std::size_t, std::size_t first, std::size_t last) {
                    for (std::size_t begin = first; begin < last; begin += kBlock) {
                      const std::size_t end = std::min(begin + kBlock, last);
                      look_ahead(order, begin);
                      for (std::size_t i = begin; i < end; ++i) {
                        settled_[order[i].raw()] = is_settled(order[i]) ? 1 : 0;
                      }
                    }
                  });
  budget_.spend(seen_.write_count() + order.size());
}

bool Sweep::is_settled(TxnId txn) const {
  const std::uint32_t own = place_[txn.raw()];
  const auto is_before = [&](TxnId other) { return place_[other.raw()] < own; };
  for (const ReadFrom& read : seen_.reads(txn)) {
    if (read.source.is_some() && !is_before(seen_.writer(read.source))) return false;
  }
  const WriteId end = seen_.end_write(txn);
  for (WriteId write = seen_.first_write(txn); write != end; write = WriteId(write.raw() + 1)) {
    const WriteId before = guess_.neighbours[write.raw()].before;
    if (before.is_some() && !is_before(seen_.writer(before))) return false;
    for (const TxnId reader : seen_.readers(before, seen_.written_key(write))) {
      if (reader != txn && !is_before(reader)) return false;
    }
  }
  return true;
}

std::optional<Witness> Sweep::find(const infer::Encoding& encoding) {
  if (guess_.order.size() != seen_.included_count() || budget_.exhausted()) return std::nullopt;
  ISOLDE_ASSERT(settled_.size() == seen_.txn_count());
  encoding_ = encoding;
  if (encoding_.session_order) link_sessions();
  const std::size_t mentions = encoding_.role.snapshot ? 2 : 1;
  states_.assign(seen_.txn_count() * mentions, State::kNew);
  cycle_.clear();
  order_.clear();
  order_.reserve(guess_.order.size() * mentions);
  exchanges_left_ = 64 + guess_.order.size() / 16;
  undo_left_ = 4096 + guess_.order.size() * 4;
  const bool sorted = sort() && (!encoding_.real_time || keeps_real_time()) &&
                      (!seen_.has_deletions() || sees_what_it_replaces());
  // The next level starts from the guess again.
  for (; !exchanges_.empty(); exchanges_.pop_back()) {
    stays_[exchanges_.back().after.raw()] = false;
    guess_.exchange(exchanges_.back().after);
  }
  if (!sorted) return std::nullopt;
  ISOLDE_ASSERT(order_.size() == guess_.order.size() * mentions);  // W1
  Witness witness;
  witness.mentions = static_cast<int>(mentions);
  witness.order = std::move(order_);
  return witness;
}

/// Where some versions are dead, an exchange may leave a begin before the commit of a live one
/// that its transaction replaces now.
bool Sweep::sees_what_it_replaces() const {
  if (!encoding_.role.snapshot || !encoding_.role.forbids_concurrent_writers) return true;
  std::vector<std::uint32_t> begins(seen_.txn_count(), 0);
  std::vector<std::uint32_t> commits(seen_.txn_count(), 0);
  for (std::uint32_t at = 0; at < order_.size(); ++at) {
    const std::size_t txn = order_[at].raw();
    if (begins[txn] == 0) begins[txn] = at + 1;
    commits[txn] = at + 1;
  }
  for (std::size_t w = 0; w < seen_.write_count(); ++w) {
    const WriteId before = guess_.neighbours[w].before;
    if (before.is_none() || seen_.is_dead(before)) continue;
    const TxnId writer = seen_.writer(WriteId::at(w));
    if (begins[writer.raw()] < commits[seen_.writer(before).raw()]) return false;
  }
  return true;
}

/// In the order of the guess, resumed where events had to be undone.
bool Sweep::sort() {
  for (next_ = 0; next_ < guess_.order.size();) {
    const TxnId txn = guess_.order[next_++];
    if (!budget_.spend(1)) return false;
    if (states_[commit_of(txn)] != State::kNew) continue;
    if (may_follow(txn)) {
      place(txn);
    } else if (!visit(commit_of(txn))) {
      return false;
    }
  }
  return true;
}

/// All before the transaction in the guess are done, and so are its dependencies.
bool Sweep::may_follow(TxnId txn) const {
  if (settled_[txn.raw()] == 0 || states_[begin_of(txn)] != State::kNew) return false;
  if (!encoding_.session_order) return true;
  const TxnId before = session_before_[txn.raw()];
  return before.is_none() || states_[commit_of(before)] == State::kDone;
}

void Sweep::place(TxnId txn) {
  states_[begin_of(txn)] = State::kDone;
  order_.push_back(txn);
  if (!encoding_.role.snapshot) return;
  states_[commit_of(txn)] = State::kDone;
  order_.push_back(txn);
}

void Sweep::link_sessions() {
  const History& history = seen_.history();
  session_before_.assign(seen_.txn_count(), TxnId::none());
  for (std::size_t s = 0; s < history.session_count(); ++s) {
    TxnId last;
    for (const TxnId txn : history.session_txns(SessionId::at(s))) {
      if (!seen_.is_included(txn)) continue;
      session_before_[txn.raw()] = std::exchange(last, txn);
    }
  }
}

/// Prefetches what the next block reads, and for later blocks what leads to it.
void Sweep::look_ahead(std::span<const TxnId> order, std::size_t begin) const {
  const auto block = [&](std::size_t number) {
    const std::size_t first = std::min(begin + number * kBlock, order.size());
    return order.subspan(first, std::min(kBlock, order.size() - first));
  };
  for (const TxnId txn : block(2)) {
    __builtin_prefetch(seen_.reads(txn).data());
    __builtin_prefetch(guess_.neighbours.data() + seen_.first_write(txn).raw());
  }
  const auto for_each_before = [&](TxnId txn, const auto& visit) {
    const WriteId end = seen_.end_write(txn);
    for (WriteId write = seen_.first_write(txn); write != end;
         write = WriteId(write.raw() + 1)) {
      const WriteId before = guess_.neighbours[write.raw()].before;
      if (before.is_some()) visit(before);
    }
  };
  for (const TxnId txn : block(1)) {
    for (const ReadFrom& read : seen_.reads(txn)) {
      if (read.source.is_some()) seen_.prefetch_writer(read.source);
    }
    for_each_before(txn, [&](WriteId before) {
      seen_.prefetch_writer(before);
      seen_.prefetch_readers(before);
    });
  }
  for (const TxnId txn : block(0)) {
    for (const ReadFrom& read : seen_.reads(txn)) {
      if (read.source.is_some())
        __builtin_prefetch(place_.data() + seen_.writer(read.source).raw());
    }
    for_each_before(txn, [&](WriteId before) {
      __builtin_prefetch(place_.data() + seen_.writer(before).raw());
      __builtin_prefetch(seen_.readers(before).data());
    });
  }
}

/// Places all that the event depends on, then the event. False when a cycle remains.
bool Sweep::visit(Event root) {
  ISOLDE_INVARIANT(states_[root] == State::kNew);
  stack_.clear();
  stack_.push_back({root});
  states_[root] = State::kOpen;
  while (!stack_.empty()) {
    const Event event = next_dependency(stack_.back());
    if (event == kNone) {
      const Event done = stack_.back().event;
      ISOLDE_INVARIANT(states_[done] == State::kOpen);
      states_[done] = State::kDone;
      order_.push_back(txn_of(done));
      stack_.pop_back();
      continue;
    }
    if (!budget_.spend(1)) return false;
    if (states_[event] == State::kOpen) {
      std::size_t first = stack_.size() - 1;
      while (stack_[first].event != event) --first;
      if (!break_cycle(first, event)) return false;
    } else if (starts_behind(event, root)) {
      if (!break_cycle(0, event)) return false;
    } else {
      states_[event] = State::kOpen;
      stack_.push_back({event});
    }
  }
  return true;
}

/// The next dependency that is not done, or none.
Sweep::Event Sweep::next_dependency(Frame& frame) const {
  const TxnId txn = txn_of(frame.event);
  const bool begins = is_begin(frame.event);
  const auto is_open = [&](Event event) { return states_[event] != State::kDone; };
  if (frame.stage == Stage::kSession) {
    frame.stage = Stage::kBegin;
    if (begins && encoding_.session_order && session_before_[txn.raw()].is_some()) {
      const Event before = commit_of(session_before_[txn.raw()]);
      if (is_open(before)) return before;
    }
  }
  if (frame.stage == Stage::kBegin) {
    frame.stage = begins ? Stage::kReads : Stage::kWrites;
    if (!begins && is_open(begin_of(txn))) return begin_of(txn);
  }
  if (frame.stage == Stage::kReads) {
    const std::span<const ReadFrom> reads = seen_.reads(txn);
    while (frame.item < reads.size()) {
      const ReadFrom& read = reads[frame.item++];
      if (read.source.is_none()) continue;
      const Event source = commit_of(seen_.writer(read.source));
      if (is_open(source)) return source;
    }
    frame.stage = Stage::kWrites;
    frame.item = 0;
  }
  return frame.stage == Stage::kWrites ? next_of_writes(frame, txn) : kNone;
}

/// The writers and readers of the versions that the transaction overwrites.
Sweep::Event Sweep::next_of_writes(Frame& frame, TxnId txn) const {
  const bool at_begin = encoding_.role.snapshot && encoding_.role.forbids_concurrent_writers;
  const bool follows_readers = is_commit(frame.event);
  const WriteId first = seen_.first_write(txn);
  const std::uint32_t count = seen_.end_write(txn).raw() - first.raw();
  while (frame.item < count) {
    const WriteId write(first.raw() + frame.item);
    const WriteId before = guess_.neighbours[write.raw()].before;
    if (frame.reader == 0) {
      ++frame.reader;
      const bool begins = at_begin && before.is_some() && !seen_.is_dead(before);
      const bool follows_writers = begins ? is_begin(frame.event) : is_commit(frame.event);
      if (follows_writers && before.is_some()) {
        const Event writer = commit_of(seen_.writer(before));
        if (states_[writer] != State::kDone) return writer;
      }
    }
    const std::span<const TxnId> readers = follows_readers
                                               ? seen_.readers(before, seen_.written_key(write))
                                               : std::span<const TxnId>();
    while (frame.reader <= readers.size()) {
      const TxnId reader = readers[frame.reader++ - 1];
      if (reader != txn && states_[begin_of(reader)] != State::kDone) return begin_of(reader);
    }
    ++frame.item;
    frame.reader = 0;
  }
  frame.stage = Stage::kNothing;
  return kNone;
}

/// Of those from the root on in the guess that are not done, the first by end; none: it is not
/// among the next ones.
TxnId Sweep::first_to_end(TxnId root) const {
  if (infer::certain_end(seen_.history(), root) != kNoTime) return root;
  constexpr std::size_t kMost = 64;
  const std::size_t begin = place_[root.raw()] + 1;
  const std::size_t end = std::min(begin + kMost, guess_.order.size());
  for (std::size_t at = begin; at < end; ++at) {
    const TxnId txn = guess_.order[at];
    const bool is_done = states_[commit_of(txn)] == State::kDone;
    if (!is_done && infer::certain_end(seen_.history(), txn) != kNoTime) return txn;
  }
  return TxnId::none();
}

/// By real time. All that ended before the first one are done.
bool Sweep::starts_behind(Event event, Event root) const {
  if (!encoding_.real_time || !is_begin(event)) return false;
  const TxnId first = first_to_end(txn_of(root));
  return first.is_some() &&
         infer::ended_before(seen_.history(), first, txn_of(event), encoding_.clock_error_ns);
}

/// Each event on the stack from `first` on depends on the next one, and the last on `last`,
/// which is the first of them or must not come before it. Exchanges the two versions whose
/// writers are closest to each other in the guessed order.
bool Sweep::break_cycle(std::size_t first, Event last) {
  if (exchanges_left_ == 0) return false;
  --exchanges_left_;
  WriteId best;
  std::uint32_t least = 0;
  for (std::size_t i = first; i < stack_.size(); ++i) {
    const WriteId write = exchangeable(stack_[i]);
    if (write.is_none()) continue;
    const std::uint32_t apart = distance(write);
    if (best.is_some() && apart >= least) continue;
    best = write;
    least = apart;
  }
  if (best.is_none()) {
    note_cycle(txns_from(first, last));
    return false;
  }
  std::vector<TxnId> reason = txns_from(first, last);
  if (reason.size() > kLongCycle) reason.clear();
  undo_left_ -= std::min(undo_left_, stack_.size());
  for (const Frame& frame : stack_) leave(frame.event);
  stack_.clear();
  const TxnId before = seen_.writer(guess_.neighbours[best.raw()].before);
  const Event changed =
      encoding_.role.forbids_concurrent_writers ? begin_of(before) : commit_of(before);
  while (states_[changed] == State::kDone) {
    if (undo_left_-- == 0) return false;
    ISOLDE_INVARIANT(!order_.empty());  // W1
    const TxnId txn = order_.back();
    order_.pop_back();
    leave(states_[commit_of(txn)] == State::kDone ? commit_of(txn) : begin_of(txn));
  }
  const WriteId version = guess_.neighbours[best.raw()].before;
  stays_.resize(seen_.write_count());
  stays_[version.raw()] = true;
  exchanges_.push_back({version, best, std::move(reason)});
  unsettle(version);
  guess_.exchange(best);
  return true;
}

/// Unsettles writers that depend on which version precedes theirs.
void Sweep::unsettle(WriteId version) {
  for (int i = 0; i < 3 && version.is_some(); ++i) {
    settled_[seen_.writer(version).raw()] = 0;
    version = guess_.neighbours[version.raw()].after;
  }
}

/// To the writer of the version before it, in the order of the guess.
std::uint32_t Sweep::distance(WriteId write) const {
  const std::uint32_t own = place_[seen_.writer(write).raw()];
  ISOLDE_INVARIANT(guess_.neighbours[write.raw()].before.is_some());
  const TxnId before = seen_.writer(guess_.neighbours[write.raw()].before);
  const std::uint32_t other = place_[before.raw()];
  return std::max(own, other) - std::min(own, other);
}

std::vector<TxnId> Sweep::txns_from(std::size_t first, Event last) const {
  std::vector<TxnId> txns = {txn_of(last)};
  for (std::size_t i = first; i < stack_.size(); ++i) txns.push_back(txn_of(stack_[i].event));
  return txns;
}

/// Also notes the transactions on earlier cycles whose exchanges led to this one.
void Sweep::note_cycle(std::vector<TxnId> txns) {
  cycle_ = std::move(txns);
  const auto is_in = [&](WriteId write) {
    return std::find(cycle_.begin(), cycle_.end(), seen_.writer(write)) != cycle_.end();
  };
  for (auto at = exchanges_.rbegin(); at != exchanges_.rend(); ++at) {
    if (cycle_.size() > kLongCycle) break;
    if (!is_in(at->before) && !is_in(at->after)) continue;
    cycle_.insert(cycle_.end(), at->reason.begin(), at->reason.end());
  }
}

/// The event must be visited again.
void Sweep::leave(Event event) {
  states_[event] = State::kNew;
  next_ = std::min<std::size_t>(next_, place_[txn_of(event).raw()]);
}

/// The write that the dependency visited last rests on, if it can be exchanged with the version
/// before it.
WriteId Sweep::exchangeable(const Frame& frame) const {
  if (frame.stage != Stage::kWrites || frame.reader == 0) return WriteId::none();
  const TxnId after = txn_of(frame.event);
  const WriteId write(seen_.first_write(after).raw() + frame.item);
  ISOLDE_INVARIANT(write < seen_.end_write(after));
  const WriteId version = guess_.neighbours[write.raw()].before;
  if (version.is_none()) return WriteId::none();
  const auto stays = [&](const std::vector<bool>& flags) {
    return !flags.empty() && flags[write.raw()];
  };
  if (stays(stays_) || stays(guess_.forced)) return WriteId::none();
  const KeyId key = seen_.written_key(write);
  if (seen_.is_list(key) && (seen_.list_rank(version) != Observations::kUnseen ||
                             seen_.list_rank(write) != Observations::kUnseen)) {
    return WriteId::none();
  }
  if (!overlap(seen_.writer(version), after)) return WriteId::none();
  const std::span<const TxnId> readers = seen_.readers(version);
  return std::binary_search(readers.begin(), readers.end(), after) ? WriteId::none() : write;
}

/// Whether they may have been concurrent.
bool Sweep::overlap(TxnId before, TxnId after) const {
  const History& history = seen_.history();
  return !history.has_times() ||
         !infer::ended_before(history, before, after, encoding_.clock_error_ns);
}

/// The sort did not check transactions whose ends are not certain.
bool Sweep::keeps_real_time() const {
  const History& history = seen_.history();
  TxnId latest;  // of those that began so far
  std::vector<bool> has_begun(encoding_.role.snapshot ? seen_.txn_count() : 0);
  for (const TxnId txn : order_) {
    const bool begins = !encoding_.role.snapshot || !has_begun[txn.raw()];
    if (begins) {
      if (encoding_.role.snapshot) has_begun[txn.raw()] = true;
      const std::int64_t start = history.times(txn).start;
      if (start != kNoTime && (latest.is_none() || start > history.times(latest).start)) {
        latest = txn;
      }
      if (encoding_.role.snapshot) continue;
    }
    if (latest.is_some() && latest != txn &&
        infer::ended_before(history, txn, latest, encoding_.clock_error_ns)) {
      return false;
    }
  }
  return true;
}

}  // namespace isolde::checker
