#include "cli/checking.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <new>
#include <optional>
#include <utility>

#include "base/memory.hpp"
#include "base/memory_guard.hpp"
#include "base/printable.hpp"
#include "certify/certificate_io.hpp"
#include "cli/anomalies.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "explain/dot.hpp"
#include "explain/promise.hpp"
#include "explain/story.hpp"
#include "io/reader.hpp"
#include "report/page.hpp"
#include "report/svg.hpp"

namespace isolde::cli {
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

/// Each argument may be several names. Empty ones stay, for parse_levels() to refuse.
std::vector<std::string> split_at_commas(const std::vector<std::string>& arguments) {
  std::vector<std::string> names;
  for (const std::string& list : arguments) {
    for (std::size_t begin = 0; begin <= list.size();) {
      const std::size_t end = std::min(list.find(',', begin), list.size());
      names.push_back(list.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return names;
}

History empty_history(const std::string& file, const std::string& format) {
  HistoryBuilder builder;
  builder.origin().file = file;
  builder.origin().format = format;
  return std::move(builder.finish()).value();
}

/// What was decided when time was up is explained, too.
constexpr double kSecondsToTell = 0.5;

std::string not_explained(const std::string& why) { return "not explained: " + why; }

/// What documents say of the verdicts in one list. The text has what was not put to the test
/// beside the evidence, and what is assumed of clocks beside the verdicts.
std::vector<std::string> notes_on_verdicts(const Outcome& outcome) {
  std::vector<std::string> lines = outcome.not_checked;
  std::string untried = explain::untried_text(outcome.levels, outcome.evidence);
  if (!untried.empty()) lines.push_back(std::move(untried));
  std::string clocks = explain::assumed_clocks_text(outcome.levels);
  if (!clocks.empty()) lines.push_back(std::move(clocks));
  return lines;
}

}  // namespace

void Checking::add_to(CLI::App& app, bool of_run) {
  app.add_option("--level", level_names_,
                 of_run ? "Decide these levels only, and exit with 1 when one is violated; "
                          "promised is the level that the database promises. Without it all "
                          "levels are decided, and the promised one gives the exit code"
                        : "Decide these levels only, and exit with 1 when one is violated. "
                          "Without it all levels are decided, and the exit code is 0 once each "
                          "one is, whether it holds or not")
      ->type_name("L[,L..]")
      ->allow_extra_args(false);
  app.add_flag("--json", json_, "Print one JSON object per history, one per line");
  app.add_option("--certificate", certificate_,
                 "Write the proof. With one level and one history to FILE; with several levels "
                 "to FILE.<level>.jsonl; with several histories to FILE.<n>.<level>.jsonl")
      ->type_name("FILE");
  app.add_option("--dot", dot_,
                 "Write the weakest violation as a Graphviz graph to FILE; with several "
                 "histories to FILE.<n>.dot")
      ->type_name("FILE");
  app.add_option("--svg", svg_, "The same as a picture; with several histories to FILE.<n>.svg")
      ->type_name("FILE");
  app.add_option("--html", html_,
                 "Write a report to open in a browser to FILE; with several histories to "
                 "FILE.<n>.html")
      ->type_name("FILE");
  outputs_.add_to(app);
  app.add_option("--anomalies", anomalies_,
                 "List up to N anomalies that share no read, at the weakest level that is "
                 "violated; each takes about as long as checking that level")
      ->type_name("N")
      ->check(CLI::Range(1U, 1000000U));
  app.add_option(
         "--min-committed", min_committed_,
         "A level that holds is reported as unknown when fewer transactions took effect")
      ->type_name("N")
      ->capture_default_str()
      ->check(count_text());
  app.add_flag(
      "--require-evidence", require_evidence_,
      "A level that holds is reported as unknown when the history does not put it to the test: "
      "no two transactions, for most levels no two that overlap, used a key that one of them "
      "wrote");
  limits_.add_to(app);
  threads_.add_to(app);
  app.add_option("--clock-error", clock_error_,
                 "Real time counts only for gaps larger than this, for example 10ms")
      ->type_name("DURATION");
  progress_.add_to(app);
}

void Checking::take(std::vector<std::string> levels, const LimitOptions& limits,
                    const ProgressOption& progress) {
  level_names_ = std::move(levels);
  limits_ = limits;
  progress_ = progress;
}

Status Checking::expect(std::optional<Level> promised, std::string_view why_none) {
  if (!asks_for_promise_) return ok_status();
  if (!promised) {
    return Error{ErrorCode::kUsage,
                 "--level promised: nothing is promised here: " + std::string(why_none)};
  }
  std::vector<Level>& levels = options_.levels;
  levels.push_back(*promised);
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  return ok_status();
}

Status Checking::prepare() {
  std::vector<std::string> names = split_at_commas(level_names_);
  asks_for_promise_ = std::erase(names, "promised") > 0;
  if (!names.empty()) {
    Result<std::vector<Level>> levels = parse_levels(names);
    if (!levels) return levels.error();
    options_.levels = *levels;
  }
  if (const Status fits = outputs_.prepare(json_); !fits) return fits.error();
  const Result<std::int64_t> clock_error = parse_clock_error(clock_error_);
  if (!clock_error) return clock_error.error();
  options_.clock_error_ns = *clock_error;
  const Result<std::uint64_t> memory = limits_.memory_bytes();
  if (!memory) return memory.error();
  memory_bytes_ = *memory;
  return ok_status();
}

void Checking::decide(Outcome& outcome, base::Budget& budget) {
  const Stopwatch watch;
  constexpr std::size_t kWorthThreads = 50000;  // operations: some milliseconds of work
  options_.threads = outcome.history.op_count() < kWorthThreads ? 1 : threads_.count();
  try {
    outcome.report = isolde::check(outcome.history, options_, budget);
  } catch (const std::bad_alloc&) {
    outcome.report = undecided(options_.levels,
                               budget.exhausted() ? budget.reason() : budget.memory_reason());
  }
  outcome.evidence = history::evidence_of(outcome.history, budget);
  weigh(outcome);
  outcome.check_seconds = watch.seconds();
}

/// What holds on no evidence is not decided. A violation stands: what may come behind it cannot
/// repair it, as far as no value is written twice (history::kViolatedPart).
void Checking::weigh(Outcome& outcome) const {
  const history::Evidence& evidence = outcome.evidence;
  const std::string nothing = why_no_verdict(outcome.history, evidence, min_committed_);
  for (LevelReport& level : outcome.report.levels) {
    if (level.verdict != Verdict::kHolds) continue;
    const history::Trial trial = history::trial(evidence, info(level.level));
    if (!nothing.empty()) {
      level.reason = nothing;
    } else if (require_evidence_ && trial == history::Trial::kNotCounted) {
      level.reason = "the evidence could not be counted in time (--require-evidence)";
    } else if (require_evidence_ && trial == history::Trial::kUntried) {
      level.reason = history::why_untried(evidence) + " (--require-evidence)";
    } else {
      continue;
    }
    level.verdict = Verdict::kUnknown;
  }
}

Status Checking::list_anomalies(Outcome& outcome, base::Budget& budget) const {
  if (anomalies_ == 0) return ok_status();
  try {
    auto found = find_anomalies(outcome.history, outcome.report, options_, anomalies_, budget);
    if (!found) return found.error();
    outcome.anomalies = std::move(found).value();
  } catch (const std::bad_alloc&) {
    explain::AnomaliesReport none;
    none.level = weakest_violated(outcome.report).front();
    none.not_searched = {"any of them: " + budget.memory_reason()};
    outcome.anomalies = std::move(none);
  }
  return ok_status();
}

Result<Outcome> Checking::check(const std::string& file, const std::string& format) {
  base::Budget budget(limits_.timeout_seconds, memory_bytes_);
  const InterruptGuard guard(budget);
  const base::MemoryGuard memory(budget);
  Progress progress(progress_.enabled());
  progress.show("loading " + file);
  options_.progress = [&progress](std::string_view work) { progress.show(work); };
  Outcome outcome;
  const Stopwatch watch;
  Result<History> history = Error{ErrorCode::kLimit, file + ": out of memory"};
  try {
    history = io::read_history(file, format, budget, threads_.count());
  } catch (const std::bad_alloc&) {
    budget.look();
  }
  outcome.load_seconds = watch.seconds();
  if (history) {
    outcome.history = std::move(history).value();
    decide(outcome, budget);
    if (const Status listed = list_anomalies(outcome, budget); !listed) return listed.error();
  } else if (history.error().code == ErrorCode::kLimit) {
    outcome.history = empty_history(file, format);
    outcome.loaded = false;
    std::string reason = history.error().message;
    if (reason.starts_with(file + ": ")) reason.erase(0, file.size() + 2);
    outcome.report = undecided(options_.levels, base::printable_line(reason));
  } else {
    return history.error();
  }
  outcome.not_checked = not_checked(outcome.history, outcome.report);
  outcome.clock_error_ns = options_.clock_error_ns;
  if (limits_.timeout_seconds > 0) {
    const std::chrono::duration<double> left(std::max(budget.seconds_left(), kSecondsToTell));
    outcome.tell_by = base::Budget::Clock::now() +
                      std::chrono::duration_cast<base::Budget::Clock::duration>(left);
  }
  return outcome;
}

std::string Checking::picture_path(const std::string& path, std::size_t file_number,
                                   const char* extension) const {
  return !several_ ? path : file_prefix(path, file_number) + extension;
}

std::string Checking::file_prefix(std::string path, std::size_t file_number) const {
  return !several_ ? path : path + "." + std::to_string(file_number);
}

/// Does work that looks at no limits, and ends it where they are reached. Returns why, or
/// nothing.
std::string Checking::within_limits(const Outcome& outcome,
                                    const std::function<void()>& work) const {
  double seconds = 0;
  if (outcome.tell_by) {
    const std::chrono::duration<double> left = *outcome.tell_by - base::Budget::Clock::now();
    seconds = std::max(left.count(), 1e-9);
  }
  base::Budget budget(seconds, memory_bytes_);
  // What the check has freed is room for more than one explanation.
  if (!budget.has_room(memory_bytes_ / 2)) base::give_back_memory();
  try {
    const base::MemoryGuard guard(budget, base::MemoryGuard::Refuses::kTooMuchOrTooLate);
    work();
    return {};
  } catch (const std::bad_alloc&) {
  }
  base::give_back_memory();
  return budget.stop() == base::Budget::Stop::kTime ? "time limit reached"
                                                    : budget.memory_reason();
}

/// Does work that tells of the levels, and where the limits have no room for it does it again
/// with fewer explanations. What is told without any is short.
void Checking::tell(const Outcome& outcome, std::vector<explain::LevelOutcome>& levels,
                    const std::function<void()>& work) const {
  const std::vector<Level> weakest = weakest_violated(outcome.report);
  for (const bool all : {false, true}) {
    const std::string refused = within_limits(outcome, work);
    if (refused.empty()) return;
    for (explain::LevelOutcome& row : levels) {
      const bool stays = !all && std::ranges::find(weakest, row.level) != weakest.end();
      if (!row.scenario || stays) continue;
      row.scenario.reset();
      row.reason = not_explained(refused);
    }
  }
  work();
}

Status Checking::explain(Outcome& outcome, std::size_t file_number) const {
  const Stopwatch watch;
  Status written = explain_levels(outcome, file_number);
  const Status drawn = write_pictures(outcome, file_number);
  outcome.explain_seconds = watch.seconds();
  outcome.peak_rss_bytes = base::peak_resident_bytes();
  return written ? drawn : written;
}

explain::LevelOutcome Checking::outcome_of(const LevelReport& level,
                                           const Outcome& outcome) const {
  explain::LevelOutcome row{level.level, name(level.verdict), level.reason, {}, {}};
  row.trial = history::trial(outcome.evidence, info(level.level));
  const bool decided = level.verdict == Verdict::kHolds || level.verdict == Verdict::kViolated;
  if (!decided) return row;
  const Proof& proof = outcome.report.proofs[level.proof];
  const auto* const implication = std::get_if<Implication>(&proof);
  if (implication != nullptr) row.follows_from = implication->level;
  const bool counts_time = needs_times(info(level.level)) ||
                           (row.follows_from && needs_times(info(*row.follows_from)));
  if (counts_time) row.clock_error_ns = options_.clock_error_ns;
  return row;
}

Status Checking::explain_levels(Outcome& outcome, std::size_t file_number) const {
  const bool one_name = !several_ && options_.levels.size() == 1;
  std::optional<std::uint64_t> digest;
  Status result = ok_status();
  for (const LevelReport& level : outcome.report.levels) {
    outcome.levels.push_back(outcome_of(level, outcome));
    explain::LevelOutcome& row = outcome.levels.back();
    const bool proves = level.verdict == Verdict::kHolds && !certificate_.empty();
    if (!proves && level.verdict != Verdict::kViolated) continue;
    if (!digest) digest = outcome.history.digest();
    Proof& proof = outcome.report.proofs[level.proof];
    Certificate certificate{level.level, *digest, options_.clock_error_ns, std::move(proof)};
    certificate.clock_error_ns = certificate.assumed_clock_error_ns();
    if (level.verdict == Verdict::kViolated) {
      const std::string refused = within_limits(outcome, [&] {
        row.scenario = explain::make_scenario(outcome.history, certificate);
      });
      if (!refused.empty()) row.reason = not_explained(refused);
    }
    if (!certificate_.empty()) {
      row.certificate = one_name ? certificate_
                                 : file_prefix(certificate_, file_number) + "." +
                                       std::string(info(level.level).name) + ".jsonl";
      Status written = check_output(*row.certificate, outcome.history.origin().file);
      if (written) {
        written = certify::write_certificate(outcome.history, certificate, *row.certificate);
      }
      if (!written) row.certificate.reset();
      if (result) result = written;
    }
    proof = std::move(certificate.proof);
  }
  return result;
}

Status Checking::write_pictures(Outcome& outcome, std::size_t file_number) const {
  Status result = ok_status();
  const std::vector<Level> weakest = weakest_violated(outcome.report);
  for (const explain::LevelOutcome& row : outcome.levels) {
    if (dot_.empty() && svg_.empty()) break;
    if (weakest.empty() || row.level != weakest.front()) continue;
    result = row.scenario ? write_graph(outcome, *row.scenario, file_number)
                          : Status(Error{ErrorCode::kLimit, "no picture: " + row.reason});
  }
  if (html_.empty()) return result;
  const Status written = write_page(outcome, file_number);
  return result ? written : result;
}

Status Checking::write_graph(const Outcome& outcome, const explain::Scenario& scenario,
                             std::size_t file_number) const {
  Status result = ok_status();
  const std::string refused = within_limits(outcome, [&] {
    if (!dot_.empty()) {
      result = write_text(picture_path(dot_, file_number, ".dot"),
                          explain::to_dot(outcome.history, scenario));
    }
    if (svg_.empty() || !result) return;
    const Result<std::string> svg =
        report::to_svg(explain::to_dot(outcome.history, scenario, {.whole = false}));
    result =
        svg ? write_text(picture_path(svg_, file_number, ".svg"), *svg) : Status(svg.error());
  });
  if (refused.empty()) return result;
  return Error{ErrorCode::kLimit, "no picture: " + refused};
}

Status Checking::write_page(Outcome& outcome, std::size_t file_number) const {
  Result<std::string> page = std::string();
  tell(outcome, outcome.levels, [&] {
    page = report::to_html({outcome.history, outcome.levels, strongest_held(outcome.report),
                            weakest_violated(outcome.report), notes_on_verdicts(outcome),
                            outcome.run, outcome.loaded, outcome.evidence});
  });
  if (!page) return page.error();
  return write_text(picture_path(html_, file_number, ".html"), *page);
}

ExitCode Checking::verdict_code(const Outcome& outcome) const {
  const explain::LevelOutcome* const promised =
      explain::promised_outcome(outcome.run, outcome.levels);
  const bool classification = options_.levels.empty();
  ExitCode code = ExitCode::kSuccess;
  for (const LevelReport& level : outcome.report.levels) {
    const bool is_promised = promised != nullptr && promised->level == level.level;
    const bool asked = !classification || is_promised;
    // Without a level that matters more than others, all have to be decided.
    const bool decides = asked || promised == nullptr;
    if (decides && level.verdict == Verdict::kUnknown) code = worse(code, ExitCode::kUnknown);
    if (!asked) continue;
    if (level.verdict == Verdict::kNotApplicable) code = worse(code, ExitCode::kUnknown);
    if (level.verdict == Verdict::kViolated) code = worse(code, ExitCode::kViolated);
  }
  return code;
}

explain::ReportInput Checking::report_input(Outcome& outcome) const {
  std::vector<std::string> left_out = notes_on_verdicts(outcome);
  explain::ReportInput input{outcome.history, std::move(outcome.levels),
                             strongest_held(outcome.report), weakest_violated(outcome.report),
                             std::move(left_out)};
  input.load_seconds = outcome.load_seconds;
  input.check_seconds = outcome.check_seconds;
  input.explain_seconds = outcome.explain_seconds;
  input.work = outcome.report.statistics;
  input.peak_rss_bytes = outcome.peak_rss_bytes;
  input.run = outcome.run;
  input.anomalies = std::move(outcome.anomalies);
  input.loaded = outcome.loaded;
  input.asked = !options_.levels.empty();
  input.evidence = outcome.evidence;
  input.clock_error_ns = outcome.clock_error_ns;
  input.sessions_respect_time = outcome.report.sessions_respect_time;
  input.rows_left_out = outcome.report.rows_left_out;
  return input;
}

std::string Checking::report_text(Outcome& outcome) {
  std::string text;
  if (prints_text()) {
    tell(outcome, outcome.levels, [&] {
      text = to_text(outcome, {wants_colour(), options_.levels.empty()});
    });
  }
  if (!json_ && !outputs_.wanted()) return text;
  explain::ReportInput input = report_input(outcome);
  if (json_) {
    tell(outcome, input.levels, [&] { text = explain::to_json(input) + "\n"; });
  }
  outputs_.add(input,
               [&](const std::function<void()>& work) { tell(outcome, input.levels, work); });
  return outputs_.annotated(std::move(text));
}

ExitCode Checking::report_failure(const std::string& file, const Error& error) {
  outputs_.add_failure(file, error);
  print(outputs_.annotated(""));
  return report(error);
}

ExitCode Checking::finish(ExitCode code) {
  Status written = ok_status();
  const std::string refused = within_limits({}, [&] { written = outputs_.write(); });
  if (!refused.empty()) {
    written = Error{ErrorCode::kLimit, "not all documents were written: " + refused};
  }
  return written ? code : worse(code, report(written.error()));
}

}  // namespace isolde::cli
