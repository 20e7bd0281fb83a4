// A multi-version key-value store in memory that gives exactly the level it is asked for, and
// can be told to go wrong in one particular way. Registers and lists. One call at a time: the
// caller (sim/simulate.cpp) decides how the calls of concurrent transactions interleave.
//
// How each level is made:
//   strict-serializable  optimistic: reads take the latest version, the commit succeeds when
//   all
//                        of them are still the latest. The commit order is the serial order.
//   serializable         serializable snapshot isolation (Cahill, Roehm, Fekete, SIGMOD 2008):
//   as
//                        snapshot isolation, and a commit fails that would leave a committed
//                        transaction with both an incoming and an outgoing rw edge between
//                        concurrent transactions. Serial orders differ from the commit order.
//   snapshot-isolation   reads see the snapshot taken at begin; the commit fails when a written
//                        key has a version that the snapshot does not hold.
//   read-committed       each read sees the latest commit of its moment, writes happen at
//   commit.
//                        A list read after the transaction's own append fixes the list's base,
//                        and the commit fails when the base has changed (a row lock would have
//                        made others wait): otherwise the read would show a list that never
//                        was.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/rng.hpp"
#include "isolde/level.hpp"
#include "isolde/status.hpp"
#include "sim/entries.hpp"

namespace isolde::sim {

enum class StoreLevel : std::uint8_t {
  kStrictSerializable,
  kSerializable,
  kSnapshotIsolation,
  kReadCommitted,
};

// Which commits a snapshot (read-committed: a read) may miss.
enum class Staleness : std::uint8_t {
  kFresh,    // none that came before it
  kSession,  // recent ones, but none that its session has made or could have seen
  kAny,      // recent ones
};

enum class Fault : std::uint8_t {
  kNone,
  kLostUpdate,
  kAbortedRead,
  kIntermediateRead,
  kFracturedRead,
  kWriteSkew,
  kStaleRead,
  kLongFork,
  kThinAirRead,
  kFutureRead,
  kNotMyLastWrite,
  kNotMyOwnWrite,
  kNonRepeatableRead,
  kSessionViolation,
  kNonMonotonicRead,
  kCausalityViolation,
  kReadSkew,
  kDirtyWrite,
  kCircularFlow,
};

struct StoreLevelInfo {
  StoreLevel level;
  std::string_view name;
  std::string_view summary;
};

struct StalenessInfo {
  Staleness staleness;
  std::string_view name;
  std::string_view summary;
};

struct FaultInfo {
  Fault fault;
  std::string_view name;
  std::string_view summary;
  // The weakest level (Isolde's name) that the fault can violate; stronger ones break with it.
  std::optional<Level> violates;
  // The store levels at which it has an effect, as bits 1 << StoreLevel.
  std::uint8_t applies_to;
};

std::span<const StoreLevelInfo> all_store_levels();
std::span<const StalenessInfo> all_stalenesses();
std::span<const FaultInfo> all_faults();
const StoreLevelInfo& info(StoreLevel level);
const StalenessInfo& info(Staleness staleness);
const FaultInfo& info(Fault fault);

// By name. ERRORS: kUsage, listing the known names.
Result<StoreLevel> parse_store_level(std::string_view name);
Result<Staleness> parse_staleness(std::string_view name);
Result<Fault> parse_fault(std::string_view name);

// The strongest level that every history of the store satisfies when no fault is on.
Level guaranteed_level(StoreLevel level, Staleness staleness);

// Position in the order in which the store decided commits, from 1; 0 is the initial state. A
// commit that fails uses up a position too, so that versions which a fault shows late (a number
// of positions later) come into sight even when they make every commit fail.
using Seq = std::uint32_t;

struct StoreOptions {
  StoreLevel level = StoreLevel::kStrictSerializable;
  Staleness staleness = Staleness::kFresh;
  Fault fault = Fault::kNone;
  double fault_rate = 0;
  std::uint32_t sessions = 1;
  std::uint64_t seed = 0;
};

// One version of a key. A list's elements are a prefix of a log that its versions share.
struct Version {
  Seq seq = 0;                      // of the writer
  std::array<Seq, 2> visible = {};  // for each group of sessions: snapshots from here on see it
  std::uint32_t length = 0;         // lists: number of elements
  std::uint32_t base = 0;           // lists: number of elements before the writer's own
  std::int64_t value = 0;           // register: the value, 0 initially. List: its log.
};

// A transaction in progress. The caller owns it and reuses it for the session's next one.
struct StoreTxn {
  struct ReadEntry {
    std::uint32_t key = 0;
    bool dirty = false;   // an uncommitted version, exposed by a fault
    bool pinned = false;  // read-committed: base of a list that the transaction appended to,
                          // or of a compare-and-set, or a row that it changes
    Version version;
  };
  struct WriteEntry {
    std::uint32_t key = 0;
    bool list = false;
    std::int64_t value = 0;              // register
    std::int64_t first = 0;              // register: what was written to it first
    std::vector<std::int64_t> elements;  // list
  };

  std::uint32_t session = 0;
  Staleness staleness = Staleness::kFresh;
  Seq snapshot = 0;
  Seq fresh = 0;                       // the store's position when it began
  bool struck = false;                 // the fault was drawn for this transaction
  bool fault_seen = false;             // the fault changed what it read, or let it commit
  std::uint32_t exposed_key = kNoKey;  // intermediate-read: the key it writes twice
  Entries<ReadEntry> reads;
  Entries<WriteEntry> writes;

  static constexpr std::uint32_t kNoKey = 0xffffffffU;
};

// Invariants: S1 a key's versions are in the order of seq; S2 a session has at most one
// transaction in progress; S3 every version that a transaction in progress or a later stale
// snapshot can ask for is kept; S4 (serializable, no fault) no committed transaction has both
// flags.
class Store {
 public:
  explicit Store(const StoreOptions& options);

  // Starts a transaction. `first_attempt` is false when an equal one has aborted: then neither
  // staleness nor the aborted-read fault strikes, so that a retry succeeds some time.
  // `exposed_key` as in StoreTxn, where it may also be set later.
  void begin(StoreTxn& txn, std::uint32_t session, bool first_attempt,
             std::uint32_t exposed_key);

  // The register's value, 0 when nobody wrote it. `later`: what the client will write to the
  // key in the same transaction, for the fault future-read; 0 for nothing.
  std::int64_t read(StoreTxn& txn, std::uint32_t key, std::int64_t later = 0);
  // Adds the list's elements to `out`.
  void read_list(StoreTxn& txn, std::uint32_t key, std::vector<std::int64_t>& out);
  void write(StoreTxn& txn, std::uint32_t key, std::int64_t value);
  void append(StoreTxn& txn, std::uint32_t key, std::int64_t element);
  // Sets the register when it holds `expected`, atomically at every level: the commit fails
  // when the register has changed since. Returns what it held.
  std::int64_t compare_and_set(StoreTxn& txn, std::uint32_t key, std::int64_t expected,
                               std::int64_t value);

  // Adds to the register, in which one that nobody wrote counts as 0, atomically at every
  // level, as compare_and_set(). Returns what it holds now.
  std::int64_t increment(StoreTxn& txn, std::uint32_t key, std::int64_t by);

  // At every level, the commit fails when the key has changed since the transaction's last
  // read.
  void pin(StoreTxn& txn, std::uint32_t key);
  // The transaction has seen that the key had no value, where the store had not heard of the
  // key yet.
  void found_nothing(StoreTxn& txn, std::uint32_t key);
  // The same of a transaction that has committed since, and of a key that is new. REQUIRES:
  // such calls for a key come in the order of the commits.
  void had_found_nothing(Seq reader, std::uint32_t key);
  // Commits up to here are concurrent with no transaction, present or future.
  Seq horizon() const { return horizon_; }
  // Goes back to what the transaction had written before.
  void take_back(StoreTxn& txn, const Entries<StoreTxn::WriteEntry>& writes);

  // Ends the transaction: its position, or 0 when it had to abort.
  Seq commit(StoreTxn& txn);
  void abort(StoreTxn& txn);

  // Whether the fault may strike from now on; at first it may.
  void let_faults_strike(bool may) { may_strike_ = may; }

  // How often the fault struck.
  std::uint64_t faults_injected() const { return faults_injected_; }

  // Stale snapshots lag behind by fewer positions than this; late versions come later by at
  // most this many.
  static constexpr Seq kLagMax = 64;

 private:
  using Chain = std::vector<Version>;
  struct Dirty {
    std::uint32_t session = 0;
    Version version;
  };
  enum Flag : std::uint8_t { kIn = 1, kOut = 2 };

  bool fault_is(Fault fault) const { return options_.fault == fault; }
  bool strikes() { return may_strike_ && rng_.chance(options_.fault_rate); }
  // Whether the fault strikes here and now; the transaction then remembers it.
  bool strikes(StoreTxn& txn, Fault fault);
  bool strikes_at_begin() const;
  // The faults that hand out old snapshots.
  bool ages_snapshots() const {
    return fault_is(Fault::kStaleRead) || fault_is(Fault::kSessionViolation);
  }
  // The group of sessions that sees commits in the same order, under long-fork.
  static std::size_t group_of(const StoreTxn& txn) { return txn.session & 1U; }

  void reserve_key(std::uint32_t key);
  bool reads_snapshot(const StoreTxn& txn) const;
  bool uses_rw_flags() const;
  Seq stale_position(std::uint32_t session, Staleness staleness, Seq lag) const;
  Seq read_position(StoreTxn& txn);
  Version visible(const StoreTxn& txn, std::uint32_t key, Seq position, bool& skipped) const;
  Version read_version(StoreTxn& txn, std::uint32_t key, bool pin);

  bool admits(StoreTxn& txn);
  bool admits_optimistic(StoreTxn& txn);
  bool admits_snapshot(StoreTxn& txn);
  bool admits_rw_edges(StoreTxn& txn);
  bool admits_pinned(const StoreTxn& txn) const;
  bool is_pivot_free(const StoreTxn& txn) const;
  bool latest_is_visible(const StoreTxn& txn, std::uint32_t key, Seq position) const;
  bool lose_update(StoreTxn& txn);

  void mark_rw_edges(const StoreTxn& txn, Seq seq);
  void install(StoreTxn& txn, Seq seq);
  Version base_of(const StoreTxn& txn, std::uint32_t key) const;
  Version extended(const Version& base, const std::vector<std::int64_t>& elements);
  void prune(Chain& versions) const;
  void finish(StoreTxn& txn);
  void update_horizon();

  bool later_version(StoreTxn& txn, StoreTxn::ReadEntry& entry);
  bool earlier_version(StoreTxn& txn, StoreTxn::ReadEntry& entry);
  bool lists_of_one_writer(const StoreTxn& txn, std::uint32_t key) const;
  bool slips_below(StoreTxn& txn, const StoreTxn::WriteEntry& entry, Version& version);

  void expose(const StoreTxn& txn, const StoreTxn::WriteEntry& write, bool again);
  void conceal(const StoreTxn& txn);

  StoreOptions options_;
  base::Rng rng_;
  Seq last_ = 0;
  Seq horizon_ = 0;                                 // no snapshot, present or future, is older
  std::vector<Chain> chains_;                       // by key
  std::vector<std::vector<Seq>> readers_;           // serializable: by key, committed readers
  std::vector<std::uint8_t> flags_;                 // serializable: by Seq
  std::vector<std::vector<std::int64_t>> logs_;     // elements of lists
  std::vector<Seq> list_read_;                      // dirty-write: by key, latest version read
  std::vector<Seq> active_;                         // by session: its snapshot, or kIdle
  std::vector<Seq> floor_;                          // by session: the latest state it knows of
  std::array<Seq, 2> fork_end_ = {};                // long-fork: by group, when others see it
  std::unordered_map<std::uint32_t, Dirty> dirty_;  // by key; looked up, never walked through
  std::uint64_t faults_injected_ = 0;
  bool may_strike_ = true;

  static constexpr Seq kIdle = 0xffffffffU;
  // What thin-air-read shows: no client writes such numbers.
  static constexpr std::int64_t kThinAir = std::int64_t{1} << 61;
};

}  // namespace isolde::sim
