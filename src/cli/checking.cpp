#include "cli/checking.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <new>
#include <optional>
#include <utility>

#include "base/duration.hpp"
#include "base/memory.hpp"
#include "base/memory_guard.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "certify/certificate_io.hpp"
#include "cli/anomalies.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/level_option.hpp"
#include "cli/stream_check.hpp"
#include "explain/promise.hpp"
#include "history/level_names.hpp"
#include "io/reader.hpp"
#include "io/writer.hpp"

namespace isolde::cli {
namespace {

/// Each argument may be several names, with blanks around them. Empty ones stay, for
/// parse_levels() to refuse.
std::vector<std::string> split_at_commas(const std::vector<std::string>& arguments) {
  std::vector<std::string> names;
  for (const std::string& list : arguments) {
    for (std::size_t begin = 0; begin <= list.size();) {
      const std::size_t end = std::min(list.find(',', begin), list.size());
      const std::size_t first = std::min(list.find_first_not_of(' ', begin), end);
      const std::size_t last = list.find_last_not_of(' ', end - 1);
      names.push_back(first == end ? std::string() : list.substr(first, last + 1 - first));
      begin = end + 1;
    }
  }
  return names;
}

/// What was decided when time was up is explained, too.
constexpr double kSecondsToTell = 0.5;

}  // namespace

void PromiseOption::add_to(CLI::App& app, const std::string& known_from) {
  app.add_option("--promise", text_,
                 "The level that the database promises, in place of what " + known_from +
                     "; none: no level")
      ->type_name("LEVEL");
}

Status PromiseOption::prepare() {
  if (text_.empty() || text_ == "none") return ok_status();
  const Result<Level> level = history::level_named(text_);
  if (!level) return level.error();
  level_ = *level;
  return ok_status();
}

void Checking::add_to(CLI::App& app, bool of_run) {
  promise_.add_to(
      app, of_run ? "isolde databases NAME says of the isolation level" : "the history tells");
  app.add_option("--level", level_names_,
                 of_run ? "Decide these levels only, and exit with 1 when one is violated; "
                          "promised is the level that the database promises. Without it all "
                          "levels are decided, and the promised one gives the exit code"
                        : "Decide these levels only, and exit with 1 when one is violated; "
                          "promised is the level that the database promises. Without it all "
                          "levels are decided; where a promise is known (histories of isolde "
                          "run tell it, or --promise) the promised one gives the exit code, "
                          "else it is 0 once each one is decided, whether it holds or not")
      ->type_name("L[,L..]")
      ->allow_extra_args(false);
  app.add_option("--certificate", certificate_,
                 "Write the proof. With one level and one history to FILE; with several levels "
                 "to FILE.<level>.jsonl; with several histories to FILE.<n>.<level>.jsonl")
      ->type_name("FILE");
  outputs_.add_to(app, !of_run);
  whole_number(
      app.add_option("--anomalies", anomalies_,
                     "List up to N anomalies that share no read, at the weakest level that is "
                     "violated; each takes about as long as checking that level"),
      1, 1'000'000);
  whole_number(
      app.add_option(
          "--min-committed", settings_.min_committed,
          "A level that holds is reported as unknown when fewer transactions took effect"))
      ->capture_default_str();
  app.add_flag(
      "--require-evidence", settings_.require_evidence,
      "A level that holds is reported as unknown when the history does not put it to the test: "
      "no two transactions, for most levels no two that overlap, used a key that one of them "
      "wrote");
  app.add_flag("--verify", verifies_,
               "Verify the proof of each decided level before it is reported, with what isolde "
               "verify uses; for each about as much work as that command");
  limits_.add_to(app);
  threads_.add_to(app);
  add_clock_error(app, settings_.check.clock_error_ns,
                  "Real time counts only for gaps larger than this, for example 10ms");
  add_trust_versions(app, trusts_versions_,
                     "Take the versions that the history tells for true: a read with a version "
                     "is from the write with that version. Without it they only guide the "
                     "search");
  progress_.add_to(app);
}

std::vector<std::string> Checking::watch_arguments() const {
  std::vector<std::string> words;
  const auto add = [&](const char* option, const std::string& value) {
    words.insert(words.end(), {option, value});
  };
  if (limits_.timeout_seconds > 0) {
    add("--timeout", base::duration_text(std::llround(limits_.timeout_seconds * 1e9)));
  }
  if (!limits_.memory.empty()) add("--memory", limits_.memory);
  if (threads_.threads > 0) add("--threads", std::to_string(threads_.threads));
  if (settings_.check.clock_error_ns > 0) {
    add("--clock-error", base::duration_text(settings_.check.clock_error_ns));
  }
  if (verifies_) words.emplace_back("--verify");
  if (!certificate_.empty()) add("--certificate", certificate_);
  return words;
}

void Checking::take(std::vector<std::string> levels, const LimitOptions& limits,
                    const ProgressOption& progress, const Outputs& outputs) {
  level_names_ = std::move(levels);
  limits_ = limits;
  progress_ = progress;
  outputs_.take(outputs);
}

Status Checking::expect(std::optional<Level> promised, std::string_view why_none) const {
  if (!asks_for_promise_ || promised) return ok_status();
  return usage_error("--level promised: nothing is promised here: " + std::string(why_none));
}

std::optional<explain::Promise> Checking::promise_for(const History& history) const {
  const HistoryOrigin& origin = history.origin();
  if (!promise_.given()) return explain::recorded_promise(origin);
  HistoryOrigin changed;
  changed.database = origin.database;
  changed.product = origin.product;
  changed.isolation = origin.isolation;
  changed.promise = promise_.level();
  changed.no_promise = PromiseOption::why_none();
  std::optional<explain::Promise> promise = explain::recorded_promise(changed);
  promise->is_asked = true;
  return promise;
}

/// With the promised level among those asked for, where it was asked for.
Result<api::Settings> Checking::settings_for(const History& history) const {
  api::Settings settings = settings_;
  if (!asks_for_promise_) return settings;
  const std::optional<explain::Promise> promise = promise_for(history);
  if (!promise) {
    return usage_error(history.origin().file +
                       ": --level promised: the history does not tell what the database "
                       "promises; --promise LEVEL does");
  }
  if (const Status known = expect(promise->level, promise->why_none); !known) {
    return Error{known.error().code, history.origin().file + ": " + known.error().message};
  }
  settings.check.levels = asked_levels(promise->level);
  return settings;
}

std::vector<Level> Checking::asked_levels(std::optional<Level> promised) const {
  std::vector<Level> levels = settings_.check.levels;
  if (!asks_for_promise_) return levels;
  levels.push_back(*promised);
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  return levels;
}

Status Checking::prepare() {
  std::vector<std::string> names = split_at_commas(level_names_);
  asks_for_promise_ = std::erase_if(names, is_promised) > 0;
  if (!names.empty()) {
    Result<std::vector<Level>> levels = parse_levels(names);
    if (!levels) return levels.error();
    settings_.check.levels = *levels;
  }
  if (const Status known = promise_.prepare(); !known) return known.error();
  if (const Status fits = outputs_.prepare(); !fits) return fits.error();
  const Result<std::uint64_t> memory = limits_.memory_bytes();
  if (!memory) return memory.error();
  memory_bytes_ = *memory;
  return ok_status();
}

Status Checking::list_anomalies(api::Checked& checked, const api::Settings& settings,
                                base::Budget& budget) const {
  if (anomalies_ == 0) return ok_status();
  try {
    auto found =
        find_anomalies(*checked.history, checked.report, settings.check, anomalies_, budget);
    if (!found) return found.error();
    checked.model.anomalies = std::move(found).value();
  } catch (const std::bad_alloc&) {
    explain::AnomaliesReport none;
    none.level = checked.model.weakest_violated.front();
    none.not_searched = {"any of them: " + budget.memory_reason()};
    checked.model.anomalies = std::move(none);
  }
  return ok_status();
}

Result<Outcome> Checking::check_loaded(Result<History> history, const std::string& file,
                                       const std::string& format, base::Budget& budget) {
  if (history && trusts_versions_) history = history->with_trusted_versions();
  Error error = history ? Error{} : history.error();
  if (history) {
    constexpr std::size_t kWorthThreads = 50000;  // operations: some milliseconds of work
    settings_.check.threads = history->op_count() < kWorthThreads ? 1 : threads_.count();
    auto loaded = std::make_unique<History>(std::move(history).value());
    const Result<api::Settings> settings = settings_for(*loaded);
    if (!settings) return settings.error();
    Result<api::Checked> checked = api::check_listing(*loaded, *settings, budget);
    if (checked) {
      checked->model.promise = promise_for(*loaded);
      const Status listed = list_anomalies(*checked, *settings, budget);
      if (!listed) return listed.error();
      return Outcome{std::move(loaded), std::move(checked).value()};
    }
    error = {checked.error().code, file + ": " + checked.error().message};
  }
  if (error.code != ErrorCode::kLimit) return error;
  std::string reason = error.message;
  if (reason.starts_with(file + ": ")) reason.erase(0, file.size() + 2);
  return leave_out(file, format, base::printable_line(reason));
}

Outcome Checking::leave_out(const std::string& file, const std::string& format,
                            const std::string& reason) const {
  auto empty = std::make_unique<const History>(api::empty_history(file, format));
  api::Checked checked = api::not_loaded(*empty, settings_, reason);
  return {std::move(empty), std::move(checked)};
}

Result<Outcome> Checking::check_next(const std::string& file, const std::string& format) {
  if (!was_interrupted()) return check(file, format);
  return leave_out(file, format, kNotRead);
}

Result<std::vector<std::string>> Checking::find(const std::string& path,
                                                const std::string& format) const {
  base::Budget budget(limits_.timeout_seconds, memory_bytes_);
  const InterruptGuard guard(budget);
  std::vector<std::string> left_out;
  Result<std::vector<std::string>> found = io::histories_at(path, format, budget, &left_out);
  if (found && !left_out.empty()) {
    std::string names;
    for (const std::string& each : left_out) {
      names += (names.empty() ? " " : ", ") + base::printable_path(each);
    }
    std::fprintf(stderr, "isolde: left out, no histories by their names or first bytes:%s\n",
                 names.c_str());
  }
  return found;
}

namespace {

/// Reads the file under another name, for reports.
Result<History> read_as(const std::string& name, const std::string& path,
                        const std::string& format, base::Budget& budget) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) return Error{ErrorCode::kEnvironment, path + ": cannot be read"};
  return io::read_bytes(text, name, format, budget);
}

}  // namespace

Result<Outcome> Checking::check(const std::string& file, const std::string& format,
                                const std::string& shown_as) {
  base::Budget budget(limits_.timeout_seconds, memory_bytes_);
  const InterruptGuard guard(budget);
  const base::MemoryGuard memory(budget);
  Progress progress(progress_.enabled());
  progress.show("loading " + file);
  settings_.check.progress = [&progress](std::string_view work) { progress.show(work); };
  const Stopwatch watch;
  const auto show = [&](std::uint64_t bytes, std::uint64_t size) {
    const double share = static_cast<double>(bytes) / static_cast<double>(size);
    progress.show("loading " + std::to_string(static_cast<int>(100 * share)) + " %" +
                  rest_of_work(watch.seconds(), share) + ": " + file);
  };
  Result<History> history = Error{ErrorCode::kLimit, file + ": out of memory"};
  try {
    // Who looks at more than verdicts needs them.
    const bool lists_rows_later = !trusts_versions_ && !verifies_ && anomalies_ == 0;
    history = shown_as.empty() ? io::read_history(file, format, budget, threads_.count(), show,
                                                  lists_rows_later)
                               : read_as(shown_as, file, format, budget);
  } catch (const std::bad_alloc&) {
    budget.look();
  }
  const double load_seconds = watch.seconds();
  Result<Outcome> outcome = check_loaded(std::move(history), file, format, budget);
  if (!outcome) return outcome;
  outcome->model().load_seconds = load_seconds;
  set_time_to_tell(*outcome, budget);
  return outcome;
}

void Checking::set_time_to_tell(Outcome& outcome, const base::Budget& budget) const {
  if (limits_.timeout_seconds <= 0) return;
  const std::chrono::duration<double> left(std::max(budget.seconds_left(), kSecondsToTell));
  outcome.tell_by = base::Budget::Clock::now() +
                    std::chrono::duration_cast<base::Budget::Clock::duration>(left);
}

Status Checking::set_stream(const std::string& format, const std::string& bundle,
                            std::int64_t takes_effect_within_ns) {
  streams_ = true;
  takes_effect_within_ns_ = takes_effect_within_ns;
  if (!format.empty() && format != "native-binary") {
    return usage_error(
        "--stream reads native-binary alone; isolde convert --to native-binary "
        "makes such a file of a history in another format");
  }
  for (const auto& [is_given, option] : {std::pair(anomalies_ > 0, "--anomalies"),
                                         std::pair(trusts_versions_, "--trust-versions")}) {
    if (!is_given) continue;
    return usage_error(std::string(option) + " needs the whole history; leave --stream out");
  }
  if (certificate_ == "-" || bundle == "-") {
    return usage_error(
        "with --stream bundle and certificate are files, and - is standard "
        "output, which has the report; give a name");
  }
  if (!certificate_.empty() && bundle.empty()) {
    return usage_error(
        "with --stream the certificate of a violation is about the bundle; give "
        "--bundle too");
  }
  return ok_status();
}

/// With the levels that are asked for.
Result<api::Settings> Checking::stream_settings(const std::string& file,
                                                base::Budget& budget) const {
  const bool knows_first = !StreamCheck::is_read_once(file);
  Result<History> first = knows_first ? StreamCheck::first_part(file, budget)
                                      : api::empty_history(file, "native-binary");
  if (!first) return first.error();
  Result<api::Settings> settings = settings_for(*first);
  if (!settings) return settings;
  settings->check.threads = threads_.count();
  std::vector<Level>& levels = settings->check.levels;
  if (!levels.empty()) return settings;
  const std::optional<explain::Promise> promise = promise_for(*first);
  levels.push_back(promise && promise->level ? *promise->level : Level::kStrictSerializable);
  return settings;
}

Result<Outcome> Checking::check_stream(const std::string& file, std::size_t file_number,
                                       const std::string& bundle) {
  if (was_interrupted()) return leave_out(file, "native-binary", kNotRead);
  base::Budget budget(limits_.timeout_seconds, memory_bytes_);
  const InterruptGuard guard(budget);
  const base::MemoryGuard memory(budget);
  Progress progress(progress_.enabled());
  const Result<api::Settings> settings = stream_settings(file, budget);
  if (!settings && settings.error().code == ErrorCode::kLimit) {
    return leave_out(file, "native-binary", base::printable_line(budget.reason()));
  }
  if (!settings) return with_stream_advice(settings.error(), "isolde check --stream");
  StreamRequest request{file, *settings, verifies_, takes_effect_within_ns_};
  if (!certificate_.empty()) {
    const bool is_only = settings->check.levels.size() == 1;
    request.segments_path = [=, this](Level level) {
      return certificate_path(level, is_only, file_number);
    };
  }
  StreamCheck check(std::move(request), budget, progress);
  if (const Status read = check.run(); !read) {
    return with_stream_advice(read.error(), "isolde check --stream");
  }
  std::unique_ptr<const History> history = check.history();
  api::Checked checked = check.checked(*history);
  checked.model.promise = promise_for(*history);
  Outcome outcome{std::move(history), std::move(checked)};
  outcome.written = check.finish_segments(outcome.model());
  if (const Status written = write_bundle(outcome, bundle, file_number); !written) {
    outcome.written = written;
  }
  set_time_to_tell(outcome, budget);
  return outcome;
}

/// The transactions of a violation, as a history of their own.
Status Checking::write_bundle(Outcome& outcome, const std::string& bundle,
                              std::size_t file_number) const {
  if (bundle.empty()) return ok_status();
  const std::string path =
      several_ ? bundle + "." + std::to_string(file_number) + ".jsonl" : bundle;
  const explain::ReportModel& model = outcome.model();
  if (std::ranges::none_of(model.levels, &explain::LevelOutcome::is_violated)) {
    remove_earlier(path, outcome.history->origin().file, "no violation was found");
    return ok_status();
  }
  const Status written = io::write_history(*outcome.history, "native", path);
  if (written) outcome.model().streamed->bundle = path;
  return written;
}

std::string Checking::file_prefix(std::string path, std::size_t file_number) const {
  return !several_ ? path : path + "." + std::to_string(file_number);
}

/// Does work that looks at no limits, and ends it where they are reached. Returns why, or
/// nothing.
std::string Checking::within_limits(std::optional<Deadline> tell_by,
                                    const std::function<void()>& work) const {
  double seconds = 0;
  if (tell_by) {
    const std::chrono::duration<double> left = *tell_by - base::Budget::Clock::now();
    seconds = std::max(left.count(), 1e-9);
  }
  base::Budget budget(seconds, memory_bytes_);
  const InterruptGuard interruptible(budget);
  // What the check has freed is room for more than one explanation.
  if (!budget.has_room(memory_bytes_ / 2)) base::give_back_memory();
  try {
    const base::MemoryGuard guard(budget, base::MemoryGuard::Refuses::kTooMuchOrTooLate);
    work();
    return {};
  } catch (const std::bad_alloc&) {
  }
  base::give_back_memory();
  if (budget.stop() == base::Budget::Stop::kTime) return "time limit reached";
  return budget.stop() == base::Budget::Stop::kCancelled ? budget.reason()
                                                         : budget.memory_reason();
}

/// Does work that tells of the levels, and where the limits have no room for it does it again
/// with fewer explanations. What is told without any is short.
void Checking::tell(Outcome& outcome, const std::function<void()>& work) const {
  const std::vector<Level>& weakest = outcome.model().weakest_violated;
  for (const bool all : {false, true}) {
    const std::string refused = within_limits(outcome.tell_by, work);
    if (refused.empty()) return;
    for (explain::LevelOutcome& row : outcome.model().levels) {
      const bool stays = !all && std::ranges::find(weakest, row.level) != weakest.end();
      if (!row.scenario || stays) continue;
      row.leave_unexplained(refused);
    }
  }
  work();
}

Status Checking::explain(Outcome& outcome, std::size_t file_number) const {
  const Stopwatch watch;
  api::explain(outcome.checked, [&](const std::function<void()>& work) {
    return within_limits(outcome.tell_by, work);
  });
  Status written = write_certificates(outcome, file_number);
  if (!outcome.written) written = outcome.written;
  outcome.model().explain_seconds = watch.seconds();
  outcome.model().peak_rss_bytes = base::peak_resident_bytes();
  return written;
}

std::string Checking::certificate_path(Level level, bool is_only,
                                       std::size_t file_number) const {
  if (!several_ && is_only) return certificate_;
  return file_prefix(certificate_, file_number) + "." + std::string(info(level).name) +
         ".jsonl";
}

Status Checking::write_certificates(Outcome& outcome, std::size_t file_number) const {
  if (certificate_.empty()) return ok_status();
  const bool is_only = outcome.model().asked && outcome.model().levels.size() == 1;
  Status result = ok_status();
  for (std::size_t i = 0; i < outcome.checked.report.levels.size(); ++i) {
    const LevelReport& level = outcome.checked.report.levels[i];
    const std::string path = certificate_path(level.level, is_only, file_number);
    if (level.verdict == Verdict::kHolds && level.proof == kNoProof) {
      // The order that proves it was written while the history was read.
      const std::optional<std::string>& written = outcome.model().levels[i].certificate;
      if (written && written != path) {
        remove_earlier(path, outcome.history->origin().file,
                       "the proof is in " + base::printable_path(*written));
      }
      continue;
    }
    if (level.verdict == Verdict::kViolated && level.proof == kNoProof) {
      remove_earlier(path, outcome.history->origin().file, level.reason);
      continue;
    }
    if (level.verdict != Verdict::kHolds && level.verdict != Verdict::kViolated) {
      remove_earlier(path, outcome.history->origin().file,
                     std::string(info(level.level).name) + " is not decided");
      continue;
    }
    Status written = check_output(path, outcome.history->origin().file);
    if (written) {
      const api::LentCertificate certificate(outcome.checked, level);
      written = certify::write_certificate(*outcome.history, *certificate, path);
    }
    if (written) outcome.model().levels[i].certificate = path;
    if (result) result = written;
  }
  return result;
}

ExitCode Checking::verdict_code(const explain::ReportModel& model) const {
  const explain::LevelOutcome* const promised = explain::promised_outcome(model);
  const bool classification = settings_.check.levels.empty() && !asks_for_promise_ && !streams_;
  ExitCode code = ExitCode::kSuccess;
  for (const explain::LevelOutcome& level : model.levels) {
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

ExitCode Checking::verify(Outcome& outcome) const {
  ExitCode code = ExitCode::kSuccess;
  if (!verifies_) return code;
  const std::vector<std::string> refused = api::verify_proofs(
      outcome.checked,
      [&](const std::function<void()>& work) { return within_limits(outcome.tell_by, work); });
  for (const std::string& line : refused) {
    const std::string& file = outcome.history->origin().file;
    code = worse(code, report({ErrorCode::kInternal, file + ": " + line}));
  }
  return code;
}

ExitCode Checking::tell_all(Outcome& outcome, std::size_t file_number, std::string& printed) {
  ExitCode trouble = verify(outcome);
  const Status explained = explain(outcome, file_number);
  if (!explained) trouble = worse(trouble, report(explained.error()));
  const auto within = [&](const std::function<void()>& work) { tell(outcome, work); };
  const Status told = outputs_.add(outcome.model(), file_number, within, printed);
  return told ? trouble : worse(trouble, report(told.error()));
}

ExitCode Checking::report_failure(const std::string& file, const Error& error) {
  print(outputs_.add_failure(file, error));
  return report(error);
}

ExitCode Checking::finish(ExitCode code) {
  Status written = ok_status();
  const std::string refused = within_limits(std::nullopt, [&] { written = outputs_.write(); });
  if (!refused.empty()) {
    written = Error{ErrorCode::kLimit, "not all documents were written: " + refused};
  }
  return written ? code : worse(code, report(written.error()));
}

}  // namespace isolde::cli
