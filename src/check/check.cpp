// The pipeline: observations, then stages of rising cost, each for all open levels. A proof
// serves every level that it proves: a witness all weaker levels, a refutation all levels at
// which its dependencies count.
#include "isolde/check.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/assert.hpp"
#include "base/budget.hpp"
#include "check/choices.hpp"
#include "check/closure.hpp"
#include "check/event_level.hpp"
#include "check/joined_keys.hpp"
#include "check/linear.hpp"
#include "check/mixed.hpp"
#include "check/refutation.hpp"
#include "check/sequential.hpp"
#include "check/session_level.hpp"
#include "check/sweep.hpp"
#include "check/timed.hpp"
#include "check/transfer.hpp"
#include "check/weak.hpp"
#include "check/window.hpp"
#include "infer/event_graph.hpp"
#include "infer/observations.hpp"

namespace isolde {
namespace {

using infer::Observations;

/// Levels that EventLevel decides.
bool is_event_level(Level level) {
  const BaseLevel base = info(level).base;
  return base == BaseLevel::kSerializable || base == BaseLevel::kRepeatableRead ||
         base == BaseLevel::kPerKeyStrict || base == BaseLevel::kSnapshotIsolation ||
         base == BaseLevel::kParallelSnapshot || base == BaseLevel::kPrefixConsistency ||
         base == BaseLevel::kMixed;
}

bool is_decided(BaseLevel base) {
  return base == BaseLevel::kMixed || checker::is_weak(base) || explains_sessions_apart(base) ||
         base == BaseLevel::kSequential || base == BaseLevel::kParallelSnapshot ||
         base == BaseLevel::kLinearizable || reads_one_state(base);
}

bool is_uncommitted(Level level) { return info(level).base == BaseLevel::kReadUncommitted; }

class Pipeline {
 public:
  Pipeline(const History& history, const CheckOptions& options, base::Budget& budget)
      : history_(history), options_(options), budget_(budget) {}

  CheckReport run() {
    decide_levels();
    const bool any_open = std::any_of(
        report_.levels.begin(), report_.levels.end(),
        [](const LevelReport& level) { return level.verdict == Verdict::kUnknown; });
    if (any_open && report_.levels.size() > 1) {
      const bool rows_left_out = leaves_out_rows();
      share_again(rows_left_out);
      checker::close_by_implication(report_, rows_left_out, knows_timed_);
    }
    return std::move(report_);
  }

 private:
  void decide_levels() {
    list_levels();
    decide_linear();
    decide_repeatable_read();
    const bool all_decided = std::find(open_.begin(), open_.end(), true) == open_.end();
    if (all_decided && report_.statistics.included_txns > 0) return;
    say("resolving reads");
    const Observations seen = infer::observe(history_, budget_, options_.threads);
    if (budget_.exhausted()) {
      leave_open(budget_.reason());
      return;
    }
    report_.statistics.included_txns = seen.included_count();
    leave_out_timed(checker::why_not_timed(seen));
    knows_timed_ = true;
    report_.sessions_respect_time = sessions_respect_time(seen);
    if (all_decided) return;
    if (seen.finding()) {
      const Finding& finding = *seen.finding();
      decide_all(finding, [&](Level level) {
        return !is_uncommitted(level) &&
               !checker::is_excused(history_, finding, info(level).base);
      });
      decide_uncommitted(seen);
      decide_sessions(seen);
      leave_open(budget_.reason());
    } else if (!seen.ambiguity().empty()) {
      values_repeat_ = true;
      decide_uncommitted(seen);
      if (chooses_sources_) decide_open();
      leave_open(budget_.exhausted() ? budget_.reason() : seen.ambiguity());
    } else {
      decide(seen);
      // Searches end open only when they are stopped.
      leave_open(budget_.reason());
    }
  }

  void say(std::string_view text) const {
    if (options_.progress) options_.progress(text);
  }

  void say(std::string_view stage, const LevelInfo& level) const {
    if (options_.progress)
      options_.progress(std::string(stage) + " " + std::string(level.name));
  }

  void list_levels() {
    for (const LevelInfo& row : all_levels()) {
      // To most histories the mixed levels mean nothing.
      const bool usual = row.base != BaseLevel::kMixed || history_.has_stated_levels();
      const bool wanted = (options_.levels.empty() && usual) ||
                          std::find(options_.levels.begin(), options_.levels.end(),
                                    row.level) != options_.levels.end();
      if (!wanted) continue;
      LevelReport level;
      level.level = row.level;
      if (needs_times(row) && !history_.has_times()) {
        level.verdict = Verdict::kNotApplicable;
        level.reason = "the history has no start and end times";
      }
      if (!is_decided(row.base)) {
        level.reason = "not decided yet";
        report_.levels.push_back(level);
        open_.push_back(false);
        continue;
      }
      if (row.base == BaseLevel::kMixed) {
        if (std::string reason = checker::why_not_mixed(history_); !reason.empty()) {
          level.verdict = Verdict::kNotApplicable;
          level.reason = std::move(reason);
        }
      }
      report_.levels.push_back(level);
      open_.push_back(level.verdict == Verdict::kUnknown);
    }
  }

  void leave_out_timed(const std::string& reason) {
    if (reason.empty()) return;
    for (std::size_t i = 0; i < report_.levels.size(); ++i) {
      LevelReport& level = report_.levels[i];
      if (!open_[i] || !goes_by_database_times(info(level.level).base)) continue;
      level.verdict = Verdict::kNotApplicable;
      level.reason = reason;
      open_[i] = false;
    }
  }

  bool sessions_respect_time(const Observations& seen) const {
    for (std::size_t s = 0; s < history_.session_count(); ++s) {
      TxnId last;
      for (const TxnId txn : history_.session_txns(SessionId::at(s))) {
        // Where sources are open, so is who took effect.
        const bool may_count =
            !seen.ambiguity().empty() && history_.status(txn) != TxnStatus::kAborted;
        if (!seen.is_included(txn) && !may_count) continue;
        if (last.is_some() &&
            !infer::ended_before(history_, last, txn, options_.clock_error_ns)) {
          return false;
        }
        last = txn;
      }
    }
    return true;
  }

  void close(std::size_t i, Verdict verdict, std::size_t proof) {
    ISOLDE_CHECK(open_[i]);
    open_[i] = false;
    report_.levels[i].verdict = verdict;
    report_.levels[i].proof = proof;
    report_.levels[i].reason.clear();
  }

  /// Linearizability looks at each key by itself, and does not depend on what other keys show.
  void decide_linear() {
    const auto row = std::find_if(
        report_.levels.begin(), report_.levels.end(),
        [](const LevelReport& level) { return level.level == Level::kLinearizable; });
    const auto i = static_cast<std::size_t>(row - report_.levels.begin());
    if (row == report_.levels.end() || !open_[i]) return;
    say("deciding", info(row->level));
    checker::LinearAnswer answer = checker::decide_linear(
        history_, options_.clock_error_ns,
        [this](const History& key) { return decide_strict(key); }, budget_);
    report_.statistics.included_txns = answer.included;
    if (answer.proof) {
      settle(i, std::move(*answer.proof));
    } else {
      row->reason = answer.reason;
      open_[i] = false;
    }
  }

  /// At repeatable read it means nothing that a selection left out a row; else it is
  /// serializability (docs/ALGORITHMS.md). So it is decided on a history in which nothing is
  /// known of those reads. The proof is about the same transactions and operations.
  void decide_repeatable_read() {
    const auto row = std::find_if(
        report_.levels.begin(), report_.levels.end(),
        [](const LevelReport& level) { return level.level == Level::kRepeatableRead; });
    const auto i = static_cast<std::size_t>(row - report_.levels.begin());
    if (row == report_.levels.end() || !open_[i] || !leaves_out_rows()) return;
    const History history = history_.without_absent_reads();
    CheckOptions options = options_;
    options.levels = {Level::kRepeatableRead};
    Pipeline pipeline(history, options, budget_);
    pipeline.chooses_sources_ = chooses_sources_;
    CheckReport report = pipeline.run();
    report_.statistics = report.statistics;
    report_.sessions_respect_time = report.sessions_respect_time;
    const LevelReport& level = report.levels[0];
    if (level.verdict == Verdict::kHolds || level.verdict == Verdict::kViolated) {
      report_.proofs.push_back(std::move(report.proofs[level.proof]));
      close(i, level.verdict, report_.proofs.size() - 1);
    } else {
      row->reason = level.reason;
      open_[i] = false;
    }
  }

  bool leaves_out_rows() const {
    for (std::size_t t = 0; t < history_.txn_count(); ++t) {
      for (const Selection& selection : history_.selections(TxnId::at(t))) {
        if (selection.absents > 0) return true;
      }
    }
    return false;
  }

  /// One key as a history of its own.
  std::optional<Proof> decide_strict(const History& history) const {
    CheckOptions options = options_;
    // Where nobody noted the times of this key, they bind nothing.
    options.levels = {history.has_times() ? Level::kStrictSerializable : Level::kSerializable};
    options.threads = 1;  // there may be many keys
    options.progress = {};
    Pipeline pipeline(history, options, budget_);
    // Where values repeat, linearizability has a search of its own.
    pipeline.chooses_sources_ = false;
    CheckReport report = pipeline.run();
    const LevelReport& level = report.levels[0];
    if (level.verdict != Verdict::kHolds && level.verdict != Verdict::kViolated) {
      return std::nullopt;
    }
    return std::move(report.proofs[level.proof]);
  }

  template <typename Applies>
  void decide_all(const Finding& finding, const Applies& applies) {
    report_.proofs.emplace_back(finding);
    for (std::size_t i = 0; i < report_.levels.size(); ++i) {
      if (open_[i] && applies(report_.levels[i].level)) {
        close(i, Verdict::kViolated, report_.proofs.size() - 1);
      }
    }
  }

  void leave_open(const std::string& reason) {
    for (std::size_t i = 0; i < report_.levels.size(); ++i) {
      if (open_[i]) report_.levels[i].reason = reason;
    }
  }

  void decide(const Observations& seen) {
    if (seen.non_repeatable()) {
      decide_all(*seen.non_repeatable(),
                 [](Level level) { return reads_repeatably(info(level).base); });
    }
    sweep(seen);
    std::vector<std::unique_ptr<checker::EventLevel>> engines(report_.levels.size());
    for_each_open([&](std::size_t i) {
      const LevelInfo& row = info(report_.levels[i].level);
      if (!is_event_level(row.level)) return;
      say("guessing", row);
      if (row.base == BaseLevel::kMixed) {
        engines[i] = mixed_level(seen, i);
        if (!engines[i]) return;
      } else {
        engines[i] = std::make_unique<checker::EventLevel>(
            seen, row, chains_bind(row), options_, report_.statistics, budget_);
      }
      if (auto proof = engines[i]->guess()) settle(i, std::move(*proof));
    });
    for_each_open([&](std::size_t i) {
      const LevelInfo& row = info(report_.levels[i].level);
      if (!engines[i]) return;
      say("repairing", row);
      if (auto proof = engines[i]->repair(!stricter_form_fails(row))) {
        settle(i, std::move(*proof));
      }
    });
    decide_timed(seen);
    decide_weak(seen);
    decide_uncommitted(seen);
    std::unique_ptr<checker::SequentialLevel> sequential = guess_sessions(seen);
    for_each_open([&](std::size_t i) {
      const LevelInfo& row = info(report_.levels[i].level);
      if (!engines[i] || (!chains_bind(row) && session_form_fails(row))) return;
      say("saturating", row);
      if (auto proof = engines[i]->saturate(!stricter_form_is_searched(row))) {
        settle(i, std::move(*proof));
      }
    });
    decide_sessions(seen);
    decide_sequential(seen, std::move(sequential));
    // Where session order binds, saturation has done most of the work already, and the witness
    // or refutation often serves the level without session order too. Otherwise from the
    // weakest level up: what refutes it refutes the stronger ones.
    for (const bool saturated : {true, false}) {
      for (std::size_t i = report_.levels.size(); i-- > 0;) {
        if (!open_[i] || !engines[i] || budget_.exhausted()) continue;
        if (chains_bind(info(report_.levels[i].level)) != saturated) continue;
        say("searching", info(report_.levels[i].level));
        if (auto proof = engines[i]->search()) settle(i, std::move(*proof));
        engines[i].reset();
      }
    }
  }

  /// What an order of commits by time explains needs nothing else; and what it cannot explain
  /// is often wrong by itself.
  void sweep(const Observations& seen) {
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
      if (row.base == BaseLevel::kMixed || goes_by_database_times(row.base)) return;
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
      if (!open_[i] || !is_event_level(row.level) || budget_.exhausted()) continue;
      if (row.base == BaseLevel::kMixed) continue;
      const auto failure = failure_of(row);
      if (failure == failures.end()) continue;
      say("looking nearby", row);
      auto refutation =
          checker::refute_nearby(seen, row, chains_bind(row), sweep->order(), failure->cycle,
                                 options_, report_.statistics, budget_);
      if (refutation) settle(i, std::move(*refutation));
    }
  }

  /// None when the level is settled already, or the budget ran out.
  std::unique_ptr<checker::EventLevel> mixed_level(const Observations& seen, std::size_t i) {
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

  void find_lost_update(const Observations& seen) {
    bool any = false;
    for (std::size_t i = 0; i < report_.levels.size(); ++i) {
      any = any || (open_[i] && forbids_lost_updates(info(report_.levels[i].level).base));
    }
    if (!any) return;
    say("looking for lost updates");
    if (auto lost_update = checker::find_lost_update(seen)) {
      for (std::size_t i = 0; i < report_.levels.size(); ++i) {
        if (open_[i] && forbids_lost_updates(info(report_.levels[i].level).base)) {
          settle(i, std::move(*lost_update));
          break;
        }
      }
    }
  }

  /// Values repeat: the sources of some reads are open, and part of the search.
  void decide_open() {
    if (budget_.exhausted()) return;
    const Observations seen = infer::observe_open(history_, budget_);
    if (budget_.exhausted()) return;
    if (seen.finding()) {
      // The first look stops at what it cannot resolve, and may miss what lists show.
      decide_all(*seen.finding(), [](Level level) { return !is_uncommitted(level); });
      return;
    }
    if (!seen.ambiguity().empty()) return;
    report_.sessions_respect_time = sessions_respect_time(seen);
    if (seen.non_repeatable()) {
      decide_all(*seen.non_repeatable(),
                 [](Level level) { return reads_repeatably(info(level).base); });
    }
    find_lost_update(seen);
    decide_by_keys(seen);
    // In rounds, strong levels first: a hard one does not keep the others waiting, and the
    // proof of one often serves many.
    std::vector<std::unique_ptr<checker::ChoiceLevel>> engines(report_.levels.size());
    std::vector<std::unique_ptr<StricterChoice>> stricter(report_.levels.size());
    const auto is_searched = [&](std::size_t i) {
      return open_[i] && checker::ChoiceLevel::decides(info(report_.levels[i].level).base);
    };
    for (std::uint64_t conflicts = kFirstLook; !budget_.exhausted(); conflicts *= 4) {
      bool any = false;
      for_each_open([&](std::size_t i) {
        if (!is_searched(i)) return;
        search_stricter_sources(seen, i, conflicts, stricter[i]);
        if (open_[i]) search_sources(seen, i, conflicts, engines[i]);
        any = any || open_[i];
      });
      if (!any) break;
    }
  }

  /// Where no transaction uses two keys, linearizability tells more than itself, and needs no
  /// search over sources.
  void decide_by_keys(const Observations& seen) {
    if (!history_.has_times() || !checker::each_uses_one_key(history_)) return;
    const checker::LinearAnswer answer = checker::decide_linear(
        history_, options_.clock_error_ns,
        [this](const History& key) { return decide_strict(key); }, budget_);
    const auto* const keys = answer.proof ? std::get_if<KeyWitness>(&*answer.proof) : nullptr;
    if (keys == nullptr) return;
    const Witness witness = checker::join_keys(history_, *keys);
    // A transaction of unknown outcome that nobody can have read from must not be in it.
    const bool may_be_included = std::all_of(witness.order.begin(), witness.order.end(),
                                             [&](TxnId txn) { return seen.is_included(txn); });
    if (!may_be_included) return;
    const LevelInfo& proved = info(Level::kStrictSerializable);
    for_each_open([&](std::size_t i) {
      const LevelInfo& level = info(report_.levels[i].level);
      if (!implies(proved.level, level.level, report_.sessions_respect_time)) return;
      const checker::Fit fit = checker::fit(witness, proved, level);
      if (fit == checker::Fit::kAsIs) settle(i, witness);
      if (fit == checker::Fit::kCommitsOnly) settle(i, checker::commits_only(witness));
    });
  }

  /// The form of a level in which sessions and real time bind. The engine is gone when it has
  /// failed.
  struct StricterChoice {
    LevelInfo level;
    std::unique_ptr<checker::ChoiceLevel> engine;
  };

  /// Most databases keep sessions and real time where they promise neither, and with them the
  /// search has fewer ways to go. A witness serves; no witness means nothing.
  void search_stricter_sources(const Observations& seen, std::size_t i,
                               std::uint64_t conflict_limit,
                               std::unique_ptr<StricterChoice>& stricter) {
    const LevelInfo& row = info(report_.levels[i].level);
    const bool timed = history_.has_times();
    const bool binds = row.session_order && (row.real_time || !timed);
    if (!reads_one_state(row.base) || binds || stricter_form_is_searched(row)) return;
    if (!stricter) {
      stricter = std::make_unique<StricterChoice>(StricterChoice{row, nullptr});
      stricter->level.session_order = true;
      stricter->level.real_time = timed;
      stricter->engine = std::make_unique<checker::ChoiceLevel>(seen, stricter->level, options_,
                                                                report_.statistics, budget_);
    }
    if (!stricter->engine) return;
    const std::optional<Proof> proof = stricter->engine->search(conflict_limit);
    if (!proof) return;
    stricter->engine.reset();
    if (const auto* witness = std::get_if<Witness>(&*proof)) settle(i, *witness);
  }

  /// It is, or was, among the levels that were asked for.
  bool stricter_form_is_searched(const LevelInfo& row) const {
    return std::any_of(
        report_.levels.begin(), report_.levels.end(), [&](const LevelReport& level) {
          const LevelInfo& other = info(level.level);
          return other.base == row.base && other.session_order >= row.session_order &&
                 other.real_time >= row.real_time && other.level != row.level;
        });
  }

  void search_sources(const Observations& seen, std::size_t i, std::uint64_t conflict_limit,
                      std::unique_ptr<checker::ChoiceLevel>& engine) {
    const LevelInfo& row = info(report_.levels[i].level);
    say("searching", row);
    if (!engine) {
      engine = std::make_unique<checker::ChoiceLevel>(seen, row, options_, report_.statistics,
                                                      budget_);
    }
    if (auto proof = engine->search(conflict_limit)) settle(i, std::move(*proof));
    if (!open_[i]) engine.reset();
  }

  void decide_timed(const Observations& seen) {
    for_each_open([&](std::size_t i) {
      const LevelInfo& row = info(report_.levels[i].level);
      if (!goes_by_database_times(row.base)) return;
      say("deciding", row);
      Proof proof = checker::decide_timed(seen, row, budget_);
      if (!budget_.exhausted()) settle(i, std::move(proof));
    });
  }

  void decide_weak(const Observations& seen) {
    for_each_open([&](std::size_t i) {
      const LevelInfo& row = info(report_.levels[i].level);
      if (!checker::is_weak(row.base) || is_uncommitted(row.level)) return;
      say("deciding", row);
      Proof proof =
          checker::decide_weak(seen, row, options_.clock_error_ns, budget_, options_.threads);
      if (!budget_.exhausted()) settle(i, std::move(proof));
    });
  }

  void decide_uncommitted(const Observations& seen) {
    for_each_open([&](std::size_t i) {
      const LevelInfo& row = info(report_.levels[i].level);
      if (!is_uncommitted(row.level)) return;
      say("deciding", row);
      Proof proof = checker::decide_uncommitted(seen, row, options_.clock_error_ns, budget_);
      if (!budget_.exhausted()) settle(i, std::move(proof));
    });
  }

  void decide_sessions(const Observations& seen) {
    for_each_open([&](std::size_t i) {
      const LevelInfo& row = info(report_.levels[i].level);
      if (!explains_sessions_apart(row.base)) return;
      say("deciding", row);
      checker::SessionAnswer answer =
          checker::decide_sessions(seen, row, options_, report_.statistics, budget_);
      if (answer.proof) {
        settle(i, std::move(*answer.proof));
      } else if (!answer.reason.empty()) {
        report_.levels[i].reason = std::move(answer.reason);
        open_[i] = false;
      }
    });
  }

  /// One execution for all sessions: first an order by time, then the simple attempts at
  /// sequential consistency, which serve all these levels. The latter are kept for later.
  std::unique_ptr<checker::SequentialLevel> guess_sessions(const Observations& seen) {
    if (options_.skip_guess) return nullptr;
    for_each_open([&](std::size_t i) {
      const BaseLevel base = info(report_.levels[i].level).base;
      const bool sequential = base == BaseLevel::kSequential;
      if (!sequential && !explains_sessions_apart(base)) return;
      say("guessing", info(report_.levels[i].level));
      auto witness = checker::guess_for_all_sessions(
          seen, sequential ? BaseLevel::kCausal : base, budget_);
      if (witness) settle(i, std::move(*witness));
    });
    guess_prefix_order(seen);
    std::unique_ptr<checker::SequentialLevel> sequential;
    std::optional<Proof> proof;
    for_each_open([&](std::size_t i) {
      const BaseLevel base = info(report_.levels[i].level).base;
      const bool is_sequential = base == BaseLevel::kSequential;
      // The other session levels are cheap to decide.
      const bool worth_it = is_sequential || base == BaseLevel::kCausal ||
                            base == BaseLevel::kMonotonicReads ||
                            base == BaseLevel::kReadYourWrites;
      if (!worth_it) return;
      if (!sequential) {
        say("guessing for all sessions", info(report_.levels[i].level));
        sequential = std::make_unique<checker::SequentialLevel>(seen, options_,
                                                                report_.statistics, budget_);
        proof = sequential->guess();
      }
      if (!proof || (!is_sequential && !std::holds_alternative<Witness>(*proof))) return;
      settle(i, *proof);
    });
    return sequential;
  }

  /// An order for prefix consistency serves all of them, and is cheaper to find than one for
  /// single reads. Where that level is asked for itself it has been tried.
  void guess_prefix_order(const Observations& seen) {
    constexpr Level kPrefix = Level::kStrongSessionPrefixConsistency;
    const bool is_asked =
        std::any_of(report_.levels.begin(), report_.levels.end(),
                    [](const LevelReport& each) { return each.level == kPrefix; });
    std::optional<Witness> commits;
    bool tried = is_asked || seen.non_repeatable();
    for_each_open([&](std::size_t i) {
      const BaseLevel base = info(report_.levels[i].level).base;
      if (base != BaseLevel::kSequential && !explains_sessions_apart(base)) return;
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

  void decide_sequential(const Observations& seen,
                         std::unique_ptr<checker::SequentialLevel> level) {
    for_each_open([&](std::size_t i) {
      const LevelInfo& row = info(report_.levels[i].level);
      if (row.base != BaseLevel::kSequential) return;
      say("deciding", row);
      std::optional<Proof> proof;
      if (!level) {
        level = std::make_unique<checker::SequentialLevel>(seen, options_, report_.statistics,
                                                           budget_);
        proof = level->guess();
      }
      if (!proof && !budget_.exhausted()) proof = level->decide();
      if (proof) settle(i, std::move(*proof));
    });
  }

  /// The certain edges order each session's transactions.
  bool chains_bind(const LevelInfo& level) const {
    return level.session_order || (level.real_time && report_.sessions_respect_time);
  }

  /// No witness keeps sessions and real time.
  bool stricter_form_fails(const LevelInfo& level) const {
    return std::any_of(report_.levels.begin(), report_.levels.end(),
                       [&](const LevelReport& other) {
                         const LevelInfo& row = info(other.level);
                         return row.base == level.base && other.level != level.level &&
                                other.verdict == Verdict::kViolated;
                       });
  }

  /// Without chains, saturation looks for a witness that keeps sessions all the same.
  bool session_form_fails(const LevelInfo& level) const {
    return std::any_of(report_.levels.begin(), report_.levels.end(),
                       [&](const LevelReport& other) {
                         const LevelInfo& row = info(other.level);
                         return row.base == level.base && row.session_order && !row.real_time &&
                                other.verdict == Verdict::kViolated;
                       });
  }

  template <typename Visit>
  void for_each_open(const Visit& visit) {
    for (std::size_t i = 0; i < report_.levels.size(); ++i) {
      if (open_[i] && !budget_.exhausted()) visit(i);
    }
  }

  /// Closes level i with the proof, and all others that it also proves.
  void settle(std::size_t i, Proof proof) {
    report_.proofs.push_back(std::move(proof));
    const std::size_t at = report_.proofs.size() - 1;
    const LevelInfo& proved = info(report_.levels[i].level);
    if (proves_holding(report_.proofs[at])) {
      close(i, Verdict::kHolds, at);
      if (std::holds_alternative<Witness>(report_.proofs[at])) share_witness(proved, at);
      if (std::holds_alternative<SessionWitness>(report_.proofs[at])) {
        share_executions(proved, at);
      }
    } else {
      close(i, Verdict::kViolated, at);
      if (std::holds_alternative<Refutation>(report_.proofs[at])) share_refutation(proved, at);
    }
  }

  void share_witness(const LevelInfo& proved, std::size_t at) {
    std::optional<std::size_t> commits;  // position of the proof without snapshots
    for (std::size_t other = 0; other < report_.levels.size(); ++other) {
      const LevelInfo& level = info(report_.levels[other].level);
      const bool implied =
          implies(proved.level, level.level, report_.sessions_respect_time) ||
          (proved.base == BaseLevel::kCausal && level.base == BaseLevel::kSequential);
      if (!open_[other] || !implied) continue;
      // The verifiers of these look for sources by value, and may find another writer.
      const bool by_value = level.base == BaseLevel::kParallelSnapshot ||
                            level.base == BaseLevel::kSequential ||
                            explains_sessions_apart(level.base);
      if (values_repeat_ && by_value && proved.base != BaseLevel::kSerializable) continue;
      const auto& witness = std::get<Witness>(report_.proofs[at]);
      const checker::Fit fit = checker::fit(witness, proved, level);
      if (fit == checker::Fit::kNone) continue;
      if (fit == checker::Fit::kCommitsOnly && !commits) {
        report_.proofs.emplace_back(checker::commits_only(witness));
        commits = report_.proofs.size() - 1;
      }
      close(other, Verdict::kHolds, fit == checker::Fit::kAsIs ? at : *commits);
    }
  }

  /// Each of the executions passes where no session has a say.
  void share_executions(const LevelInfo& proved, std::size_t at) {
    std::optional<std::size_t> one;  // position of the proof with one execution
    for (std::size_t other = 0; other < report_.levels.size(); ++other) {
      const LevelInfo& level = info(report_.levels[other].level);
      if (!open_[other] || !implies(proved.level, level.level, report_.sessions_respect_time)) {
        continue;
      }
      const bool apart = explains_sessions_apart(level.base);
      if (!apart && !one) {
        const auto& executions = std::get<SessionWitness>(report_.proofs[at]).executions;
        report_.proofs.emplace_back(Witness{1, executions.front().order});
        one = report_.proofs.size() - 1;
      }
      close(other, Verdict::kHolds, apart ? at : *one);
    }
  }

  void share_refutation(const LevelInfo& proved, std::size_t at) {
    for (std::size_t other = 0; other < report_.levels.size(); ++other) {
      if (!open_[other]) continue;
      const auto& refutation = std::get<Refutation>(report_.proofs[at]);
      std::optional<Refutation> adapted =
          checker::transfer(history_, refutation, proved, info(report_.levels[other].level),
                            options_.clock_error_ns);
      if (!adapted) continue;
      const bool same = *adapted == refutation;
      if (!same) report_.proofs.emplace_back(std::move(*adapted));
      close(other, Verdict::kViolated, same ? at : report_.proofs.size() - 1);
    }
  }

  /// A level that was left open for a reason of its own may take a proof that came later. Where
  /// selections left out rows, what proves repeatable read proves nothing else.
  void share_again(bool rows_left_out) {
    for (std::size_t i = 0; i < report_.levels.size(); ++i) {
      open_[i] = report_.levels[i].verdict == Verdict::kUnknown;
    }
    for (std::size_t i = 0; i < report_.levels.size(); ++i) {
      const LevelReport& level = report_.levels[i];
      if (open_[i] || level.verdict == Verdict::kNotApplicable) continue;
      if (rows_left_out && level.level == Level::kRepeatableRead) continue;
      const Proof& proof = report_.proofs[level.proof];
      const LevelInfo& proved = info(level.level);
      if (std::holds_alternative<Witness>(proof)) {
        share_witness(proved, level.proof);
      } else if (std::holds_alternative<SessionWitness>(proof)) {
        share_executions(proved, level.proof);
      } else if (std::holds_alternative<Refutation>(proof)) {
        share_refutation(proved, level.proof);
      }
    }
  }

  static constexpr std::uint64_t kFirstLook = 4096;  // conflicts

  const History& history_;
  const CheckOptions& options_;
  base::Budget& budget_;
  CheckReport report_;
  std::vector<bool> open_;
  bool chooses_sources_ = true;
  bool knows_timed_ = false;  // whether the levels by the database's own times apply
  bool values_repeat_ = false;
};

}  // namespace

CheckReport check(const History& history, const CheckOptions& options, base::Budget& budget) {
  return Pipeline(history, options, budget).run();
}

}  // namespace isolde
