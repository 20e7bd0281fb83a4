// Conflict analysis to the first unique implication point, with the antecedents that make the
// learned clause follow by unit propagation. Literals fixed at the root are dropped from
// learned clauses; the unit clauses that justify this go into the antecedents.
#include <algorithm>

#include "base/assert.hpp"
#include "solver/solver.hpp"

namespace isolde::solver {

ProofId Solver::log(std::vector<Lit> clause, std::vector<ProofId> from) {
  // Also what V3 says of the unit clauses among them.
  ISOLDE_INVARIANT(std::all_of(from.begin(), from.end(),
                               [&](ProofId each) { return each.raw() < proof_.size(); }));
  std::reverse(from.begin(), from.end());
  const std::uint32_t theory_index = from.empty() ? theory_clause_count_++ : 0;
  proof_.push_back({std::move(clause), std::move(from), theory_index});
  return ProofId::at(proof_.size() - 1);
}

/// Gives a literal propagated at the root its own unit clause, so that later steps name it.
void Solver::log_root_unit(Lit lit, const Clause& reason) {
  if (reason.size == 1) {
    unit_proof_[lit.var().raw()] = reason.proof;
    return;
  }
  std::vector<ProofId> from{reason.proof};
  const Lit* lits = literals(reason);
  for (std::uint32_t i = 0; i < reason.size; ++i) {
    if (lits[i] != lit) from.push_back(unit_proof_[lits[i].var().raw()]);
  }
  unit_proof_[lit.var().raw()] = log({lit}, std::move(from));
}

/// Learns from the conflict and backjumps; false when the conflict is at the root.
bool Solver::resolve_conflict(ClauseRef conflict) {
  ++conflict_count_;
  budget_.spend(64);
  std::uint32_t highest = 0;
  const Clause& clause = clauses_[conflict.raw()];
  for (std::uint32_t i = 0; i < clause.size; ++i) {
    ISOLDE_INVARIANT(value(literals(clause)[i]) == kFalse);
    highest = std::max(highest, level_[literals(clause)[i].var().raw()]);
  }
  backtrack(highest);
  std::vector<Lit> learned;
  std::vector<ProofId> from;
  if (decision_level() == 0) {
    from.push_back(clause.proof);
    for (std::uint32_t i = 0; i < clause.size; ++i) {
      from.push_back(unit_proof_[literals(clause)[i].var().raw()]);
    }
    log({}, std::move(from));
    return false;
  }
  analyze(conflict, learned, from);
  const std::uint32_t level = sort_for_backjump(learned);
  // The clause is asserting: one literal becomes unset by the backjump.
  ISOLDE_ASSERT(level_[learned.front().var().raw()] == decision_level());
  ISOLDE_ASSERT(level < decision_level());
  const std::uint32_t lbd = count_levels(learned);
  const ProofId proof = log(learned, std::move(from));
  backtrack(level);
  const ClauseRef ref = add_clause(learned, proof, lbd);
  assign(learned.front(), ref);
  decay();
  return true;
}

/// Takes a clause into the resolvent: literals of the current level stay open, lower ones enter
/// the learned clause, root ones are replaced by their unit clauses.
void Solver::absorb(const Clause& clause, std::vector<Lit>& learned, std::vector<ProofId>& from,
                    std::uint32_t& open) {
  from.push_back(clause.proof);
  const Lit* lits = literals(clause);
  for (std::uint32_t i = 0; i < clause.size; ++i) {
    const Var var = lits[i].var();
    if (mark_[var.raw()] != 0 || value(lits[i]) != kFalse) continue;
    if (level_[var.raw()] == 0) {
      from.push_back(unit_proof_[var.raw()]);
      continue;
    }
    mark_[var.raw()] = 1;
    bump(var);
    if (level_[var.raw()] == decision_level()) {
      ++open;
    } else {
      learned.push_back(lits[i]);
    }
  }
}

void Solver::analyze(ClauseRef conflict, std::vector<Lit>& learned,
                     std::vector<ProofId>& from) {
  std::uint32_t open = 0;
  absorb(clauses_[conflict.raw()], learned, from, open);
  ISOLDE_CHECK(open > 0);
  std::size_t at = trail_.size();
  while (true) {
    do {
      --at;
    } while (mark_[trail_[at].var().raw()] == 0);
    const Lit lit = trail_[at];
    if (open == 1) {
      learned.push_back(~lit);
      break;
    }
    ISOLDE_INVARIANT(open > 1 && level_[lit.var().raw()] == decision_level());
    mark_[lit.var().raw()] = 0;
    --open;
    const ClauseRef reason = reason_[lit.var().raw()];
    ISOLDE_CHECK(reason.is_some());
    absorb(clauses_[reason.raw()], learned, from, open);
  }
  std::swap(learned.front(), learned.back());
  // Marks of literals resolved away are already cleared; minimise() clears the others.
  minimise(learned, from);
}

/// Drops literals that the rest of the clause implies through their own reason (local
/// minimisation, Beame, Kautz, Sabharwal 2004). Clears the marks.
void Solver::minimise(std::vector<Lit>& learned, std::vector<ProofId>& from) {
  const std::vector<Lit> marked = learned;
  std::size_t kept = 1;
  for (std::size_t i = 1; i < learned.size(); ++i) {
    const ClauseRef reason = reason_[learned[i].var().raw()];
    bool redundant = reason.is_some();
    if (redundant) {
      const Clause& clause = clauses_[reason.raw()];
      const Lit* lits = literals(clause);
      for (std::uint32_t j = 0; j < clause.size && redundant; ++j) {
        redundant = mark_[lits[j].var().raw()] != 0 || level_[lits[j].var().raw()] == 0;
      }
      if (redundant) {
        from.push_back(clause.proof);
        for (std::uint32_t j = 0; j < clause.size; ++j) {
          const Var var = lits[j].var();
          if (level_[var.raw()] == 0) from.push_back(unit_proof_[var.raw()]);
        }
      }
    }
    if (!redundant) learned[kept++] = learned[i];
  }
  learned.resize(kept);
  for (const Lit lit : marked) mark_[lit.var().raw()] = 0;
}

/// Puts a literal of the second highest level second; that level is the backjump target.
std::uint32_t Solver::sort_for_backjump(std::vector<Lit>& learned) {
  if (learned.size() == 1) return 0;
  std::size_t best = 1;
  for (std::size_t i = 2; i < learned.size(); ++i) {
    if (level_[learned[i].var().raw()] > level_[learned[best].var().raw()]) best = i;
  }
  std::swap(learned[1], learned[best]);
  return level_[learned[1].var().raw()];
}

/// Literal block distance: the number of different decision levels.
std::uint32_t Solver::count_levels(const std::vector<Lit>& clause) {
  ++stamp_;
  level_stamp_.resize(decision_level() + 1, 0);
  std::uint32_t count = 0;
  for (const Lit lit : clause) {
    std::uint32_t& stamp = level_stamp_[level_[lit.var().raw()]];
    if (stamp == stamp_) continue;
    stamp = stamp_;
    ++count;
  }
  return count;
}

}  // namespace isolde::solver
