#include "source/session_choices.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/assert.hpp"
#include "level/level_traits.hpp"
#include "session/session_level.hpp"
#include "session/session_test.hpp"

namespace isolde::checker {
namespace {

bool has_doubtful(const infer::Observations& seen) {
  for (std::size_t t = 0; t < seen.txn_count(); ++t) {
    if (seen.is_doubtful(TxnId::at(t))) return true;
  }
  return false;
}

}  // namespace

std::unique_ptr<SourceSearch> make_source_search(const infer::Observations& seen,
                                                 const Question& question,
                                                 const CheckOptions& options,
                                                 CheckStatistics& statistics,
                                                 base::Budget& budget) {
  if (traits(question.level.base).method == Method::kSessions) {
    return std::make_unique<SessionChoices>(seen, question.level, options, statistics, budget);
  }
  return std::make_unique<ChoiceLevel>(seen, question, options, statistics, budget);
}

SessionChoices::SessionChoices(const infer::Observations& seen, const LevelInfo& level,
                               const CheckOptions& options, CheckStatistics& statistics,
                               base::Budget& budget)
    : seen_(seen),
      level_(level),
      options_(options),
      statistics_(statistics),
      budget_(budget),
      left_(sessions_in(seen)),
      has_doubtful_(has_doubtful(seen)),
      has_begun_(seen.history().session_count(), false) {
  std::reverse(left_.begin(), left_.end());
}

std::optional<Proof> SessionChoices::guess() {
  if (!has_guessed_) serve_by_time();
  if (!left_.empty() || budget_.exhausted()) return std::nullopt;
  return to_proof(std::move(executions_));
}

/// Sessions that an order by time explains need no search. What took effect must be certain.
void SessionChoices::serve_by_time() {
  has_guessed_ = true;
  if (traits(level_.base).session.writes_follow_reads) return;
  if (options_.skip_guess || seen_.finding() || has_doubtful_) return;
  std::vector<TxnId> order = commits_by_time(seen_, budget_);
  if (order.empty() || budget_.exhausted()) return;
  const std::vector<bool> served = SessionTest(seen_, level_.base).served(order, budget_);
  if (budget_.exhausted()) return;
  std::vector<SessionId> left;
  std::vector<SessionId> sessions;
  for (const SessionId session : left_) {
    (served[session.raw()] ? sessions : left).push_back(session);
  }
  if (sessions.empty()) return;
  left_ = std::move(left);
  executions_.push_back({std::move(sessions), std::move(order)});
}

std::optional<Proof> SessionChoices::search(std::uint64_t conflict_limit) {
  if (!has_guessed_) serve_by_time();
  while (!left_.empty() && stopped_.empty() && !budget_.exhausted()) {
    std::optional<Proof> proof;
    if (!engine_) proof = start();
    if (engine_) {
      proof = engine_->search(conflict_limit);
      stopped_ = engine_->stopped();
    }
    if (!proof) return std::nullopt;
    if (auto violation = accept(std::move(*proof))) return violation;
  }
  if (!stopped_.empty() || budget_.exhausted()) return std::nullopt;
  return to_proof(std::move(executions_));
}

/// Begins with the next session; a proof: it has no execution, and needs no search.
std::optional<Proof> SessionChoices::start() {
  const SessionId session = left_.back();
  const bool all_reads = traits(level_.base).session.all_reads_count;
  const infer::Observations* seen = &seen_;
  // On its view no claim can be about another session's read.
  if (!all_reads || !effects_.empty()) {
    part_ = std::make_unique<Part>(Part{
        session_view(seen_.history(), seen_, all_reads ? SessionId::none() : session, effects_),
        {}});
    part_->seen = infer::observe_open(part_->history, budget_);
    if (budget_.exhausted()) return std::nullopt;
    if (part_->seen.finding()) return *part_->seen.finding();
    stopped_ = part_->seen.ambiguity();
    if (!stopped_.empty()) return std::nullopt;
    seen = &part_->seen;
  }
  engine_ = std::make_unique<ChoiceLevel>(*seen, Question{level_, false, session}, options_,
                                          statistics_, budget_);
  return std::nullopt;
}

/// Takes the session's execution, or returns that it has none.
std::optional<Proof> SessionChoices::accept(Proof proof) {
  engine_.reset();
  part_.reset();
  const SessionId session = left_.back();
  if (auto* const witness = std::get_if<Witness>(&proof)) {
    take(std::move(*witness));
    return std::nullopt;
  }
  if (!effects_.empty()) {
    give_way_to(session);
    return std::nullopt;
  }
  if (auto* const refutation = std::get_if<Refutation>(&proof)) {
    if (!traits(level_.base).session.writes_follow_reads) refutation->session = session;
  }
  return proof;
}

void SessionChoices::take(Witness witness) {
  if (traits(level_.base).session.writes_follow_reads) {
    executions_.push_back({std::exchange(left_, {}), std::move(witness.order)});
    return;
  }
  const SessionId session = left_.back();
  left_.pop_back();
  if (has_doubtful_) {
    std::vector<Effect> effects(seen_.txn_count(), Effect::kOpen);
    for (std::size_t t = 0; t < effects_.size(); ++t) {
      if (effects_[t] == Effect::kExcluded) effects[t] = Effect::kExcluded;
    }
    for (const TxnId txn : witness.order) effects[txn.raw()] = Effect::kSettled;
    if (effects != effects_) {
      restart_without(session);
      effects_ = std::move(effects);
    }
  }
  executions_.push_back({{session}, std::move(witness.order)});
}

/// It has no execution with what is settled and excluded.
void SessionChoices::give_way_to(SessionId session) {
  if (exclude_own(session)) return;
  if (has_begun_[session.raw()]) {
    stopped_ = "no choice of indeterminate transactions was found that serves all sessions";
    return;
  }
  has_begun_[session.raw()] = true;
  effects_.clear();
  begin_with(session);
}

/// Starts over without the session's doubtful transactions; false when none was settled.
bool SessionChoices::exclude_own(SessionId session) {
  bool any = false;
  for (const TxnId txn : seen_.history().session_txns(session)) {
    if (effects_[txn.raw()] != Effect::kSettled || !seen_.is_doubtful(txn)) continue;
    effects_[txn.raw()] = Effect::kExcluded;
    any = true;
  }
  if (any) begin_with(session);
  return any;
}

/// Starts over with this session, with nothing settled.
void SessionChoices::begin_with(SessionId session) {
  std::replace(effects_.begin(), effects_.end(), Effect::kSettled, Effect::kOpen);
  restart_without(session);
  left_.push_back(session);
}

void SessionChoices::restart_without(SessionId session) {
  executions_.clear();
  left_ = sessions_in(seen_);
  std::reverse(left_.begin(), left_.end());
  std::erase(left_, session);
}

}  // namespace isolde::checker
