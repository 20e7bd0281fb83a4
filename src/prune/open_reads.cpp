// Rules S3 and S4: which sources a read of a repeated value cannot have, by the clocks of the
// last sweep. Clocks only grow, so exclusions stay valid; an old clock excludes less, and
// another round follows whenever a source was found.
#include <algorithm>

#include "base/assert.hpp"
#include "prune/saturation.hpp"

namespace isolde::prune {

using infer::OpenRead;

void Saturation::list_sources() {
  const std::vector<OpenRead>& reads = seen_.open_reads();
  std::size_t count = 0;
  for (const OpenRead& read : reads) {
    count += seen_.sources(read).size() + (read.is_initial ? 1 : 0);
  }
  // A candidate, and the fact that excludes it.
  if (!budget_.has_room(count * (sizeof(WriteId) + sizeof(Fact)))) return;
  derived_.left.reserve(reads.size());
  derived_.begin.reserve(reads.size());
  derived_.candidates.reserve(count);
  derived_.found.resize(seen_.txn_count());
  derived_.found_readers.resize(seen_.write_count());
  derived_.found_by.assign(reads.size(), Derivation::kNone);
  for (const OpenRead& read : reads) {
    const std::size_t begin = derived_.candidates.size();
    const infer::Sources sources = seen_.sources(read);
    derived_.begin.push_back(begin);
    derived_.candidates.insert(derived_.candidates.end(), sources.begin(), sources.end());
    if (read.is_initial) derived_.candidates.push_back(WriteId::none());
    derived_.left.push_back(static_cast<std::uint32_t>(derived_.candidates.size() - begin));
    settled_.push_back(is_certain(read.txn) ? 0 : 1);
  }
  ISOLDE_ASSERT(derived_.candidates.size() == count);
  ISOLDE_ASSERT(derived_.left.size() == reads.size() && settled_.size() == reads.size());
  budget_.spend(count * 4);
}

/// Examines all open reads; true when a source was found.
bool Saturation::narrow() {
  // The sweep is over: no event is followed by others of it.
  std::fill(closed_.begin(), closed_.end(), std::uint8_t{0});
  bool any = false;
  for (std::uint32_t read = 0; read < derived_.left.size(); ++read) {
    any = narrow(read) || any;
    if (derived_.without_source != Derivation::kNone || budget_.exhausted()) break;
  }
  return any;
}

bool Saturation::narrow(std::uint32_t read) {
  const OpenRead& open = seen_.open_reads()[read];
  const std::uint32_t before = derived_.left[read];
  if (settled_[read] != 0) return false;
  find_last_writes(open);
  Fact why{.edge_limit = static_cast<std::uint32_t>(events_.graph().extra_count()),
           .kind = Fact::Kind::kExclusion,
           .read = read};
  const auto begin =
      derived_.candidates.begin() + static_cast<std::ptrdiff_t>(derived_.begin[read]);
  const auto end = std::remove_if(begin, begin + before, [&](WriteId source) {
    if (!exclude(open, source, why)) return false;
    derived_.facts.push_back(why);
    return true;
  });
  derived_.left[read] = static_cast<std::uint32_t>(end - begin);
  budget_.spend(before * (last_writes_.size() + 4));
  if (derived_.left[read] == 0) derived_.without_source = read;
  if (derived_.left[read] != 1) return false;
  settled_[read] = 1;
  // Whether a doubtful transaction took effect is left to the search.
  if (begin->is_some() && seen_.is_doubtful(seen_.writer(*begin))) return false;
  find(read);
  return true;
}

/// The last write of the key in each session among those that certainly precede the read.
void Saturation::find_last_writes(const OpenRead& read) {
  const std::uint32_t* const clock_here = clock(events_.reads_at(read.txn));
  const std::uint32_t own_session = seen_.history().session_of(read.txn).raw();
  last_writes_.clear();
  for (Group& group : groups_.row(read.key.raw())) {
    std::uint32_t count = committed(clock_here[group.session]);
    if (group.session == own_session) count = std::min(count, place_[read.txn.raw()]);
    const WriteId write = last_write(group, count);
    if (write.is_some()) last_writes_.push_back(write);
  }
  budget_.spend(groups_.row(read.key.raw()).size() * 8);
}

bool Saturation::exclude(const OpenRead& read, WriteId source, Fact& why) const {
  why.source = source;
  why.via = TxnId::none();
  if (source.is_none()) {
    if (last_writes_.empty()) return false;
    why.via = seen_.writer(last_writes_.front());
    ISOLDE_ASSERT(why.via != read.txn);
    return true;
  }
  const TxnId writer = seen_.writer(source);
  if (seen_.is_doubtful(writer)) return false;
  if (is_implied(events_.begin(read.txn), events_.commit(writer))) return true;
  for (const WriteId last : last_writes_) {
    const TxnId next = seen_.writer(last);
    if (next == writer ||
        !is_implied(events_.commit(writer), events_.overwrite(source, last))) {
      continue;
    }
    why.via = next;
    return true;
  }
  return false;
}

/// Adds what follows from the only remaining source.
void Saturation::find(std::uint32_t read) {
  const OpenRead& open = seen_.open_reads()[read];
  ISOLDE_ASSERT(derived_.left[read] == 1 && derived_.found_by[read] == Derivation::kNone);
  const WriteId source = derived_.candidates[derived_.begin[read]];
  const auto number = static_cast<std::uint32_t>(derived_.facts.size());
  derived_.facts.push_back(
      {.edge_limit = static_cast<std::uint32_t>(events_.graph().extra_count()),
       .kind = Fact::Kind::kSource,
       .read = read,
       .source = source});
  derived_.found_by[read] = number;
  derived_.found[open.txn.raw()].push_back({{open.key, source}, number});
  changed_[events_.reads_at(open.txn).raw()] = 1;
  if (source.is_none()) {
    for (const Group& group : groups_.row(open.key.raw())) {
      std::uint32_t first = group.begin;
      if (seen_.writer(session_writes_[first]) == open.txn) ++first;
      if (first == group.end) continue;
      add_edge(events_.reads_at(open.txn), events_.commit(seen_.writer(session_writes_[first])),
               number);
    }
    return;
  }
  const TxnId writer = seen_.writer(source);
  derived_.found_readers[source.raw()].push_back(open.txn);
  add_edge(events_.commit(writer), events_.begin(open.txn), number);
  // The next write of each session among those that the source certainly precedes.
  for (const Group& group : groups_.row(open.key.raw())) {
    const auto first = session_writes_.begin() + group.begin;
    const auto last = session_writes_.begin() + group.end;
    auto next = std::partition_point(first, last, [&](WriteId write) {
      return write == source ||
             !is_implied(events_.commit(writer), events_.overwrite(source, write));
    });
    if (next != last && seen_.writer(*next) == open.txn) ++next;
    if (next != last) derive({writer, seen_.writer(*next)}, TxnId::none());
  }
  budget_.spend(groups_.row(open.key.raw()).size() * 16);
}

}  // namespace isolde::prune
