// Theory: the other half of CDCL(T) (Nieuwenhuis, Oliveras, Tinelli: Solving SAT and SAT Modulo
// Theories, JACM 53(6), 2006). The solver reports assignments in trail order; the theory
// objects by naming literals that cannot all be true.
#pragma once

#include <cstdint>
#include <vector>

#include "solver/types.hpp"

namespace isolde::solver {

class Theory {
 public:
  enum class Final : std::uint8_t {
    kModel,    ///< the assignment satisfies the theory; nothing is left to decide
    kMore,     ///< there are new variables or conflicts; go on
    kStopped,  ///< the budget ran out before the answer was known
  };

  virtual ~Theory() = default;

  /// The literal has become true. False when that contradicts earlier ones; then `conflict`
  /// holds true literals, including this one, that exclude each other. The literal counts as
  /// assigned either way, until backtrack().
  virtual bool assign(Lit lit, std::vector<Lit>& conflict) = 0;

  /// Forgets all but the first `count` assignments.
  virtual void backtrack(std::size_t count) = 0;

  /// All needed variables are assigned, and assign() has found no contradiction. May append to
  /// `conflicts` sets of literals, true or of new variables, that exclude each other; an empty
  /// one says that no assignment satisfies the theory.
  virtual Final final_check(std::vector<std::vector<Lit>>& conflicts) = 0;

  /// The value to try first when the solver decides on `var`.
  virtual Lit prefer(Var var) const = 0;

  /// False when an answer may leave the variable undecided. Where its value matters after all,
  /// the theory's final check requests it (Solver::ask).
  virtual bool needs(Var) const { return true; }
};

}  // namespace isolde::solver
