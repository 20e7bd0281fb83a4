#include "linear/register_zones.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "base/hash.hpp"

namespace isolde::checker {

void RegisterOps::collect(const History& history, std::span<const KeyTable::Entry> entries,
                          std::int64_t clock_error_ns) {
  ops.clear();
  partial.clear();
  key = history.ops(entries.front().txn)[entries.front().op].key;
  for (std::size_t at = 0; at < entries.size();) {
    const std::span<const KeyTable::Entry> group = same_txn(entries, at);
    at += group.size();
    const TxnId txn = group.front().txn;
    const TxnStatus status = history.status(txn);
    if (status == TxnStatus::kAborted) continue;
    RegisterOp& op = ops.emplace_back();
    op.txn = txn;
    op.optional = status == TxnStatus::kIndeterminate;
    op.time = interval_of(history, txn, clock_error_ns);
    unsettled_ = partial.size();
    for (const KeyTable::Entry& entry : group) {
      if (is_unselected_row(history, entry)) {
        op.sound = false;
      } else {
        add(history, history.ops(txn)[entry.op]);
      }
    }
    settle_partial(history);
  }
}

void RegisterOps::add(const History& history, const Op& part) {
  RegisterOp& op = ops.back();
  if (part.is_write()) {
    op.writes = true;
    op.write = part.value;
  } else if (part.is_partial()) {
    if (!op.writes) {
      partial.push_back({static_cast<std::uint32_t>(ops.size() - 1), part.partial()});
    } else if (!history.fits(part, op.write)) {
      op.sound = false;
    }
  } else if (op.writes) {
    op.sound = op.sound && part.value == op.write;
  } else {
    op.sound = op.sound && (!op.reads || part.value == op.read);
    op.reads = true;
    op.read = part.value;
  }
}

/// Drops partial reads where the operation also reads the value, which says more.
void RegisterOps::settle_partial(const History& history) {
  RegisterOp& op = ops.back();
  if (!op.reads) return;
  for (std::size_t i = unsettled_; i < partial.size(); ++i) {
    if (!history.fits(key, partial[i].tells, op.read)) op.sound = false;
  }
  partial.resize(unsettled_);
}

RegisterZones::Outcome RegisterZones::decide(KeyId key, std::span<const RegisterOp> ops,
                                             std::vector<TxnId>& order,
                                             Refutation& refutation) {
  key_ = key;
  ops_ = ops;
  refutation_ = &refutation;
  refutation.steps.clear();
  if (!find_sources() || !include()) return Outcome::kUnclear;
  if (!link()) return Outcome::kViolated;
  group_readers();
  return make_blocks() && arrange(order) ? Outcome::kHolds : Outcome::kViolated;
}

/// False when a value is written twice.
bool RegisterZones::find_sources() {
  std::size_t capacity = 8;
  while (capacity < ops_.size() * 2) capacity *= 2;
  slots_.assign(capacity, kNone);
  const auto slot_of = [&](Value value) -> std::uint32_t& {
    std::size_t at = base::mix(value.bits()) & (capacity - 1);
    while (slots_[at] != kNone && ops_[slots_[at]].write != value) {
      at = (at + 1) & (capacity - 1);
    }
    return slots_[at];
  };
  for (Op op = 0; op < ops_.size(); ++op) {
    if (!ops_[op].writes) continue;
    std::uint32_t& slot = slot_of(ops_[op].write);
    if (slot != kNone) return false;
    slot = op;
  }
  source_.assign(ops_.size(), kNone);
  for (Op op = 0; op < ops_.size(); ++op) {
    if (!ops_[op].sound) {
      source_[op] = kBroken;
    } else if (ops_[op].reads) {
      const bool fresh = ops_[op].read.is_null();
      const Version found = fresh ? initial() : slot_of(ops_[op].read);
      source_[op] = found == kNone || found == op ? kBroken : found;
    }
  }
  return true;
}

/// Includes what committed, its sources, their sources, and so on. False when one of these
/// cannot be explained.
bool RegisterZones::include() {
  included_.assign(ops_.size(), 0);
  work_.clear();
  const auto add = [&](Op op) {
    if (included_[op] != 0) return;
    included_[op] = 1;
    work_.push_back(op);
  };
  for (Op op = 0; op < ops_.size(); ++op) {
    if (!ops_[op].optional) add(op);
  }
  while (!work_.empty()) {
    const Version source = source_[work_.back()];
    work_.pop_back();
    if (source == kBroken) return false;
    if (source != kNone && source != initial()) add(source);
  }
  return true;
}

/// Finds the successor of each version that was read and overwritten in one step. False, with a
/// refutation, when there are two, or when such steps form a cycle.
bool RegisterZones::link() {
  next_.assign(ops_.size() + 1, kNone);
  std::size_t writers = 0;
  for (Op op = 0; op < ops_.size(); ++op) {
    if (included_[op] == 0 || !ops_[op].writes) continue;
    ++writers;
    if (source_[op] == kNone) continue;
    Op& next = next_[source_[op]];
    if (next != kNone) {
      refute_lost_update(next, op);
      return false;
    }
    next = op;
  }
  chain_.clear();
  blocks_.clear();
  place_.assign(ops_.size() + 1, kNone);
  const auto follow = [&](Version from) {
    Block block;
    block.begin = static_cast<std::uint32_t>(chain_.size());
    for (Version version = from; version != kNone; version = next_[version]) {
      place_[version] = static_cast<std::uint32_t>(chain_.size());
      chain_.push_back(version);
    }
    block.end = static_cast<std::uint32_t>(chain_.size());
    blocks_.push_back(block);
  };
  follow(initial());
  for (Op op = 0; op < ops_.size(); ++op) {
    if (included_[op] != 0 && ops_[op].writes && source_[op] == kNone) follow(op);
  }
  if (chain_.size() == writers + 1) return true;
  for (Op op = 0; op < ops_.size(); ++op) {
    if (included_[op] == 0 || !ops_[op].writes || place_[op] != kNone) continue;
    refute_circle(op);
    break;
  }
  return false;
}

void RegisterZones::group_readers() {
  reader_begin_.assign(ops_.size() + 2, 0);
  const auto each_reader = [&](const auto& visit) {
    for (Op op = 0; op < ops_.size(); ++op) {
      if (included_[op] != 0 && ops_[op].reads && !ops_[op].writes) visit(op);
    }
  };
  std::uint32_t count = 0;
  each_reader([&](Op op) {
    ++reader_begin_[source_[op] + 1];
    ++count;
  });
  for (std::size_t i = 1; i < reader_begin_.size(); ++i) {
    reader_begin_[i] += reader_begin_[i - 1];
  }
  readers_.resize(count);
  // Filling moves each begin to its end; shifting by one restores it.
  each_reader([&](Op op) { readers_[reader_begin_[source_[op]]++] = op; });
  for (std::size_t i = reader_begin_.size() - 1; i > 0; --i) {
    reader_begin_[i] = reader_begin_[i - 1];
  }
  reader_begin_[0] = 0;
}

bool RegisterZones::make_blocks() {
  return std::all_of(blocks_.begin(), blocks_.end(), [&](Block& block) { return scan(block); });
}

/// Scans the block from its end: a version comes before its readers, these before the next
/// version. False, with a refutation, when something ended before what precedes it had started.
bool RegisterZones::scan(Block& block) {
  const auto fits = [&](Op op) {
    if (ops_[op].time.start <= block.first_end) return true;
    refute_inside(block.first_to_end, op);
    return false;
  };
  const auto take = [&](Op op) {
    const Interval& time = ops_[op].time;
    if (time.end < block.first_end) {
      block.first_end = time.end;
      block.first_to_end = op;
    }
    if (time.start > block.last_start) {
      block.last_start = time.start;
      block.last_to_start = op;
    }
  };
  for (std::uint32_t at = block.end; at-- > block.begin;) {
    const Version version = chain_[at];
    const auto readers = std::span(readers_).subspan(
        reader_begin_[version], reader_begin_[version + 1] - reader_begin_[version]);
    for (const Op reader : readers) {
      if (!fits(reader)) return false;
    }
    for (const Op reader : readers) take(reader);
    if (version == initial()) continue;
    if (!fits(version)) return false;
    take(version);
  }
  return true;
}

/// Orders the blocks: next is any whose parts all started before anything in the others ended.
/// If there is none, the one that ended first and the one that ended next precede each other.
bool RegisterZones::arrange(std::vector<TxnId>& order) {
  by_end_.clear();
  for (std::uint32_t i = 1; i < blocks_.size(); ++i) by_end_.push_back(i);
  by_start_ = by_end_;
  std::sort(by_end_.begin(), by_end_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return blocks_[a].first_end < blocks_[b].first_end;
  });
  std::sort(by_start_.begin(), by_start_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return blocks_[a].last_start < blocks_[b].last_start;
  });
  emitted_.assign(blocks_.size(), 0);
  const auto put = [&](std::uint32_t block) {
    emitted_[block] = 1;
    emit(blocks_[block], order);
  };
  if (!by_end_.empty() && blocks_[0].last_start > blocks_[by_end_.front()].first_end) {
    refute_pair(blocks_[0], blocks_[by_end_.front()]);
    return false;
  }
  put(0);
  std::size_t ending = 0;
  std::size_t starting = 0;
  while (true) {
    while (ending < by_end_.size() && emitted_[by_end_[ending]] != 0) ++ending;
    if (ending == by_end_.size()) return true;
    while (starting < by_start_.size() && emitted_[by_start_[starting]] != 0) ++starting;
    const std::uint32_t first = by_end_[ending];
    const std::uint32_t earliest = by_start_[starting];
    if (blocks_[earliest].last_start <= blocks_[first].first_end) {
      put(earliest);
      continue;
    }
    std::size_t second = ending + 1;
    while (second < by_end_.size() && emitted_[by_end_[second]] != 0) ++second;
    if (second < by_end_.size() &&
        blocks_[first].last_start > blocks_[by_end_[second]].first_end) {
      refute_pair(blocks_[first], blocks_[by_end_[second]]);
      return false;
    }
    put(first);
    ending = second;
  }
}

void RegisterZones::emit(const Block& block, std::vector<TxnId>& order) {
  for (std::uint32_t at = block.begin; at < block.end; ++at) {
    const Version version = chain_[at];
    if (version != initial()) order.push_back(ops_[version].txn);
    const auto begin = readers_.begin() + reader_begin_[version];
    const auto end = readers_.begin() + reader_begin_[version + 1];
    std::sort(begin, end, [&](Op a, Op b) { return ops_[a].time.start < ops_[b].time.start; });
    for (auto reader = begin; reader != end; ++reader) order.push_back(ops_[*reader].txn);
  }
}

Edge RegisterZones::real_time(Op from, Op to) const {
  return {ops_[from].txn, ops_[to].txn, EdgeKind::kRealTime, {}, {}};
}

Edge RegisterZones::read_from(Version from, Op to) const {
  return {writer(from), ops_[to].txn, EdgeKind::kReadFrom, key_, {}};
}

Edge RegisterZones::replaced(Version from, Version to) const {
  return {writer(from), writer(to), EdgeKind::kVersionOrder, key_, {}};
}

/// `from` read a version that `to` follows.
Edge RegisterZones::missed(Op from, Version to) const {
  return {ops_[from].txn, writer(to), EdgeKind::kAntiDependency, key_, writer(source_[from])};
}

/// From an operation to a version after the one that it leaves or finds.
Edge RegisterZones::onwards(Op from, Version to) const {
  return ops_[from].writes ? replaced(from, to) : missed(from, to);
}

void RegisterZones::add_step(std::vector<Edge> cycle, std::vector<VersionOrder> clause) {
  refutation_->steps.push_back({std::move(clause), std::move(cycle), {}});
}

/// Both read the same version, so each missed the other's.
void RegisterZones::refute_lost_update(Op first, Op second) {
  add_step({missed(first, second), missed(second, first)}, {});
}

/// Every remaining operation reads what another of them writes.
void RegisterZones::refute_circle(Op start) {
  std::vector<std::uint8_t> met(ops_.size(), 0);
  Op at = start;
  for (; met[at] == 0; at = source_[at]) met[at] = 1;
  std::vector<Edge> backwards;
  Op reader = at;
  do {
    backwards.push_back(read_from(source_[reader], reader));
    reader = source_[reader];
  } while (reader != at);
  std::reverse(backwards.begin(), backwards.end());
  add_step(std::move(backwards), {});
}

/// `later` follows `earlier` in its block but ended before that started. The path between them
/// is as short as the operations in between allow.
void RegisterZones::refute_inside(Op later, Op earlier) {
  for (bool shorter = true; shorter;) {
    shorter = false;
    const std::uint32_t from = place_[version_of(earlier)];
    const std::uint32_t to = place_[version_of(later)];
    for (std::uint32_t at = from + 1; at < to && !shorter; ++at) {
      if (ops_[chain_[at]].time.end >= ops_[earlier].time.start) continue;
      later = chain_[at];
      shorter = true;
    }
    for (std::uint32_t at = to; at-- > from + 1 && !shorter;) {
      if (ops_[later].time.end >= ops_[chain_[at]].time.start) continue;
      earlier = chain_[at];
      shorter = true;
    }
  }
  std::vector<Edge> cycle;
  std::uint32_t at = place_[version_of(earlier)];
  const std::uint32_t to = place_[version_of(later)];
  if (!ops_[earlier].writes) cycle.push_back(missed(earlier, chain_[++at]));
  for (; at < to; ++at) cycle.push_back(read_from(chain_[at], chain_[at + 1]));
  if (!ops_[later].writes) cycle.push_back(read_from(chain_[to], later));
  cycle.push_back(real_time(later, earlier));
  add_step(std::move(cycle), {});
}

/// Something in `c` ended before something in `a` started, and the reverse (or `a` has the
/// initial version). The first shows that a version of `c` precedes one of `a`; blocks have no
/// gaps, so all of `c` precedes all of `a`; the second contradicts that.
void RegisterZones::refute_pair(const Block& a, const Block& c) {
  const Op late = a.last_to_start;
  const Op early = c.first_to_end;
  Version before = version_of(early);
  Version after = version_of(late);
  std::vector<Edge> cycle{onwards(late, before)};
  if (!ops_[early].writes) cycle.push_back(read_from(before, early));
  cycle.push_back(real_time(early, late));
  if (after == initial()) return add_step(std::move(cycle), {});
  add_step(std::move(cycle), {{writer(before), writer(after)}});
  if (chain_[a.begin] == initial()) return move_target(before, after, initial());
  move_target(before, after, version_of(a.first_to_end));
  move_source(before, after, version_of(c.last_to_start));
  cycle = {onwards(c.last_to_start, after)};
  if (!ops_[a.first_to_end].writes) cycle.push_back(read_from(after, a.first_to_end));
  cycle.push_back(real_time(a.first_to_end, c.last_to_start));
  add_step(std::move(cycle), {});
}

/// From "before precedes target" to the same of another version in the target's block. Forward
/// along reads; backward because whoever overwrote a version read it, with nothing in between.
void RegisterZones::move_target(Version before, Version& target, Version wanted) {
  if (place_[wanted] > place_[target]) {
    std::vector<Edge> cycle{replaced(before, target)};
    for (std::uint32_t at = place_[target]; at < place_[wanted]; ++at) {
      cycle.push_back(read_from(chain_[at], chain_[at + 1]));
    }
    cycle.push_back(replaced(wanted, before));
    target = wanted;
    return add_step(std::move(cycle), {{writer(before), writer(target)}});
  }
  while (target != wanted) {
    const Version previous = chain_[place_[target] - 1];
    std::vector<VersionOrder> clause;
    if (previous != initial()) clause.push_back({writer(before), writer(previous)});
    add_step({missed(target, before), replaced(before, target)}, std::move(clause));
    target = previous;
  }
}

/// The same for the version that precedes.
void RegisterZones::move_source(Version& source, Version after, Version wanted) {
  if (place_[wanted] < place_[source]) {
    std::vector<Edge> cycle{replaced(after, wanted)};
    for (std::uint32_t at = place_[wanted]; at < place_[source]; ++at) {
      cycle.push_back(read_from(chain_[at], chain_[at + 1]));
    }
    cycle.push_back(replaced(source, after));
    source = wanted;
    return add_step(std::move(cycle), {{writer(source), writer(after)}});
  }
  while (source != wanted) {
    const Version next = chain_[place_[source] + 1];
    add_step({missed(next, after), replaced(after, next)}, {{writer(next), writer(after)}});
    source = next;
  }
}

}  // namespace isolde::checker
