// What a family of workloads implements. The planner (gen/planner.cpp) gives each session its
// random numbers, puts unique values into the operations and repeats transactions; a generator
// says which operations there are.
//
// All random choices of a transaction are made in plan() and kept in Plan::choices, so that a
// repeated transaction is the same one. extend() follows them and what was seen.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
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
  // from 1.
  virtual void extend(std::uint32_t /*session*/, Plan& /*plan*/,
                      std::span<const Seen> /*results*/) {}

  virtual void initial_keys(std::vector<std::int64_t>& keys) const = 0;
  virtual bool has_lists() const { return false; }
  virtual bool has_payload() const { return false; }
  // The payload is in the highest bits (kLeadShift), so that a range of values is a condition
  // on it.
  virtual bool payload_leads() const { return false; }
  virtual bool is_integer_key() const { return true; }
  virtual std::string key_name(std::int64_t key) const { return std::to_string(key); }
};

// One factory for each file of this folder. REQUIRES: validate(options), a workload of theirs.
std::unique_ptr<Generator> make_plain(const WorkloadOptions& options);
std::unique_ptr<Generator> make_pool(const WorkloadOptions& options);
std::unique_ptr<Generator> make_lwt(const WorkloadOptions& options);
std::unique_ptr<Generator> make_probe(const WorkloadOptions& options);
std::unique_ptr<Generator> make_rows(const WorkloadOptions& options);
std::unique_ptr<Generator> make_bank(const WorkloadOptions& options);
std::unique_ptr<Generator> make_twitter(const WorkloadOptions& options);
std::unique_ptr<Generator> make_rubis(const WorkloadOptions& options);
std::unique_ptr<Generator> make_tpcc(const WorkloadOptions& options);

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

  void remove(std::int64_t key) { plan_.ops.push_back({0, 0, key, Action::kDelete}); }
  // Selects rows, or deletes all that the condition selects.
  void select(const RowCondition& condition, bool deletes = false) {
    const auto index = static_cast<std::int64_t>(plan_.conditions.size());
    plan_.conditions.push_back(condition);
    plan_.ops.push_back(
        {0, index, kNoKey, deletes ? Action::kDeleteSelected : Action::kSelect});
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
  const PlannedOp* last_on(std::int64_t key) const;

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
