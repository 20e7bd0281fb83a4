// The search loop: propagate, learn from conflicts, restart, decide; and the proof's core.
#include "solver/solver.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace isolde::solver {

namespace {
constexpr std::uint64_t kRestartUnit = 128;
}

Var Solver::new_var(bool wanted) {
  const Var var = Var::at(level_.size());
  values_.insert(values_.end(), 2, kUnset);
  level_.push_back(0);
  reason_.push_back(ClauseRef::none());
  unit_proof_.push_back(ProofId::none());
  mark_.push_back(0);
  activity_.push_back(0.0);
  heap_place_.push_back(0xffffffffU);
  watches_.resize(watches_.size() + 2);
  ISOLDE_ASSERT(watches_.size() == values_.size() && values_.size() == level_.size() * 2);
  if (wanted) heap_insert(var);
  return var;
}

void Solver::require(const std::vector<Lit>& clause) {
  if (decision_level() == 0 && trail_.empty()) return add_required(clause);
  late_required_.push_back(clause);
}

void Solver::add_required(const std::vector<Lit>& clause) {
  proof_.push_back({clause, {}, 0, true});
  const ProofId proof = ProofId::at(proof_.size() - 1);
  if (clause.empty()) {
    impossible_ = proof;
    return;
  }
  // Never deleted: the LBD of a clause that was not learned is meaningless.
  const ClauseRef ref = add_clause(clause, proof, 0);
  if (is_forcing(clause)) forced_.push_back(ref);
}

/// At most one of its literals may still be true.
bool Solver::is_forcing(const std::vector<Lit>& clause) const {
  std::size_t open = 0;
  for (const Lit each : clause) open += value(each) == kFalse ? 0 : 1;
  return open <= 1;
}

Answer Solver::solve() {
  const std::uint64_t last_conflict = conflict_count_ + conflict_limit_;
  std::uint64_t restarts = 0;
  std::uint64_t conflicts_left = kRestartUnit * luby(restarts);
  while (true) {
    if (impossible_.is_some()) {
      log({}, {impossible_});
      return Answer::kUnsat;
    }
    const ClauseRef conflict = propagate();
    if (budget_.exhausted()) return Answer::kUnknown;
    if (conflict.is_none() && conflicts_left == 0) {
      conflicts_left = kRestartUnit * luby(++restarts);
      if (conflict_limit_ != 0 && conflict_count_ >= last_conflict) return Answer::kUnknown;
      backtrack(0);
      if (clauses_.size() > reduce_limit_) reduce();
      continue;
    }
    if (conflict.is_none()) {
      if (decide()) continue;
      late_conflicts_.clear();
      late_required_.clear();
      const Theory::Final final = theory_.final_check(late_conflicts_);
      if (!budget_.spend(1) || final == Theory::Final::kStopped) return Answer::kUnknown;
      if (final == Theory::Final::kModel) return Answer::kSat;
      add_late_clauses();
      continue;
    }
    if (!resolve_conflict(conflict)) return Answer::kUnsat;
    if (conflicts_left > 0) --conflicts_left;
  }
}

std::vector<ProofStep> Solver::core() const {
  ISOLDE_CHECK(!proof_.empty() && proof_.back().clause.empty());
  std::vector<std::uint8_t> needed(proof_.size(), 0);
  needed.back() = 1;
  for (std::size_t i = proof_.size(); i-- > 0;) {
    if (needed[i] == 0) continue;
    for (const ProofId id : proof_[i].from) {
      ISOLDE_ASSERT(id.raw() < i);
      needed[id.raw()] = 1;
    }
  }
  std::vector<ProofId> renumbered(proof_.size());
  std::vector<ProofStep> steps;
  for (std::size_t i = 0; i < proof_.size(); ++i) {
    if (needed[i] == 0) continue;
    renumbered[i] = ProofId::at(steps.size());
    steps.push_back(proof_[i]);
    for (ProofId& id : steps.back().from) id = renumbered[id.raw()];
  }
  return steps;
}

}  // namespace isolde::solver
