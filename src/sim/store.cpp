// The store. Concurrency control is decided at commit, against committed transactions only:
// every dependency between two of them is seen by the one that commits later.
//
// Why the serializable store is right: let snap and commit be positions. A wr or ww edge X -> Y
// has commit(X) <= snap(Y), and so has an rw edge between transactions that are not concurrent.
// A concurrent rw edge X -> Y has snap(X) < commit(Y), and no two of them follow one another
// because no transaction has both flags. So along any path snap grows, at the latest every
// second edge, and no cycle exists. Edges from real time (or session order) have commit(X) <=
// snap(Y) when snapshots are fresh (or session-consistent): then the level holds in its strong
// form.
//
// COST: a read or write is constant, beside the versions newer than the snapshot, which are
// few; a begin or commit of a transaction with r reads and w writes is O(r + w).
#include "sim/store.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "base/assert.hpp"

namespace isolde::sim {
Store::Store(const StoreOptions& options) : options_(options), rng_(options.seed) {
  ISOLDE_CHECK(options.sessions > 0);
  active_.assign(options.sessions, kIdle);
  floor_.assign(options.sessions, 0);
  flags_.push_back(0);
}

void Store::begin(StoreTxn& txn, std::uint32_t session, bool first_attempt,
                  std::uint32_t exposed_key) {
  ISOLDE_ASSERT(active_[session] == kIdle);  // S2
  txn.session = session;
  txn.staleness = first_attempt ? options_.staleness : Staleness::kFresh;
  txn.fresh = last_;
  txn.struck = false;
  txn.fault_seen = false;
  txn.exposed_key = exposed_key;
  txn.reads.clear();
  txn.writes.clear();

  if (strikes_at_begin() && first_attempt && strikes()) {
    txn.struck = true;
    ++faults_injected_;
  }
  txn.snapshot = last_;
  if (ages_snapshots() && txn.struck) {
    const auto lag = static_cast<Seq>(1 + rng_.below(kLagMax - 1));
    const bool keeps_session = fault_is(Fault::kStaleRead);
    if (!keeps_session) txn.fresh = floor_[session];
    txn.snapshot =
        stale_position(session, keeps_session ? Staleness::kSession : Staleness::kAny, lag);
  } else if (txn.staleness != Staleness::kFresh && reads_snapshot(txn)) {
    const auto lag = static_cast<Seq>(rng_.below(kLagMax));
    txn.snapshot = stale_position(session, txn.staleness, lag);
  }
  active_[session] = txn.snapshot;
  if (reads_snapshot(txn)) floor_[session] = std::max(floor_[session], txn.snapshot);
}

std::int64_t Store::read(StoreTxn& txn, std::uint32_t key, std::int64_t later) {
  if (later != 0 && strikes(txn, Fault::kFutureRead)) return later;
  if (strikes(txn, Fault::kThinAirRead)) return kThinAir + last_;
  if (const StoreTxn::WriteEntry* own = txn.writes.find(key)) {
    if (own->first != own->value && strikes(txn, Fault::kNotMyLastWrite)) return own->first;
    if (!strikes(txn, Fault::kNotMyOwnWrite)) return own->value;
  }
  return read_version(txn, key, false).value;
}

void Store::read_list(StoreTxn& txn, std::uint32_t key, std::vector<std::int64_t>& out) {
  const StoreTxn::WriteEntry* const own = txn.writes.find(key);
  const Version version = read_version(txn, key, own != nullptr);
  if (version.length > 0) {
    const std::vector<std::int64_t>& log = logs_[static_cast<std::size_t>(version.value)];
    out.insert(out.end(), log.begin(), log.begin() + version.length);
  }
  if (fault_is(Fault::kDirtyWrite)) {
    reserve_key(key);
    list_read_[key] = std::max(list_read_[key], version.seq);
  }
  if (own != nullptr && !strikes(txn, Fault::kNotMyOwnWrite)) {
    const bool forgets = own->elements.size() > 1 && strikes(txn, Fault::kNotMyLastWrite);
    out.insert(out.end(), own->elements.begin(), own->elements.end() - (forgets ? 1 : 0));
  }
  if (strikes(txn, Fault::kThinAirRead)) out.push_back(kThinAir + last_);
}

void Store::write(StoreTxn& txn, std::uint32_t key, std::int64_t value) {
  StoreTxn::WriteEntry* const own = txn.writes.find(key);
  StoreTxn::WriteEntry& entry = own != nullptr ? *own : txn.writes.add(key);
  if (own == nullptr) entry.first = value;
  entry.value = value;
  expose(txn, entry, own != nullptr);
}

void Store::append(StoreTxn& txn, std::uint32_t key, std::int64_t element) {
  StoreTxn::WriteEntry* const own = txn.writes.find(key);
  StoreTxn::WriteEntry& entry = own != nullptr ? *own : txn.writes.add(key);
  entry.list = true;
  entry.elements.push_back(element);
  expose(txn, entry, own != nullptr);
}

std::int64_t Store::compare_and_set(StoreTxn& txn, std::uint32_t key, std::int64_t expected,
                                    std::int64_t value) {
  const StoreTxn::WriteEntry* const own = txn.writes.find(key);
  const std::int64_t held = own != nullptr ? own->value : read_version(txn, key, true).value;
  if (held == expected) write(txn, key, value);
  return held;
}

std::int64_t Store::increment(StoreTxn& txn, std::uint32_t key, std::int64_t by) {
  const StoreTxn::WriteEntry* const own = txn.writes.find(key);
  const std::int64_t held = own != nullptr ? own->value : read_version(txn, key, true).value;
  write(txn, key, held + by);
  return held + by;
}

void Store::pin(StoreTxn& txn, std::uint32_t key) {
  if (StoreTxn::ReadEntry* const entry = txn.reads.find(key)) entry->pinned = true;
}

void Store::found_nothing(StoreTxn& txn, std::uint32_t key) {
  const bool repeatable = options_.level != StoreLevel::kReadCommitted;
  if (repeatable && txn.reads.find(key) == nullptr) txn.reads.add(key);
}

void Store::had_found_nothing(Seq reader, std::uint32_t key) {
  if (!uses_rw_flags()) return;
  reserve_key(key);
  readers_[key].push_back(reader);
}

void Store::take_back(StoreTxn& txn, const Entries<StoreTxn::WriteEntry>& writes) {
  conceal(txn);
  txn.writes = writes;
}

Seq Store::commit(StoreTxn& txn) {
  ISOLDE_ASSERT(active_[txn.session] == txn.snapshot);
  ISOLDE_CHECK(last_ < kIdle - 2 * kLagMax);
  const bool admitted = admits(txn);
  const Seq seq = ++last_;
  if (uses_rw_flags()) flags_.push_back(0);
  if (admitted) {
    if (uses_rw_flags()) mark_rw_edges(txn, seq);
    install(txn, seq);
    floor_[txn.session] = std::max(floor_[txn.session], seq);
  }
  finish(txn);
  return admitted ? seq : 0;
}

void Store::abort(StoreTxn& txn) { finish(txn); }

void Store::reserve_key(std::uint32_t key) {
  if (key < chains_.size()) return;
  const std::size_t size = std::max<std::size_t>(key + std::size_t{1}, chains_.size() * 2);
  chains_.resize(size);
  if (uses_rw_flags()) readers_.resize(size);
  if (fault_is(Fault::kDirtyWrite)) list_read_.resize(size);
}

// Under some faults the strict-serializable store hands out snapshots.
bool Store::reads_snapshot(const StoreTxn& txn) const {
  switch (options_.level) {
    case StoreLevel::kStrictSerializable:
      return ages_snapshots() ||
             ((fault_is(Fault::kWriteSkew) || fault_is(Fault::kReadSkew)) && txn.struck);
    case StoreLevel::kSerializable:
    case StoreLevel::kSnapshotIsolation:
      return true;
    case StoreLevel::kReadCommitted:
      break;
  }
  return false;
}

// An optimistic store cannot serialize a transaction before others that it missed; with fresh
// snapshots serializable snapshot isolation is just as strict, so under faults that age
// snapshots it serves as the strict-serializable store. Then only real time breaks.
bool Store::uses_rw_flags() const {
  return options_.level == StoreLevel::kSerializable ||
         (options_.level == StoreLevel::kStrictSerializable && ages_snapshots());
}

Seq Store::stale_position(std::uint32_t session, Staleness staleness, Seq lag) const {
  const Seq position = last_ > lag ? last_ - lag : 0;
  return staleness == Staleness::kSession ? std::max(position, floor_[session]) : position;
}

// Reads see what is visible from here.
Seq Store::read_position(StoreTxn& txn) {
  if (fault_is(Fault::kReadSkew) && txn.struck) return last_;
  if (reads_snapshot(txn)) return txn.snapshot;
  if (txn.staleness == Staleness::kFresh) return last_;
  const auto lag = static_cast<Seq>(rng_.below(kLagMax));
  const Seq position = stale_position(txn.session, txn.staleness, lag);
  floor_[txn.session] = std::max(floor_[txn.session], position);
  return position;
}

// The newest version that the transaction sees from `position`; the initial one when there is
// none. Sets `skipped` when a fault hides a newer one.
Version Store::visible(const StoreTxn& txn, std::uint32_t key, Seq position,
                       bool& skipped) const {
  if (key >= chains_.size()) return {};
  const Seq due = ages_snapshots() && txn.struck ? txn.fresh : position;
  const Chain& versions = chains_[key];
  for (auto version = versions.rbegin(); version != versions.rend(); ++version) {
    if (version->visible[group_of(txn)] <= position) return *version;
    skipped = skipped || version->seq <= due;
  }
  return {};
}

Version Store::read_version(StoreTxn& txn, std::uint32_t key, bool pin) {
  const bool repeatable = options_.level != StoreLevel::kReadCommitted;
  StoreTxn::ReadEntry* entry = txn.reads.find(key);
  if (entry != nullptr && (repeatable || (pin && entry->pinned))) {
    if (!pin) later_version(txn, *entry);
    return entry->version;
  }
  if (entry == nullptr) entry = &txn.reads.add(key);
  entry->pinned = pin;
  const auto dirty = dirty_.find(key);
  entry->dirty = dirty != dirty_.end() && dirty->second.session != txn.session;
  if (entry->dirty) {
    entry->version = dirty->second.version;
    txn.fault_seen = true;
  } else {
    entry->version = visible(txn, key, read_position(txn), txn.fault_seen);
    if (fault_is(Fault::kReadSkew) && entry->version.seq > txn.snapshot) txn.fault_seen = true;
    earlier_version(txn, *entry);
  }
  return entry->version;
}

bool Store::admits(StoreTxn& txn) {
  if (fault_is(Fault::kAbortedRead) && txn.struck) return false;
  switch (options_.level) {
    case StoreLevel::kReadCommitted:
      return admits_pinned(txn);
    case StoreLevel::kSnapshotIsolation:
      return admits_snapshot(txn);
    case StoreLevel::kSerializable:
      return admits_snapshot(txn) && admits_rw_edges(txn);
    case StoreLevel::kStrictSerializable:
      break;
  }
  if (ages_snapshots()) return admits_snapshot(txn) && admits_rw_edges(txn);
  return admits_optimistic(txn);
}

// A transaction that write-skew or read-skew struck is validated for the keys it writes only.
bool Store::admits_optimistic(StoreTxn& txn) {
  if (reads_snapshot(txn) && !admits_snapshot(txn)) return false;
  bool update_missed = false;
  for (const StoreTxn::ReadEntry& entry : txn.reads) {
    bool skipped = false;
    const Seq latest = visible(txn, entry.key, last_, skipped).seq;
    if (entry.dirty || latest == entry.version.seq) continue;
    if (reads_snapshot(txn)) {
      txn.fault_seen = true;
      continue;
    }
    if (txn.writes.find(entry.key) == nullptr) return false;
    update_missed = true;
  }
  for (const StoreTxn::WriteEntry& entry : txn.writes) {
    if (!latest_is_visible(txn, entry.key, last_)) return false;
  }
  return !update_missed || lose_update(txn);
}

// The first committer wins.
bool Store::admits_snapshot(StoreTxn& txn) {
  bool conflict = false;
  bool update_missed = false;
  for (const StoreTxn::WriteEntry& entry : txn.writes) {
    if (latest_is_visible(txn, entry.key, txn.snapshot)) continue;
    conflict = true;
    // A register written without being read loses nothing: the order of the two is free.
    update_missed = update_missed || entry.list || txn.reads.find(entry.key) != nullptr;
  }
  return !conflict || (update_missed && lose_update(txn));
}

bool Store::admits_rw_edges(StoreTxn& txn) {
  const bool struck_before =
      (fault_is(Fault::kLostUpdate) || fault_is(Fault::kReadSkew)) && txn.struck;
  if (struck_before || is_pivot_free(txn)) return true;
  if (!fault_is(Fault::kWriteSkew) || !strikes()) return false;
  ++faults_injected_;
  txn.fault_seen = true;
  return true;
}

bool Store::admits_pinned(const StoreTxn& txn) const {
  return std::ranges::all_of(txn.reads, [&](const StoreTxn::ReadEntry& entry) {
    if (!entry.pinned || entry.dirty) return true;
    const bool written = entry.key < chains_.size() && !chains_[entry.key].empty();
    return entry.version.seq == (written ? chains_[entry.key].back().seq : 0);
  });
}

// Commits the transaction although it missed a version of a key that it updates, when the fault
// is on and strikes.
bool Store::lose_update(StoreTxn& txn) {
  if (!fault_is(Fault::kLostUpdate) || !strikes()) return false;
  ++faults_injected_;
  txn.struck = true;
  txn.fault_seen = true;
  return true;
}

bool Store::latest_is_visible(const StoreTxn& txn, std::uint32_t key, Seq position) const {
  if (key >= chains_.size() || chains_[key].empty()) return true;
  return chains_[key].back().visible[group_of(txn)] <= position;
}

// True when no committed transaction, this one included, gets both an incoming and an outgoing
// rw edge from and to concurrent ones by this commit.
bool Store::is_pivot_free(const StoreTxn& txn) const {
  bool in = false;
  bool out = false;
  for (const StoreTxn::ReadEntry& entry : txn.reads) {
    if (entry.dirty || entry.key >= chains_.size()) continue;
    const Chain& versions = chains_[entry.key];
    for (auto version = versions.rbegin();
         version != versions.rend() && version->seq > txn.snapshot; ++version) {
      if ((flags_[version->seq] & kOut) != 0) return false;
      out = true;
    }
  }
  for (const StoreTxn::WriteEntry& entry : txn.writes) {
    if (entry.key >= readers_.size()) continue;
    const std::vector<Seq>& readers = readers_[entry.key];
    for (auto reader = readers.rbegin(); reader != readers.rend() && *reader > txn.snapshot;
         ++reader) {
      if ((flags_[*reader] & kIn) != 0) return false;
      in = true;
    }
  }
  return !(in && out);
}

void Store::mark_rw_edges(const StoreTxn& txn, Seq seq) {
  for (const StoreTxn::WriteEntry& entry : txn.writes) {
    if (entry.key >= readers_.size()) continue;
    const std::vector<Seq>& readers = readers_[entry.key];
    for (auto reader = readers.rbegin(); reader != readers.rend() && *reader > txn.snapshot;
         ++reader) {
      flags_[*reader] |= kOut;
      flags_[seq] |= kIn;
    }
  }
  for (const StoreTxn::ReadEntry& entry : txn.reads) {
    if (entry.dirty) continue;
    reserve_key(entry.key);
    const Chain& versions = chains_[entry.key];
    for (auto version = versions.rbegin();
         version != versions.rend() && version->seq > txn.snapshot; ++version) {
      flags_[version->seq] |= kIn;
      flags_[seq] |= kOut;
    }
    std::vector<Seq>& readers = readers_[entry.key];
    if (readers.size() >= 16 && std::has_single_bit(readers.size())) {
      readers.erase(readers.begin(), std::ranges::upper_bound(readers, horizon_));
    }
    readers.push_back(seq);
  }
}

void Store::install(StoreTxn& txn, Seq seq) {
  if (txn.writes.empty()) return;
  const std::size_t group = group_of(txn);
  if (fault_is(Fault::kLongFork) && strikes()) {
    ++faults_injected_;
    const auto lag = static_cast<Seq>(1 + rng_.below(kLagMax));
    fork_end_[group] = std::max(fork_end_[group], seq + lag);
  }
  Seq hidden = seq;
  if (fault_is(Fault::kCausalityViolation) && strikes()) {
    ++faults_injected_;
    hidden = seq + static_cast<Seq>(1 + rng_.below(kLagMax));
  }
  Seq late = seq;
  if (fault_is(Fault::kFracturedRead) && txn.writes.size() > 1 && strikes()) {
    ++faults_injected_;
    late = seq + static_cast<Seq>(1 + rng_.below(kLagMax));
  }
  bool odd = false;
  for (const StoreTxn::WriteEntry& entry : txn.writes) {
    Version version;
    version.value = entry.value;
    if (entry.list && !slips_below(txn, entry, version)) {
      version = extended(base_of(txn, entry.key), entry.elements);
    }
    version.seq = seq;
    version.visible.fill(odd ? late : seq);
    // All of a group's commits come into the other group's sight in order, so that a snapshot
    // never holds a transaction without those it depends on.
    Seq& elsewhere = version.visible[1 - group];
    elsewhere = std::max({elsewhere, fork_end_[group], hidden});
    odd = !odd;
    reserve_key(entry.key);
    Chain& versions = chains_[entry.key];
    ISOLDE_ASSERT(versions.empty() || versions.back().seq < seq);  // S1
    prune(versions);
    versions.push_back(version);
  }
}

// The version that a commit's appends extend.
Version Store::base_of(const StoreTxn& txn, std::uint32_t key) const {
  if (fault_is(Fault::kLostUpdate) && txn.struck) {
    bool skipped = false;
    if (reads_snapshot(txn)) return visible(txn, key, txn.snapshot, skipped);
    const StoreTxn::ReadEntry* const entry = txn.reads.find(key);
    if (entry != nullptr && !entry->dirty) return entry->version;
  }
  if (key >= chains_.size() || chains_[key].empty()) return {};
  return chains_[key].back();
}

// Lists share logs: a version is a prefix. One that does not end where its log ends is copied.
Version Store::extended(const Version& base, const std::vector<std::int64_t>& elements) {
  Version version = base;
  if (base.length == 0 || logs_[static_cast<std::size_t>(base.value)].size() != base.length) {
    std::vector<std::int64_t> log;
    if (base.length > 0) {
      const std::vector<std::int64_t>& shared = logs_[static_cast<std::size_t>(base.value)];
      log.assign(shared.begin(), shared.begin() + base.length);
    }
    version.value = static_cast<std::int64_t>(logs_.size());
    logs_.push_back(std::move(log));
  }
  std::vector<std::int64_t>& log = logs_[static_cast<std::size_t>(version.value)];
  log.insert(log.end(), elements.begin(), elements.end());
  version.base = base.length;
  version.length = static_cast<std::uint32_t>(log.size());
  return version;
}

// Drops versions older than the newest one that everybody sees. Looks only when the number has
// doubled, so that hot keys with many versions in use do not pay at every write.
void Store::prune(Chain& versions) const {
  if (versions.size() < 4 || !std::has_single_bit(versions.size())) return;
  const auto seen =
      std::find_if(versions.rbegin(), versions.rend(), [&](const Version& version) {
        return std::max(version.visible[0], version.visible[1]) <= horizon_;
      });
  if (seen == versions.rend()) return;
  versions.erase(versions.begin(), seen.base() - 1);
}

void Store::finish(StoreTxn& txn) {
  conceal(txn);
  active_[txn.session] = kIdle;
  if (last_ % std::max<Seq>(64, options_.sessions) == 0) update_horizon();
}

void Store::update_horizon() {
  const bool lags = options_.staleness != Staleness::kFresh || ages_snapshots();
  const Seq lag = lags ? kLagMax : 0;
  Seq horizon = last_ > lag ? last_ - lag : 0;
  for (const Seq snapshot : active_) horizon = std::min(horizon, snapshot);
  ISOLDE_ASSERT(horizon >= horizon_);  // S3
  horizon_ = horizon;
}

}  // namespace isolde::sim
