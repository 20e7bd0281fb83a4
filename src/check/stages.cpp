#include "check/stages.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/memory_guard.hpp"
#include "history/base_levels.hpp"
#include "level/transfer.hpp"
#include "order/sweep.hpp"
#include "refute/refutation.hpp"
#include "search/groups.hpp"
#include "search/window.hpp"
#include "session/session_level.hpp"
#include "weak/mixed.hpp"
#include "weak/timed.hpp"
#include "weak/weak.hpp"

namespace isolde::checker {

ExtractReport check_extract(const History& history, Extract extract,
                            const CheckOptions& options, base::Budget& budget) {
  Verdicts verdicts(history, options, false, budget);
  std::string ambiguity;
  const bool fits = base::fits_memory([&] {
    Stages stages(history, extract, options, verdicts, budget);
    verdicts.leave_out_timed(why_not_timed(history), Verdict::kNotApplicable);
    stages.decide_contradictions();
    stages.find_impossible_result();
    stages.decide();
    ambiguity = stages.ambiguity();
  });
  return {verdicts.finish(fits), std::move(ambiguity)};
}

StrictAnswer check_key(const History& key, CheckOptions options, base::Budget& budget) {
  // Without times on this key, real time binds nothing.
  options.levels = {key.has_times() ? Level::kStrictSerializable : Level::kSerializable};
  options.threads = 1;  // there may be many keys
  options.progress = {};
  auto [report, ambiguity] = check_extract(key, Extract::kOneKey, options, budget);
  const LevelReport& level = report.levels[0];
  if (level.verdict == Verdict::kHolds || level.verdict == Verdict::kViolated) {
    return {std::move(report.proofs[level.proof]), ""};
  }
  return {std::nullopt, ambiguity.empty() ? level.reason : ""};
}

Stages::Stages(const History& history, Extract extract, const CheckOptions& options,
               Verdicts& verdicts, base::Budget& budget)
    : history_(history),
      extract_(extract),
      options_(options),
      verdicts_(verdicts),
      budget_(budget),
      engines_(verdicts.size()),
      choices_(verdicts.size()),
      stricter_(verdicts.size()) {
  verdicts_.release_by([this](std::optional<std::size_t> level) { release(level); });
}

void Stages::decide() {
  const bool any_open = verdicts_.any_open();
  if (!any_open && verdicts_.statistics().included_txns > 0) return;
  if (budget_.exhausted()) return verdicts_.leave_open(budget_.reason());
  if (any_open && decide_open_at_once()) {
    return verdicts_.leave_open(budget_.exhausted() ? budget_.reason() : ambiguity_);
  }
  verdicts_.say("resolving reads");
  const Observations seen = infer::observe(history_, budget_, options_.threads);
  if (budget_.exhausted()) return verdicts_.leave_open(budget_.reason());
  verdicts_.note_observed(seen.included_count());
  verdicts_.leave_out_timed(why_not_timed(seen), Verdict::kNotApplicable);
  find_impossible_result();
  if (!any_open) return;
  if (seen.finding()) {
    decide_by_finding(*seen.finding());
    // What is left are these levels.
    decide(seen, Method::kShownOrders);
    decide(seen, Method::kSessions);
    verdicts_.try_again([&](std::size_t i) { decide(seen, i); });
  } else if (!seen.ambiguity().empty()) {
    ambiguity_ = seen.ambiguity();
    decide(seen, Method::kShownOrders);
  } else {
    if (verdicts_.has_results()) settle_impossible(Groups(seen, budget_).find_impossible());
    decide(seen);
  }
  if (!ambiguity_.empty() && extract_ != Extract::kOneKey) decide_open();
  // Searches end open only when they are stopped.
  verdicts_.leave_open(budget_.exhausted() || ambiguity_.empty() ? budget_.reason()
                                                                 : ambiguity_);
}

void Stages::decide_by_finding(const Finding& finding) {
  verdicts_.decide_all(finding, [&](Level level) {
    return !is_uncommitted(level) && !is_excused(history_, finding, info(level).base);
  });
}

void Stages::decide(const Observations& seen) {
  if (seen.non_repeatable()) {
    verdicts_.decide_all(*seen.non_repeatable(),
                         [](Level level) { return reads_repeatably(info(level).base); });
  }
  sweep(seen);
  verdicts_.in_turn([&](std::size_t i) { guess(seen, i); });
  verdicts_.in_turn([&](std::size_t i) { repair(i); });
  for (const Method method : {Method::kDatabaseTimes, Method::kViews, Method::kShownOrders}) {
    decide(seen, method);
  }
  guess_sessions(seen);
  verdicts_.in_turn([&](std::size_t i) { saturate(i); });
  decide(seen, Method::kSessions);
  decide(seen, Method::kReadByRead);
  sequential_.reset();
  search();
  verdicts_.try_again([&](std::size_t i) { decide(seen, i); });
}

void Stages::decide(const Observations& seen, Method method) {
  verdicts_.in_turn([&](std::size_t i) {
    if (traits(verdicts_.row(i).base).method == method) decide(seen, i);
  });
}

void Stages::guess(const Observations& seen, std::size_t i) {
  const LevelInfo& row = verdicts_.row(i);
  if (!finds_version_orders(row.base)) return;
  verdicts_.say("guessing", row);
  if (is_mixed(row.level)) {
    engines_[i] = mixed_level(seen, i);
    if (!engines_[i]) return;
  } else {
    engines_[i] = std::make_unique<EventLevel>(seen, row, verdicts_.chains_bind(row), options_,
                                               verdicts_.statistics(), budget_);
  }
  if (auto proof = engines_[i]->guess()) verdicts_.settle(i, std::move(*proof));
}

void Stages::repair(std::size_t i) {
  const LevelInfo& row = verdicts_.row(i);
  if (!engines_[i]) return;
  verdicts_.say("repairing", row);
  if (auto proof = engines_[i]->repair(!verdicts_.stricter_form_fails(row))) {
    verdicts_.settle(i, std::move(*proof));
  }
}

void Stages::saturate(std::size_t i) {
  const LevelInfo& row = verdicts_.row(i);
  if (!engines_[i] || (!verdicts_.chains_bind(row) && verdicts_.session_form_fails(row)))
    return;
  verdicts_.say("saturating", row);
  if (auto proof = engines_[i]->saturate(!stricter_form_is_searched(row))) {
    verdicts_.settle(i, std::move(*proof));
  }
}

void Stages::search(std::size_t i, std::uint64_t conflict_limit) {
  if (!engines_[i]) return;
  verdicts_.say("searching", verdicts_.row(i));
  if (auto proof = engines_[i]->search(conflict_limit)) verdicts_.settle(i, std::move(*proof));
  if (!engines_[i]->stopped().empty()) verdicts_.stop(i, engines_[i]->stopped());
  if (!verdicts_.may_work(i)) engines_[i].reset();
}

void Stages::search() {
  bool any = true;
  for (std::uint64_t conflicts = options_.first_conflicts; any && !budget_.exhausted();
       conflicts *= 4) {
    any = false;
    for (const bool saturated : {true, false}) {
      for (std::size_t i = verdicts_.size(); i-- > 0;) {
        if (!verdicts_.may_work(i) || !engines_[i]) continue;
        if (verdicts_.chains_bind(verdicts_.row(i)) != saturated) continue;
        verdicts_.run_share(i, [&] { search(i, is_alone(i) ? 0 : conflicts); });
        any = any || (verdicts_.may_work(i) && engines_[i]);
      }
    }
  }
}

bool Stages::is_alone(std::size_t i) const {
  for (std::size_t other = 0; other < verdicts_.size(); ++other) {
    if (other != i && engines_[other] && verdicts_.may_work(other)) return false;
  }
  return true;
}

void Stages::decide(const Observations& seen, std::size_t i) {
  const LevelInfo& row = verdicts_.row(i);
  if (!finds_version_orders(row.base)) verdicts_.say("deciding", row);
  const auto is_left = [&] { return verdicts_.is_open(i) && !budget_.exhausted(); };
  std::optional<Proof> proof;
  switch (traits(row.base).method) {
    case Method::kVersionOrders:
    case Method::kMixedVersionOrders:
      guess(seen, i);
      if (is_left()) repair(i);
      if (is_left()) saturate(i);
      if (is_left()) search(i, 0);
      return;
    case Method::kDatabaseTimes:
      proof = decide_timed(seen, row, budget_);
      if (!proof && !budget_.exhausted()) verdicts_.stop(i, kInsertedAgain);
      break;
    case Method::kViews:
      proof = decide_weak(seen, row, options_.clock_error_ns, budget_, options_.threads);
      break;
    case Method::kShownOrders:
      proof = decide_uncommitted(seen, row, options_.clock_error_ns, budget_);
      break;
    case Method::kSessions: {
      SessionAnswer answer =
          decide_sessions(seen, row, options_, verdicts_.statistics(), budget_);
      proof = std::move(answer.proof);
      if (!proof && !answer.reason.empty()) ambiguity_ = std::move(answer.reason);
      break;
    }
    case Method::kReadByRead:
      proof = decide_sequential(seen);
      break;
    case Method::kKeyByKey:
      return;  // before all others
  }
  if (proof) verdicts_.settle(i, std::move(*proof));
}

std::optional<Proof> Stages::decide_sequential(const Observations& seen) {
  std::optional<Proof> proof;
  if (!sequential_) {
    sequential_ =
        std::make_unique<SequentialLevel>(seen, options_, verdicts_.statistics(), budget_);
    proof = sequential_->guess();
  }
  if (!proof && !budget_.exhausted()) proof = sequential_->decide();
  return proof;
}

void Stages::sweep(const Observations& seen) {
  if (options_.skip_guess || seen.non_repeatable()) return find_lost_update(seen);
  std::optional<Sweep> sweep;
  struct Failure {
    infer::Encoding encoding;
    std::vector<TxnId> cycle;
  };
  std::vector<Failure> failures;
  const auto failure_of = [&](const LevelInfo& row) {
    const infer::Encoding encoding = sweep_encoding(row, options_.clock_error_ns);
    return std::find_if(failures.begin(), failures.end(),
                        [&](const Failure& failure) { return failure.encoding == encoding; });
  };
  verdicts_.for_each_open([&](std::size_t i) {
    const LevelInfo& row = verdicts_.row(i);
    if (is_mixed(row.level) || goes_by_database_times(row.base)) return;
    if (failure_of(row) != failures.end()) return;
    verdicts_.say("sweeping", row);
    if (!sweep) sweep.emplace(seen, budget_, options_.threads);
    const infer::Encoding encoding = sweep_encoding(row, options_.clock_error_ns);
    std::optional<Witness> witness = sweep->find(encoding);
    if (!witness) return failures.push_back({encoding, sweep->cycle()});
    const bool with_snapshots = witness->mentions == 2 && !reads_one_state(row.base);
    verdicts_.settle(i, with_snapshots ? commits_only(*witness) : std::move(*witness));
  });
  find_lost_update(seen);
  // From the weakest level up: what refutes it refutes the stronger ones.
  for (std::size_t i = verdicts_.size(); i-- > 0;) {
    const LevelInfo& row = verdicts_.row(i);
    if (!verdicts_.may_work(i) || traits(row.base).method != Method::kVersionOrders) continue;
    const auto failure = failure_of(row);
    if (failure == failures.end()) continue;
    verdicts_.say("looking nearby", row);
    verdicts_.run_share(i, [&] {
      auto refutation =
          refute_nearby(seen, row, verdicts_.chains_bind(row), sweep->order(), failure->cycle,
                        options_, verdicts_.statistics(), budget_);
      if (refutation) verdicts_.settle(i, std::move(*refutation));
    });
  }
}

std::unique_ptr<EventLevel> Stages::mixed_level(const Observations& seen, std::size_t i) {
  const LevelInfo& row = verdicts_.row(i);
  const infer::Encoding encoding = mixed_encoding(seen, row, options_.clock_error_ns, budget_);
  if (budget_.exhausted()) return nullptr;
  if (auto missed = find_missed_write(encoding)) {
    verdicts_.settle(i, std::move(*missed));
    return nullptr;
  }
  return std::make_unique<EventLevel>(seen, encoding, verdicts_.chains_bind(row), options_,
                                      verdicts_.statistics(), budget_);
}

void Stages::find_lost_update(const Observations& seen) {
  for (const bool may_insert_again : {true, false}) {
    if (!may_insert_again && !seen.has_deletions()) return;
    const auto is_meant = [&](std::size_t i) {
      const BaseLevel base = verdicts_.row(i).base;
      return verdicts_.is_open(i) && forbids_lost_updates(base) &&
             (may_insert_again || !lets_insert_again(base));
    };
    std::size_t i = 0;
    while (i < verdicts_.size() && !is_meant(i)) ++i;
    if (i == verdicts_.size()) continue;
    verdicts_.say("looking for lost updates");
    if (auto lost_update = checker::find_lost_update(seen, may_insert_again)) {
      verdicts_.settle(i, std::move(*lost_update));
    }
  }
}

void Stages::guess_sessions(const Observations& seen) {
  if (options_.skip_guess) return;
  verdicts_.in_turn([&](std::size_t i) {
    const BaseLevel base = verdicts_.row(i).base;
    const bool sequential = traits(base).method == Method::kReadByRead;
    if (!sequential && !explains_sessions_apart(base)) return;
    verdicts_.say("guessing", verdicts_.row(i));
    auto witness =
        guess_for_all_sessions(seen, sequential ? BaseLevel::kCausal : base, budget_);
    if (witness) verdicts_.settle(i, std::move(*witness));
  });
  guess_prefix_order(seen);
  std::optional<Proof> proof;
  verdicts_.in_turn([&](std::size_t i) {
    const BaseLevel base = verdicts_.row(i).base;
    const bool is_sequential = traits(base).method == Method::kReadByRead;
    // The other session levels are cheap to decide.
    const bool is_bound = traits(base).session.seen != SessionRules::Of::kNothing;
    if (!is_sequential && !is_bound) return;
    if (!sequential_) {
      verdicts_.say("guessing for all sessions", verdicts_.row(i));
      sequential_ =
          std::make_unique<SequentialLevel>(seen, options_, verdicts_.statistics(), budget_);
      proof = sequential_->guess();
    }
    if (!proof || (!is_sequential && !std::holds_alternative<Witness>(*proof))) return;
    verdicts_.settle(i, *proof);
  });
}

void Stages::guess_prefix_order(const Observations& seen) {
  constexpr Level kPrefix = Level::kStrongSessionPrefixConsistency;
  const bool is_asked =
      std::any_of(verdicts_.levels().begin(), verdicts_.levels().end(),
                  [](const LevelReport& each) { return each.level == kPrefix; });
  std::optional<Witness> commits;
  bool tried = is_asked || seen.non_repeatable();
  verdicts_.in_turn([&](std::size_t i) {
    const BaseLevel base = verdicts_.row(i).base;
    const Method method = traits(base).method;
    if (method != Method::kReadByRead && method != Method::kSessions) return;
    if (!tried) {
      tried = true;
      EventLevel prefix(seen, info(kPrefix), true, options_, verdicts_.statistics(), budget_);
      std::optional<Proof> proof = prefix.guess();
      if (!proof && !budget_.exhausted()) proof = prefix.repair(true);
      const auto* witness = proof ? std::get_if<Witness>(&*proof) : nullptr;
      if (witness != nullptr) commits = commits_only(*witness);
    }
    if (commits) verdicts_.settle(i, *commits);
  });
}

void Stages::release(std::optional<std::size_t> level) {
  if (level) return release_level(*level);
  for (std::size_t i = 0; i < verdicts_.size(); ++i) {
    if (verdicts_.is_open(i) && engines_[i]) verdicts_.interrupt(i);
    release_level(i);
  }
}

void Stages::release_all() {
  for (std::size_t i = 0; i < verdicts_.size(); ++i) release_level(i);
}

void Stages::release_level(std::size_t i) {
  engines_[i].reset();
  choices_[i].reset();
  stricter_[i].reset();
  sequential_.reset();
}

/// An aggregate that no versions explain refutes all levels but read uncommitted.
bool Stages::settle_impossible(std::size_t i) {
  const std::optional<WrongResult> wrong = impossible_result(history_, budget_);
  if (!wrong || budget_.exhausted()) return false;
  settle_impossible(i, *wrong);
  return true;
}

void Stages::settle_impossible(std::size_t i, const WrongResult& wrong) {
  const BaseLevel base = verdicts_.row(i).base;
  RefutationStep step;
  step.wrong_result = wrong;
  Refutation refutation{{std::move(step)}, {}};
  if (explains_sessions_apart(base) && !traits(base).session.writes_follow_reads) {
    refutation.session = history_.session_of(wrong.txn);
  }
  verdicts_.settle(i, std::move(refutation));
}

void Stages::settle_impossible(const std::optional<WrongResult>& wrong) {
  verdicts_.for_each_open([&](std::size_t i) {
    const Level level = verdicts_.row(i).level;
    const bool needs_commit =
        is_told_by_key(level) || disregards_left_out_rows(info(level).base);
    if (wrong && !is_uncommitted(level) && !needs_commit) settle_impossible(i, *wrong);
  });
}

/// For the levels that are still open, but those of which it is not known whether they apply.
void Stages::find_impossible_result() {
  if (!verdicts_.has_results()) return;
  for (std::size_t i = 0; i < verdicts_.size() && !budget_.exhausted(); ++i) {
    const LevelInfo& row = verdicts_.row(i);
    if (!verdicts_.is_open(i) || is_uncommitted(row.level)) continue;
    if (goes_by_database_times(row.base) && !verdicts_.has_observed()) continue;
    if (!settle_impossible(i)) return;
  }
}

}  // namespace isolde::checker
