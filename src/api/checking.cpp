#include "api/checking.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "base/ways.hpp"
#include "certify/verify.hpp"
#include "check/unlisted_rows.hpp"
#include "explain/promise.hpp"
#include "explain/scenario.hpp"
#include "explain/writers.hpp"
#include "history/current_reads.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::api {
namespace {

/// A report that says `unknown`, with one reason, about every level asked for.
CheckReport undecided(const std::vector<Level>& levels, const std::string& reason) {
  CheckReport report;
  for (const LevelInfo& row : all_levels()) {
    const bool wanted =
        levels.empty() || std::find(levels.begin(), levels.end(), row.level) != levels.end();
    if (wanted) report.levels.push_back({row.level, Verdict::kUnknown, reason, 0});
  }
  return report;
}

CheckReport decide(const History& history, const CheckOptions& options, base::Budget& budget) {
  try {
    return isolde::check(history, options, budget);
  } catch (const std::bad_alloc&) {
    return undecided(options.levels,
                     budget.exhausted() ? budget.reason() : budget.memory_reason());
  }
}

/// What holds on no evidence is not decided. A violation stands: what may come behind it cannot
/// repair it, as far as no value is written twice (history::kViolatedPart).
void weigh(const History& history, const history::Evidence& evidence, const Settings& settings,
           CheckReport& report) {
  const std::string nothing = why_no_verdict(history, evidence, settings.min_committed);
  for (LevelReport& level : report.levels) {
    if (level.verdict != Verdict::kHolds) continue;
    const history::Trial trial = history::trial(evidence, info(level.level));
    if (!nothing.empty()) {
      level.reason = nothing;
    } else if (settings.require_evidence && trial == history::Trial::kNotCounted) {
      level.reason = "the evidence could not be counted in time, and is required";
    } else if (settings.require_evidence && trial == history::Trial::kUntried) {
      level.reason = history::why_untried(evidence) +
                     ", and evidence is required (more sessions at once on fewer keys)";
    } else {
      continue;
    }
    level.verdict = Verdict::kUnknown;
  }
}

explain::LevelOutcome outcome_of(const LevelReport& level, const Checked& checked) {
  explain::LevelOutcome row{level.level, level.verdict, level.reason, {}, {}};
  row.trial = history::trial(checked.model.evidence, info(level.level));
  const bool decided = level.verdict == Verdict::kHolds || level.verdict == Verdict::kViolated;
  if (!decided || level.proof == kNoProof) return row;
  row.trusts_versions = checked.history->trusts_versions();
  const Proof& proof = checked.report.proofs[level.proof];
  const auto* const implication = std::get_if<Implication>(&proof);
  if (implication != nullptr) row.follows_from = implication->level;
  const bool counts_time = needs_times(info(level.level)) ||
                           (row.follows_from && needs_times(info(*row.follows_from)));
  if (counts_time) row.clock_error_ns = checked.model.clock_error_ns;
  return row;
}

Checked with_model(const History& history, CheckReport report,
                   const history::Evidence& evidence, const Settings& settings) {
  std::unique_ptr<const History> shown;
  if (history.has_refused_inserts()) {
    shown = std::make_unique<const History>(history::with_all_current_reads(history));
  }
  explain::ReportModel model{shown ? *shown : history,
                             {},
                             strongest_held(report),
                             weakest_violated(report),
                             explain::not_checked(history, report)};
  model.promise = explain::recorded_promise(history.origin());
  model.work = report.statistics;
  model.asked = !settings.check.levels.empty();
  model.sessions_respect_time = report.sessions_respect_time;
  model.rows = report.rows;
  model.evidence = evidence;
  model.clock_error_ns = settings.check.clock_error_ns;
  Checked checked{&history, std::move(report), std::move(model), {}, std::move(shown)};
  for (const LevelReport& level : checked.report.levels) {
    checked.model.levels.push_back(outcome_of(level, checked));
  }
  return checked;
}

}  // namespace

namespace {

Checked weighed(const History& history, CheckReport report, const history::Evidence& evidence,
                const Settings& settings, base::Budget::Clock::time_point begin) {
  weigh(history, evidence, settings, report);
  Checked checked = with_model(history, std::move(report), evidence, settings);
  const std::chrono::duration<double> taken = base::Budget::Clock::now() - begin;
  checked.model.check_seconds = taken.count();
  return checked;
}

}  // namespace

Checked check(const History& history, const Settings& settings, base::Budget& budget) {
  const auto begin = base::Budget::Clock::now();
  CheckReport report = decide(history, settings.check, budget);
  const history::Evidence evidence = history::evidence_of(history, budget);
  return weighed(history, std::move(report), evidence, settings, begin);
}

Result<Checked> check_listing(History& history, const Settings& settings,
                              base::Budget& budget) {
  const auto begin = base::Budget::Clock::now();
  std::optional<CheckReport> report;
  std::optional<checker::UnlistedReport> unlisted;
  if (history.has_unlisted_rows() && history.op_count() >= base::ways().unlisted_from) {
    unlisted = checker::check_unlisted(history, settings.check, budget);
  }
  if (unlisted) {
    report = std::move(unlisted->levels);
    const history::Evidence evidence =
        history::evidence_of(history, budget, history::kEnoughOps, unlisted->only_left_out);
    // More of it may be with rows that were left out.
    const bool is_enough = std::ranges::all_of(report->levels, [&](const LevelReport& level) {
      return history::trial(evidence, info(level.level)) == history::Trial::kTried;
    });
    if (is_enough) return weighed(history, std::move(*report), evidence, settings, begin);
  }
  try {
    const Status listed =
        history.list_rows([&budget](std::uint64_t rows) { return budget.spend(rows); });
    if (!listed) return listed.error();
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kLimit,
                 budget.exhausted() ? budget.reason() : budget.memory_reason()};
  }
  if (!report) report = decide(history, settings.check, budget);
  const history::Evidence evidence = history::evidence_of(history, budget);
  return weighed(history, std::move(*report), evidence, settings, begin);
}

Checked proved(const History& history, const Certificate& certificate, base::Budget& budget) {
  Settings settings;
  settings.check.levels = {certificate.level};
  settings.check.clock_error_ns = certificate.clock_error_ns;
  CheckReport report = report_of(history, certificate, budget);
  const history::Evidence evidence = history::evidence_of(history, budget);
  weigh(history, evidence, settings, report);
  Checked checked = with_model(history, std::move(report), evidence, settings);
  checked.digest = certificate.history_digest;
  return checked;
}

Checked reported(const History& history, CheckReport report, const history::Evidence& evidence,
                 const Settings& settings) {
  return weighed(history, std::move(report), evidence, settings, base::Budget::Clock::now());
}

History empty_history(const std::string& file, const std::string& format) {
  HistoryBuilder builder;
  builder.origin().file = file;
  builder.origin().format = format;
  return std::move(builder.finish()).value();
}

Checked not_loaded(const History& empty, const Settings& settings, const std::string& reason) {
  Checked checked = with_model(empty, undecided(settings.check.levels, reason), {}, settings);
  checked.model.loaded = false;
  return checked;
}

std::vector<std::string> verify_proofs(Checked& checked, const Within& within) {
  std::vector<std::string> refused;
  std::size_t verified = 0;
  for (std::size_t i = 0; i < checked.report.levels.size(); ++i) {
    LevelReport& level = checked.report.levels[i];
    if (level.verdict != Verdict::kHolds && level.verdict != Verdict::kViolated) continue;
    if (level.proof == kNoProof) continue;
    certify::VerifyResult result;
    std::string why;
    {
      const LentCertificate certificate(checked, level);
      why = within([&] { result = certify::verify(*checked.history, *certificate); });
    }
    if (why.empty() && result.proves) {
      ++verified;
      continue;
    }
    if (why.empty()) {
      why = "the proof that was found does not stand: " + result.reason;
      refused.push_back(std::string(info(level.level).name) + ": " + why +
                        "; this is a bug in Isolde, please report it with the history");
    } else {
      why = "its proof could not be verified: " + why;
    }
    level.verdict = Verdict::kUnknown;
    level.reason = why;
    checked.model.levels[i] = outcome_of(level, checked);
  }
  checked.model.strongest = strongest_held(checked.report);
  checked.model.weakest_violated = weakest_violated(checked.report);
  checked.model.proofs_verified = checked.model.proofs_verified.value_or(0) + verified;
  return refused;
}

void explain(Checked& checked, const Within& within) {
  const explain::Writers writers(*checked.history);
  for (std::size_t i = 0; i < checked.report.levels.size(); ++i) {
    const LevelReport& level = checked.report.levels[i];
    if (level.verdict != Verdict::kViolated || level.proof == kNoProof) continue;
    explain::LevelOutcome& row = checked.model.levels[i];
    const LentCertificate certificate(checked, level, LentCertificate::Digest::kWithout);
    const std::string refused =
        within([&] { row.scenario = explain::make_scenario(writers, *certificate); });
    if (!refused.empty()) row.leave_unexplained(refused);
  }
}

void explain(Checked& checked) {
  explain(checked, [](const std::function<void()>& work) {
    work();
    return std::string();
  });
}

Certificate certificate(const Checked& checked, const LevelReport& level) {
  const std::uint64_t digest = checked.digest ? *checked.digest : checked.history->digest();
  Certificate made{level.level,
                   digest,
                   checked.model.clock_error_ns,
                   checked.report.proofs[level.proof],
                   checked.history->trusts_versions(),
                   sums_of(checked.report, level)};
  made.clock_error_ns = made.assumed_clock_error_ns();
  return made;
}

static std::uint64_t digest_of(Checked& checked) {
  if (!checked.digest) checked.digest = checked.history->digest();
  return *checked.digest;
}

LentCertificate::LentCertificate(Checked& checked, const LevelReport& level, Digest digest)
    : proof_(checked.report.proofs[level.proof]),
      certificate_{level.level,
                   digest == Digest::kWith ? digest_of(checked) : 0,
                   checked.model.clock_error_ns,
                   std::move(proof_),
                   checked.history->trusts_versions(),
                   sums_of(checked.report, level)} {
  certificate_.clock_error_ns = certificate_.assumed_clock_error_ns();
}

LentCertificate::~LentCertificate() { proof_ = std::move(certificate_.proof); }

std::string why_no_verdict(const History& history, const history::Evidence& evidence,
                           std::uint64_t min_committed) {
  if (evidence.in_effect < min_committed) {
    return evidence.in_effect == 0 && evidence.exact
               ? "no transaction took effect"
               : base::plural(evidence.in_effect, "transaction") +
                     " took effect, and at least " + std::to_string(min_committed) +
                     " are required";
  }
  return history.origin().truncated ? "the input is cut off; what is there holds" : "";
}

}  // namespace isolde::api
