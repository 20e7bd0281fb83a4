// Types of the solver. It knows variables, literals, clauses and a theory that watches
// assignments; only the theory knows what a variable means.
#pragma once

#include <cstdint>
#include <vector>

#include "isolde/index.hpp"

namespace isolde::solver {

using Var = Index<struct VarTag>;

/// A variable or its negation.
class Lit {
 public:
  constexpr Lit() = default;
  constexpr Lit(Var var, bool negated) : code_(var.raw() * 2 + (negated ? 1 : 0)) {}
  static constexpr Lit from_code(std::uint32_t code) {
    Lit lit;
    lit.code_ = code;
    return lit;
  }
  constexpr Var var() const { return Var(code_ / 2); }
  constexpr bool negated() const { return (code_ & 1U) != 0; }
  constexpr std::uint32_t code() const { return code_; }
  constexpr Lit operator~() const { return from_code(code_ ^ 1U); }
  friend constexpr bool operator==(Lit, Lit) = default;

 private:
  std::uint32_t code_ = 0xffffffffU;
};

/// Position in the clause arena.
using ClauseRef = Index<struct ClauseTag>;

/// Position in the proof: a clause and where it came from.
using ProofId = Index<struct ProofTag>;

/// A clause that the theory reported, that was required, or that was derived by resolution.
struct ProofStep {
  std::vector<Lit> clause;
  /// Derived clauses: the steps it follows from by unit propagation. Theory clauses: empty.
  std::vector<ProofId> from;
  /// Theory clauses: how many the theory had reported before this one.
  std::uint32_t theory_index = 0;
  /// Required by the solver's user: neither from the theory nor derived.
  bool is_input = false;
};

}  // namespace isolde::solver
