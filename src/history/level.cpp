#include "isolde/level.hpp"

#include <array>
#include <string>

#include "base/assert.hpp"
#include "base/text.hpp"
#include "history/base_levels.hpp"
#include "history/level_names.hpp"

namespace isolde {
namespace {

using enum BaseLevel;

constexpr auto kLevels = std::to_array<LevelInfo>({
    {Level::kStrictSerializable, "strict-serializable", "sser", kSerializable, false, true,
     "one transaction after the other, and never before one that had ended when it started"},
    {Level::kPerKeyStrictSerializable, "per-key-strict-serializable", "pkser", kPerKeyStrict,
     false, false,
     "serializable, and never before one that had ended and used one of the same keys"},
    {Level::kStrongSessionSerializable, "strong-session-serializable", "ssser", kSerializable,
     true, false, "one transaction after the other, each session in its own order"},
    {Level::kSerializable, "serializable", "ser", kSerializable, false, false,
     "equal to running the transactions one after the other in some order"},
    {Level::kRepeatableRead, "repeatable-read", "rr", kRepeatableRead, false, false,
     "serializable as far as single items go; what a condition selects may change"},

    {Level::kCommitOrderedStrongSnapshotIsolation, "commit-ordered-strong-snapshot-isolation",
     "cossi", kCommitOrderedSnapshot, false, false,
     "snapshots hold exactly what the database says was committed when they were taken"},
    {Level::kPrefixConsistentSnapshotIsolation, "prefix-consistent-snapshot-isolation", "pcsi",
     kPrefixSnapshot, true, false,
     "snapshots follow the database's commit times and hold the session's own transactions"},
    {Level::kAnsiSnapshotIsolation, "ansi-snapshot-isolation", "gsi", kAnsiSnapshot, false,
     false, "snapshots follow the database's commit times, and may be old"},

    {Level::kStrongSnapshotIsolation, "strong-snapshot-isolation", "strong-si",
     kSnapshotIsolation, false, true,
     "snapshot isolation where a snapshot holds everything that had ended when it was taken"},
    {Level::kStrongSessionSnapshotIsolation, "strong-session-snapshot-isolation", "sssi",
     kSnapshotIsolation, true, false,
     "snapshot isolation where a session's snapshots hold its own earlier transactions"},
    {Level::kSnapshotIsolation, "snapshot-isolation", "si", kSnapshotIsolation, false, false,
     "each transaction reads one snapshot, and no two that overlap write the same key"},

    {Level::kStrongParallelSnapshotIsolation, "strong-parallel-snapshot-isolation",
     "strong-psi", kParallelSnapshot, false, true,
     "parallel snapshot isolation where everything that had ended at the start is seen"},
    {Level::kStrongSessionParallelSnapshotIsolation,
     "strong-session-parallel-snapshot-isolation", "sspsi", kParallelSnapshot, true, false,
     "parallel snapshot isolation where a session sees its own earlier transactions"},
    {Level::kParallelSnapshotIsolation, "parallel-snapshot-isolation", "psi", kParallelSnapshot,
     false, false,
     "causal snapshots without lost updates; readers may disagree on unrelated writes"},

    {Level::kStrongPrefixConsistency, "strong-prefix-consistency", "strong-pc",
     kPrefixConsistency, false, true,
     "prefix consistency where a snapshot holds everything that had ended when it was taken"},
    {Level::kStrongSessionPrefixConsistency, "strong-session-prefix-consistency", "sspc",
     kPrefixConsistency, true, false,
     "prefix consistency where a session's snapshots hold its own earlier transactions"},
    {Level::kPrefixConsistency, "prefix-consistency", "pc", kPrefixConsistency, false, false,
     "each transaction reads one snapshot of a single commit order; updates can be lost"},

    {Level::kSequential, "sequential", "sc", kSequential, true, false,
     "one commit order for all; each session moves along it and never back, read by read"},
    {Level::kLinearizable, "linearizable", "lin", kLinearizable, false, true,
     "each key by itself: one operation after the other, in real time"},

    {Level::kStrongTransactionalCausal, "strong-transactional-causal", "strong-tcc",
     kTransactionalCausal, true, true,
     "transactional causal consistency where what had ended at the start counts as a cause"},
    {Level::kTransactionalCausal, "transactional-causal", "tcc", kTransactionalCausal, true,
     false, "whoever sees an effect sees its causes, and sees transactions whole"},
    {Level::kCausal, "causal", "cc", kCausal, true, false,
     "each session sees effects after their causes; transactions may be seen in part"},

    {Level::kStrongReadAtomic, "strong-read-atomic", "strong-ra", kReadAtomic, false, true,
     "read atomic where everything that had ended at the start is seen"},
    {Level::kStrongSessionReadAtomic, "strong-session-read-atomic", "ssra", kReadAtomic, true,
     false, "read atomic where a session sees its own earlier transactions"},
    {Level::kReadAtomic, "read-atomic", "ra", kReadAtomic, false, false,
     "a transaction sees all of another one's writes or none"},

    {Level::kStrongMonotonicAtomicView, "strong-monotonic-atomic-view", "strong-mav",
     kMonotonicAtomicView, false, true, "monotonic atomic view where commits follow real time"},
    {Level::kStrongSessionMonotonicAtomicView, "strong-session-monotonic-atomic-view", "ssmav",
     kMonotonicAtomicView, true, false,
     "once a transaction has seen part of another, its later reads see all of it; commits "
     "follow session order"},
    {Level::kMonotonicAtomicView, "monotonic-atomic-view", "mav", kMonotonicAtomicView, false,
     false, "once a transaction has seen part of another, its later reads see all of it"},

    {Level::kStrongReadCommitted, "strong-read-committed", "strong-rc", kReadCommitted, false,
     true, "read committed where commits follow real time"},
    {Level::kStrongSessionReadCommitted, "strong-session-read-committed", "ssrc",
     kReadCommitted, true, false, "read committed where commits follow session order"},

    {Level::kWritesFollowReads, "writes-follow-reads", "wfr", kWritesFollowReads, true, false,
     "what a session writes comes after what it had read before"},
    {Level::kMonotonicWrites, "monotonic-writes", "mw", kMonotonicWrites, true, false,
     "the writes of each session take effect in session order"},
    {Level::kMonotonicReads, "monotonic-reads", "mr", kMonotonicReads, true, false,
     "the reads of a session never go back to an older state"},
    {Level::kReadYourWrites, "read-your-writes", "ryw", kReadYourWrites, true, false,
     "a session sees what it wrote before"},

    {Level::kReadCommitted, "read-committed", "rc", kReadCommitted, false, false,
     "only final values of committed transactions are read, and never in a cycle"},
    {Level::kStrongReadUncommitted, "strong-read-uncommitted", "strong-ru", kReadUncommitted,
     false, true, "read uncommitted where writes follow real time"},
    {Level::kStrongSessionReadUncommitted, "strong-session-read-uncommitted", "ssru",
     kReadUncommitted, true, false, "read uncommitted where writes follow session order"},
    {Level::kReadUncommitted, "read-uncommitted", "ru", kReadUncommitted, false, false,
     "the writes of transactions are not interleaved, as far as lists show their order"},

    {Level::kStrongMixed, "strong-mixed", "strong-mix", kMixed, true, true,
     "mixed where commits follow real time"},
    {Level::kMixed, "mixed", "mix", kMixed, true, false,
     "each transaction gets the level it states; one commit order for all"},
});

/// As plain_name() leaves them.
constexpr auto kAdyaNames = std::to_array<history::AdyaName>({
    {"pl-3", Level::kSerializable},
    {"pl-2.99", Level::kRepeatableRead},
    {"pl-si", Level::kSnapshotIsolation},
    {"pl-2+", Level::kParallelSnapshotIsolation},
    {"pl-2", Level::kReadCommitted},
    {"pl-1", Level::kReadUncommitted},
});

constexpr bool table_is_in_enum_order() {
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    if (static_cast<std::size_t>(kLevels[i].level) != i) return false;
  }
  return true;
}
static_assert(table_is_in_enum_order());

constexpr std::size_t kBaseCount = static_cast<std::size_t>(kMixed) + 1;

/// Which base levels imply which, session order and real time being equal. Where the weaker one
/// contains session order, so does the row of the table, and implies() asks the stronger row
/// for it.
class BaseOrder {
 public:
  constexpr BaseOrder() {
    for (std::size_t base = 0; base < kBaseCount; ++base) implied_[base][base] = true;
    constexpr std::pair<BaseLevel, BaseLevel> kDirect[] = {
        {kPerKeyStrict, kSerializable},
        {kSerializable, kRepeatableRead},
        {kSerializable, kSnapshotIsolation},
        {kSerializable, kLinearizable},
        {kSerializable, kMixed},
        {kRepeatableRead, kReadAtomic},
        {kCommitOrderedSnapshot, kAnsiSnapshot},
        {kPrefixSnapshot, kAnsiSnapshot},
        {kAnsiSnapshot, kSnapshotIsolation},
        {kSnapshotIsolation, kParallelSnapshot},
        {kSnapshotIsolation, kPrefixConsistency},
        {kParallelSnapshot, kTransactionalCausal},
        {kParallelSnapshot, kCausal},
        {kParallelSnapshot, kReadAtomic},
        {kParallelSnapshot, kLinearizable},
        {kPrefixConsistency, kSequential},
        {kPrefixConsistency, kTransactionalCausal},
        {kPrefixConsistency, kReadAtomic},
        {kSequential, kCausal},
        {kSequential, kMonotonicAtomicView},
        {kTransactionalCausal, kReadAtomic},
        {kReadAtomic, kMonotonicAtomicView},
        {kMonotonicAtomicView, kReadCommitted},
        {kCausal, kWritesFollowReads},
        {kCausal, kMonotonicWrites},
        {kCausal, kMonotonicReads},
        {kCausal, kReadYourWrites},
        {kCausal, kReadCommitted},
        {kReadCommitted, kWritesFollowReads},
        {kReadCommitted, kMonotonicWrites},
        {kReadCommitted, kReadUncommitted},
    };
    for (const auto& [stronger, weaker] : kDirect) implied_[at(stronger)][at(weaker)] = true;
    for (std::size_t k = 0; k < kBaseCount; ++k) {
      for (std::size_t i = 0; i < kBaseCount; ++i) {
        for (std::size_t j = 0; j < kBaseCount; ++j) {
          if (implied_[i][k] && implied_[k][j]) implied_[i][j] = true;
        }
      }
    }
  }
  constexpr bool implies(BaseLevel stronger, BaseLevel weaker) const {
    return implied_[at(stronger)][at(weaker)];
  }

 private:
  static constexpr std::size_t at(BaseLevel base) { return static_cast<std::size_t>(base); }

  bool implied_[kBaseCount][kBaseCount] = {};
};
constexpr BaseOrder kBaseOrder;

}  // namespace

std::span<const LevelInfo> all_levels() { return kLevels; }

const LevelInfo& info(Level level) {
  const auto row = static_cast<std::size_t>(level);
  ISOLDE_CHECK(row < kLevels.size());
  return kLevels[row];
}

std::optional<Level> history::level_written(std::string_view name) {
  for (const LevelInfo& row : kLevels) {
    if (name == row.name || (!row.alias.empty() && name == row.alias)) return row.level;
  }
  constexpr std::string_view kSession = "strong-session-";
  if (!name.starts_with(kSession)) return std::nullopt;
  name.remove_prefix(kSession.size());
  for (const LevelInfo& row : kLevels) {
    if (name == row.name && row.session_order && !row.real_time) return row.level;
  }
  return std::nullopt;
}

std::optional<Level> find_level(std::string_view name) {
  const std::string plain = base::plain_name(name);
  for (const history::AdyaName& each : kAdyaNames) {
    if (plain == each.name) return each.level;
  }
  return history::level_written(plain);
}

std::span<const history::AdyaName> history::adya_names() { return kAdyaNames; }

bool implies(Level stronger, Level weaker, bool sessions_respect_time) {
  const LevelInfo& strong = info(stronger);
  const LevelInfo& weak = info(weaker);
  // Read committed requires only one execution in which all reads have read states; but that
  // execution need not respect sessions.
  if (strong.base == kWritesFollowReads && !weak.session_order && !weak.real_time) {
    return kBaseOrder.implies(kReadCommitted, weak.base);
  }
  // Real time binds only in part there.
  if (weak.base == kPerKeyStrict) {
    return strong.base == kPerKeyStrict || (strong.base == kSerializable && strong.real_time);
  }
  if (strong.base == kPerKeyStrict && weak.base == kLinearizable) return true;
  if (!kBaseOrder.implies(strong.base, weak.base)) return false;
  if (weak.real_time && !strong.real_time) return false;
  return !weak.session_order || strong.session_order ||
         (strong.real_time && sessions_respect_time);
}

bool implies_there(Level stronger, Level weaker, bool sessions_respect_time, RowFacts rows) {
  const BaseLevel base = info(weaker).base;
  const BaseLevel strong = info(stronger).base;
  const bool asks_each_read =
      base == kCausal || base == kMonotonicReads || base == kReadYourWrites;
  const bool misses_deletions = (base == kLinearizable && strong != base &&
                                 strong != kPerKeyStrict && strong != kSerializable) ||
                                (asks_each_read && strong == kParallelSnapshot);
  if (rows.deleted && misses_deletions) return false;
  if (rows.refused && counts_refused_inserts(base) && !counts_refused_inserts(strong)) {
    return false;
  }
  const bool asks_less = rows.left_out && stronger == Level::kRepeatableRead &&
                         base != kRepeatableRead && base != kReadCommitted &&
                         base != kReadUncommitted;
  return !asks_less && implies(stronger, weaker, sessions_respect_time);
}

bool reads_one_state(BaseLevel base) {
  return base == kRepeatableRead || kBaseOrder.implies(base, kPrefixConsistency);
}

bool needs_times(const LevelInfo& level) {
  return level.real_time || level.base == kPerKeyStrict;
}

bool goes_by_database_times(BaseLevel base) {
  return base == kAnsiSnapshot || base == kPrefixSnapshot || base == kCommitOrderedSnapshot;
}

bool is_mixable(BaseLevel base) {
  switch (base) {
    case kSerializable:
    case kRepeatableRead:
    case kSnapshotIsolation:
    case kPrefixConsistency:
    case kTransactionalCausal:
    case kReadAtomic:
    case kMonotonicAtomicView:
    case kReadCommitted:
      return true;
    default:
      return false;
  }
}

bool explains_sessions_apart(BaseLevel base) {
  return base == kCausal || base == kWritesFollowReads || base == kMonotonicWrites ||
         base == kMonotonicReads || base == kReadYourWrites;
}

bool reads_repeatably(BaseLevel base) {
  return base == kLinearizable || kBaseOrder.implies(base, kReadAtomic);
}

bool counts_refused_inserts(BaseLevel base) {
  switch (base) {
    case kSerializable:
    case kPerKeyStrict:
    case kRepeatableRead:
    case kLinearizable:
    case kReadCommitted:
    case kMixed:
      return true;
    default:
      return false;
  }
}

bool forbids_lost_updates(BaseLevel base) {
  return base == kRepeatableRead || base == kLinearizable ||
         kBaseOrder.implies(base, kParallelSnapshot);
}

}  // namespace isolde
