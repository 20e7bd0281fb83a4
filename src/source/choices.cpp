#include "source/choices.hpp"

#include <string>
#include <vector>

#include "base/assert.hpp"
#include "level/level_traits.hpp"
#include "order/guess.hpp"
#include "refute/refutation.hpp"
#include "source/choice_guess.hpp"
#include "source/chosen.hpp"
#include "source/pace_guess.hpp"
#include "source/source_guess.hpp"
#include "weak/mixed.hpp"

namespace isolde::checker {
namespace {

/// The order of commits that all choices share. At the mixed levels that is without views, for
/// what is visible depends on the choice of sources. Where each read is tested by itself, it is
/// session order and read-from at sequential and causal consistency, and read-from at the
/// guarantees.
infer::Encoding certain_edges(const infer::Observations& seen, const LevelInfo& level,
                              std::int64_t clock_error_ns) {
  const LevelTraits& row = traits(level.base);
  if (row.method == Method::kMixedVersionOrders) {
    return mixed_roles(seen, level, clock_error_ns);
  }
  if (row.method == Method::kReadByRead) return encoding(info(Level::kCausal), clock_error_ns);
  infer::Encoding certain = encoding(level, clock_error_ns);
  if (row.method == Method::kSessions) {
    certain.session_order = row.session.ordered == SessionRules::Of::kAll;
  }
  return certain;
}

}  // namespace

ChoiceLevel::ChoiceLevel(const infer::Observations& seen, const Question& question,
                         const CheckOptions& options, CheckStatistics& statistics,
                         base::Budget& budget)
    : events_(seen, certain_edges(seen, question.level, options.clock_error_ns), budget),
      groups_(seen, budget),
      question_(question),
      options_(options),
      statistics_(statistics),
      budget_(budget) {}

/// Guesses, saturates and guesses again, then builds the search if these do not decide.
std::optional<Proof> ChoiceLevel::prepare() {
  order_ = order_by_time(events_, budget_);
  if (auto witness = try_told_sources()) return witness;
  if (budget_.exhausted()) return std::nullopt;
  const infer::Observations& seen = events_.observations();
  if (!options_.skip_guess && !seen.history().has_times() && !order_.empty()) {
    const bool serial = events_.encoding().role == infer::Role();
    ChoiceGuess guess = guess_by_replay(events_, !serial, budget_);
    hints_ = std::move(guess.sources);
    order_ = std::move(guess.order);
  }
  if (budget_.exhausted()) return std::nullopt;
  if (order_.empty() && events_.graph().node_count() > 0) {
    return RefutationBuilder(events_, derived_, budget_).from_cycle();
  }
  if (auto wrong = find_impossible()) return wrong;
  if (auto witness = try_sources()) return witness;
  if (budget_.exhausted()) return std::nullopt;
  if (auto proof = saturate()) return proof;
  if (budget_.exhausted()) return std::nullopt;
  if (!options_.skip_guess && !seen.history().has_times() &&
      order_tells_sources(question_.level.base)) {
    if (auto witness =
            guess_by_pace(seen, groups_, question_, options_, statistics_, budget_)) {
      return std::move(*witness);
    }
  }
  if (!budget_.exhausted()) build_search();
  return std::nullopt;
}

/// Chooses the sources that versions tell. Only a witness counts; without one all goes on as if
/// there were no versions. Not where each session has an execution of its own: which
/// indeterminate transactions one of them takes would bind the others.
std::optional<Proof> ChoiceLevel::try_told_sources() {
  const infer::Observations& seen = events_.observations();
  if (options_.skip_guess || order_.empty() || !seen.history().has_versions() ||
      traits(question_.level.base).method == Method::kSessions) {
    return std::nullopt;
  }
  const std::vector<WriteId> told = told_sources(seen, budget_);
  if (budget_.exhausted()) return std::nullopt;
  const std::vector<WriteId> sources = sources_along(events_, derived_, order_, told, budget_);
  return with_right_results(
      witness_with_sources(seen, question_, sources, options_, statistics_, budget_));
}

/// An aggregate that has its result from no versions.
std::optional<Proof> ChoiceLevel::find_impossible() const {
  const std::optional<WrongResult> wrong = groups_.find_impossible();
  if (!wrong) return std::nullopt;
  RefutationStep step;
  step.wrong_result = wrong;
  return Refutation{{std::move(step)}, {}};
}

/// Chooses sources along the order, and tries to find a witness with them.
std::optional<Proof> ChoiceLevel::try_sources() {
  if (options_.skip_guess) return std::nullopt;
  ISOLDE_ASSERT(order_.size() == events_.graph().node_count());
  const std::vector<WriteId> sources =
      sources_along(events_, derived_, order_, hints_, budget_);
  return with_right_results(witness_with_sources(events_.observations(), question_, sources,
                                                 options_, statistics_, budget_));
}

/// The witness, if it explains all aggregates.
std::optional<Proof> ChoiceLevel::with_right_results(std::optional<Witness> witness) {
  if (witness && !groups_.are_explained_by(*witness, question_.level)) return std::nullopt;
  return witness;
}

/// Excludes sources and derives orders, and guesses once more.
std::optional<Proof> ChoiceLevel::saturate() {
  if (options_.skip_saturation || !question_.sessions_are_chains ||
      !order_tells_sources(question_.level.base)) {
    return std::nullopt;
  }
  prune::Saturation saturation(events_, budget_);
  const prune::Saturation::Outcome outcome = saturation.run();
  statistics_.saturation_rounds += saturation.rounds();
  derived_ = saturation.take();
  statistics_.derived_orders += derived_.facts.size();
  switch (outcome) {
    case prune::Saturation::Outcome::kStopped:
    case prune::Saturation::Outcome::kSkipped:
      return std::nullopt;
    case prune::Saturation::Outcome::kCycle:
      return RefutationBuilder(events_, derived_, budget_).from_cycle();
    case prune::Saturation::Outcome::kNoSource:
      return RefutationBuilder(events_, derived_, budget_).from_missing_source();
    case prune::Saturation::Outcome::kFixpoint:
      break;
  }
  order_ = reordered(events_, order_, budget_);
  if (budget_.exhausted()) return std::nullopt;
  ISOLDE_CHECK(order_.size() == events_.graph().node_count());
  return try_sources();
}

void ChoiceLevel::build_search() {
  const auto judge = [this](const infer::Observations& chosen) {
    return decide_chosen(chosen, question_, options_, statistics_,
                         Effort{.conflict_limit = conflict_limit_, .stopped = &stopped_},
                         budget_);
  };
  search_ = std::make_unique<TheorySearch>(
      events_, derived_, order_, statistics_, budget_,
      Choosing{question_.level, groups_, hints_, options_.clock_error_ns, judge});
  stopped_ = search_->stopped();
}

std::optional<Proof> ChoiceLevel::search(std::uint64_t conflict_limit) {
  if (!search_) {
    if (auto proof = prepare()) return proof;
    if (budget_.exhausted() || !stopped_.empty()) return std::nullopt;
  }
  ISOLDE_ASSERT(search_);
  conflict_limit_ = conflict_limit;
  const solver::Answer answer = search_->solve(conflict_limit);
  if (stopped_.empty()) stopped_ = search_->stopped();
  return search_->proof(answer);
}

}  // namespace isolde::checker
