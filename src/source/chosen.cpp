#include "source/chosen.hpp"

#include "history/base_levels.hpp"
#include "level/level_traits.hpp"
#include "refute/refutation.hpp"
#include "search/event_level.hpp"
#include "session/sequential.hpp"
#include "session/session_level.hpp"
#include "weak/mixed.hpp"
#include "weak/timed.hpp"
#include "weak/weak.hpp"

namespace isolde::checker {

std::optional<Proof> decide_chosen(const infer::Observations& chosen, const Question& question,
                                   const CheckOptions& options, CheckStatistics& statistics,
                                   const Effort& effort, base::Budget& budget) {
  const LevelInfo& level = question.level;
  const Method method = traits(level.base).method;
  if (method == Method::kSessions) {
    return decide_session(chosen, level.base, question.session, statistics, budget);
  }
  if (method == Method::kViews) {
    return decide_weak(chosen, level, options.clock_error_ns, budget);
  }
  if (method == Method::kReadByRead) {
    SequentialLevel engine(chosen, options, statistics, budget);
    std::optional<Proof> proof = engine.guess();
    if (!proof && !effort.guess_only && !budget.exhausted()) proof = engine.decide();
    return budget.exhausted() ? std::nullopt : proof;
  }
  if (method == Method::kMixedVersionOrders) {
    const infer::Encoding mixed = mixed_encoding(chosen, level, options.clock_error_ns, budget);
    if (budget.exhausted()) return std::nullopt;
    if (auto missed = find_missed_write(mixed)) return missed;
    EventLevel engine(chosen, mixed, question.sessions_are_chains, options, statistics, budget);
    return engine.decide(effort);
  }
  if (chosen.non_repeatable() && reads_repeatably(level.base)) {
    return refute_read(chosen, *chosen.non_repeatable());
  }
  if (method == Method::kDatabaseTimes) {
    std::optional<Proof> proof = decide_timed(chosen, level, budget);
    if (!proof && effort.stopped != nullptr) *effort.stopped = kInsertedAgain;
    return proof;
  }
  if (forbids_lost_updates(level.base)) {
    if (auto lost_update = find_lost_update(chosen, lets_insert_again(level.base))) {
      return lost_update;
    }
  }
  EventLevel engine(chosen, level, question.sessions_are_chains, options, statistics, budget);
  return engine.decide(effort);
}

}  // namespace isolde::checker
