// A toy theory for the solver's tests: a list of sets of literals that must not all be true.
// Variables are numbered; some exist from the start, the others are made when they matter.
// Breaches of the solver's side of the Theory contract are test failures.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "solver/solver.hpp"

namespace isolde::solver::test {

inline Lit yes(std::uint32_t var) { return Lit(Var(var), false); }
inline Lit no(std::uint32_t var) { return Lit(Var(var), true); }

using LitSet = std::vector<Lit>;

class SetTheory final : public Theory {
 public:
  /// No set is empty or holds a literal twice.
  SetTheory(std::uint32_t var_count, std::vector<LitSet> forbidden)
      : var_count_(var_count),
        forbidden_(std::move(forbidden)),
        true_count_(forbidden_.size(), 0),
        sets_of_(var_count * 2),
        is_true_(var_count * 2, false),
        prefers_(var_count, false),
        asked_(var_count, false) {
    for (std::size_t i = 0; i < forbidden_.size(); ++i) {
      for (const Lit lit : forbidden_[i]) sets_of_[lit.code()].push_back(i);
    }
  }

  /// Makes the first `first` variables now, and later ones `step` at a time.
  void connect(Solver& solver, std::uint32_t first, std::uint32_t step) {
    solver_ = &solver;
    step_ = step;
    make_vars(first);
  }
  /// From now on objects in final_check() only. Sets may be empty then.
  void object_late() { late_ = true; }
  /// From now on does without every variable until some set may still come true; then asks for
  /// one after the other.
  void ask_when_needed() { lazy_ = true; }
  void set_preference(std::uint32_t var, bool value) { prefers_[var] = value; }

  bool assign(Lit lit, std::vector<Lit>& conflict) override {
    EXPECT_TRUE(conflict.empty());
    EXPECT_TRUE(solver_->is_true(lit));
    EXPECT_FALSE(is_true_[lit.code()] || is_true_[(~lit).code()]);
    is_true_[lit.code()] = true;
    trail_.push_back(lit);
    const LitSet* broken = nullptr;
    for (const std::size_t i : sets_of_[lit.code()]) {
      ++true_count_[i];
      if (true_count_[i] == forbidden_[i].size() && broken == nullptr) broken = &forbidden_[i];
    }
    if (broken == nullptr || late_) return true;
    conflict = *broken;
    taught_.push_back(*broken);
    return false;
  }

  void backtrack(std::size_t count) override {
    EXPECT_LT(count, trail_.size());
    while (trail_.size() > count) {
      is_true_[trail_.back().code()] = false;
      for (const std::size_t i : sets_of_[trail_.back().code()]) --true_count_[i];
      trail_.pop_back();
    }
  }

  Final final_check(std::vector<LitSet>& conflicts) override {
    EXPECT_TRUE(lazy_ || trail_.size() == solver_->var_count());
    EXPECT_TRUE(conflicts.empty());
    ++final_checks_;
    for (std::size_t i = 0; late_ && i < forbidden_.size(); ++i) {
      if (true_count_[i] < forbidden_[i].size()) continue;
      conflicts.push_back(forbidden_[i]);
      taught_.push_back(forbidden_[i]);
    }
    if (!conflicts.empty()) return Final::kMore;
    const bool all_broken_for_good =
        std::all_of(forbidden_.begin(), forbidden_.end(), [&](const LitSet& set) {
          return std::any_of(set.begin(), set.end(),
                             [&](Lit lit) { return is_true_[(~lit).code()]; });
        });
    if (all_broken_for_good) return Final::kModel;
    for (std::uint32_t var = 0; var < solver_->var_count(); ++var) {
      if (!solver_->is_open(Var(var))) continue;
      EXPECT_TRUE(lazy_);
      asked_[var] = true;
      solver_->ask(Var(var));
      return Final::kMore;
    }
    if (solver_->var_count() == var_count_) return Final::kModel;
    make_vars(std::max(step_, 1U));
    return Final::kMore;
  }

  Lit prefer(Var var) const override { return Lit(var, !prefers_[var.raw()]); }
  bool needs(Var var) const override { return !lazy_ || asked_[var.raw()]; }

  const std::vector<LitSet>& forbidden() const { return forbidden_; }
  /// Conflicts in the order in which they were reported.
  const std::vector<LitSet>& taught() const { return taught_; }
  std::uint64_t final_checks() const { return final_checks_; }

 private:
  void make_vars(std::uint32_t count) {
    for (; count > 0 && solver_->var_count() < var_count_; --count) {
      const std::size_t expected = solver_->var_count();
      EXPECT_EQ(solver_->new_var().raw(), expected);
    }
  }

  std::uint32_t var_count_;
  std::uint32_t step_ = 1;
  Solver* solver_ = nullptr;
  std::vector<LitSet> forbidden_;
  std::vector<std::size_t> true_count_;            // by set
  std::vector<std::vector<std::size_t>> sets_of_;  // by literal
  std::vector<bool> is_true_;                      // by literal
  std::vector<bool> prefers_;                      // by variable
  std::vector<bool> asked_;                        // by variable
  std::vector<Lit> trail_;
  std::vector<LitSet> taught_;
  std::uint64_t final_checks_ = 0;
  bool late_ = false;
  bool lazy_ = false;
};

}  // namespace isolde::solver::test
