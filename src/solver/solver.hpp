// A CDCL solver over lazily created variables, with a theory and a clausal proof.
//
// Conflict-driven clause learning with first unique implication points (Marques-Silva &
// Sakallah 1996; MiniSat: Een & Sorensson 2003), activity-ordered decisions, Luby restarts, and
// deletion of learned clauses by LBD (Audemard & Simon 2009). Most clauses come from theory
// conflicts, and variables may be added during search; require() gives clauses at the start.
// Each clause remembers what it was resolved from, so that an unsatisfiable answer comes with
// its proof.
#pragma once

#include <cstdint>
#include <vector>

#include "base/budget.hpp"
#include "solver/theory.hpp"
#include "solver/types.hpp"

namespace isolde::solver {

enum class Answer : std::uint8_t { kSat, kUnsat, kUnknown };

/// Invariants: V1 what the theory knows of the trail is a part of what clauses were asked
/// about; V2 a clause of two or more literals is watched by its first two; V3 a literal that is
/// fixed at the root has a unit clause in the proof; V4 clauses wait in forced_ only at the
/// root.
class Solver {
 public:
  /// Both must outlive the solver.
  Solver(Theory& theory, base::Budget& budget) : theory_(theory), budget_(budget) {}

  /// Allowed before solve() and inside Theory::final_check(). One that is not `wanted` is
  /// decided only once the theory requests it or a conflict involves it.
  Var new_var(bool wanted = true);
  /// Requests a decision on a variable that was skipped so far. Allowed inside
  /// Theory::final_check() and Theory::backtrack().
  void ask(Var var) { heap_insert(var); }
  bool is_open(Var var) const { return values_[Lit(var, false).code()] == kUnset; }
  std::size_t var_count() const { return level_.size(); }
  /// REQUIRES: after kSat, or inside the theory's callbacks.
  bool is_true(Lit lit) const { return values_[lit.code()] == kTrue; }

  /// Adds a clause that holds independently of the theory. Allowed before solve() and inside
  /// Theory::final_check(), after which the search restarts. REQUIRES: no literal twice.
  void require(const std::vector<Lit>& clause);

  /// From now on solve() gives up after this many conflicts; the next call continues. 0: never.
  void limit_conflicts(std::uint64_t count) { conflict_limit_ = count; }

  /// From now on learned clauses are thinned out whenever so many clauses have been added; for
  /// tests.
  void reduce_after(std::size_t clauses) { reduce_limit_ = reduce_step_ = clauses; }
  std::uint64_t reduction_count() const { return reduction_count_; }

  /// Runs to an answer or until the budget is exhausted.
  Answer solve();

  /// After kUnsat: the steps that the last one, the empty clause, depends on, in order;
  /// ProofStep::from refers to positions in this list.
  std::vector<ProofStep> core() const;

  std::uint64_t conflict_count() const { return conflict_count_; }

 private:
  // values_ holds one of these per literal.
  static constexpr std::int8_t kFalse = -1;
  static constexpr std::int8_t kUnset = 0;
  static constexpr std::int8_t kTrue = 1;

  struct Watch {
    ClauseRef clause;
    Lit blocker;  ///< some other literal; when true the clause need not be visited
  };
  struct Clause {
    ProofId proof;
    std::uint32_t begin = 0;  ///< in literals_
    std::uint32_t size = 0;
    std::uint32_t lbd = 0;
    bool deleted = false;
  };

  std::int8_t value(Lit lit) const { return values_[lit.code()]; }
  std::uint32_t decision_level() const { return static_cast<std::uint32_t>(limits_.size()); }
  Lit* literals(const Clause& clause) { return &literals_[clause.begin]; }

  // propagate.cpp
  ClauseRef propagate();
  ClauseRef propagate_literal(Lit lit);
  void add_late_clauses();
  void add_required(const std::vector<Lit>& clause);
  bool is_forcing(const std::vector<Lit>& clause) const;
  void assign(Lit lit, ClauseRef reason);
  void backtrack(std::uint32_t level);
  ClauseRef add_clause(const std::vector<Lit>& clause, ProofId proof, std::uint32_t lbd);
  void attach(ClauseRef clause);

  // analyze.cpp
  bool resolve_conflict(ClauseRef conflict);
  void analyze(ClauseRef conflict, std::vector<Lit>& learned, std::vector<ProofId>& from);
  void absorb(const Clause& clause, std::vector<Lit>& learned, std::vector<ProofId>& from,
              std::uint32_t& open);
  void minimise(std::vector<Lit>& learned, std::vector<ProofId>& from);
  std::uint32_t sort_for_backjump(std::vector<Lit>& learned);
  std::uint32_t count_levels(const std::vector<Lit>& clause);
  ProofId log(std::vector<Lit> clause, std::vector<ProofId> from);
  void log_root_unit(Lit lit, const Clause& reason);

  // decide.cpp
  bool decide();
  void bump(Var var);
  void decay() { increment_ /= 0.95; }
  void heap_insert(Var var);
  Var heap_pop();
  void sift_up(std::size_t at);
  void sift_down(std::size_t at);
  bool heap_less(Var a, Var b) const;

  // reduce.cpp
  void reduce();
  void rebuild();
  static std::uint64_t luby(std::uint64_t index);

  Theory& theory_;
  base::Budget& budget_;

  std::vector<std::int8_t> values_;   // by literal
  std::vector<std::uint32_t> level_;  // by variable
  std::vector<ClauseRef> reason_;     // by variable; none for decisions
  std::vector<ProofId> unit_proof_;   // by variable: why it is fixed at the root
  std::vector<std::uint8_t> mark_;    // by variable, scratch of analyze()
  std::vector<Lit> trail_;
  std::vector<std::size_t> limits_;  // trail length at each decision
  std::size_t propagated_ = 0;       // trail position: clauses
  std::size_t reported_ = 0;         // trail position: theory

  std::vector<Clause> clauses_;
  std::vector<Lit> literals_;
  std::vector<std::vector<Watch>> watches_;  // by literal that became false
  std::vector<ClauseRef> forced_;            // not yet propagated units of the root
  ProofId impossible_;                       // an empty required clause

  std::vector<double> activity_;
  double increment_ = 1.0;
  std::vector<Var> heap_;
  std::vector<std::uint32_t> heap_place_;  // by variable

  std::vector<ProofStep> proof_;
  std::uint32_t theory_clause_count_ = 0;
  std::vector<std::uint32_t> level_stamp_;
  std::uint32_t stamp_ = 0;
  std::uint64_t conflict_count_ = 0;
  std::uint64_t conflict_limit_ = 0;
  std::size_t reduce_step_ = 4000;
  std::size_t reduce_limit_ = reduce_step_;
  std::uint64_t reduction_count_ = 0;
  std::vector<Lit> theory_conflict_;
  std::vector<std::vector<Lit>> late_conflicts_;
  std::vector<std::vector<Lit>> late_required_;
};

}  // namespace isolde::solver
