// The functions of isolde/isolde.hpp: limits and callbacks become a budget, what is thrown
// becomes a Result, and the rooms do the work.
#include <new>
#include <utility>

#include "api/checking.hpp"
#include "api/proof.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "certify/certificate_io.hpp"
#include "certify/verify.hpp"
#include "explain/form.hpp"
#include "explain/narrate.hpp"
#include "explain/report_json.hpp"
#include "explain/report_text.hpp"
#include "history/certificate.hpp"
#include "io/reader.hpp"
#include "isolde/isolde.hpp"

namespace isolde {
namespace {

base::Budget budget_of(const Limits& limits) {
  const std::uint64_t before = limits.memory_bytes > 0 ? base::anonymous_bytes() : 0;
  return {limits.seconds, limits.memory_bytes, before};
}

/// Of all calls. What is no number would be no limit.
Status check_common(const Limits& limits, unsigned threads) {
  if (!(limits.seconds >= 0)) {
    return usage_error("seconds is " + std::to_string(limits.seconds) + "; expected 0 or more");
  }
  if (threads >= 1 && threads <= base::kMostThreads) return ok_status();
  return usage_error("threads is " + std::to_string(threads) +
                     "; expected a whole number from 1 to " +
                     std::to_string(base::kMostThreads));
}

/// Certificates assume no more.
Status check_clock_error(std::int64_t nanoseconds) {
  if (nanoseconds >= 0 && nanoseconds <= kMaxClockErrorNs) return ok_status();
  return usage_error("the clock error is " + std::to_string(nanoseconds) +
                     " ns; expected 0 or more, and at most a day");
}

Error no_memory(const char* what) {
  return {ErrorCode::kLimit, std::string("not enough memory for ") + what};
}

Result<Certificate> parse(const History& history, std::string_view text) {
  return certify::parse_certificate(text, "certificate", history);
}

}  // namespace

std::string_view version() { return ISOLDE_VERSION; }

Result<History> load(const std::string& path, const LoadOptions& options) {
  if (const Status fits = check_common(options.limits, options.threads); !fits) {
    return fits.error();
  }
  base::Budget budget = budget_of(options.limits);
  budget.ask_at_looks(options.watch.cancelled);
  if (options.watch.progress) options.watch.progress("loading " + path);
  return io::read_history(path, options.format, budget, options.threads);
}

Result<History> parse(std::string_view bytes, const std::string& name,
                      const LoadOptions& options) {
  if (const Status fits = check_common(options.limits, options.threads); !fits) {
    return fits.error();
  }
  base::Budget budget = budget_of(options.limits);
  budget.ask_at_looks(options.watch.cancelled);
  if (options.watch.progress) options.watch.progress("reading " + name);
  return io::read_bytes(bytes, name, options.format, budget, options.threads);
}

struct Report::State {
  api::Checked checked;
  std::vector<LevelResult> levels = {};
};

Report::Report(std::unique_ptr<State> state) : state_(std::move(state)) {}
Report::Report(Report&&) noexcept = default;
Report& Report::operator=(Report&&) noexcept = default;
Report::~Report() = default;

std::span<const LevelResult> Report::levels() const { return state_->levels; }

Verdict Report::verdict(Level level) const {
  for (const LevelResult& row : state_->levels) {
    if (row.level == level) return row.verdict;
  }
  return Verdict::kUnknown;
}

std::span<const Level> Report::strongest_held() const {
  return state_->checked.model.strongest;
}

std::span<const Level> Report::weakest_violated() const {
  return state_->checked.model.weakest_violated;
}

std::string Report::text() const { return explain::to_text(state_->checked.model, {}); }

std::string Report::json() const { return explain::to_json(state_->checked.model); }

Result<std::string> Report::render(std::string_view form) const {
  if (const explain::Form* const row = explain::find_form(form)) {
    return explain::rendered(*row, state_->checked.model);
  }
  std::string names;
  for (const explain::Form* row : explain::forms()) {
    names += (names.empty() ? "" : ", ") + std::string(row->name);
  }
  return usage_error("unknown form '" + std::string(form) + "'; the forms are " + names);
}

Result<std::string> Report::certificate(Level level) const {
  const api::Checked& checked = state_->checked;
  for (const LevelReport& row : checked.report.levels) {
    const bool decided = row.verdict == Verdict::kHolds || row.verdict == Verdict::kViolated;
    if (row.level != level || !decided) continue;
    try {
      return certify::certificate_text(*checked.history, api::certificate(checked, row));
    } catch (const std::bad_alloc&) {
      return no_memory("the certificate");
    }
  }
  return usage_error(std::string(info(level).name) + " is not decided, so nothing proves it");
}

Result<Report> check(const History& history, const CheckRequest& request) {
  if (const Status fits = check_common(request.limits, request.threads); !fits) {
    return fits.error();
  }
  if (const Status fits = check_clock_error(request.clock_error_ns); !fits) {
    return fits.error();
  }
  base::Budget budget = budget_of(request.limits);
  budget.ask_at_looks(request.watch.cancelled);
  api::Settings settings;
  settings.check.levels = request.levels;
  settings.check.clock_error_ns = request.clock_error_ns;
  settings.check.threads = request.threads;
  settings.check.progress = request.watch.progress;
  settings.min_committed = request.min_committed;
  settings.require_evidence = request.require_evidence;
  try {
    auto state =
        std::make_unique<Report::State>(Report::State{api::check(history, settings, budget)});
    const auto within = [&](const std::function<void()>& work) {
      if (!budget.look()) return budget.reason();
      work();
      return std::string();
    };
    if (request.verify) api::verify_proofs(state->checked, within);
    api::explain(state->checked, [&](const std::function<void()>& work) {
      if (!request.explain) return std::string("not asked for");
      return within(work);
    });
    for (const explain::LevelOutcome& row : state->checked.model.levels) {
      const bool tried = row.verdict == Verdict::kHolds && row.trial == history::Trial::kTried;
      state->levels.push_back({row.level, row.verdict, row.why(), tried, row.follows_from});
    }
    return Report(std::move(state));
  } catch (const std::bad_alloc&) {
    return no_memory("a report");
  }
}

Result<Verification> verify(const History& history, std::string_view certificate) {
  try {
    const Result<Certificate> read = parse(history, certificate);
    if (!read) return read.error();
    const certify::VerifyResult result = certify::verify(history, *read);
    return Verification{result.proves,
                        api::claim(*read),
                        read->level,
                        read->holds() ? Verdict::kHolds : Verdict::kViolated,
                        read->assumed_clock_error_ns(),
                        result.reason,
                        read->trusts_versions};
  } catch (const std::bad_alloc&) {
    return no_memory("the verifier");
  }
}

Result<std::string> explanation(const History& history, std::string_view certificate) {
  try {
    const Result<Certificate> read = parse(history, certificate);
    if (!read) return read.error();
    const certify::VerifyResult result = certify::verify(history, *read);
    if (!result.proves) {
      return usage_error("not proved: " + api::claim(*read) + ": " + result.reason);
    }
    std::string text = api::claim(*read) + ".\n";
    if (read->holds()) return text;
    const explain::Scenario scenario = explain::make_scenario(history, *read);
    return text + "\n" + explain::narrate(history, scenario, {false, 0});
  } catch (const std::bad_alloc&) {
    return no_memory("the explanation");
  }
}

}  // namespace isolde
