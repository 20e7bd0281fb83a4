#include "level/level_traits.hpp"

#include <array>

#include "base/assert.hpp"

namespace isolde::checker {
namespace {

using enum BaseLevel;
using enum Method;
using Of = SessionRules::Of;

constexpr infer::Role kSerial = {};
constexpr infer::Role kSnapshots = {.snapshot = true};
constexpr infer::Role kPrefixes = {.snapshot = true, .forbids_concurrent_writers = false};
constexpr infer::Role kNoAntiDependencies = {.has_anti_dependencies = false};
/// Only read-from constrains a transaction.
constexpr infer::Role kCommits = {.forbids_concurrent_writers = false,
                                  .has_anti_dependencies = false};

constexpr LevelTraits with_rules(BaseLevel base, SessionRules rules) {
  return {base, kSessions, kCommits, kPrefixes, Views::kNone, true, rules};
}

/// A sweep looks for snapshot isolation in place of parallel snapshot isolation, and for prefix
/// consistency at all levels below it.
constexpr auto kTraits = std::to_array<LevelTraits>({
    {kSerializable, kVersionOrders, kSerial, kSerial, Views::kNone, true},
    {kRepeatableRead, kVersionOrders, kSerial, kSerial, Views::kNone, true},
    {kCommitOrderedSnapshot, kDatabaseTimes, kSnapshots, kSnapshots, Views::kNone, true},
    {kPrefixSnapshot, kDatabaseTimes, kSnapshots, kSnapshots, Views::kNone, true},
    {kAnsiSnapshot, kDatabaseTimes, kSnapshots, kSnapshots, Views::kNone, true},
    {kSnapshotIsolation, kVersionOrders, kSnapshots, kSnapshots, Views::kNone, true},
    {kParallelSnapshot, kVersionOrders, kNoAntiDependencies, kSnapshots, Views::kNone, true},
    {kPrefixConsistency, kVersionOrders, kPrefixes, kPrefixes, Views::kNone, true},
    {kSequential, kReadByRead, kSerial, kPrefixes, Views::kNone, true},
    {kLinearizable, kKeyByKey, kSerial, kPrefixes},
    {kTransactionalCausal, kViews, kCommits, kPrefixes, Views::kCausal, true},
    with_rules(kCausal, {Of::kAll, Of::kAll, true}),
    {kReadAtomic, kViews, kCommits, kPrefixes, Views::kAtomic, true},
    {kMonotonicAtomicView, kViews, kCommits, kPrefixes, Views::kMonotonic, true},
    with_rules(kWritesFollowReads, {Of::kNothing, Of::kNothing, true, true}),
    with_rules(kMonotonicWrites, {Of::kNothing, Of::kUpdates}),
    with_rules(kMonotonicReads, {Of::kReads}),
    with_rules(kReadYourWrites, {Of::kUpdates}),
    {kReadCommitted, kViews, kCommits, kPrefixes, Views::kNone, true},
    {kReadUncommitted, kShownOrders, kCommits, kPrefixes},
    {kPerKeyStrict, kVersionOrders, kSerial, kSerial, Views::kNone, true},
    {kMixed, kMixedVersionOrders, kSnapshots, kSnapshots, Views::kNone, true},
});

constexpr bool table_is_in_enum_order() {
  for (std::size_t i = 0; i < kTraits.size(); ++i) {
    if (static_cast<std::size_t>(kTraits[i].base) != i) return false;
  }
  return kTraits.back().base == kMixed;
}
static_assert(table_is_in_enum_order());

infer::Encoding with_role(const LevelInfo& level, infer::Role role,
                          std::int64_t clock_error_ns) {
  infer::Encoding encoding;
  encoding.role = role;
  encoding.session_order = level.session_order;
  encoding.real_time = level.real_time;
  encoding.clock_error_ns = clock_error_ns;
  return encoding;
}

}  // namespace

const LevelTraits& traits(BaseLevel base) {
  const auto row = static_cast<std::size_t>(base);
  ISOLDE_CHECK(row < kTraits.size());
  return kTraits[row];
}

infer::Encoding encoding(const LevelInfo& level, std::int64_t clock_error_ns) {
  ISOLDE_CHECK(level.base != kMixed);
  infer::Encoding encoding = with_role(level, traits(level.base).role, clock_error_ns);
  encoding.read_from = encoding.list_order = level.base != kReadUncommitted;
  encoding.real_time_by_key = level.base == kPerKeyStrict;
  return encoding;
}

infer::Encoding sweep_encoding(const LevelInfo& level, std::int64_t clock_error_ns) {
  infer::Encoding encoding = with_role(level, traits(level.base).sweep, clock_error_ns);
  encoding.real_time = needs_times(level);
  return encoding;
}

}  // namespace isolde::checker
