// What a file of workloads implements. The planner (gen/planner.cpp) gives each session its
// random numbers, puts unique values into the operations and repeats transactions; a generator
// says which operations there are.
//
// All random choices of a transaction are made in plan() and kept in Plan::choices, so that a
// repeated transaction is the same one. extend() follows them and what was seen.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "gen/workload.hpp"

namespace isolde::gen {

class Generator {
 public:
  virtual ~Generator() = default;

  // Adds the first operations of the session's next transaction to the empty plan.
  virtual void plan(std::uint32_t session, base::Rng& rng, Plan& plan) = 0;

  // Adds the next ones; none when the transaction is complete. plan.stage counts the calls,
  // from 1. Results are those of the operations of plan() and of the stages so far; which
  // operation they belong to is Draft::planned()'s to say.
  virtual void extend(std::uint32_t /*session*/, Plan& /*plan*/,
                      std::span<const Seen> /*results*/) {}

  virtual void initial_keys(std::vector<std::int64_t>& keys) const = 0;
  virtual bool has_lists() const { return false; }
  // As Planner::tables(), initial_rows(); who stamps the rows is the planner.
  virtual std::span<const table::Table> tables() const { return {}; }
  virtual void initial_rows(std::vector<InitialRow>& /*rows*/) const {}
  virtual bool has_payload() const { return false; }
  // The payload is in the highest bits (kLeadShift), so that a range of values is a condition
  // on it.
  virtual bool payload_leads() const { return false; }
  // What values hold, for people: the field "values" of a recording (history/notation.hpp).
  virtual std::string values_text() const { return {}; }
  virtual bool is_integer_key() const { return true; }
  virtual std::string key_name(std::int64_t key) const { return std::to_string(key); }
};

// The workloads of a file: what NAME_workloads() of NAME.cpp returns.
using Workloads = std::span<const WorkloadInfo>;

// Of all files, in the order of CMakeLists.txt.
std::span<const Workloads* const> workload_files();

// What parameters mean to several files' workloads.
inline constexpr std::string_view kOps = "operations in a transaction";
inline constexpr std::string_view kKeys = "keys";
inline constexpr std::string_view kReadOnly = "share of transactions that only read";
inline constexpr std::string_view kRepeatedRows =
    "numbers that tell rows with equal data apart, by chance; 1: equal data are equal values; "
    "0: every value is written once";
inline constexpr std::uint32_t kRowsMost = 1U << 30;
// What the planner does at any workload, for those that do not do it by themselves.
inline constexpr OwnParameter kSavepoints = {
    .field = &WorkloadOptions::savepoints,
    .summary =
        "share of transactions that take changes back to a savepoint, and make them "
        "again; none at a database without savepoints",
    .standard = 0.05};
inline constexpr OwnParameter kRollbacks = {
    .field = &WorkloadOptions::rollbacks,
    .summary = "share of transactions that the client rolls back in the end",
    .standard = 0.05};
inline constexpr std::array kTurningBack = {kSavepoints, kRollbacks};
inline constexpr std::array kOnlySavepoints = {kSavepoints};
inline constexpr std::array kOnlyRollbacks = {kRollbacks};
inline constexpr std::uint32_t kUsersMost = 1U << 20;
inline constexpr std::string_view kRenewal =
    "updates after which a fresh key replaces one, at most";
inline constexpr std::uint32_t kRenewalMost = 1'000'000;
inline constexpr std::uint64_t kGroupMost = 1'000;

// For WorkloadInfo::validate.
Status out_of_range(std::string_view name, std::uint64_t value, std::uint64_t least,
                    std::uint64_t most);

// How often a transaction is of a type, in percent of those of which it is one.
struct Share {
  std::uint32_t type;
  std::uint64_t percent;
};

// A type by chance. REQUIRES: the shares are 100 together.
std::uint32_t draw(std::span<const Share> shares, base::Rng& rng);

// Adds operations to a plan, and looks up what those already done have seen.
class Draft {
 public:
  explicit Draft(Plan& plan, std::span<const Seen> results = {})
      : plan_(plan), results_(results) {}

  void read(std::int64_t key) { plan_.ops.push_back({0, 0, key, Action::kRead}); }
  void read_list(std::int64_t key) { plan_.ops.push_back({0, 0, key, Action::kReadList}); }
  void append(std::int64_t key) { plan_.ops.push_back({0, 0, key, Action::kAppend}); }
  // The planner makes the value unique. Payloads beyond kPayloadMask wrap round.
  void write(std::int64_t key, std::int64_t data = 0) {
    plan_.ops.push_back({payload(data), 0, key, Action::kWrite});
  }
  void compare_and_set(std::int64_t key, std::int64_t expected) {
    plan_.ops.push_back({0, expected, key, Action::kCompareAndSet});
  }

  void increment(std::int64_t key, std::int64_t by) {
    plan_.ops.push_back({by, 0, key, Action::kIncrement});
  }

  void remove(std::int64_t key) { plan_.ops.push_back({0, 0, key, Action::kDelete}); }
  // Selects rows, or deletes all that the condition selects.
  void select(const RowCondition& condition, bool deletes = false) {
    const auto index = static_cast<std::int64_t>(plan_.conditions.size());
    plan_.conditions.push_back(condition);
    plan_.ops.push_back(
        {0, index, kNoKey, deletes ? Action::kDeleteSelected : Action::kSelect});
  }

  // Rows with columns. What a request does not need is left as it is.
  void insert_row(std::size_t table, std::vector<table::Cell> cells) {  // with a fresh id
    request(Action::kInsertRow,
            {.table = table, .takes_fresh_id = true, .cells = std::move(cells)});
  }
  void select_rows(std::size_t table, table::Condition where) {
    request(Action::kSelectRows, {.table = table, .where = std::move(where)});
  }
  void aggregate_rows(std::size_t table, table::Condition where, AggregateKind kind,
                      std::size_t column = 0) {
    request(Action::kAggregateRows,
            {.table = table, .where = std::move(where), .computed = {kind, column}});
  }
  void update_rows(std::size_t table, table::Condition where,
                   std::vector<table::Assignment> set) {
    request(Action::kUpdateRows,
            {.table = table, .where = std::move(where), .set = std::move(set)});
  }
  void remove_rows(std::size_t table, table::Condition where) {
    request(Action::kDeleteRows, {.table = table, .where = std::move(where)});
  }
  void request(Action kind, table::Request request) {
    const auto index = static_cast<std::int64_t>(plan_.requests.size());
    plan_.requests.push_back(std::move(request));
    plan_.ops.push_back({0, index, kNoKey, kind});
  }
  void savepoint() { plan_.ops.push_back({0, 0, kNoKey, Action::kSavepoint}); }
  void roll_back_to_savepoint() {
    plan_.ops.push_back({0, 0, kNoKey, Action::kRollBackToSavepoint});
  }
  // The operation of that number.
  const PlannedOp& planned(std::size_t op) const {
    return plan_.ops[plan_.detour.place_of(op)];
  }
  // What the operation of that number returned, deleted, or has changed.
  std::span<const table::Row> found_by(std::size_t op) const {
    return std::span(plan_.found).subspan(results_[op].first_row, results_[op].rows);
  }

  // The rows that the operation of that number returned.
  std::span<const SeenRow> rows_of(std::size_t op) const {
    return std::span(plan_.rows).subspan(results_[op].first_row, results_[op].rows);
  }

  // Payload of what the transaction last read from or wrote to the register; `initial` where
  // that is the initial value, or the transaction has not done either. COST: linear.
  std::int64_t payload_of(std::int64_t key, std::int64_t initial = 0) const;
  // Whether the last operation on the register was a write. COST: linear.
  bool wrote(std::int64_t key) const;

 private:
  std::optional<std::size_t> last_on(std::int64_t key) const;

  Plan& plan_;
  std::span<const Seen> results_;
};

// Rows of tables as keys: the number of the table in the lowest bits, then the columns of the
// row's primary key, the last one lowest. Names are "table/column/column".
struct Table {
  std::string_view name;
  std::array<std::uint8_t, 4> bits;  // of each column; 0: there is none
};

class KeySpace {
 public:
  // REQUIRES: at most 16 tables, at most 57 bits each.
  explicit KeySpace(std::span<const Table> tables);

  std::int64_t key(std::size_t table, std::int64_t a, std::int64_t b = 0, std::int64_t c = 0,
                   std::int64_t d = 0) const;
  static std::size_t table_of(std::int64_t key) { return static_cast<std::size_t>(key & 15); }
  std::string name(std::int64_t key) const;

 private:
  std::span<const Table> tables_;
};

}  // namespace isolde::gen
