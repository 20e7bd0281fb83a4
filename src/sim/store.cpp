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
// COST: a begin, read, write or commit of a transaction with r reads and w writes costs
// O(r + w) for finding its own entries and the versions newer than its snapshot, which are few.
#include "sim/store.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "base/assert.hpp"

namespace isolde::sim {
namespace {

constexpr std::uint8_t bit(StoreLevel level) {
  return static_cast<std::uint8_t>(1U << static_cast<unsigned>(level));
}

constexpr std::uint8_t kSerializableOnes =
    bit(StoreLevel::kStrictSerializable) | bit(StoreLevel::kSerializable);
constexpr std::uint8_t kSnapshotOnes = kSerializableOnes | bit(StoreLevel::kSnapshotIsolation);
constexpr std::uint8_t kAllLevels = kSnapshotOnes | bit(StoreLevel::kReadCommitted);

constexpr std::array<StoreLevelInfo, 4> kStoreLevels = {{
    {StoreLevel::kStrictSerializable, "strict-serializable",
     "optimistic: a commit succeeds when everything read is still the latest"},
    {StoreLevel::kSerializable, "serializable", "serializable snapshot isolation"},
    {StoreLevel::kSnapshotIsolation, "snapshot-isolation",
     "reads of one snapshot, the first committer of a key wins"},
    {StoreLevel::kReadCommitted, "read-committed", "each read takes the latest commit"},
}};

constexpr std::array<StalenessInfo, 3> kStalenesses = {{
    {Staleness::kFresh, "fresh", "snapshots hold every earlier commit"},
    {Staleness::kSession, "session",
     "snapshots may miss recent commits, but none that the session knows of"},
    {Staleness::kAny, "any", "snapshots may miss recent commits"},
}};

constexpr std::array<FaultInfo, 8> kFaults = {{
    {Fault::kNone, "none", "the store keeps its level", std::nullopt, kAllLevels},
    {Fault::kLostUpdate, "lost-update",
     "a commit overwrites a version that its transaction should have seen and did not",
     Level::kSnapshotIsolation, kSnapshotOnes},
    {Fault::kAbortedRead, "aborted-read",
     "others read the writes of a transaction in progress that will abort",
     Level::kReadCommitted, kAllLevels},
    {Fault::kIntermediateRead, "intermediate-read",
     "a transaction writes a key twice, and in between others read its first write",
     Level::kReadCommitted, kAllLevels},
    {Fault::kFracturedRead, "fractured-read",
     "half of a transaction's writes become visible some commits after the others",
     Level::kStrongSessionMonotonicAtomicView, kAllLevels},
    {Fault::kWriteSkew, "write-skew",
     "a transaction commits as under snapshot isolation, whatever it missed",
     Level::kSerializable, kSerializableOnes},
    {Fault::kStaleRead, "stale-read",
     "a transaction gets an old snapshot (never older than what its session has seen)",
     Level::kStrongSnapshotIsolation, kSnapshotOnes},
    {Fault::kLongFork, "long-fork",
     "sessions with odd and even numbers see each other's commits late, for a while",
     Level::kSnapshotIsolation, kSnapshotOnes},
}};

template <typename Row, std::size_t kCount>
const Row* find_row(const std::array<Row, kCount>& rows, std::string_view name) {
  const auto* const row = std::ranges::find(rows, name, &Row::name);
  return row == rows.end() ? nullptr : row;
}

template <typename Row, std::size_t kCount>
Error unknown_name(const std::array<Row, kCount>& rows, std::string_view what,
                   std::string_view name) {
  std::string message = "no " + std::string(what) + " '" + std::string(name) + "'; use ";
  for (const Row& row : rows) {
    if (&row != rows.data()) message += ", ";
    message += row.name;
  }
  return Error{ErrorCode::kUsage, std::move(message)};
}

StoreTxn::ReadEntry* find_read(StoreTxn& txn, std::uint32_t key) {
  const auto entry = std::ranges::find(txn.reads, key, &StoreTxn::ReadEntry::key);
  return entry == txn.reads.end() ? nullptr : &*entry;
}

const StoreTxn::ReadEntry* find_read(const StoreTxn& txn, std::uint32_t key) {
  const auto entry = std::ranges::find(txn.reads, key, &StoreTxn::ReadEntry::key);
  return entry == txn.reads.end() ? nullptr : &*entry;
}

const StoreTxn::WriteEntry* find_write(const StoreTxn& txn, std::uint32_t key) {
  const auto entry = std::ranges::find(txn.writes, key, &StoreTxn::WriteEntry::key);
  return entry == txn.writes.end() ? nullptr : &*entry;
}

StoreTxn::WriteEntry& write_entry(StoreTxn& txn, std::uint32_t key) {
  const auto entry = std::ranges::find(txn.writes, key, &StoreTxn::WriteEntry::key);
  if (entry != txn.writes.end()) return *entry;
  txn.writes.push_back({key, false, 0, {}});
  return txn.writes.back();
}

}  // namespace

std::span<const StoreLevelInfo> all_store_levels() { return kStoreLevels; }
std::span<const StalenessInfo> all_stalenesses() { return kStalenesses; }
std::span<const FaultInfo> all_faults() { return kFaults; }

const StoreLevelInfo& info(StoreLevel level) {
  return kStoreLevels[static_cast<std::size_t>(level)];
}
const StalenessInfo& info(Staleness staleness) {
  return kStalenesses[static_cast<std::size_t>(staleness)];
}
const FaultInfo& info(Fault fault) { return kFaults[static_cast<std::size_t>(fault)]; }

Result<StoreLevel> parse_store_level(std::string_view name) {
  const StoreLevelInfo* const row = find_row(kStoreLevels, name);
  if (row == nullptr) return unknown_name(kStoreLevels, "store level", name);
  return row->level;
}

Result<Staleness> parse_staleness(std::string_view name) {
  const StalenessInfo* const row = find_row(kStalenesses, name);
  if (row == nullptr) return unknown_name(kStalenesses, "staleness", name);
  return row->staleness;
}

Result<Fault> parse_fault(std::string_view name) {
  const FaultInfo* const row = find_row(kFaults, name);
  if (row == nullptr) return unknown_name(kFaults, "fault", name);
  return row->fault;
}

Level guaranteed_level(StoreLevel level, Staleness staleness) {
  switch (level) {
    case StoreLevel::kStrictSerializable:
      return Level::kStrictSerializable;
    case StoreLevel::kSerializable:
      if (staleness == Staleness::kFresh) return Level::kStrictSerializable;
      return staleness == Staleness::kSession ? Level::kStrongSessionSerializable
                                              : Level::kSerializable;
    case StoreLevel::kSnapshotIsolation:
      if (staleness == Staleness::kFresh) return Level::kStrongSnapshotIsolation;
      return staleness == Staleness::kSession ? Level::kStrongSessionSnapshotIsolation
                                              : Level::kSnapshotIsolation;
    case StoreLevel::kReadCommitted:
      break;
  }
  return staleness == Staleness::kAny ? Level::kReadCommitted
                                      : Level::kStrongSessionMonotonicAtomicView;
}

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

  const bool strikes_at_begin =
      fault_is(Fault::kAbortedRead) || fault_is(Fault::kStaleRead) ||
      (fault_is(Fault::kWriteSkew) && options_.level == StoreLevel::kStrictSerializable);
  if (strikes_at_begin && first_attempt && strikes()) {
    txn.struck = true;
    ++faults_injected_;
  }
  txn.snapshot = last_;
  if (fault_is(Fault::kStaleRead) && txn.struck) {
    const auto lag = static_cast<Seq>(1 + rng_.below(kLagMax - 1));
    txn.snapshot = stale_position(session, Staleness::kSession, lag);
  } else if (txn.staleness != Staleness::kFresh && reads_snapshot(txn)) {
    const auto lag = static_cast<Seq>(rng_.below(kLagMax));
    txn.snapshot = stale_position(session, txn.staleness, lag);
  }
  active_[session] = txn.snapshot;
  if (reads_snapshot(txn)) floor_[session] = std::max(floor_[session], txn.snapshot);
}

std::int64_t Store::read(StoreTxn& txn, std::uint32_t key) {
  if (const StoreTxn::WriteEntry* own = find_write(txn, key)) return own->value;
  return read_version(txn, key, false).value;
}

void Store::read_list(StoreTxn& txn, std::uint32_t key, std::vector<std::int64_t>& out) {
  const StoreTxn::WriteEntry* const own = find_write(txn, key);
  const Version version = read_version(txn, key, own != nullptr);
  if (version.length > 0) {
    const std::vector<std::int64_t>& log = logs_[static_cast<std::size_t>(version.value)];
    out.insert(out.end(), log.begin(), log.begin() + version.length);
  }
  if (own != nullptr) out.insert(out.end(), own->elements.begin(), own->elements.end());
}

void Store::write(StoreTxn& txn, std::uint32_t key, std::int64_t value) {
  const bool again = find_write(txn, key) != nullptr;
  StoreTxn::WriteEntry& entry = write_entry(txn, key);
  entry.value = value;
  expose(txn, entry, again);
}

void Store::append(StoreTxn& txn, std::uint32_t key, std::int64_t element) {
  const bool again = find_write(txn, key) != nullptr;
  StoreTxn::WriteEntry& entry = write_entry(txn, key);
  entry.list = true;
  entry.elements.push_back(element);
  expose(txn, entry, again);
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
}

// Under the faults write-skew and stale-read the strict-serializable store hands out snapshots.
bool Store::reads_snapshot(const StoreTxn& txn) const {
  switch (options_.level) {
    case StoreLevel::kStrictSerializable:
      return fault_is(Fault::kStaleRead) || (fault_is(Fault::kWriteSkew) && txn.struck);
    case StoreLevel::kSerializable:
    case StoreLevel::kSnapshotIsolation:
      return true;
    case StoreLevel::kReadCommitted:
      break;
  }
  return false;
}

// An optimistic store cannot serialize a transaction before others that it missed; with fresh
// snapshots serializable snapshot isolation is just as strict, so under stale-read it serves as
// the strict-serializable store. Then only real time breaks.
bool Store::uses_rw_flags() const {
  return options_.level == StoreLevel::kSerializable ||
         (options_.level == StoreLevel::kStrictSerializable && fault_is(Fault::kStaleRead));
}

Seq Store::stale_position(std::uint32_t session, Staleness staleness, Seq lag) const {
  const Seq position = last_ > lag ? last_ - lag : 0;
  return staleness == Staleness::kSession ? std::max(position, floor_[session]) : position;
}

// Reads see what is visible from here.
Seq Store::read_position(StoreTxn& txn) {
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
  const Seq due = fault_is(Fault::kStaleRead) && txn.struck ? txn.fresh : position;
  const Chain& versions = chains_[key];
  for (auto version = versions.rbegin(); version != versions.rend(); ++version) {
    if (version->visible[group_of(txn)] <= position) return *version;
    skipped = skipped || version->seq <= due;
  }
  return {};
}

Version Store::read_version(StoreTxn& txn, std::uint32_t key, bool own_append) {
  const bool repeatable = options_.level != StoreLevel::kReadCommitted;
  StoreTxn::ReadEntry* entry = find_read(txn, key);
  if (entry != nullptr && (repeatable || (own_append && entry->pinned))) return entry->version;
  if (entry == nullptr) entry = &txn.reads.emplace_back();
  entry->key = key;
  entry->pinned = own_append;
  const auto dirty = dirty_.find(key);
  entry->dirty = dirty != dirty_.end() && dirty->second.session != txn.session;
  if (entry->dirty) {
    entry->version = dirty->second.version;
    txn.fault_seen = true;
  } else {
    entry->version = visible(txn, key, read_position(txn), txn.fault_seen);
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
  if (fault_is(Fault::kStaleRead)) return admits_snapshot(txn) && admits_rw_edges(txn);
  return admits_optimistic(txn);
}

// A transaction that write-skew struck is validated for the keys it writes only.
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
    if (find_write(txn, entry.key) == nullptr) return false;
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
    update_missed = update_missed || entry.list || find_read(txn, entry.key) != nullptr;
  }
  return !conflict || (update_missed && lose_update(txn));
}

bool Store::admits_rw_edges(StoreTxn& txn) {
  const bool struck_before = fault_is(Fault::kLostUpdate) && txn.struck;
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

void Store::install(const StoreTxn& txn, Seq seq) {
  if (txn.writes.empty()) return;
  const std::size_t group = group_of(txn);
  if (fault_is(Fault::kLongFork) && strikes()) {
    ++faults_injected_;
    const auto lag = static_cast<Seq>(1 + rng_.below(kLagMax));
    fork_end_[group] = std::max(fork_end_[group], seq + lag);
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
    if (entry.list) version = extended(base_of(txn, entry.key), entry.elements);
    version.seq = seq;
    version.visible.fill(odd ? late : seq);
    // All of a group's commits come into the other group's sight in order, so that a snapshot
    // never holds a transaction without those it depends on.
    Seq& elsewhere = version.visible[1 - group];
    elsewhere = std::max(elsewhere, fork_end_[group]);
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
    const StoreTxn::ReadEntry* const entry = find_read(txn, key);
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
  const bool lags = options_.staleness != Staleness::kFresh || fault_is(Fault::kStaleRead);
  const Seq lag = lags ? kLagMax : 0;
  Seq horizon = last_ > lag ? last_ - lag : 0;
  for (const Seq snapshot : active_) horizon = std::min(horizon, snapshot);
  ISOLDE_ASSERT(horizon >= horizon_);  // S3
  horizon_ = horizon;
}

// Shows a write to others before the commit, when a fault asks for it. An intermediate write is
// withdrawn by the second one of its key.
void Store::expose(const StoreTxn& txn, const StoreTxn::WriteEntry& write, bool again) {
  if (fault_is(Fault::kIntermediateRead)) {
    if (write.key != txn.exposed_key) return;
    if (again) return conceal(txn);
    ++faults_injected_;
  } else if (!fault_is(Fault::kAbortedRead) || !txn.struck) {
    return;
  }
  Version version;
  version.value = write.value;
  if (write.list) {
    const Version base = base_of(txn, write.key);
    std::vector<std::int64_t> elements;
    if (base.length > 0) {
      const std::vector<std::int64_t>& log = logs_[static_cast<std::size_t>(base.value)];
      elements.assign(log.begin(), log.begin() + base.length);
    }
    elements.insert(elements.end(), write.elements.begin(), write.elements.end());
    version = extended({}, elements);  // a log of its own: nothing will extend it
  }
  dirty_[write.key] = {txn.session, version};
}

void Store::conceal(const StoreTxn& txn) {
  if (dirty_.empty()) return;
  for (const StoreTxn::WriteEntry& entry : txn.writes) {
    const auto dirty = dirty_.find(entry.key);
    if (dirty != dirty_.end() && dirty->second.session == txn.session) dirty_.erase(dirty);
  }
}

}  // namespace isolde::sim
