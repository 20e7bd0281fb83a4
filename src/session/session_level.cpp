#include "session/session_level.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "history/base_levels.hpp"
#include "infer/event_graph.hpp"
#include "level/level_traits.hpp"
#include "order/guess.hpp"
#include "session/session_graph.hpp"
#include "session/session_refutation.hpp"
#include "session/session_saturation.hpp"
#include "session/session_test.hpp"
#include "session/session_view.hpp"

namespace isolde::checker {
namespace {

using infer::Observations;

bool asks_for_all_reads(BaseLevel base) { return traits(base).session.all_reads_count; }

/// Session order, read-from and the order that lists show.
infer::EventGraph basics(const Observations& seen, base::Budget& budget) {
  return infer::EventGraph(seen, encoding(info(Level::kCausal), 0), budget);
}

class SessionLevel {
 public:
  SessionLevel(const Observations& seen, const LevelInfo& level, const CheckOptions& options,
               CheckStatistics& statistics, base::Budget& budget)
      : seen_(seen),
        base_(level.base),
        options_(options),
        statistics_(statistics),
        budget_(budget) {}

  SessionAnswer run() {
    open_ = sessions_in(seen_);
    const bool any_lists = seen_.has_lists();
    if (!options_.skip_guess && !seen_.finding()) guess();
    while (!open_.empty() && !answer_.proof && answer_.reason.empty()) {
      if (budget_.exhausted()) return {};
      const SessionId session = open_.front();
      if (any_lists && !asks_for_all_reads(base_)) {
        decide_alone(session);
      } else {
        decide(seen_, session, !options_.skip_guess);
      }
    }
    if (!answer_.proof && answer_.reason.empty() && !budget_.exhausted()) {
      answer_.proof = to_proof(std::move(executions_));
    }
    return std::move(answer_);
  }

 private:
  using Execution = SessionWitness::Execution;

  /// Sessions that a guessed order explains need no further work.
  void guess() {
    const std::vector<TxnId> order = commits_by_time(seen_, budget_);
    if (!order.empty() && !budget_.exhausted()) share({{}, order});
  }

  /// Closes the sessions that the execution explains, and keeps it if there are any.
  void share(Execution execution) {
    const std::vector<bool> served = SessionTest(seen_, base_).served(execution.order, budget_);
    if (budget_.exhausted()) return;
    std::vector<SessionId> rest;
    for (const SessionId session : open_) {
      (served[session.raw()] ? execution.sessions : rest).push_back(session);
    }
    open_ = std::move(rest);
    if (!execution.sessions.empty()) executions_.push_back(std::move(execution));
  }

  void decide(const Observations& seen, SessionId session, bool shares) {
    std::optional<Proof> proof = decide_session(seen, base_, session, statistics_, budget_);
    if (!proof) return;
    auto* const witness = std::get_if<Witness>(&*proof);
    if (witness == nullptr) {
      answer_.proof = std::move(proof);
      return;
    }
    // The level requires the same of all sessions.
    const bool serves_all = traits(base_).session.writes_follow_reads;
    if (shares && !serves_all) {
      share({{}, std::move(witness->order)});
      ISOLDE_CHECK(budget_.exhausted() || open_.empty() || open_.front() != session);
    } else if (serves_all) {
      executions_.push_back({std::exchange(open_, {}), std::move(witness->order)});
    } else {
      open_.erase(open_.begin());
      executions_.push_back({{session}, std::move(witness->order)});
    }
  }

  void decide_alone(SessionId session) {
    const History view = session_view(seen_.history(), seen_, session);
    const Observations seen = infer::observe(view, budget_);
    if (budget_.exhausted()) return;
    if (seen.finding()) {
      answer_.proof = *seen.finding();
    } else if (!seen.ambiguity().empty()) {
      answer_.reason = seen.ambiguity();
    } else {
      decide(seen, session, false);
    }
  }

  const Observations& seen_;
  BaseLevel base_;
  const CheckOptions& options_;
  CheckStatistics& statistics_;
  base::Budget& budget_;
  std::vector<SessionId> open_;
  std::vector<Execution> executions_;
  SessionAnswer answer_;
};

}  // namespace

std::vector<SessionId> sessions_in(const Observations& seen) {
  const History& history = seen.history();
  std::vector<SessionId> sessions;
  for (std::size_t s = 0; s < history.session_count(); ++s) {
    const std::span<const TxnId> txns = history.session_txns(SessionId::at(s));
    const bool any =
        std::any_of(txns.begin(), txns.end(), [&](TxnId txn) { return seen.is_included(txn); });
    if (any) sessions.push_back(SessionId::at(s));
  }
  return sessions;
}

Proof to_proof(std::vector<SessionWitness::Execution> executions) {
  if (executions.size() > 1) return SessionWitness{std::move(executions)};
  Witness witness;
  if (!executions.empty()) witness.order = std::move(executions.front().order);
  return witness;
}

std::vector<TxnId> commits_by_time(const Observations& seen, base::Budget& budget) {
  const infer::EventGraph events = basics(seen, budget);
  return to_witness(events, order_by_time(events, budget)).order;
}

bool is_excused(const History& history, const Finding& finding, BaseLevel base) {
  return explains_sessions_apart(base) && !asks_for_all_reads(base) &&
         finding.kind == FindingKind::kIncompatibleOrder &&
         history.session_of(finding.txn) != history.session_of(finding.other);
}

std::optional<Proof> decide_session(const Observations& seen, BaseLevel base, SessionId session,
                                    CheckStatistics& statistics, base::Budget& budget) {
  SessionGraph events(seen, base, session, budget);
  SessionSaturation saturation(events, budget);
  std::optional<std::vector<TxnId>> order = saturation.run();
  statistics.saturation_rounds += saturation.rounds();
  statistics.derived_orders += saturation.derived().size();
  if (budget.exhausted()) return std::nullopt;
  if (order) return Witness{1, std::move(*order), {}};
  return refute_session(events, saturation, budget);
}

std::optional<Witness> guess_for_all_sessions(const Observations& seen, BaseLevel base,
                                              base::Budget& budget) {
  Witness witness;
  witness.order = commits_by_time(seen, budget);
  if (budget.exhausted() || witness.order.size() != seen.included_count()) {
    return std::nullopt;
  }
  const std::vector<bool> served = SessionTest(seen, base).served(witness.order, budget);
  const bool all = std::find(served.begin(), served.end(), false) == served.end();
  if (budget.exhausted() || !all) return std::nullopt;
  return witness;
}

SessionAnswer decide_sessions(const Observations& seen, const LevelInfo& level,
                              const CheckOptions& options, CheckStatistics& statistics,
                              base::Budget& budget) {
  return SessionLevel(seen, level, options, statistics, budget).run();
}

}  // namespace isolde::checker
