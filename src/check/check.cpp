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
#include "check/event_level.hpp"
#include "check/refutation.hpp"
#include "check/transfer.hpp"
#include "check/weak.hpp"
#include "infer/event_graph.hpp"
#include "infer/observations.hpp"

namespace isolde {
namespace {

using infer::Observations;

bool is_event_level(Level level) {
  const BaseLevel base = info(level).base;
  return base == BaseLevel::kSerializable || base == BaseLevel::kSnapshotIsolation;
}

class Pipeline {
 public:
  Pipeline(const History& history, const CheckOptions& options, base::Budget& budget)
      : history_(history), options_(options), budget_(budget) {}

  CheckReport run() {
    list_levels();
    say("resolving reads");
    const Observations seen = infer::observe(history_, budget_);
    if (budget_.exhausted()) {
      leave_open(budget_.reason());
      return std::move(report_);
    }
    report_.statistics.included_txns = seen.included_count();
    report_.sessions_respect_time = sessions_respect_time(seen);
    if (seen.finding()) {
      decide_all(*seen.finding(), [](Level) { return true; });
    } else if (!seen.ambiguity().empty()) {
      leave_open(seen.ambiguity());
    } else {
      decide(seen);
      // Searches end open only when they are stopped.
      leave_open(budget_.reason());
    }
    return std::move(report_);
  }

 private:
  void say(std::string_view text) const {
    if (options_.progress) options_.progress(text);
  }

  void say(std::string_view stage, const LevelInfo& level) const {
    if (options_.progress)
      options_.progress(std::string(stage) + " " + std::string(level.name));
  }

  void list_levels() {
    for (const LevelInfo& row : all_levels()) {
      const bool wanted =
          options_.levels.empty() || std::find(options_.levels.begin(), options_.levels.end(),
                                               row.level) != options_.levels.end();
      if (!wanted) continue;
      LevelReport level;
      level.level = row.level;
      if (row.real_time && !history_.has_times()) {
        level.verdict = Verdict::kNotApplicable;
        level.reason = "the history has no start and end times";
      }
      report_.levels.push_back(level);
      open_.push_back(level.verdict == Verdict::kUnknown);
    }
  }

  bool sessions_respect_time(const Observations& seen) const {
    for (std::size_t s = 0; s < history_.session_count(); ++s) {
      TxnId last;
      for (const TxnId txn : history_.session_txns(SessionId::at(s))) {
        if (!seen.is_included(txn)) continue;
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
    if (seen.non_repeatable()) decide_all(*seen.non_repeatable(), is_event_level);
    say("looking for lost updates");
    if (auto lost_update = checker::find_lost_update(seen)) {
      for (std::size_t i = 0; i < report_.levels.size(); ++i) {
        if (open_[i] && is_event_level(report_.levels[i].level)) {
          settle(i, std::move(*lost_update));
          break;
        }
      }
    }
    std::vector<std::unique_ptr<checker::EventLevel>> engines(report_.levels.size());
    for_each_open([&](std::size_t i) {
      const LevelInfo& row = info(report_.levels[i].level);
      if (!is_event_level(row.level)) return;
      say("guessing", row);
      const bool chains = row.session_order || (row.real_time && report_.sessions_respect_time);
      engines[i] = std::make_unique<checker::EventLevel>(seen, row, chains, options_,
                                                         report_.statistics, budget_);
      if (auto proof = engines[i]->guess()) settle(i, std::move(*proof));
    });
    for_each_open([&](std::size_t i) {
      if (engines[i]) return;
      const LevelInfo& row = info(report_.levels[i].level);
      say("deciding", row);
      Proof proof = checker::decide_weak(seen, row, budget_);
      if (!budget_.exhausted()) settle(i, std::move(proof));
    });
    for_each_open([&](std::size_t i) {
      if (!engines[i]) return;
      say("saturating", info(report_.levels[i].level));
      if (auto proof = engines[i]->saturate()) settle(i, std::move(*proof));
    });
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

  /// The certain edges order each session's transactions.
  bool chains_bind(const LevelInfo& level) const {
    return level.session_order || (level.real_time && report_.sessions_respect_time);
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
    const Level proved = report_.levels[i].level;
    const bool holds = std::holds_alternative<Witness>(report_.proofs[at]);
    close(i, holds ? Verdict::kHolds : Verdict::kViolated, at);
    for (std::size_t other = 0; other < report_.levels.size(); ++other) {
      if (!open_[other]) continue;
      const Level level = report_.levels[other].level;
      if (holds && !implies(proved, level, report_.sessions_respect_time)) continue;
      std::optional<Proof> adapted =
          checker::transfer(history_, report_.proofs[at], info(level), options_.clock_error_ns);
      if (!adapted) continue;
      if (*adapted == report_.proofs[at]) {
        close(other, report_.levels[i].verdict, at);
      } else {
        report_.proofs.push_back(std::move(*adapted));
        close(other, report_.levels[i].verdict, report_.proofs.size() - 1);
      }
    }
  }

  const History& history_;
  const CheckOptions& options_;
  base::Budget& budget_;
  CheckReport report_;
  std::vector<bool> open_;
};

}  // namespace

CheckReport check(const History& history, const CheckOptions& options, base::Budget& budget) {
  return Pipeline(history, options, budget).run();
}

std::vector<Level> strongest_held(const CheckReport& report) {
  std::vector<Level> strongest;
  for (const LevelReport& level : report.levels) {
    if (level.verdict != Verdict::kHolds) continue;
    const bool implied = std::any_of(strongest.begin(), strongest.end(), [&](Level other) {
      return implies(other, level.level, report.sessions_respect_time);
    });
    if (!implied) strongest.push_back(level.level);
  }
  return strongest;
}

std::vector<Level> weakest_violated(const CheckReport& report) {
  std::vector<Level> weakest;
  for (std::size_t i = report.levels.size(); i-- > 0;) {
    const LevelReport& level = report.levels[i];
    if (level.verdict != Verdict::kViolated) continue;
    const bool implied = std::any_of(weakest.begin(), weakest.end(), [&](Level other) {
      return implies(level.level, other, report.sessions_respect_time);
    });
    if (!implied) weakest.push_back(level.level);
  }
  std::reverse(weakest.begin(), weakest.end());
  return weakest;
}

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kHolds:
      return "holds";
    case Verdict::kViolated:
      return "violated";
    case Verdict::kUnknown:
      return "unknown";
    case Verdict::kNotApplicable:
      return "not-applicable";
  }
  return "unknown";
}

}  // namespace isolde
