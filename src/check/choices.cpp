#include "check/choices.hpp"

#include <string>
#include <vector>

#include "base/assert.hpp"
#include "check/choice_guess.hpp"
#include "check/guess.hpp"
#include "check/level_traits.hpp"
#include "check/refutation.hpp"
#include "check/source_guess.hpp"

namespace isolde::checker {
namespace {

/// What a source takes in the theory and the solver: some 110 bytes, and the room in which
/// lists grow.
constexpr std::uint64_t kBytesPerSource = 256;
/// The solver's numbers of literals have 32 bits.
constexpr std::uint64_t kMostSources = std::uint64_t{1} << 30;

}  // namespace

ChoiceLevel::ChoiceLevel(const infer::Observations& seen, const LevelInfo& level,
                         const CheckOptions& options, CheckStatistics& statistics,
                         base::Budget& budget)
    : events_(seen, encoding(level, options.clock_error_ns), budget),
      level_(level),
      options_(options),
      statistics_(statistics),
      budget_(budget) {}

/// Guesses, and builds the search where these do not do.
std::optional<Proof> ChoiceLevel::prepare() {
  ChoiceGuess guess;
  std::vector<NodeId> order = order_by_time(events_, budget_);
  const infer::Observations& seen = events_.observations();
  if (!options_.skip_guess && !seen.history().has_times() && !order.empty()) {
    const bool serial = events_.encoding().role == infer::Role();
    guess = guess_by_replay(events_, !serial, budget_);
    order = guess.order;
  }
  if (budget_.exhausted()) return std::nullopt;
  if (order.empty() && events_.graph().node_count() > 0) {
    return RefutationBuilder(events_, {}, budget_).from_cycle();
  }
  if (!options_.skip_guess) {
    const std::vector<WriteId> sources = sources_along(events_, order, guess.sources, budget_);
    auto witness = witness_with_sources(seen, level_, sources, options_, statistics_, budget_);
    if (witness || budget_.exhausted()) return witness;
  }
  theory_ =
      std::make_unique<ChoiceTheory>(events_, level_, order, options_.clock_error_ns, budget_);
  const std::uint64_t count = theory_->count_sources();
  if (count > kMostSources || !budget_.has_room(count * kBytesPerSource)) {
    too_large_ = "its reads have " + std::to_string(count) +
                 " possible sources, more than there is memory for";
    theory_.reset();
    return std::nullopt;
  }
  solver_ = std::make_unique<solver::Solver>(*theory_, budget_);
  theory_->connect(*solver_, guess.sources);
  statistics_.decided_pairs += solver_->var_count();
  return std::nullopt;
}

std::optional<Proof> ChoiceLevel::search(std::uint64_t conflict_limit) {
  if (!theory_) {
    if (auto proof = prepare()) return proof;
    if (budget_.exhausted() || !too_large_.empty()) return std::nullopt;
  }
  solver_->limit_conflicts(conflict_limit);
  const solver::Answer answer = solver_->solve();
  statistics_.conflicts += solver_->conflict_count() - conflicts_counted_;
  conflicts_counted_ = solver_->conflict_count();
  switch (answer) {
    case solver::Answer::kSat:
      return theory_->witness();
    case solver::Answer::kUnsat:
      return refutation();
    case solver::Answer::kUnknown:
      break;
  }
  return std::nullopt;
}

/// The clauses that tie reads, sources and effects follow from nothing: they are true of all
/// histories.
Refutation ChoiceLevel::refutation() const {
  Refutation refutation;
  for (const solver::ProofStep& step : solver_->core()) {
    RefutationStep out;
    for (const solver::Lit lit : step.clause) {
      const ChoiceTheory::Statement statement = theory_->statement_of(lit);
      if (statement.order) {
        out.clause.push_back(*statement.order);
      } else {
        out.claims.push_back(statement.claim);
      }
    }
    if (step.from.empty() && !step.is_input) out.cycle = theory_->lemmas()[step.theory_index];
    for (const solver::ProofId id : step.from) out.from.push_back(id.raw());
    refutation.steps.push_back(std::move(out));
  }
  return refutation;
}

}  // namespace isolde::checker
