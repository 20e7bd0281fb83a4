// Restarts and the clause database. Reduction happens at the root only, where no clause but
// root reasons is in use, so that the arena can simply be rebuilt.
#include <algorithm>

#include "base/assert.hpp"
#include "solver/solver.hpp"

namespace isolde::solver {

/// Element of the Luby sequence 1 1 2 1 1 2 4 ... (Luby, Sinclair, Zuckerman 1993), from 0.
std::uint64_t Solver::luby(std::uint64_t index) {
  std::uint64_t size = 1;
  std::uint64_t power = 0;
  while (size < index + 1) {
    size = 2 * size + 1;
    ++power;
  }
  while (size - 1 != index) {
    size = (size - 1) / 2;
    --power;
    index %= size;
  }
  return std::uint64_t{1} << power;
}

/// Drops the worse half of the long clauses: those that span many decision levels.
void Solver::reduce() {
  ISOLDE_CHECK(decision_level() == 0);
  std::vector<std::uint32_t> candidates;
  for (std::size_t i = 0; i < clauses_.size(); ++i) {
    if (clauses_[i].lbd > 2 && clauses_[i].size > 2) {
      candidates.push_back(static_cast<std::uint32_t>(i));
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(), [&](std::uint32_t a, std::uint32_t b) {
    return clauses_[a].lbd > clauses_[b].lbd;
  });
  candidates.resize(candidates.size() / 2);
  for (const std::uint32_t i : candidates) clauses_[i].deleted = true;
  rebuild();
  reduce_limit_ = clauses_.size() + reduce_step_;
  ++reduction_count_;
}

/// Compacts arena and watches. Root literals keep no reason: their unit proofs say why.
void Solver::rebuild() {
  // Positions in the arena change, so nobody may hold one but reasons of the root.
  ISOLDE_ASSERT(forced_.empty() && propagated_ == trail_.size());
  for (const Lit lit : trail_) reason_[lit.var().raw()] = ClauseRef::none();
  std::vector<Clause> clauses;
  std::vector<Lit> arena;
  for (const Clause& clause : clauses_) {
    const Lit* lits = literals(clause);
    const bool satisfied =
        std::any_of(lits, lits + clause.size, [&](Lit lit) { return value(lit) == kTrue; });
    if (clause.deleted || satisfied || clause.size < 2) continue;
    clauses.push_back(clause);
    clauses.back().begin = static_cast<std::uint32_t>(arena.size());
    arena.insert(arena.end(), lits, lits + clause.size);
  }
  clauses_ = std::move(clauses);
  literals_ = std::move(arena);
  for (std::vector<Watch>& watches : watches_) watches.clear();
  for (std::size_t i = 0; i < clauses_.size(); ++i) {
    Lit* lits = literals(clauses_[i]);
    std::stable_partition(lits, lits + clauses_[i].size,
                          [&](Lit lit) { return value(lit) == kUnset; });
    attach(ClauseRef::at(i));
    // A theory clause that backjumping made unit is not noticed by its watches.
    if (value(lits[1]) != kUnset) forced_.push_back(ClauseRef::at(i));
  }
}

}  // namespace isolde::solver
