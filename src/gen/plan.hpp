// A transaction in the making: what is sent next, and what came of the operations before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "history/tables.hpp"
#include "isolde/operation.hpp"

namespace isolde::gen {

enum class Action : std::uint8_t {
  kRead,
  kWrite,
  kAppend,
  kReadList,
  kCompareAndSet,
  kIncrement,       // adds PlannedOp::value to what the register holds
  kDelete,          // the row of a key
  kSelect,          // all rows that a condition selects
  kDeleteSelected,  // likewise, and deletes them
  // Of rows with columns, which Plan::requests describes. A transaction has either these or
  // operations of the kinds above.
  kInsertRow,
  kSelectRows,
  kAggregateRows,  // a count, sum, minimum or maximum of rows
  kLockRows,       // a select that locks what it returns
  kUpdateRows,
  kDeleteRows,
  kUpsertRow,
  kSavepoint,
  kRollBackToSavepoint,  // the last one; without a request, as kSavepoint
};

inline constexpr std::int64_t kNoKey = -1;

// A condition, and the keys among which all rows are that can ever meet it.
struct RowCondition {
  Predicate predicate = {};
  std::int64_t first = 0;
  std::int64_t last = 0;
};

struct SeenRow {
  std::int64_t key = 0;
  std::int64_t value = 0;
};

// One operation to send. Written values and appended elements are unique in the whole workload
// (unless WorkloadOptions::values says otherwise), positive and below 2^61.
struct PlannedOp {
  // Written, appended or added, or the stamp of rows; 0 for reads.
  std::int64_t value = 0;
  // kCompareAndSet: 0 = only when the key was never written. kSelect, kDeleteSelected: index in
  // Plan::conditions. Operations on rows with columns: index in Plan::requests.
  std::int64_t expected = 0;
  std::int64_t key = 0;  // kNoKey where there is a condition or a request
  Action kind = Action::kRead;

  bool has_condition() const {
    return kind == Action::kSelect || kind == Action::kDeleteSelected;
  }
  bool is_read() const { return kind == Action::kRead || kind == Action::kReadList; }
  // Rows with columns, and savepoints.
  bool is_of_tables() const { return kind >= Action::kInsertRow; }
  bool changes_nothing() const {
    return is_read() || kind == Action::kSelect || kind == Action::kSelectRows ||
           kind == Action::kAggregateRows;
  }
  // It puts a value of its own somewhere.
  bool has_value() const {
    if (is_of_tables()) {
      return kind == Action::kInsertRow || kind == Action::kUpdateRows ||
             kind == Action::kUpsertRow;
    }
    return !is_read() && !has_condition() && kind != Action::kDelete &&
           kind != Action::kIncrement;
  }
};

// What an operation returned; for writes, appends and reads of lists it says nothing.
struct Seen {
  // kRead: the value, 0 = never written. kCompareAndSet that was not applied: the value found,
  // where known. kAggregateRows: the result.
  std::int64_t value = 0;
  bool applied = false;  // kCompareAndSet, kInsertRow; kUpsertRow: there was no row
  // False for a kCompareAndSet that was not applied when the database does not tell the value,
  // and for a kAggregateRows of nothing.
  bool known = true;
  // kSelect, kDeleteSelected: what it returned, in Plan::rows. Operations on rows with columns:
  // in Plan::found, what they returned or deleted, or what it is that they have changed.
  std::uint32_t first_row = 0;
  std::uint32_t rows = 0;
};

// A transaction in the making. The caller owns it and reuses it for the session's next one.
struct Plan {
  std::vector<PlannedOp> ops;
  std::vector<RowCondition> conditions;
  std::vector<SeenRow> rows;  // whoever sends the operations adds what conditions returned
  std::vector<table::Request> requests;
  std::vector<table::Row> found;  // as `rows`
  // The client rolls it back when it is complete: not a failure, and nothing to repeat.
  bool rolls_back = false;

  // A part that is done after a savepoint, taken back, and done once more: the planner's
  // (Planner::extend). Generators see neither the savepoint nor what was taken back.
  struct Detour {
    static constexpr std::size_t kNone = ~std::size_t{0};
    std::size_t savepoint = kNone;  // the operation; kNone: there is no detour
    std::size_t end = kNone;        // the operation that goes back; kNone: it is still to come
    bool rolls_back = false;        // Plan::rolls_back before any of it
    bool is_open() const { return savepoint != kNone && end == kNone; }
    // How many operations generators do not see.
    std::size_t hidden() const {
      if (savepoint == kNone) return 0;
      return end == kNone ? 1 : end - savepoint + 1;
    }
    // Of the operation that a generator sees at `index`.
    std::size_t place_of(std::size_t index) const {
      return index < savepoint ? index : index + hidden();
    }
  };
  Detour detour;

  // The workload's own: which transaction it is, how often it was extended, its first
  // operations, and the random choices that later stages follow.
  std::uint32_t type = 0;
  std::uint32_t stage = 0;
  // Nothing comes after this stage: of a session that only reads, the first one with writes.
  std::uint32_t last_stage = kNoStage;
  static constexpr std::uint32_t kNoStage = 0xffffffff;
  std::size_t first_ops = 0;
  std::size_t first_conditions = 0;
  std::size_t first_requests = 0;
  std::vector<std::int64_t> choices;
};

// A row that is in its table before the first transaction.
struct InitialRow {
  std::size_t table = 0;
  table::Row row = {};
};

}  // namespace isolde::gen
