// Runs the transactions of a workload one after the other on a map: what they do when nothing
// goes wrong. Rolled back ones leave nothing behind.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "gen/workload.hpp"

namespace isolde::gen {

class SerialRun {
 public:
  explicit SerialRun(const WorkloadOptions& options)
      : sessions_(options.sessions), planner_(options) {
    EXPECT_TRUE(validate(options).ok());
  }

  // The next transaction, of each session in turn. Its operations and results stay until the
  // next call.
  const Plan& step() { return step(next_++ % sessions_); }

  const Plan& step(std::uint32_t session) {
    planner_.plan(session, plan_);
    return finish(session);
  }

  // Once more the transaction before.
  const Plan& repeat(std::uint32_t session) {
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
    results_.clear();
    do {
      while (results_.size() < plan_.ops.size()) perform(plan_.ops[results_.size()]);
    } while (planner_.extend(session, plan_, results_));
    if (plan_.rolls_back) values_ = before;
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
    if (op.kind == Action::kDelete) seen.applied = values_.erase(op.key) > 0;
    if (op.has_condition()) select(op, seen);
    results_.push_back(seen);
  }

  void select(const PlannedOp& op, Seen& seen) {
    const Predicate& where =
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

  std::uint32_t sessions_;
  std::uint32_t next_ = 0;
  Planner planner_;
  Plan plan_;
  std::vector<Seen> results_;
  std::map<std::int64_t, std::int64_t> values_;
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
