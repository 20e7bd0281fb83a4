// isolde watch: a level of a history as it comes, in memory that does not grow with it
// (stream/rounds.hpp).
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <utility>

#include "api/checking.hpp"
#include "base/budget.hpp"
#include "base/duration.hpp"
#include "base/memory.hpp"
#include "base/memory_guard.hpp"
#include "base/printable.hpp"
#include "certify/segments.hpp"
#include "cli/checking.hpp"
#include "cli/command.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "cli/stream_check.hpp"
#include "cli/suspicion_text.hpp"
#include "cli/watch_checkpoints.hpp"
#include "cli/watch_findings.hpp"
#include "cli/watch_outside.hpp"
#include "explain/narrate.hpp"
#include "explain/report_text.hpp"
#include "history/level_names.hpp"
#include "stream/common_clock.hpp"
#include "stream/gatherer.hpp"
#include "stream/rounds.hpp"
#include "stream/rounds_reader.hpp"
#include "stream/source.hpp"
#include "stream/weaker_levels.hpp"

namespace isolde::cli {
namespace {

class WatchCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& app) override;
  ExitCode run() override;

 private:
  void add_known_to(CLI::App& sub);
  ExitCode end(const stream::Rounds& rounds, const Status& kept);
  void say(Progress& progress, const std::string& line) const;
  void connect(stream::Rounds& rounds, const stream::Source& source, Progress& progress,
               base::Budget& budget);
  void heed_suspicion(const stream::Rounds& rounds, Progress& progress);
  Status read_all(stream::Rounds& rounds, Progress& progress, base::Budget& budget);
  Status go_on(stream::Rounds& rounds, Progress& progress, base::Budget& budget);
  WatchFound found(const stream::Rounds& rounds, bool has_files, base::Budget& budget) const;
  SoFar so_far() const { return {reader_.committed(), findings_.count(), findings_.lost()}; }
  std::string head(const stream::Rounds& rounds) const;
  std::string violated_text(const stream::Rounds& rounds, const stream::Violation& violation,
                            base::Budget& budget, bool colour) const;
  std::string text(const stream::Rounds& rounds, base::Budget& budget, bool colour) const;
  std::string json(const stream::Rounds& rounds) const;
  void find_weaker(base::Budget& budget);
  std::string weaker_text() const;
  std::string clocks_text(const stream::Rounds& rounds) const;
  std::string names() const;
  /// Why nothing is said of what holds; empty: it is.
  std::string reason(const stream::Rounds& rounds) const;
  Verdict verdict(const stream::Rounds& rounds) const;
  Status check_fences(Level level) const;
  Status set_level();

  std::vector<std::string> sources_;
  std::string initial_ = "known";
  std::string level_ = "strict-serializable";
  WatchFindings findings_;
  WatchCheckpoints checkpoints_;
  const CLI::Option* asked_ = nullptr;
  const CLI::Option* fence_ = nullptr;
  std::vector<const CLI::Option*> not_with_fence_;
  bool follow_ = false;
  bool json_ = false;
  LimitOptions limits_;
  ThreadsOption threads_;
  ProgressOption progress_;
  stream::RoundsOptions options_;
  CLI::Option* clock_error_option_ = nullptr;
  stream::CommonClock clock_;
  WatchOutside outside_;

  bool is_suspected_ = false;
  bool is_told_ = false;                   // the violation that rounds tell
  double silent_until_ = 0;                // by watch_, of orders that are not found
  ExitCode trouble_ = ExitCode::kSuccess;  // of what could not be written on the way
  std::vector<Level> weaker_;              // that the violation violates, too
  stream::RoundsReader reader_;
  Stopwatch watch_;
};

/// What is known of the source, and for how long it is waited.
void WatchCommand::add_known_to(CLI::App& sub) {
  sub.add_flag("--follow", follow_,
               "Wait for more at the end of a file, until it says that it ends or the "
               "program is interrupted; in a folder for the next file, too");
  sub.add_option("--initial", initial_,
                 "Whether it is known what keys held at the start: what the source tells, or "
                 "nothing (known); or else what is first read of them and nobody has written "
                 "(unknown), as in a database that was in use before")
      ->type_name("known|unknown")
      ->capture_default_str();
  sub.add_option("--keys", options_.keys,
                 "Check only keys whose names are like this: * stands for any characters, ? "
                 "for one")
      ->type_name("PATTERN");
  sub.add_flag("--incomplete", options_.is_incomplete,
               "Somebody may write who is not recorded: a key of which is read what nobody "
               "recorded has written is left out from there on, and told, in place of a "
               "violation");
  whole_number(sub.add_option("--max-indeterminate", options_.most_apart,
                              "Keep at most so many transactions of unknown outcome from which "
                              "nobody has read; beyond them the level is unknown"))
      ->type_name("N")
      ->capture_default_str();
  add_takes_effect_within(sub, options_.takes_effect_within_ns);
  add_duration(sub, "--max-window", options_.most_window_ns,
               "Where a transaction stays open for longer while others start, the level is "
               "unknown from there; 0: it is waited for as long as it takes");
}

CLI::App* WatchCommand::add_to(CLI::App& app) {
  CLI::App* sub = app.add_subcommand(
      "watch", "Check a level of a history as it comes, in memory that does not grow");
  sub->add_option(
         "source", sources_,
         "File in the native-binary format, not compressed, which may still be written, or a "
         "folder with such files (*.isob), of which each goes on where the one before ended; - "
         "is standard input. nats://HOST:PORT/STREAM/RECORDER is what isolde publish has sent. "
         "Several are one history")
      ->required()
      ->type_name("SOURCE");
  asked_ = sub->add_option("--level", level_,
                           "What is asked: strict-serializable, strong-snapshot-isolation, "
                           "strong-prefix-consistency, or a level that one of them implies")
               ->type_name("LEVEL")
               ->capture_default_str();
  fence_ =
      sub->add_option(
             "--fence", options_.fence,
             "The key of fences, as of isolde run --fence-every: what is settled is known by "
             "them, and no times are needed. Without --level: strong-session-serializable")
          ->type_name("KEY");
  add_duration(*sub, "--session-timeout", options_.session_timeout_ns,
               "With --fence: a session of which nothing came for so long, by the times of "
               "others, holds nothing back any more; 0: however long");
  add_known_to(*sub);
  findings_.add_to(*sub);
  checkpoints_.add_to(*sub);
  sub->add_flag("--verify", options_.verifies,
                "Verify the order of each round before it is used, with what isolde verify "
                "uses");
  sub->add_flag("--json", json_, "Print one JSON object (docs/watch.schema.json)");
  limits_.add_to(*sub);
  threads_.add_to(*sub);
  clock_error_option_ = add_clock_error(
      *sub, options_.clock_error_ns,
      "Real time counts only for gaps larger than this, for example 10ms; without it, where "
      "sources tell that they have different clocks, for gaps larger than the sum of the two "
      "largest bounds that they tell");
  progress_.add_to(*sub);
  outside_.add_to(*sub);
  for (const char* const name :
       {"--initial", "--keys", "--incomplete", "--takes-effect-within", "--max-window",
        "--checkpoint", "--archive", "--clock-error"}) {
    not_with_fence_.push_back(sub->get_option(name));
  }
  sub->footer(
      "Exit codes: 0 it holds, 1 it is violated, 2 unknown, 3 usage error or bad input,\n"
      "4 environment or internal error.");
  return sub;
}

/// A line for people; the log tells the same.
void WatchCommand::say(Progress& progress, const std::string& line) const {
  progress.clear();
  if (!outside_.logs_to_stderr()) std::fprintf(stderr, "isolde: %s\n", line.c_str());
}

/// What becomes of what rounds tell.
void WatchCommand::connect(stream::Rounds& rounds, const stream::Source& source,
                           Progress& progress, base::Budget& budget) {
  if (source.can_begin_anew() || checkpoints_.archive().is_open()) {
    reader_.let_reread(rounds, [&](const stream::Visit& visit) {
      const bool is_archived = !source.can_begin_anew() || checkpoints_.archive().has_all();
      return is_archived ? checkpoints_.archive().visit_again(visit, budget)
                         : source.visit_again(visit, budget);
    });
  }
  rounds.on_settled = [&](std::span<const stream::TxnNumber> order, std::uint64_t state) {
    // Without what is read of incomplete keys there is no proof of the whole.
    if (!rounds.incomplete_keys().empty()) return;
    checkpoints_.settled(order, state, rounds.clock_error_ns());
  };
  is_suspected_ = rounds.failures() > 0;  // by the checkpoint
  rounds.on_suspected = [&](const stream::Suspicion& suspicion) {
    if (is_suspected_ || watch_.seconds() < silent_until_) return;
    is_suspected_ = true;
    const bool searches = static_cast<bool>(rounds.reread);
    const std::string text = suspicion_text(suspicion, rounds.first_start(), searches);
    say(progress, text);
    outside_.suspect(suspicion, text);
  };
  reader_.on_part = [&](const stream::Part& part) {
    outside_.came(part.history);
    checkpoints_.came(part);
  };
  reader_.on_round = [&](const stream::Gatherer& gatherer) {
    outside_.round(rounds);
    heed_suspicion(rounds, progress);
    if (rounds.verdict() != Verdict::kHolds) return go_on(rounds, progress, budget);
    const Status saved = checkpoints_.save(rounds, gatherer, so_far());
    if (saved) {
      progress.show(plural(rounds.txn_count(), "transaction") + ", " +
                    base::grouped(rounds.settled()) + " settled");
    }
    return saved;
  };
  reader_.on_end = [&](const stream::Gatherer& gatherer) {
    return checkpoints_.source_has_ended(rounds, gatherer, so_far());
  };
}

Status WatchCommand::read_all(stream::Rounds& rounds, Progress& progress,
                              base::Budget& budget) {
  const auto tell = [&](const std::string& line) {
    progress.clear();
    std::fprintf(stderr, "isolde: %s\n", base::printable_line(line).c_str());
  };
  if (follow_ && !checkpoints_.consumes()) {
    if (const Status there = stream::wait_until_there(sources_, tell, budget); !there) {
      return there;
    }
  }
  const Result<std::unique_ptr<stream::Source>> source =
      stream::open_sources(sources_, {.follows = follow_,
                                      .may_be_gone = checkpoints_.consumes(),
                                      .clock = &clock_,
                                      .tell = tell});
  if (!source) return source.error();
  checkpoints_.on_disk = [&](const std::string& line, std::size_t unwritten) {
    say(progress, line);
    outside_.disk(line, unwritten);
  };
  const Result<SoFar> before = checkpoints_.begin(sources_, options_, rounds, **source, budget);
  if (!before) return before.error();
  if (clock_error_option_->empty()) reader_.clock = &clock_;
  reader_.begin_behind(before->committed);
  findings_.begin_behind(before->violations, before->lost);
  outside_.begin_behind(before->violations, before->lost);
  connect(rounds, **source, progress, budget);
  stream::GathererOptions options;
  options.follows = follow_;
  const Status read = reader_.read(**source, rounds, options, budget);
  if (read) heed_suspicion(rounds, progress);
  return read;
}

/// Behind what rounds have found, where the source is followed. It is told at once.
Status WatchCommand::go_on(stream::Rounds& rounds, Progress& progress, base::Budget& budget) {
  if (!follow_ || !findings_.goes_on(rounds)) return ok_status();
  std::string text;
  if (rounds.violation()) {
    is_told_ = true;
    const Status kept = findings_.add(*rounds.violation());
    text = violation_text(rounds, options_.level, kept ? findings_.last_bundle() : "");
    const Status told = outside_.found(rounds, found(rounds, kept.ok(), budget), budget);
    for (const Status& each : {kept, told}) {
      if (!each) trouble_ = worse(trouble_, report(each.error()));
    }
  } else {
    findings_.lose(reader_.why_unknown(rounds), rounds.settled());
    outside_.lose(reader_.why_unknown(rounds));
    text = "unknown: " + reader_.why_unknown(rounds);
  }
  text += "; the watch goes on behind #" + base::grouped(rounds.txn_count());
  // Where nothing fits any more, each round may say so.
  constexpr double kBetweenLosses = 10;
  if (!rounds.violation() && watch_.seconds() < silent_until_) text.clear();
  if (!text.empty()) say(progress, text);
  outside_.go_on(text);
  if (!rounds.violation() && !text.empty()) silent_until_ = watch_.seconds() + kBetweenLosses;
  checkpoints_.end_proofs();
  is_suspected_ = false;
  const Status begun = rounds.begin_anew();
  is_told_ = is_told_ && !begun;
  return begun;
}

/// Of the violation that rounds tell.
WatchFound WatchCommand::found(const stream::Rounds& rounds, bool has_files,
                               base::Budget& budget) const {
  return {outside_.is_on()
              ? head(rounds) + violated_text(rounds, *rounds.violation(), budget, false)
              : "",
          has_files ? findings_.last_bundle() : "",
          has_files ? findings_.last_certificate() : ""};
}

/// Whether it is over, for a round has found an order of all that is open.
void WatchCommand::heed_suspicion(const stream::Rounds& rounds, Progress& progress) {
  if (!is_suspected_ || rounds.failures() > 0 || rounds.verdict() != Verdict::kHolds) return;
  is_suspected_ = false;
  const char* const text = "cleared: with what came since there is an order of all";
  say(progress, text);
  outside_.clear(text);
}

/// What goes together with fences, and what does not.
Status WatchCommand::check_fences(Level level) const {
  if (fence_->count() == 0) {
    if (options_.session_timeout_ns == 0) return ok_status();
    return usage_error(
        "--session-timeout is about fences; say which key they use by --fence KEY");
  }
  if (const std::string given = given_of(not_with_fence_); !given.empty()) {
    return usage_error("--fence settles without times, where " + given +
                       " means nothing or is not kept; leave one of them out");
  }
  if (stream::level_of_fences(level)) return ok_status();
  return usage_error(std::string(info(level).name) +
                     " is not decided by fences, which keep the order of sessions and no real "
                     "time; leave out --fence");
}

Status WatchCommand::set_level() {
  const bool has_fences = fence_->count() > 0;
  if (has_fences && asked_->count() == 0) level_ = "strong-session-serializable";
  const Result<Level> level = history::level_named(level_);
  if (!level) return level.error();
  if (const Status fits = check_fences(*level); !fits || has_fences) {
    options_.level = *level;
    return fits;
  }
  if (!stream::level_of_rounds(*level)) {
    return Error{ErrorCode::kUsage,
                 std::string(info(*level).name) +
                     " is not decided as a history comes; isolde check decides it"};
  }
  options_.level = *level;
  if (initial_ != "known" && initial_ != "unknown") {
    return Error{
        ErrorCode::kUsage,
        "--initial: " + unknown_name("initial contents", initial_, {"known", "unknown"}) +
            " (see isolde watch --help)"};
  }
  return ok_status();
}

std::string WatchCommand::reason(const stream::Rounds& rounds) const {
  if (!findings_.lost().empty()) return findings_.lost();
  if (std::string why = reader_.why_unknown(rounds); !why.empty()) return why;
  if (reader_.committed() == 0) return "no transaction has committed";
  if (rounds.key_count() == 0) {
    return options_.keys.empty() ? "no transaction tells of any key"
                                 : "no key is like " + base::printable_line(options_.keys);
  }
  const std::vector<stream::IncompleteKey>& keys = rounds.incomplete_keys();
  if (keys.empty()) return "";
  constexpr std::size_t kMostNames = 3;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(keys.size(), kMostNames); ++i) {
    names.push_back(keys[i].name);
  }
  if (keys.size() > kMostNames) names.push_back(plural(keys.size() - kMostNames, "other"));
  return "somebody who is not recorded writes " + plural(keys.size(), "key") + " (" +
         base::joined(names, "and") + "); what is read of all others is explained";
}

Verdict WatchCommand::verdict(const stream::Rounds& rounds) const {
  if (findings_.count() > 0) return Verdict::kViolated;
  if (rounds.verdict() == Verdict::kViolated || reason(rounds).empty()) return rounds.verdict();
  return reader_.lacks_clock() ? Verdict::kNotApplicable : Verdict::kUnknown;
}

/// By name.
std::string WatchCommand::names() const {
  constexpr std::size_t kMostNames = 3;
  std::string out = base::printable_path(sources_.front());
  if (sources_.size() > kMostNames) return out + " and " + plural(sources_.size() - 1, "other");
  for (std::size_t i = 1; i < sources_.size(); ++i) {
    out += (i + 1 == sources_.size() ? " and " : ", ") + base::printable_path(sources_[i]);
  }
  return out;
}

namespace {

/// What a violation says of contents that nobody told, in a clause.
std::string about_the_start(const stream::Violation& violation) {
  return violation.rests_on_first_reads
             ? ", and on keys having held at the start what was first read of them"
             : " and keys held at the start";
}

}  // namespace

/// What was read.
std::string WatchCommand::head(const stream::Rounds& rounds) const {
  return names() + ": native-binary, " + plural(rounds.txn_count(), "transaction") + ", " +
         plural(rounds.rounds(), "round") + "\n\n";
}

std::string WatchCommand::violated_text(const stream::Rounds& rounds,
                                        const stream::Violation& violation,
                                        base::Budget& budget, bool colour) const {
  std::string out = "  " + std::string(info(options_.level).name) + "  violated\n\n";
  api::Checked checked = api::proved(violation.history, violation.certificate, budget);
  api::explain(checked);
  const explain::LevelOutcome& outcome = checked.model.levels.front();
  if (outcome.scenario) {
    out += explain::narrate(violation.history, *outcome.scenario,
                            {colour, 0, rounds.first_start()});
  }
  return out + "\n" +
         wrapped("This rests on " + plural(violation.history.txn_count(), "transaction") +
                 " alone, whatever the others did" +
                 (options_.initial_is_unknown || violation.rests_on_first_reads
                      ? about_the_start(violation)
                      : "") +
                 "; #1 is the first one of the " +
                 (sources_.size() == 1 ? "source." : "sources as they were joined."));
}

std::string WatchCommand::text(const stream::Rounds& rounds, base::Budget& budget,
                               bool colour) const {
  std::string out = head(rounds);
  const std::string level(info(options_.level).name);
  const std::string others = findings_.about_others();
  if (findings_.first()) {
    out += violated_text(rounds, *findings_.first(), budget, colour) + weaker_text() +
           clocks_text(rounds);
    return others.empty() ? out : out + "\n" + wrapped(others);
  }
  if (findings_.count() > 0) return out + "  " + level + "  violated\n\n" + wrapped(others);
  const std::string why = reason(rounds);
  const std::string settled = plural(rounds.settled(), "transaction");
  if (why.empty()) {
    // Of which nothing is said where clocks tell nothing.
    const bool is_implied = rounds.order_level() != options_.level &&
                            (reader_.clock == nullptr || clock_.error_ns());
    return out + "  " + level + "  holds\n\n" +
           wrapped((is_implied ? std::string(info(rounds.order_level()).name) +
                                     " holds, which implies it: an"
                               : std::string("An")) +
                   " order of the " + settled +
                   " that took effect explains what each of them read" +
                   (options_.keys.empty()
                        ? ""
                        : " of the keys like " + base::printable_line(options_.keys)) +
                   (options_.initial_is_unknown
                        ? ", if keys held at the start what was first read of them."
                        : ".")) +
           clocks_text(rounds);
  }
  return out + "  " + level + "  " + std::string(name(verdict(rounds))) + "\n\n" +
         wrapped("Why: " + why + ".") + clocks_text(rounds) +
         (rounds.settled() == 0 ? "" : wrapped("An order of " + settled + " was settled."));
}

/// Where keys may have held something at the start that the bundle does not tell, weaker levels
/// let that be read for long. A check of very many at all levels takes longer than it is worth.
void WatchCommand::find_weaker(base::Budget& budget) {
  constexpr std::size_t kMost = 10'000;
  if (!findings_.first() || options_.initial_is_unknown) return;
  if (findings_.first()->history.txn_count() > kMost) return;
  weaker_ = stream::also_violated(*findings_.first(), budget);
}

/// Which weaker levels fall with it.
std::string WatchCommand::weaker_text() const {
  if (weaker_.empty()) return "";
  std::vector<std::string> names;
  bool needs_end = false;
  for (const Level level : stream::weakest(weaker_)) {
    names.emplace_back(info(level).name);
    needs_end = needs_end || !info(level).real_time;
  }
  return "\n" +
         wrapped("These transactions violate weaker levels, too, down to " +
                 base::joined(names, "and") +
                 (needs_end ? ", unless somebody later writes what they have read." : "."));
}

/// By how much they may be off, where that counts.
std::string WatchCommand::clocks_text(const stream::Rounds& rounds) const {
  if (rounds.clock_error_ns() == 0) return "";
  const std::string counts =
      "Real time counts for gaps of more than " + base::duration_text(rounds.clock_error_ns());
  if (reader_.clock == nullptr) return wrapped(counts + ", as --clock-error says.");
  std::vector<stream::CommonClock::Bound> bounds = clock_.bounds();
  if (std::ranges::find(bounds, kNoTime, &stream::CommonClock::Bound::error_ns) !=
      bounds.end()) {
    return wrapped(counts + " alone, for clocks may be off by so much as far as is known.");
  }
  std::ranges::stable_sort(bounds, std::greater<>(), &stream::CommonClock::Bound::error_ns);
  const auto told = [&](std::size_t i) {
    return base::printable_path(bounds[i].file) + " (" +
           base::duration_text(bounds[i].error_ns) + ")";
  };
  return wrapped(counts + ": by so much may " +
                 (bounds.size() > 2 ? "two of " + plural(bounds.size(), "clock") + " differ, " +
                                          "the worst being those of "
                                    : std::string("the clocks differ of ")) +
                 told(0) + " and " + told(1) + ".");
}

/// How many there are, and the first ones.
nlohmann::ordered_json incomplete_keys(const stream::Rounds& rounds) {
  constexpr std::size_t kMost = 100;
  nlohmann::ordered_json first = nlohmann::ordered_json::array();
  for (const stream::IncompleteKey& key : rounds.incomplete_keys()) {
    if (first.size() == kMost) break;
    first.push_back({{"key", key.name}, {"reads", key.reads}});
  }
  return {{"count", rounds.incomplete_keys().size()}, {"first", std::move(first)}};
}

std::string WatchCommand::json(const stream::Rounds& rounds) const {
  nlohmann::ordered_json out;
  out["schema"] = 1;
  out["sources"] = sources_;
  out["transactions"] = rounds.txn_count();
  out["committed"] = reader_.committed();
  out["settled"] = rounds.settled();
  out["rounds"] = rounds.rounds();
  out["level"] = info(options_.level).name;
  out["verdict"] = name(verdict(rounds));
  if (!options_.keys.empty()) out["keys"] = options_.keys;
  if (options_.initial_is_unknown) out["initial"] = initial_;
  if (rounds.clock_error_ns() > 0) out["clock_error_ns"] = rounds.clock_error_ns();
  const std::vector<stream::CommonClock::Bound> bounds = clock_.bounds();
  for (std::size_t i = 0; bounds.size() > 1 && i < bounds.size(); ++i) {
    out["clocks"].push_back({{"source", bounds[i].file},
                             {"error_ns", bounds[i].error_ns == kNoTime
                                              ? nlohmann::ordered_json()
                                              : nlohmann::ordered_json(bounds[i].error_ns)}});
  }
  if (findings_.count() > 0) out["violations"] = findings_.count();
  if (findings_.first()) {
    out["violation"] = {{"transactions", findings_.first()->history.txn_count()},
                        {"bundle", findings_.bundle().empty()
                                       ? nlohmann::ordered_json()
                                       : nlohmann::ordered_json(findings_.first_bundle())}};
    nlohmann::ordered_json& weaker = out["violation"]["also_violated"];
    weaker = nlohmann::ordered_json::array();
    for (const Level level : weaker_) weaker.push_back(info(level).name);
  } else if (const std::string why = reason(rounds); !why.empty() && findings_.count() == 0) {
    out["reason"] = why;
  }
  if (options_.is_incomplete) out["incomplete_keys"] = incomplete_keys(rounds);
  if (options_.takes_effect_within_ns != kNoTime) out["forgotten"] = rounds.forgotten_count();
  out["seconds"] = watch_.seconds();
  out["peak_rss_bytes"] = base::peak_resident_bytes();
  return base::printable_json(
      out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

/// What stays in files.
ExitCode WatchCommand::end(const stream::Rounds& rounds, const Status& kept) {
  const certify::Segment::End last{rounds.txn_count(), reader_.contents()};
  const Verdict found = verdict(rounds);
  const Status proved = checkpoints_.finish(found == Verdict::kHolds ? &last : nullptr);
  ExitCode code = worse(trouble_, found == Verdict::kHolds      ? ExitCode::kSuccess
                                  : found == Verdict::kViolated ? ExitCode::kViolated
                                                                : ExitCode::kUnknown);
  const Status& failed = kept ? proved : kept;
  if (!failed) code = worse(code, report(failed.error()));
  findings_.remove_earlier(sources_.front());
  return code;
}

ExitCode WatchCommand::run() {
  const Result<std::uint64_t> bytes = limits_.memory_bytes();
  if (!bytes) return report(bytes.error());
  if (const Status fine = findings_.check(); !fine) return report(fine.error());
  findings_.keep_from(sources_);
  findings_.keep_from({checkpoints_.segments(), checkpoints_.path()});
  const std::string* const outputs[] = {&findings_.bundle(), &findings_.certificate(),
                                        &checkpoints_.segments(), &checkpoints_.path()};
  for (const std::string* const path : outputs) {
    if (*path == "-") {
      return report({ErrorCode::kUsage,
                     "bundle, certificate, segments and checkpoint are files, and - is "
                     "standard output, which has the report; give a name"});
    }
    if (const Status safe = check_stream_output(*path, sources_); !safe) {
      return report(safe.error());
    }
    const auto is_same = [&](const std::string* other) { return *other == *path; };
    if (path->empty() || std::ranges::count_if(outputs, is_same) == 1) continue;
    return report(
        {ErrorCode::kUsage, *path + " is written twice; choose another file for one of them"});
  }
  if (const Status known = set_level(); !known) return report(known.error());
  if (const Status started = outside_.start(names(), sources_, options_.level); !started) {
    return report(started.error());
  }
  base::Budget budget(limits_.timeout_seconds, *bytes);
  const InterruptGuard guard(budget);
  options_.threads = threads_.count();
  options_.initial_is_unknown = initial_ == "unknown";
  stream::Rounds rounds(options_, budget);
  Progress progress(progress_.enabled());  // until nothing is said any more
  Status kept = ok_status();
  try {
    const base::MemoryGuard memory(budget);
    const Status read = read_all(rounds, progress, budget);
    if (!read && read.error().code != ErrorCode::kLimit) {
      outside_.fail(read.error());
      return report(with_stream_advice(read.error(), "isolde watch"));
    }
    if (!read) reader_.stop(budget.reason());
    progress.clear();
    if (rounds.violation() && !is_told_) kept = findings_.add(*rounds.violation());
    find_weaker(budget);
  } catch (const std::bad_alloc&) {
    reader_.stop(budget.memory_reason());
  }
  print(json_ ? json(rounds) + "\n" : text(rounds, budget, wants_colour()));
  ExitCode code = end(rounds, kept);
  if (rounds.violation() && !is_told_) {
    const Status told = outside_.found(rounds, found(rounds, kept.ok(), budget), budget);
    if (!told) code = worse(code, report(told.error()));
  }
  const Status outside =
      outside_.end(rounds, {verdict(rounds), reason(rounds), findings_.count()});
  return outside ? code : worse(code, report(outside.error()));
}

}  // namespace

std::unique_ptr<Command> make_watch_command() { return std::make_unique<WatchCommand>(); }

}  // namespace isolde::cli
