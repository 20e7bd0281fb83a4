// TheorySearch: a theory with its solver. Searches in steps, so that others can go on in
// between.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "history/verdicts.hpp"
#include "search/version_theory.hpp"
#include "solver/solver.hpp"

namespace isolde::checker {

class TheorySearch {
 public:
  /// As for VersionTheory.
  TheorySearch(EventGraph& events, const prune::Derivation& derived,
               const std::vector<NodeId>& order, CheckStatistics& statistics,
               base::Budget& budget, std::optional<Choosing> choosing = std::nullopt)
      : theory_(events, derived, order, budget, std::move(choosing)),
        solver_(theory_, budget),
        statistics_(statistics) {
    theory_.connect(solver_);
  }

  /// Goes on for so many conflicts, 0: without a limit.
  solver::Answer solve(std::uint64_t conflict_limit) {
    const std::uint64_t conflicts = solver_.conflict_count();
    solver_.limit_conflicts(conflict_limit);
    const solver::Answer answer = solver_.solve();
    statistics_.decided_pairs += solver_.var_count() - counted_;
    counted_ = solver_.var_count();
    statistics_.conflicts += solver_.conflict_count() - conflicts;
    return answer;
  }

  /// What the last answer proves. REQUIRES: nothing is called in between.
  std::optional<Proof> proof(solver::Answer answer) const {
    if (answer == solver::Answer::kSat) return theory_.witness();
    if (answer == solver::Answer::kUnsat) return theory_.refutation();
    return std::nullopt;
  }

  /// After kSat.
  Witness witness() const { return theory_.witness(); }
  /// Not empty: why the search cannot go on.
  const std::string& stopped() const { return theory_.stopped(); }

 private:
  VersionTheory theory_;
  solver::Solver solver_;
  CheckStatistics& statistics_;
  std::size_t counted_ = 0;  // variables
};

}  // namespace isolde::checker
