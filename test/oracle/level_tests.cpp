#include "oracle/level_tests.hpp"

#include <cstddef>
#include <iterator>

#include "base/assert.hpp"

namespace isolde::oracle {
namespace {

using enum BaseLevel;

// In the order of the bases; the compiler says where one is missing.
constexpr LevelTest kTests[] = {
    {.base = kSerializable,
     .asks = Asks::kParentState,
     .second = Second::kGraphWithReads,
     .refusals_count = true},
    {.base = kRepeatableRead,
     .asks = Asks::kParentState,
     .second = Second::kGraphWithReads,
     .absent_rows = false,
     .refusals_count = true},
    {.base = kCommitOrderedSnapshot,
     .asks = Asks::kSnapshot,
     .second = Second::kTimelineNow,
     .has_conflicts = true,
     .by_database_times = true,
     .is_up_to_date = true},
    {.base = kPrefixSnapshot,
     .asks = Asks::kSnapshot,
     .second = Second::kTimelineOfSessions,
     .has_conflicts = true,
     .by_database_times = true},
    {.base = kAnsiSnapshot,
     .asks = Asks::kSnapshot,
     .second = Second::kTimeline,
     .has_conflicts = true,
     .by_database_times = true},
    {.base = kSnapshotIsolation,
     .asks = Asks::kSnapshot,
     .second = Second::kEventsOfOneWriter,
     .has_conflicts = true},
    {.base = kParallelSnapshot, .asks = Asks::kCausesVisible, .second = Second::kGraphOfRows},
    {.base = kPrefixConsistency, .asks = Asks::kSnapshot, .second = Second::kEvents},
    {.base = kSequential, .asks = Asks::kForwardReads, .second = Second::kInterleaving},
    {.base = kLinearizable,
     .asks = Asks::kKeyByKey,
     .second = Second::kPoints,
     .refusals_count = true},
    {.base = kTransactionalCausal, .asks = Asks::kCausalAxiom, .second = Second::kGraphCausal},
    {.base = kCausal, .asks = Asks::kSessionTest, .second = Second::kSessionGraphs},
    {.base = kReadAtomic, .asks = Asks::kAtomicAxiom, .second = Second::kGraphAtomic},
    {.base = kMonotonicAtomicView,
     .asks = Asks::kMonotonicView,
     .second = Second::kGraphMonotonic},
    {.base = kWritesFollowReads, .asks = Asks::kSessionTest, .second = Second::kSessionGraphs},
    {.base = kMonotonicWrites, .asks = Asks::kSessionTest, .second = Second::kSessionGraphs},
    {.base = kMonotonicReads, .asks = Asks::kSessionTest, .second = Second::kSessionGraphs},
    {.base = kReadYourWrites, .asks = Asks::kSessionTest, .second = Second::kSessionGraphs},
    {.base = kReadCommitted,
     .asks = Asks::kReadStates,
     .second = Second::kGraph,
     .refusals_count = true},
    {.base = kReadUncommitted, .asks = Asks::kShownOrder, .second = Second::kShownCycles},
    {.base = kPerKeyStrict,
     .asks = Asks::kParentState,
     .second = Second::kGraphWithReads,
     .in_time_by_key = true,
     .refusals_count = true},
    {.base = kMixed, .asks = Asks::kOwnLevel, .second = Second::kAxioms},
};

constexpr std::size_t kCount = 0
#define ISOLDE_BASE(...) +1
#include "isolde/levels.def"
    ;
static_assert(std::size(kTests) == kCount, "a base level has no row in level_tests.cpp");

constexpr bool are_in_order() {
  for (std::size_t i = 0; i < kCount; ++i) {
    if (kTests[i].base != static_cast<BaseLevel>(i)) return false;
  }
  return true;
}
static_assert(are_in_order(), "the rows of level_tests.cpp are not in the order of the bases");

}  // namespace

const LevelTest& level_test(BaseLevel base) {
  const auto at = static_cast<std::size_t>(base);
  ISOLDE_CHECK(at < kCount);
  return kTests[at];
}

}  // namespace isolde::oracle
