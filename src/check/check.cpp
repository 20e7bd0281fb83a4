#include "check/check.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "base/memory_guard.hpp"
#include "check/asked_levels.hpp"
#include "check/closure.hpp"
#include "check/current_reads.hpp"
#include "check/cut_off.hpp"
#include "check/pipeline.hpp"
#include "check/sums.hpp"
#include "history/base_levels.hpp"
#include "history/current_reads.hpp"
#include "infer/event_graph.hpp"
#include "level/level_traits.hpp"
#include "level/transfer.hpp"
#include "linear/linear.hpp"
#include "order/sweep.hpp"
#include "refute/refutation.hpp"
#include "search/groups.hpp"
#include "search/window.hpp"
#include "session/session_level.hpp"
#include "weak/mixed.hpp"
#include "weak/timed.hpp"
#include "weak/weak.hpp"

namespace isolde::checker {

void Pipeline::begin() {
  report_.rows = {!is_reduced_ && leaves_out_rows(), history_.origin().rows_are_deleted,
                  history_.has_refused_inserts()};
  report_.sessions_respect_time = sessions_respect_time();
  has_results_ = finds_results();
}

CheckReport Pipeline::report_of(Certificate certificate) {
  begin();
  const auto included = [&](const History& history) {
    return infer::observe(history, budget_).included_count();
  };
  // As in decide_items().
  const bool of_items =
      report_.rows.left_out && disregards_left_out_rows(info(certificate.level).base);
  std::vector<std::uint32_t> numbers;
  report_.statistics.included_txns =
      of_items ? included(history_.without_absent_reads({}, numbers)) : included(history_);
  const Verdict verdict = certificate.holds() ? Verdict::kHolds : Verdict::kViolated;
  report_.levels.push_back({certificate.level, verdict, "", 0});
  report_.proofs.push_back(std::move(certificate.proof));
  return std::move(report_);
}

CheckReport Pipeline::run() {
  begin();
  list_levels();
  const bool done = base::fits_memory([&] {
    decide_levels();
    decide_set_aside();
  });
  for (std::size_t i = 0; i < report_.levels.size(); ++i) release(i);
  if (!done) leave_open(budget_.memory_reason());
  open_what_may_be_missing(history_, report_);
  // This copies proofs, which may be large. If it fails, the verdicts so far stay valid.
  base::fits_memory([&] { close_open_levels(); });
  return std::move(report_);
}

void Pipeline::decide_levels() {
  leave_out_timed(checker::why_not_timed(history_), Verdict::kNotApplicable);
  decide_contradictions();
  // Where rows were left out, an order of all transactions is found sooner, and tells of each
  // key.
  if (!report_.rows.left_out) decide_linear();
  decide_repeatable_read();
  decide_rows_when_needed();
  if (report_.rows.left_out) decide_linear();
  decide_results_when_needed();
  find_impossible_result();
  const bool all_decided = std::find(open_.begin(), open_.end(), true) == open_.end();
  if (all_decided && report_.statistics.included_txns > 0) return;
  if (budget_.exhausted()) return leave_open(budget_.reason());
  if (!all_decided && decide_open_at_once()) {
    return leave_open(budget_.exhausted() ? budget_.reason() : ambiguity_);
  }
  say("resolving reads");
  const Observations seen = infer::observe(history_, budget_, options_.threads);
  if (budget_.exhausted()) return leave_open(budget_.reason());
  report_.statistics.included_txns = seen.included_count();
  leave_out_timed(checker::why_not_timed(seen), Verdict::kNotApplicable);
  has_observed_ = true;
  find_impossible_result();
  if (all_decided) return;
  if (seen.finding()) {
    const Finding& finding = *seen.finding();
    decide_all(finding, [&](Level level) {
      return !is_uncommitted(level) &&
             !checker::is_excused(history_, finding, info(level).base);
    });
    // What is left are these levels.
    decide(seen, Method::kShownOrders);
    decide(seen, Method::kSessions);
    try_again([&](std::size_t i) { decide(seen, i); });
  } else if (!seen.ambiguity().empty()) {
    ambiguity_ = seen.ambiguity();
    decide(seen, Method::kShownOrders);
  } else {
    if (has_results_) settle_impossible(Groups(seen, budget_).find_impossible());
    decide(seen);
  }
  if (!ambiguity_.empty() && chooses_sources_) decide_open();
  // Searches end open only when they are stopped.
  leave_open(budget_.exhausted() || ambiguity_.empty() ? budget_.reason() : ambiguity_);
}

void Pipeline::say(std::string_view text) const {
  if (options_.progress) options_.progress(text);
}

void Pipeline::say(std::string_view stage, const LevelInfo& level) const {
  if (options_.progress) options_.progress(std::string(stage) + " " + std::string(level.name));
}

void Pipeline::list_levels() {
  report_.levels = undecided_levels(history_, options_);
  for (const LevelReport& level : report_.levels) {
    open_.push_back(level.verdict == Verdict::kUnknown);
  }
  shares_.emplace(report_.levels, open_, history_.op_count(), budget_);
  engines_.resize(report_.levels.size());
  choices_.resize(report_.levels.size());
  stricter_.resize(report_.levels.size());
}

void Pipeline::leave_out_timed(const std::string& reason, Verdict verdict) {
  if (reason.empty()) return;
  for (std::size_t i = 0; i < report_.levels.size(); ++i) {
    LevelReport& level = report_.levels[i];
    if (!open_[i] || !goes_by_database_times(info(level.level).base)) continue;
    level.verdict = verdict;
    level.reason = reason;
    open_[i] = false;
  }
}

// Every transaction that may have taken effect counts. Which ones did is known late, and never
// for certain where values repeat; the verifier requires the same.
bool Pipeline::sessions_respect_time() const {
  for (std::size_t s = 0; s < history_.session_count(); ++s) {
    TxnId last;
    for (const TxnId txn : history_.session_txns(SessionId::at(s))) {
      if (history_.status(txn) == TxnStatus::kAborted) continue;
      if (last.is_some() &&
          !infer::ended_before(history_, last, txn, options_.clock_error_ns)) {
        return false;
      }
      last = txn;
    }
  }
  return true;
}

void Pipeline::decide_linear() {
  const auto row =
      std::find_if(report_.levels.begin(), report_.levels.end(),
                   [](const LevelReport& level) { return is_told_by_key(level.level); });
  const auto i = static_cast<std::size_t>(row - report_.levels.begin());
  if (row == report_.levels.end() || !open_[i]) return;
  run_share(i, [&] { decide_linear(i); });
  set_aside(i);
}

void Pipeline::decide_linear(std::size_t i) {
  LevelReport& level = report_.levels[i];
  say("deciding", info(level.level));
  checker::LinearAnswer answer = checker::decide_linear(
      history_, options_.clock_error_ns,
      [this](const History& key) { return decide_strict(key); }, budget_);
  count_included(answer.included);
  if (answer.proof && !has_right_results(info(level.level), *answer.proof)) {
    if (!settle_impossible(i)) leave_results_open(i);
    return;
  }
  if (answer.proof) return settle(i, std::move(*answer.proof));
  level.reason = answer.reason;
  if (!budget_.exhausted()) open_[i] = false;
}

void Pipeline::set_aside(std::size_t i) {
  if (!open_[i]) return;
  open_[i] = false;
  if (shares_->has_stopped(i)) report_.levels[i].reason = shares_->reason(i);
  set_aside_.push_back(i);
}

void Pipeline::decide_set_aside() {
  for (const std::size_t i : set_aside_) {
    if (!shares_->has_stopped(i) || !shares_->try_again(i)) continue;
    open_[i] = true;
    run_share(i, [&] {
      is_told_by_key(report_.levels[i].level) ? decide_linear(i) : decide_items(i);
    });
    open_[i] = false;
  }
}

void Pipeline::decide_repeatable_read() {
  for (std::size_t i = 0; i < report_.levels.size(); ++i) {
    if (!open_[i] || !is_about_other_reads(i)) continue;
    run_share(i, [&] { decide_items(i); });
    set_aside(i);
  }
}

void Pipeline::count_included(std::uint64_t included) {
  std::uint64_t& known = report_.statistics.included_txns;
  if (!has_observed_) known = std::max(known, included);
}

bool Pipeline::leaves_out_rows() const {
  if (!history_.has_selections()) return false;
  for (std::size_t t = 0; t < history_.txn_count(); ++t) {
    for (const Selection& selection : history_.selections(TxnId::at(t))) {
      if (selection.absents > 0) return true;
    }
  }
  return false;
}

StrictAnswer Pipeline::decide_strict(const History& history) const {
  CheckOptions options = options_;
  // Without times on this key, real time binds nothing.
  options.levels = {history.has_times() ? Level::kStrictSerializable : Level::kSerializable};
  options.threads = 1;  // there may be many keys
  options.progress = {};
  Pipeline pipeline(history, options, budget_);
  // Where values repeat, linearizability has its own search.
  pipeline.chooses_sources_ = false;
  CheckReport report = pipeline.run();
  const LevelReport& level = report.levels[0];
  if (level.verdict == Verdict::kHolds || level.verdict == Verdict::kViolated) {
    return {std::move(report.proofs[level.proof]), ""};
  }
  return {std::nullopt, pipeline.ambiguity_.empty() ? level.reason : ""};
}

void Pipeline::leave_open(const std::string& reason) {
  for (std::size_t i = 0; i < report_.levels.size(); ++i) {
    if (!open_[i]) continue;
    report_.levels[i].reason = shares_->has_stopped(i) ? shares_->reason(i) : reason;
  }
}

void Pipeline::decide(const Observations& seen) {
  if (seen.non_repeatable()) {
    decide_all(*seen.non_repeatable(),
               [](Level level) { return reads_repeatably(info(level).base); });
  }
  sweep(seen);
  in_turn([&](std::size_t i) { guess(seen, i); });
  in_turn([&](std::size_t i) { repair(i); });
  for (const Method method : {Method::kDatabaseTimes, Method::kViews, Method::kShownOrders}) {
    decide(seen, method);
  }
  guess_sessions(seen);
  in_turn([&](std::size_t i) { saturate(i); });
  decide(seen, Method::kSessions);
  decide(seen, Method::kReadByRead);
  sequential_.reset();
  search();
  try_again([&](std::size_t i) { decide(seen, i); });
}

void Pipeline::decide(const Observations& seen, Method method) {
  in_turn([&](std::size_t i) {
    if (traits(info(report_.levels[i].level).base).method == method) decide(seen, i);
  });
}

void Pipeline::guess(const Observations& seen, std::size_t i) {
  const LevelInfo& row = info(report_.levels[i].level);
  if (!finds_version_orders(row.base)) return;
  say("guessing", row);
  if (is_mixed(row.level)) {
    engines_[i] = mixed_level(seen, i);
    if (!engines_[i]) return;
  } else {
    engines_[i] = std::make_unique<checker::EventLevel>(seen, row, chains_bind(row), options_,
                                                        report_.statistics, budget_);
  }
  if (auto proof = engines_[i]->guess()) settle(i, std::move(*proof));
}

void Pipeline::repair(std::size_t i) {
  const LevelInfo& row = info(report_.levels[i].level);
  if (!engines_[i]) return;
  say("repairing", row);
  if (auto proof = engines_[i]->repair(!stricter_form_fails(row))) {
    settle(i, std::move(*proof));
  }
}

void Pipeline::saturate(std::size_t i) {
  const LevelInfo& row = info(report_.levels[i].level);
  if (!engines_[i] || (!chains_bind(row) && session_form_fails(row))) return;
  say("saturating", row);
  if (auto proof = engines_[i]->saturate(!stricter_form_is_searched(row))) {
    settle(i, std::move(*proof));
  }
}

void Pipeline::search(std::size_t i, std::uint64_t conflict_limit) {
  if (!engines_[i]) return;
  say("searching", info(report_.levels[i].level));
  if (auto proof = engines_[i]->search(conflict_limit)) settle(i, std::move(*proof));
  if (!engines_[i]->stopped().empty()) shares_->stop(i, engines_[i]->stopped());
  if (!may_work(i)) engines_[i].reset();
}

void Pipeline::search() {
  bool any = true;
  for (std::uint64_t conflicts = options_.first_conflicts; any && !budget_.exhausted();
       conflicts *= 4) {
    any = false;
    for (const bool saturated : {true, false}) {
      for (std::size_t i = report_.levels.size(); i-- > 0;) {
        if (!may_work(i) || !engines_[i]) continue;
        if (chains_bind(info(report_.levels[i].level)) != saturated) continue;
        run_share(i, [&] { search(i, is_alone(i) ? 0 : conflicts); });
        any = any || (may_work(i) && engines_[i]);
      }
    }
  }
}

bool Pipeline::is_alone(std::size_t i) const {
  for (std::size_t other = 0; other < report_.levels.size(); ++other) {
    if (other != i && engines_[other] && may_work(other)) return false;
  }
  return true;
}

void Pipeline::decide(const Observations& seen, std::size_t i) {
  const LevelInfo& row = info(report_.levels[i].level);
  if (!finds_version_orders(row.base)) say("deciding", row);
  const auto is_left = [&] { return open_[i] && !budget_.exhausted(); };
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
      proof = checker::decide_timed(seen, row, budget_);
      if (!proof && !budget_.exhausted()) shares_->stop(i, checker::kInsertedAgain);
      break;
    case Method::kViews:
      proof =
          checker::decide_weak(seen, row, options_.clock_error_ns, budget_, options_.threads);
      break;
    case Method::kShownOrders:
      proof = checker::decide_uncommitted(seen, row, options_.clock_error_ns, budget_);
      break;
    case Method::kSessions: {
      checker::SessionAnswer answer =
          checker::decide_sessions(seen, row, options_, report_.statistics, budget_);
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
  if (proof) settle(i, std::move(*proof));
}

std::optional<Proof> Pipeline::decide_sequential(const Observations& seen) {
  std::optional<Proof> proof;
  if (!sequential_) {
    sequential_ =
        std::make_unique<checker::SequentialLevel>(seen, options_, report_.statistics, budget_);
    proof = sequential_->guess();
  }
  if (!proof && !budget_.exhausted()) proof = sequential_->decide();
  return proof;
}

void Pipeline::sweep(const Observations& seen) {
  if (options_.skip_guess || seen.non_repeatable()) return find_lost_update(seen);
  std::optional<checker::Sweep> sweep;
  struct Failure {
    infer::Encoding encoding;
    std::vector<TxnId> cycle;
  };
  std::vector<Failure> failures;
  const auto failure_of = [&](const LevelInfo& row) {
    const infer::Encoding encoding = checker::sweep_encoding(row, options_.clock_error_ns);
    return std::find_if(failures.begin(), failures.end(),
                        [&](const Failure& failure) { return failure.encoding == encoding; });
  };
  for_each_open([&](std::size_t i) {
    const LevelInfo& row = info(report_.levels[i].level);
    if (is_mixed(row.level) || goes_by_database_times(row.base)) return;
    if (failure_of(row) != failures.end()) return;
    say("sweeping", row);
    if (!sweep) sweep.emplace(seen, budget_, options_.threads);
    const infer::Encoding encoding = checker::sweep_encoding(row, options_.clock_error_ns);
    std::optional<Witness> witness = sweep->find(encoding);
    if (!witness) return failures.push_back({encoding, sweep->cycle()});
    const bool with_snapshots = witness->mentions == 2 && !reads_one_state(row.base);
    settle(i, with_snapshots ? checker::commits_only(*witness) : std::move(*witness));
  });
  find_lost_update(seen);
  // From the weakest level up: what refutes it refutes the stronger ones.
  for (std::size_t i = report_.levels.size(); i-- > 0;) {
    const LevelInfo& row = info(report_.levels[i].level);
    if (!may_work(i) || traits(row.base).method != Method::kVersionOrders) continue;
    const auto failure = failure_of(row);
    if (failure == failures.end()) continue;
    say("looking nearby", row);
    run_share(i, [&] {
      auto refutation =
          checker::refute_nearby(seen, row, chains_bind(row), sweep->order(), failure->cycle,
                                 options_, report_.statistics, budget_);
      if (refutation) settle(i, std::move(*refutation));
    });
  }
}

std::unique_ptr<checker::EventLevel> Pipeline::mixed_level(const Observations& seen,
                                                           std::size_t i) {
  const LevelInfo& row = info(report_.levels[i].level);
  const infer::Encoding encoding =
      checker::mixed_encoding(seen, row, options_.clock_error_ns, budget_);
  if (budget_.exhausted()) return nullptr;
  if (auto missed = checker::find_missed_write(encoding)) {
    settle(i, std::move(*missed));
    return nullptr;
  }
  return std::make_unique<checker::EventLevel>(seen, encoding, chains_bind(row), options_,
                                               report_.statistics, budget_);
}

void Pipeline::find_lost_update(const Observations& seen) {
  for (const bool may_insert_again : {true, false}) {
    if (!may_insert_again && !seen.has_deletions()) return;
    const auto is_meant = [&](std::size_t i) {
      const BaseLevel base = info(report_.levels[i].level).base;
      return open_[i] && forbids_lost_updates(base) &&
             (may_insert_again || !checker::lets_insert_again(base));
    };
    std::size_t i = 0;
    while (i < report_.levels.size() && !is_meant(i)) ++i;
    if (i == report_.levels.size()) continue;
    say("looking for lost updates");
    if (auto lost_update = checker::find_lost_update(seen, may_insert_again)) {
      settle(i, std::move(*lost_update));
    }
  }
}

void Pipeline::guess_sessions(const Observations& seen) {
  if (options_.skip_guess) return;
  in_turn([&](std::size_t i) {
    const BaseLevel base = info(report_.levels[i].level).base;
    const bool sequential = traits(base).method == Method::kReadByRead;
    if (!sequential && !explains_sessions_apart(base)) return;
    say("guessing", info(report_.levels[i].level));
    auto witness =
        checker::guess_for_all_sessions(seen, sequential ? BaseLevel::kCausal : base, budget_);
    if (witness) settle(i, std::move(*witness));
  });
  guess_prefix_order(seen);
  std::optional<Proof> proof;
  in_turn([&](std::size_t i) {
    const BaseLevel base = info(report_.levels[i].level).base;
    const bool is_sequential = traits(base).method == Method::kReadByRead;
    // The other session levels are cheap to decide.
    const bool is_bound = traits(base).session.seen != checker::SessionRules::Of::kNothing;
    if (!is_sequential && !is_bound) return;
    if (!sequential_) {
      say("guessing for all sessions", info(report_.levels[i].level));
      sequential_ = std::make_unique<checker::SequentialLevel>(seen, options_,
                                                               report_.statistics, budget_);
      proof = sequential_->guess();
    }
    if (!proof || (!is_sequential && !std::holds_alternative<Witness>(*proof))) return;
    settle(i, *proof);
  });
}

void Pipeline::guess_prefix_order(const Observations& seen) {
  constexpr Level kPrefix = Level::kStrongSessionPrefixConsistency;
  const bool is_asked =
      std::any_of(report_.levels.begin(), report_.levels.end(),
                  [](const LevelReport& each) { return each.level == kPrefix; });
  std::optional<Witness> commits;
  bool tried = is_asked || seen.non_repeatable();
  in_turn([&](std::size_t i) {
    const BaseLevel base = info(report_.levels[i].level).base;
    const Method method = traits(base).method;
    if (method != Method::kReadByRead && method != Method::kSessions) return;
    if (!tried) {
      tried = true;
      checker::EventLevel prefix(seen, info(kPrefix), true, options_, report_.statistics,
                                 budget_);
      std::optional<Proof> proof = prefix.guess();
      if (!proof && !budget_.exhausted()) proof = prefix.repair(true);
      const auto* witness = proof ? std::get_if<Witness>(&*proof) : nullptr;
      if (witness != nullptr) commits = checker::commits_only(*witness);
    }
    if (commits) settle(i, *commits);
  });
}

bool Pipeline::may_work(std::size_t i) const {
  return open_[i] && !shares_->has_stopped(i) && !budget_.exhausted();
}

void Pipeline::release(std::size_t i) {
  engines_[i].reset();
  choices_[i].reset();
  stricter_[i].reset();
  sequential_.reset();
}

void Pipeline::release_all() {
  for (std::size_t i = 0; i < report_.levels.size(); ++i) {
    if (open_[i] && engines_[i]) shares_->interrupt(i);
    release(i);
  }
}

}  // namespace isolde::checker

namespace isolde {

CheckReport check(const History& history, const CheckOptions& options, base::Budget& budget) {
  ISOLDE_CHECK(!history.has_unlisted_rows());
  if (history.has_refused_inserts()) {
    return checker::check_current_reads(history, options, budget);
  }
  return checker::check_as_it_is(history, options, budget);
}

CheckReport checker::check_as_it_is(const History& history, const CheckOptions& options,
                                    base::Budget& budget) {
  if (history.open_increments() > 0) return check_sums(history, options, budget);
  return Pipeline(history, options, budget).run();
}

static CheckReport report_of_reading(const History& history, Certificate certificate,
                                     base::Budget& budget) {
  CheckOptions options;
  options.levels = {certificate.level};
  if (!certificate.sums.empty()) {
    std::vector<std::int64_t> sums = std::move(certificate.sums);
    const History with_sums = std::move(history.with_sums(sums)).value();
    CheckReport report =
        checker::Pipeline(with_sums, options, budget).report_of(std::move(certificate));
    report.sums.push_back(std::move(sums));
    return report;
  }
  return checker::Pipeline(history, options, budget).report_of(std::move(certificate));
}

CheckReport report_of(const History& history, Certificate certificate, base::Budget& budget) {
  if (!history.has_refused_inserts()) {
    return report_of_reading(history, std::move(certificate), budget);
  }
  const History reading = history::as_read_at(history, certificate.level);
  return report_of_reading(reading, std::move(certificate), budget);
}

}  // namespace isolde
