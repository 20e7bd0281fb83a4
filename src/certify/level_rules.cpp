#include "certify/level_rules.hpp"

#include <array>

#include "base/assert.hpp"

namespace isolde::certify {
namespace {

using enum BaseLevel;
using From = SessionRules::From;
using To = SessionRules::To;
using Events = SessionRules::Events;

struct Row {
  BaseLevel base;
  WeakerBases weaker;  ///< the next ones, as docs/LEVELS.md draws them
  LevelRules rules;
};

// In the order of the bases; the compiler says where one is missing.
constexpr Row kRows[] = {
    {kSerializable,
     {{kRepeatableRead, kSnapshotIsolation, kMixed}},
     {.test = Test::kStates, .at_commit = true, .current_reads = true, .may_be_stated = true}},
    {kRepeatableRead,
     {.always = {kReadCommitted}, .with_all_rows = {kReadAtomic}},
     {.test = Test::kStates,
      .at_commit = true,
      .absent_rows = false,
      .current_reads = true,
      .may_be_stated = true}},
    {kCommitOrderedSnapshot,
     {{kAnsiSnapshot}},
     {.test = Test::kStates, .keeps_writers_apart = true, .clock = Clock::kExactly}},
    {kPrefixSnapshot,
     // The second for the form with sessions, which is none of ANSI's.
     {{kAnsiSnapshot, kSnapshotIsolation}},
     {.test = Test::kStates, .keeps_writers_apart = true, .clock = Clock::kNotAfter}},
    {kAnsiSnapshot,
     {{kSnapshotIsolation}},
     {.test = Test::kStates, .keeps_writers_apart = true, .clock = Clock::kNotAfter}},
    {kSnapshotIsolation,
     {{kParallelSnapshot, kPrefixConsistency}},
     {.test = Test::kStates, .keeps_writers_apart = true, .may_be_stated = true}},
    {kParallelSnapshot,
     {.always = {kTransactionalCausal, kReadAtomic},
      .without_deletions = {kLinearizable, kCausal}},
     {.test = Test::kPreceding}},
    {kPrefixConsistency,
     {{kSequential, kTransactionalCausal, kReadAtomic}},
     {.test = Test::kStates, .may_be_stated = true}},
    {kSequential,
     {{kCausal, kMonotonicAtomicView}},
     {.test = Test::kSessions, .session = {.events = Events::kAll, .is_for_all = true}}},
    {kLinearizable, {{}}, {.test = Test::kKeys, .current_reads = true}},
    {kTransactionalCausal, {{kReadAtomic}}, {.views = Views::kCausal, .may_be_stated = true}},
    {kCausal, {{kReadCommitted, kMonotonicReads, kReadYourWrites}}, {.test = Test::kSessions}},
    {kReadAtomic, {{kMonotonicAtomicView}}, {.views = Views::kAtomic, .may_be_stated = true}},
    {kMonotonicAtomicView,
     {{kReadCommitted}},
     {.views = Views::kMonotonic, .may_be_stated = true}},
    {kWritesFollowReads,
     {{}},
     {.test = Test::kSessions,
      .session = {.from = From::kRead,
                  .to = To::kCommitOfUpdate,
                  .events = Events::kAll,
                  .chained = false}}},
    {kMonotonicWrites,
     {{}},
     {.test = Test::kSessions,
      .session = {.from = From::kCommitOfUpdate,
                  .to = To::kCommitOfUpdate,
                  .all_reads = false,
                  .events = Events::kNone}}},
    {kMonotonicReads,
     {{}},
     {.test = Test::kSessions,
      .session = {.from = From::kRead, .own_only = true, .all_reads = false}}},
    {kReadYourWrites,
     {{}},
     {.test = Test::kSessions,
      .session = {.from = From::kCommitOfUpdate,
                  .own_only = true,
                  .all_reads = false,
                  .chained = false}}},
    {kReadCommitted,
     {{kWritesFollowReads, kMonotonicWrites, kReadUncommitted}},
     {.current_reads = true, .may_be_stated = true}},
    {kReadUncommitted, {{}}, {.test = Test::kLists}},
    {kPerKeyStrict,
     {{kSerializable}},
     {.test = Test::kStates,
      .at_commit = true,
      .real_time_by_key = true,
      .current_reads = true}},
    {kMixed, {{}}, {.test = Test::kStated}},
};

constexpr std::size_t kCount = 0
#define ISOLDE_BASE(...) +1
#include "isolde/levels.def"
    ;
static_assert(std::size(kRows) == kCount, "a base level has no row in level_rules.cpp");

constexpr bool are_in_order() {
  for (std::size_t i = 0; i < kCount; ++i) {
    if (kRows[i].base != static_cast<BaseLevel>(i)) return false;
  }
  return true;
}
static_assert(are_in_order(), "the rows of level_rules.cpp are not in the order of the bases");

const Row& row_of(BaseLevel base) {
  const auto at = static_cast<std::size_t>(base);
  ISOLDE_CHECK(at < kCount);
  return kRows[at];
}

}  // namespace

const LevelRules& rules(BaseLevel base) { return row_of(base).rules; }

const WeakerBases& weaker_bases(BaseLevel base) { return row_of(base).weaker; }

}  // namespace isolde::certify
