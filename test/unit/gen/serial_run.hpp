// Runs the transactions of a workload one after the other on a map: what they do when nothing
// goes wrong. Rolled back ones leave nothing behind.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <vector>

#include "gen/workload.hpp"
#include "isolde/predicates.hpp"

namespace isolde::gen {

// The workload by itself: no client has second thoughts.
inline WorkloadOptions straight_options(Workload workload) {
  WorkloadOptions options = default_options(workload);
  options.savepoints = 0;
  options.rollbacks = 0;
  return options;
}

class SerialRun {
 public:
  explicit SerialRun(const WorkloadOptions& options)
      : sessions_(options.sessions), planner_(options) {
    EXPECT_TRUE(validate(options).ok());
    for (const InitialRow& each : planner_.initial_rows()) {
      rows_[table::key_of(each.table, each.row.id)] = each.row;
    }
  }

  // The next transaction, of each session in turn. Its operations and results stay until the
  // next call.
  const Plan& step() { return step(next_++ % sessions_); }

  const Plan& step(std::uint32_t session) {
    repeats_ = false;
    planner_.plan(session, plan_);
    return finish(session);
  }

  // Once more the transaction before. Rows that it inserted are there already.
  const Plan& repeat(std::uint32_t session) {
    repeats_ = true;
    planner_.renew(session, plan_);
    return finish(session);
  }

  const std::vector<Seen>& results() const { return results_; }
  Planner& planner() { return planner_; }
  // The committed value; 0 when the register was never written.
  std::int64_t value(std::int64_t key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? 0 : found->second;
  }
  const std::map<std::int64_t, std::int64_t>& values() const { return values_; }
  // All rows with columns, by key.
  const std::map<std::int64_t, table::Row>& rows() const { return rows_; }
  // By the name that histories use.
  std::map<std::string, std::int64_t> payloads() const {
    std::map<std::string, std::int64_t> result;
    for (const auto& [key, written] : values_) {
      result[planner_.key_name(key)] = payload(written);
    }
    return result;
  }

 private:
  const Plan& finish(std::uint32_t session) {
    const std::map<std::int64_t, std::int64_t> before =
        plan_.rolls_back ? values_ : std::map<std::int64_t, std::int64_t>();
    rows_before_.clear();
    results_.clear();
    do {
      while (results_.size() < plan_.ops.size()) perform(plan_.ops[results_.size()]);
    } while (planner_.extend(session, plan_, results_));
    if (plan_.rolls_back) {
      values_ = before;
      for (const auto& [key, row] : rows_before_) {
        if (row) {
          rows_.insert_or_assign(key, *row);
        } else {
          rows_.erase(key);
        }
      }
    }
    return plan_;
  }

  void perform(const PlannedOp& op) {
    Seen seen;
    if (op.kind == Action::kRead) seen.value = value(op.key);
    if (op.kind == Action::kWrite) values_[op.key] = op.value;
    if (op.kind == Action::kCompareAndSet) {
      seen.value = value(op.key);
      seen.applied = seen.value == op.expected;
      if (seen.applied) values_[op.key] = op.value;
    }
    if (op.kind == Action::kIncrement) seen.value = values_[op.key] += op.value;
    if (op.kind == Action::kDelete) seen.applied = values_.erase(op.key) > 0;
    if (op.has_condition()) select(op, seen);
    if (op.is_of_tables()) perform_on_tables(op, seen);
    results_.push_back(seen);
  }

  void select(const PlannedOp& op, Seen& seen) {
    const PredicateView where =
        plan_.conditions.at(static_cast<std::size_t>(op.expected)).predicate;
    seen.first_row = static_cast<std::uint32_t>(plan_.rows.size());
    for (const auto& [key, value] : values_) {
      const bool fits =
          where.selects_key(Value::integer(key)) && where.selects_value(Value::integer(value));
      if (fits) plan_.rows.push_back({key, value});
    }
    seen.rows = static_cast<std::uint32_t>(plan_.rows.size()) - seen.first_row;
    if (op.kind != Action::kDeleteSelected) return;
    for (const SeenRow& row : std::span(plan_.rows).subspan(seen.first_row)) {
      values_.erase(row.key);
    }
  }

  // Before the row changes, comes or goes: whether the transaction stands is not known yet.
  void note(std::int64_t key) {
    const auto found = rows_.find(key);
    rows_before_.try_emplace(
        key, found == rows_.end() ? std::nullopt : std::optional(found->second));
  }

  static bool passes(const table::Row& row, const table::Test& test) {
    const table::Cell held =
        test.column == table::Test::kId ? table::Cell(row.id) : row.cells.at(test.column);
    if (test.is_null || !held) return test.is_null && !held;
    return held >= test.least.value_or(*held) && held <= test.most.value_or(*held) &&
           (test.in.empty() || std::ranges::find(test.in, *held) != test.in.end());
  }

  static void assign(table::Row& row, const table::Request& request, std::int64_t stamp) {
    row.stamp = stamp;
    for (const table::Assignment& each : request.set) {
      table::Cell& cell = row.cells.at(each.column);
      cell = each.adds && cell ? table::Cell(*cell + *each.value)
                               : (each.adds ? table::Cell() : each.value);
    }
  }

  static table::Row asked_of(const table::Row& row, const table::Request& request) {
    if (request.columns.empty()) return row;
    table::Row some{row.id, row.stamp};
    for (const std::size_t column : request.columns) some.cells.push_back(row.cells.at(column));
    return some;
  }

  void compute(const table::Computed& asked, const std::vector<std::int64_t>& keys,
               Seen& seen) const {
    std::vector<std::int64_t> held;
    for (const std::int64_t key : keys) {
      if (const table::Cell cell = rows_.at(key).cells.at(asked.column)) held.push_back(*cell);
    }
    seen.known = asked.kind < AggregateKind::kSum || !held.empty();
    if (asked.kind == AggregateKind::kCount) seen.value = std::ssize(keys);
    if (asked.kind == AggregateKind::kExists) seen.value = keys.empty() ? 0 : 1;
    if (asked.kind < AggregateKind::kSum || held.empty()) return;
    if (asked.kind == AggregateKind::kSum) {
      seen.value = std::accumulate(held.begin(), held.end(), std::int64_t{0});
    } else {
      const auto [least, most] = std::ranges::minmax(held);
      seen.value = asked.kind == AggregateKind::kMin ? least : most;
    }
  }

  void perform_on_tables(const PlannedOp& op, Seen& seen) {
    if (op.kind == Action::kSavepoint) {
      saved_ = rows_;
      saved_values_ = values_;
    }
    if (op.kind == Action::kRollBackToSavepoint) {
      rows_ = saved_;
      values_ = saved_values_;
    }
    if (op.kind == Action::kSavepoint || op.kind == Action::kRollBackToSavepoint) return;
    const table::Request& request = plan_.requests.at(static_cast<std::size_t>(op.expected));
    const std::int64_t own = table::key_of(request.table, request.id);
    std::vector<std::int64_t> keys;
    if (op.kind == Action::kInsertRow || op.kind == Action::kUpsertRow) {
      const table::Row row{request.id, op.value, request.cells};
      note(own);
      seen.applied = rows_.try_emplace(own, row).second;
      const bool is_upsert = op.kind == Action::kUpsertRow;
      EXPECT_TRUE(seen.applied || is_upsert || repeats_ || request.may_meet);
      if (!seen.applied && is_upsert) assign(rows_[own], request, op.value);
      if (seen.applied || is_upsert) keys.push_back(own);
    } else {
      Predicate::Bounds among = table::keys_of(request.table);
      for (const table::Test& test : request.where) {
        if (test.column != table::Test::kId) continue;
        if (test.least) among.min = table::key_of(request.table, *test.least);
        if (test.most) among.max = table::key_of(request.table, *test.most);
      }
      for (auto at = rows_.lower_bound(among.min); at != rows_.end() && at->first <= among.max;
           ++at) {
        const auto fits = [&](const auto& test) { return passes(at->second, test); };
        if (std::ranges::all_of(request.where, fits)) keys.push_back(at->first);
        if (request.limit > 0 && keys.size() == request.limit) break;
      }
    }
    seen.first_row = static_cast<std::uint32_t>(plan_.found.size());
    if (op.kind == Action::kAggregateRows) return compute(request.computed, keys, seen);
    seen.rows = static_cast<std::uint32_t>(keys.size());
    for (const std::int64_t key : keys) {
      note(key);
      if (op.kind == Action::kUpdateRows) assign(rows_[key], request, op.value);
      plan_.found.push_back(asked_of(rows_[key], request));
      if (op.kind == Action::kDeleteRows) rows_.erase(key);
    }
  }

  std::uint32_t sessions_;
  std::uint32_t next_ = 0;
  bool repeats_ = false;
  Planner planner_;
  Plan plan_;
  std::vector<Seen> results_;
  std::map<std::int64_t, std::int64_t> values_;
  std::map<std::int64_t, table::Row> rows_;
  std::map<std::int64_t, table::Row> saved_;
  std::map<std::int64_t, std::int64_t> saved_values_;
  // Of the transaction in hand, the rows that it touches as they were; nothing: there was none.
  std::map<std::int64_t, std::optional<table::Row>> rows_before_;
};

inline std::size_t read_count(const Plan& plan) {
  std::size_t reads = 0;
  for (const PlannedOp& op : plan.ops) reads += op.is_read() ? 1 : 0;
  return reads;
}

inline std::vector<Plan> plan_many(const WorkloadOptions& options, std::size_t count) {
  SerialRun run(options);
  std::vector<Plan> plans;
  for (std::size_t i = 0; i < count; ++i) plans.push_back(run.step());
  return plans;
}

inline double read_only_share(const std::vector<Plan>& plans) {
  double count = 0;
  for (const Plan& plan : plans) count += read_count(plan) == plan.ops.size() ? 1 : 0;
  return count / static_cast<double>(plans.size());
}

}  // namespace isolde::gen
