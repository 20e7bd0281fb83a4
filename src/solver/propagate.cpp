// Unit propagation with two watched literals and blockers (Moskewicz et al. 2001; Chu, Harwood,
// Stuckey 2008), interleaved with the theory: clauses first, because they are cheaper, then one
// literal at a time to the theory, so that its conflicts concern a short trail.
#include <algorithm>

#include "base/assert.hpp"
#include "solver/solver.hpp"

namespace isolde::solver {

void Solver::assign(Lit lit, ClauseRef reason) {
  ISOLDE_ASSERT(value(lit) == kUnset);
  values_[lit.code()] = kTrue;
  values_[(~lit).code()] = kFalse;
  level_[lit.var().raw()] = decision_level();
  reason_[lit.var().raw()] = reason;
  trail_.push_back(lit);
  if (decision_level() == 0 && reason.is_some()) log_root_unit(lit, clauses_[reason.raw()]);
}

void Solver::backtrack(std::uint32_t level) {
  if (decision_level() <= level) return;
  const std::size_t keep = limits_[level];
  ISOLDE_ASSERT(keep <= trail_.size());
  for (std::size_t i = trail_.size(); i-- > keep;) {
    const Lit lit = trail_[i];
    values_[lit.code()] = kUnset;
    values_[(~lit).code()] = kUnset;
    reason_[lit.var().raw()] = ClauseRef::none();
    heap_insert(lit.var());
  }
  trail_.resize(keep);
  limits_.resize(level);
  propagated_ = std::min(propagated_, keep);
  if (reported_ > keep) {
    theory_.backtrack(keep);
    reported_ = keep;
  }
}

/// Runs clauses and theory to a common fixpoint; the conflicting clause, or none.
ClauseRef Solver::propagate() {
  // V4; at the root, reasons need no place on the trail before this one.
  ISOLDE_ASSERT(forced_.empty() || decision_level() == 0);
  while (!forced_.empty()) {
    const ClauseRef ref = forced_.back();
    forced_.pop_back();
    if (clauses_[ref.raw()].size == 0) return ref;
    const Lit first = literals(clauses_[ref.raw()])[0];
    if (value(first) == kFalse) return ref;
    if (value(first) == kUnset) assign(first, ref);
  }
  ISOLDE_ASSERT(reported_ <= propagated_ && propagated_ <= trail_.size());
  while (true) {
    while (propagated_ < trail_.size()) {
      const ClauseRef conflict = propagate_literal(trail_[propagated_++]);
      if (conflict.is_some()) return conflict;
    }
    if (reported_ == trail_.size()) return ClauseRef::none();
    theory_conflict_.clear();
    const Lit lit = trail_[reported_++];
    if (theory_.assign(lit, theory_conflict_)) continue;
    for (Lit& each : theory_conflict_) each = ~each;
    const ProofId proof = log(theory_conflict_, {});
    return add_clause(theory_conflict_, proof, count_levels(theory_conflict_));
  }
}

/// Adds the final check's conflicts and required clauses: many, so the search restarts with
/// them. The theory's preference leads back to where it was.
void Solver::add_late_clauses() {
  if (late_conflicts_.empty() && late_required_.empty()) return;
  backtrack(0);
  for (const std::vector<Lit>& clause : late_required_) add_required(clause);
  for (std::vector<Lit>& clause : late_conflicts_) {
    ++conflict_count_;
    for (Lit& each : clause) each = ~each;
    const ProofId proof = log(clause, {});
    const ClauseRef ref = add_clause(clause, proof, static_cast<std::uint32_t>(clause.size()));
    if (is_forcing(clause)) forced_.push_back(ref);
  }
}

ClauseRef Solver::propagate_literal(Lit lit) {
  std::vector<Watch>& watches = watches_[lit.code()];
  std::size_t kept = 0;
  ClauseRef conflict;
  budget_.spend(1 + watches.size());
  for (std::size_t i = 0; i < watches.size(); ++i) {
    const Watch watch = watches[i];
    if (conflict.is_some() || value(watch.blocker) == kTrue) {
      watches[kept++] = watch;
      continue;
    }
    const Clause& clause = clauses_[watch.clause.raw()];
    Lit* lits = literals(clause);
    const Lit false_lit = ~lit;
    if (lits[0] == false_lit) std::swap(lits[0], lits[1]);
    if (lits[0] != watch.blocker && value(lits[0]) == kTrue) {
      watches[kept++] = {watch.clause, lits[0]};
      continue;
    }
    std::uint32_t other = 2;
    while (other < clause.size && value(lits[other]) == kFalse) ++other;
    if (other < clause.size) {
      std::swap(lits[1], lits[other]);
      watches_[(~lits[1]).code()].push_back({watch.clause, lits[0]});
      continue;
    }
    ISOLDE_INVARIANT(lits[1] == false_lit);  // V2
    watches[kept++] = {watch.clause, lits[0]};
    if (value(lits[0]) == kFalse) {
      conflict = watch.clause;
    } else {
      assign(lits[0], watch.clause);
    }
  }
  watches.resize(kept);
  return conflict;
}

ClauseRef Solver::add_clause(const std::vector<Lit>& clause, ProofId proof, std::uint32_t lbd) {
  ISOLDE_INVARIANT(std::all_of(clause.begin(), clause.end(),
                               [&](Lit each) { return each.code() < values_.size(); }));
  const ClauseRef ref = ClauseRef::at(clauses_.size());
  clauses_.push_back({proof, static_cast<std::uint32_t>(literals_.size()),
                      static_cast<std::uint32_t>(clause.size()), lbd, false});
  literals_.insert(literals_.end(), clause.begin(), clause.end());
  // Watch the two literals that become unset first on backtracking: the two of highest level.
  if (clause.size() >= 2) {
    Lit* lits = literals(clauses_.back());
    for (std::uint32_t place = 0; place < 2; ++place) {
      for (std::uint32_t i = place + 1; i < clause.size(); ++i) {
        const bool higher = value(lits[i]) != kFalse ||
                            (value(lits[place]) == kFalse &&
                             level_[lits[i].var().raw()] > level_[lits[place].var().raw()]);
        if (higher && value(lits[place]) == kFalse) std::swap(lits[place], lits[i]);
      }
    }
    attach(ref);
  }
  return ref;
}

void Solver::attach(ClauseRef ref) {
  const Clause& clause = clauses_[ref.raw()];
  ISOLDE_ASSERT(clause.size >= 2 && clause.begin + clause.size <= literals_.size());
  const Lit* lits = literals(clause);
  watches_[(~lits[0]).code()].push_back({ref, lits[1]});
  watches_[(~lits[1]).code()].push_back({ref, lits[0]});
}

}  // namespace isolde::solver
