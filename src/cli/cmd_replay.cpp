// isolde replay: a small history as the script of an interleaving, and played on a database to
// see whether it does the same again.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "api/checking.hpp"
#include "api/proof.hpp"
#include "base/duration.hpp"
#include "base/hash.hpp"
#include "base/memory_guard.hpp"
#include "base/printable.hpp"
#include "certify/verify.hpp"
#include "check/check.hpp"
#include "cli/command.hpp"
#include "cli/database_options.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/level_option.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/play_steps.hpp"
#include "cli/progress.hpp"
#include "cli/proof_input.hpp"
#include "cli/scripted_run.hpp"
#include "db/sql.hpp"
#include "explain/narrate.hpp"
#include "history/notation.hpp"
#include "io/reader.hpp"
#include "isolde/recorder.hpp"
#include "minimize/minimize.hpp"
#include "replay/contents.hpp"
#include "replay/script.hpp"
#include "replay/steps.hpp"
#include "replay/transcript.hpp"

namespace isolde::cli {
namespace {

namespace fs = std::filesystem;

struct Attempt {
  std::size_t number = 0;  ///< from 1
  bool together = false;
  std::string version;  ///< of the database
  std::vector<replay::Step> steps;
  std::vector<replay::StepResult> results;
  fs::path file;
  std::optional<History> history;
  std::optional<Certificate> violation;  ///< verified
  Level told = Level::kSerializable;     ///< violated as well, and known to the user
  std::string undecided;                 ///< why nothing can be said; mostly empty
};

constexpr std::string_view kSteps = "steps";

class ReplayCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& app) override;
  ExitCode run() override;

 private:
  ExitCode play_file_of_steps();
  Status prepare();
  Status find_target(const History& history, base::Budget& budget);
  Status check_fits(const History& history, const db::DatabaseInfo& database) const;
  Status choose_level(const History& history, base::Budget& budget);
  Status write_script(const replay::Numbering& numbering,
                      const replay::Interleaving& order) const;
  Status play(const replay::Numbering& numbering, Attempt& attempt, base::Budget& budget) const;
  Status perform(db::Database& database, const replay::Numbering& numbering,
                 Attempt& attempt) const;
  Level known_level(const CheckReport& report) const;
  Status decide(Attempt& attempt, base::Budget& budget) const;
  Result<ExitCode> attempts(const replay::Numbering& numbering,
                            const replay::Interleaving& order, base::Budget& budget);
  void plan(const replay::Interleaving& order, Attempt& attempt) const;
  Status keep(const Attempt& attempt) const;
  std::string heading(const replay::Numbering& numbering, const Attempt& attempt) const;
  std::string reproduced_text(const Attempt& attempt) const;
  std::string not_reproduced_text(std::size_t count, const replay::Obstacles& obstacles,
                                  const std::string& stopped) const;
  std::string name_for_reports() const;
  Status tell(const Attempt& attempt, std::string text, base::Budget& budget);
  ExitCode failed(const Error& error);

  const CLI::App* app_ = nullptr;
  std::string in_;
  std::string format_;
  LevelOption level_;
  std::string script_;
  std::string for_;
  std::string out_;
  bool force_ = false;
  std::int64_t step_wait_ns_ = 200'000'000;
  std::size_t attempts_ = 10;
  std::uint64_t seed_ = 0;
  DatabaseArguments target_;
  LimitOptions limits_;
  ProgressOption progress_;
  Outputs outputs_{Outputs::Of::kOwnText};

  std::vector<Level> levels_;
  std::optional<Level> minimised_for_;  ///< where no level is asked for
  replay::PlayOptions play_options_;
  std::uint64_t memory_bytes_ = 0;
  TemporaryFolder folder_;
};

CLI::App* ReplayCommand::add_to(CLI::App& app) {
  CLI::App* sub = app.add_subcommand(
      "replay", "Play a small history again on a database, or write it as a script");
  app_ = sub;
  sub->add_option("history", in_,
                  "History that violates a level, best from isolde minimize; - is standard "
                  "input. Or a file of steps, which is played once, as isolde run --steps does")
      ->required()
      ->type_name("HISTORY");
  add_format(*sub, format_);
  target_.add_to(*sub);
  level_.add_to(*sub, "it is the first of the weakest ones that the history violates");
  sub->add_option("--script", script_,
                  "Write the steps to this file, SQL for SQL databases, to be pasted into a "
                  "window for each session; - is standard output. Alone it plays nothing")
      ->type_name("FILE");
  sub->add_option("--for", for_,
                  "Write the script for this database, see isolde databases, or as steps for "
                  "isolde run --steps; without it for the database that is played on, or "
                  "postgres")
      ->type_name("DATABASE")
      ->excludes("--db")
      ->excludes("--db-env")
      ->excludes("--db-file")
      ->excludes("--server");
  whole_number(
      sub->add_option(
          "--attempts", attempts_,
          "Maximum number of attempts: first the order of the script, then random ones "
          "that fit the reads, the last third with all sessions at once"),
      1, 100'000)
      ->capture_default_str();
  whole_number(sub->add_option("--seed", seed_, "Seed of the random orders"));
  add_duration(*sub, "--step-wait", step_wait_ns_,
               "A step that takes longer waits for another session, so others go on")
      ->default_str(base::duration_text(step_wait_ns_));
  sub->add_option("--out", out_,
                  "File for the history of the attempt that is shown, a new one unless --force "
                  "is given")
      ->type_name("HISTORY");
  add_force(*sub, force_);
  limits_.add_to(*sub);
  progress_.add_to(*sub);
  outputs_.add_to(*sub);
  sub->footer(
      "Exit codes: 1 reproduced: what the database showed violates the level, too; 0 not "
      "reproduced, or\nonly the script was asked for; 2 not decided, or stopped before the "
      "last attempt; 3 cannot be\nreplayed. Of steps: those of isolde run.\n\n"
      "Steps are lines of text, SESSION: STEP, and # begins a comment:\n"
      "  begin, commit, rollback\n"
      "  r(KEY)              a read; r(KEY)=VALUE and r(KEY)=[A B] also say what to expect\n"
      "  w(KEY, VALUE), append(KEY, VALUE)\n"
      "  d(KEY)              the key's row is deleted\n"
      "  select(keys 1 to 9, values 10 to 20), delete(...)\n"
      "                      the rows that meet the condition, of which either part may be "
      "left "
      "out\n"
      "  count(...), exists(...), sum(...), min(...), max(...)\n"
      "                      what an SQL database computes of such rows\n"
      "  sql STATEMENT       of an SQL database, which leaves Isolde's own tables alone\n"
      "  send STEP           the next step comes at once, without waiting for this one\n"
      "  wait                for the answers to all that the session was told to do\n"
      "  until r(KEY)=VALUE  the first read of a transaction: rolls back and begins again "
      "until "
      "it\n                      returns that, for ten seconds at most\n"
      "  crash               all servers are killed at once and restarted (with --server); "
      "waits for\n                      them. The session has no transaction open\n"
      "docs/running.md has an example. --for steps writes a history in this form.");
  return sub;
}

/// Played as a run: with its options, as far as both have them, its outputs and exit codes.
ExitCode ReplayCommand::play_file_of_steps() {
  for (const char* option : {"--script", "--attempts", "--seed"}) {
    if (app_->count(option) == 0) continue;
    return report(usage_error(std::string(option) + " is for histories; " + in_ +
                              " has steps, which are played once in their order"));
  }
  StepsToPlay steps;
  steps.file = in_;
  steps.out = out_;
  steps.force = force_;
  if (app_->count("--step-wait") > 0) steps.step_wait_ns = step_wait_ns_;
  if (!level_.name().empty()) steps.levels = {level_.name()};
  steps.target = std::move(target_);
  steps.limits = limits_;
  steps.progress = progress_;
  steps.outputs.take(outputs_);
  return play_steps(std::move(steps));
}

Status ReplayCommand::prepare() {
  if (const Status known = level_.prepare(); !known) return known;
  play_options_.step_wait = std::chrono::nanoseconds(step_wait_ns_);
  const Result<std::uint64_t> memory = limits_.memory_bytes();
  if (!memory) return memory.error();
  memory_bytes_ = *memory;
  if (const Status fits = outputs_.prepare(); !fits) return fits;
  if (script_ == "-" && !outputs_.prints_text()) {
    return usage_error("--script - has standard output for itself; give a file in place of -");
  }
  if (!target_.given()) {
    if (outputs_.any_asked_for()) {
      return usage_error(
          "nothing is played without --db or --server, so there is no verdict "
          "to report");
    }
    if (!script_.empty()) return ok_status();
    return usage_error(
        "say what to do: play it on a database (--db DSN or --server KIND), write the script "
        "(--script FILE), or both");
  }
  if (!out_.empty()) {
    if (const Status free = check_new_history(out_, force_); !free) return free.error();
  }
  return target_.check();
}

/// Before anything is started or connected to, where that is possible.
Status ReplayCommand::find_target(const History& history, base::Budget& budget) {
  if (for_ == kSteps) return ok_status();
  if (target_.has_server()) {
    const Result<const db::DatabaseInfo*> row = db::find_database(target_.server_kind());
    const Status fits = row ? check_fits(history, **row) : ok_status();
    if (!fits) return fits;
  }
  if (!target_.given()) {
    const Status found = target_.find_named(for_.empty() ? "postgres" : for_, budget);
    return found ? check_fits(history, target_.info()) : found;
  }
  if (const Status launched = target_.launch(budget); !launched) return launched.error();
  const Status found = target_.find(budget);
  return found ? check_fits(history, target_.info()) : found;
}

/// What the database can do.
Status ReplayCommand::check_fits(const History& history,
                                 const db::DatabaseInfo& database) const {
  const auto cannot = [&](const char* what) {
    return usage_error(in_ + ": the history " + what + ", which " + db::called(database) +
                       " cannot do");
  };
  const db::Capabilities& can = database.capabilities;
  if (history.has_selections() && !can.rows) return cannot("selects rows by conditions");
  if (history.has_aggregates() && !can.computes)
    return cannot("has aggregates over conditions");
  const bool deletes =
      std::ranges::any_of(history.all_ops(), [](const Op& op) { return op.is_delete(); });
  return deletes && !can.rows ? cannot("deletes rows") : ok_status();
}

/// The level that the history violates and that the database shall violate, too.
Status ReplayCommand::choose_level(const History& history, base::Budget& budget) {
  Result<std::vector<Level>> asked = level_.levels_for(history);
  if (!asked) return asked.error();
  levels_ = std::move(asked).value();
  CheckOptions options;
  options.levels = levels_;
  const CheckReport report = isolde::check(history, options, budget);
  const std::vector<Level> weakest = weakest_violated(report);
  if (!levels_.empty()) {
    if (report.levels[0].verdict != Verdict::kHolds) return ok_status();
    return usage_error(in_ + ": " + std::string(info(levels_[0]).name) +
                       " holds; there is no violation to reproduce");
  }
  if (!weakest.empty()) {
    levels_ = {weakest.front()};
    minimised_for_ = minimize::minimised_for(history);
    return ok_status();
  }
  for (const LevelReport& level : report.levels) {
    if (level.verdict != Verdict::kUnknown) continue;
    return Error{ErrorCode::kLimit, in_ + ": " + std::string(info(level.level).name) +
                                        " is unknown, because " + level.reason};
  }
  return usage_error(in_ + ": no level is violated; there is nothing to reproduce");
}

Status ReplayCommand::write_script(const replay::Numbering& numbering,
                                   const replay::Interleaving& order) const {
  if (for_ == kSteps) {
    const std::string steps = replay::steps_text(numbering.history(), order.steps());
    // Steps have no conditions on keys or values that are names.
    if (const auto again = replay::parse_steps(steps); !again) {
      return usage_error(in_ + ": cannot be written as steps: " + again.error().message);
    }
    return write_text(script_, "# The steps of " + base::printable_path(in_) +
                                   ", for isolde run --steps\n" + steps);
  }
  replay::ScriptOptions options;
  options.source = in_ == "-" ? "a history" : fs::path(in_).filename().string();
  options.database = target_.info().name;
  options.isolation = target_.isolation();
  std::optional<db::sql::Shell> shell;
  if (target_.info().shell != nullptr) {
    Result<db::sql::Shell> known = target_.shell();
    if (!known) return known.error();
    shell = std::move(known).value();
    options.shell = &*shell;
    if (shell->layout.tables > 1 && numbering.history().has_aggregates()) {
      return usage_error(in_ +
                         ": the history has aggregates, which are of one table; leave out "
                         "the parameter tables");
    }
  }
  return write_text(script_, replay::script(numbering, order.steps(), options));
}

void ReplayCommand::plan(const replay::Interleaving& order, Attempt& attempt) const {
  if (attempt.number == 1) {
    attempt.steps = order.steps();
    return;
  }
  base::Rng rng(base::mix2(seed_, attempt.number));
  attempt.steps = order.shuffled(rng);
  attempt.together = attempt.number > attempts_ - attempts_ / 3;
}

/// One attempt, in tables that are made for it and then removed.
Status ReplayCommand::play(const replay::Numbering& numbering, Attempt& attempt,
                           base::Budget& budget) const {
  const Result<std::unique_ptr<db::Database>> database = target_.open(budget);
  if (!database) return database.error();
  attempt.version = (*database)->version();
  const Status made = (*database)->create(numbering.registers(), numbering.lists());
  if (!made) return made.error();
  const Status played = perform(**database, numbering, attempt);
  const Status removed = (*database)->destroy();
  return played ? removed : played;
}

Status ReplayCommand::perform(db::Database& database, const replay::Numbering& numbering,
                              Attempt& attempt) const {
  attempt.file = folder_.path() / ("attempt-" + std::to_string(attempt.number) + ".jsonl");
  RecorderOptions options;
  options.about = {{"database", database.version()},
                   {"source", target_.display()},
                   {"isolation", target_.isolation()},
                   {"replay", "attempt " + std::to_string(attempt.number)}};
  // Aggregates and locks need the same version of the format.
  options.deletes = numbering.history().origin().rows_are_deleted ||
                    numbering.history().has_aggregates() || numbering.history().has_locks() ||
                    database.locks_reads();
  options.initial = replay::recorded_contents(numbering);
  add_promise(target_.promise(), options);
  const Notation& notation = numbering.history().origin().notation;
  if (!notation.values.empty()) {
    options.about.emplace_back("values", history::values_text(notation.values));
  }
  if (const Status loaded = replay::load_contents(database, numbering); !loaded) return loaded;
  const Result<std::unique_ptr<Recorder>> recorder =
      Recorder::open(attempt.file.string(), options);
  if (!recorder) return recorder.error();
  replay::PlayOptions how = play_options_;
  how.together = attempt.together;
  Result<std::vector<replay::StepResult>> results =
      replay::play(database, numbering, attempt.steps, **recorder, how);
  const Status closed = (*recorder)->close();
  if (!results) return results.error();
  if (!closed) return closed.error();
  attempt.results = std::move(results).value();
  return ok_status();
}

/// What reports call the history: its file where it is kept, else something that is the same
/// whenever it is played, unlike the file in the temporary folder.
std::string ReplayCommand::name_for_reports() const {
  if (!out_.empty()) return out_;
  return (in_ == "-" ? "stdin" : fs::path(in_).stem().string()) + ".replayed.jsonl";
}

/// The weakest level says most, but few have heard of it: the one for which the history was
/// minimised falls with it, or one of those that databases can be set to.
Level ReplayCommand::known_level(const CheckReport& report) const {
  const Level violated = levels_[0];
  if (!level_.name().empty()) return violated;
  const auto falls = [&](Level level) {
    return implies_there(level, violated, report.sessions_respect_time, report.rows);
  };
  if (minimised_for_ && falls(*minimised_for_)) return *minimised_for_;
  for (const Level level : {Level::kReadCommitted, Level::kSnapshotIsolation,
                            Level::kRepeatableRead, Level::kSerializable}) {
    if (falls(level)) return level;
  }
  return violated;
}

/// Reads what was recorded, checks it, and has the proof verified.
Status ReplayCommand::decide(Attempt& attempt, base::Budget& budget) const {
  std::ifstream file(attempt.file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) return Error{ErrorCode::kEnvironment, attempt.file.string() + ": cannot be read"};
  Result<History> history = io::read_bytes(text, name_for_reports(), "native", budget);
  if (!history) return history.error();
  attempt.history = std::move(history).value();
  CheckOptions options;
  options.levels = levels_;
  CheckReport report = isolde::check(*attempt.history, options, budget);
  LevelReport& level = report.levels[0];
  if (level.verdict == Verdict::kHolds) return ok_status();
  if (level.verdict != Verdict::kViolated) {
    attempt.undecided = level.reason;
    return ok_status();
  }
  Certificate proof{level.level, attempt.history->digest(), 0,
                    std::move(report.proofs[level.proof])};
  const certify::VerifyResult verified = certify::verify(*attempt.history, proof);
  if (!verified.proves) {
    return Error{ErrorCode::kInternal,
                 "the proof of the violation does not verify: " + verified.reason};
  }
  attempt.violation = std::move(proof);
  attempt.told = known_level(report);
  return ok_status();
}

Status ReplayCommand::keep(const Attempt& attempt) const {
  if (out_.empty()) return ok_status();
  if (const Status free = make_way(out_, force_); !free) return free.error();
  std::error_code error;
  fs::copy_file(attempt.file, out_, error);
  if (!error) return ok_status();
  return Error{ErrorCode::kEnvironment, out_ + ": cannot write: " + error.message()};
}

std::string ReplayCommand::heading(const replay::Numbering& numbering,
                                   const Attempt& attempt) const {
  std::string text = base::printable_path(in_) + " on " +
                     base::printable_name(attempt.version) + " at isolation " +
                     base::printable_name(target_.isolation()) + "\n\n";
  const std::size_t sessions = numbering.history().session_count();
  for (std::size_t s = 0; s < sessions; ++s) {
    text += "  session " + replay::Numbering::session_letter(s) + "  " +
            numbering.session_name(s) + " in the history\n";
  }
  text += "\nAttempt " + std::to_string(attempt.number) + ", ";
  if (attempt.together) {
    text += "all sessions at once";
  } else {
    text += attempt.number == 1 ? "in the order of the script" : "in another order";
  }
  return text + ":\n" +
         replay::transcript(numbering, attempt.steps, attempt.results,
                            {.in_turn = !attempt.together}) +
         "\n";
}

std::string ReplayCommand::reproduced_text(const Attempt& attempt) const {
  const explain::Scenario scenario =
      explain::make_scenario(*attempt.history, *attempt.violation);
  constexpr std::string_view kViolated = " is violated";
  const std::string claim = api::claim(*attempt.violation);
  std::string text = "Reproduced at attempt " + std::to_string(attempt.number) + ": " +
                     std::string(info(attempt.told).name) + std::string(kViolated) + " (" +
                     std::string(scenario.anomaly.name) + ")";
  text += attempt.told == attempt.violation->level
              ? claim.substr(claim.find(kViolated) + kViolated.size())
              : ", because " + claim;
  text += ". The proof is verified.\n";
  if (!out_.empty()) text += "History: " + base::printable_path(out_) + "\n";
  return text + "\n" +
         explain::narrate(*attempt.history, scenario, {wants_colour(), 0, kNoTime, true});
}

std::string ReplayCommand::not_reproduced_text(std::size_t count,
                                               const replay::Obstacles& obstacles,
                                               const std::string& stopped) const {
  std::string text = "Not reproduced in " + std::to_string(count) +
                     (count == 1 ? " attempt: " : " attempts: ") +
                     std::string(info(levels_[0]).name) + " holds in what was recorded.\n";
  if (!stopped.empty()) {
    text += "Stopped before attempt " + std::to_string(count + 1) + " of " +
            std::to_string(attempts_) + ": " + stopped + ".\n";
  }
  text += obstacles.text(2);
  if (!out_.empty()) text += "History: " + base::printable_path(out_) + "\n";
  return text;
}

/// The text for people, or other forms of the verdict on this attempt. Where one attempt is not
/// decided, none is told to hold.
Status ReplayCommand::tell(const Attempt& attempt, std::string text, base::Budget& budget) {
  const History& history = *attempt.history;
  if (!outputs_.prints_text()) text.clear();
  const auto at_once = [](const std::function<void()>& work) { work(); };
  Status added = ok_status();
  if (attempt.violation) {
    api::Checked checked = api::proved(history, *attempt.violation, budget);
    api::explain(checked);
    added = outputs_.add(checked.model, 1, at_once, text);
  } else if (outputs_.any_asked_for()) {
    api::Settings settings;
    settings.check.levels = levels_;
    api::Checked checked = api::check(history, settings, budget);
    explain::LevelOutcome& level = checked.model.levels.front();
    if (!attempt.undecided.empty()) {
      level.verdict = Verdict::kUnknown;
      level.reason = attempt.undecided;
      checked.model.strongest.clear();
    }
    added = outputs_.add(checked.model, 1, at_once, text);
  }
  print(text);
  const Status written = outputs_.write();
  return added ? written : added;
}

/// There is no verdict to tell of, and the documents say so.
ExitCode ReplayCommand::failed(const Error& error) {
  print(outputs_.add_failure(name_for_reports(), error));
  const Status written = outputs_.write();
  const ExitCode code = report(error);
  return written ? code : worse(code, report(written.error()));
}

Result<ExitCode> ReplayCommand::attempts(const replay::Numbering& numbering,
                                         const replay::Interleaving& order,
                                         base::Budget& budget) {
  if (const Status made = folder_.make(); !made) return made.error();
  Progress progress(progress_.enabled());
  replay::Obstacles obstacles;
  std::optional<Attempt> first;
  std::string undecided;
  std::size_t number = 0;
  while (number < attempts_ && budget.look()) {
    Attempt attempt;
    attempt.number = ++number;
    progress.show("attempt " + std::to_string(number) + " of " + std::to_string(attempts_));
    plan(order, attempt);
    if (const Status played = play(numbering, attempt, budget); !played) return played.error();
    if (const Status decided = decide(attempt, budget); !decided) return decided.error();
    if (attempt.violation) {
      progress.clear();
      if (const Status kept = keep(attempt); !kept) return kept.error();
      const std::string text = heading(numbering, attempt) + reproduced_text(attempt);
      const Status told = tell(attempt, text, budget);
      if (!told) static_cast<void>(report(told.error()));  // the verdict counts more
      return ExitCode::kViolated;
    }
    if (first && !attempt.undecided.empty() && !budget.look()) {
      --number;  // stopped in the middle of it
      break;
    }
    if (!attempt.undecided.empty()) undecided = attempt.undecided;
    obstacles.add(attempt.steps, attempt.results, !attempt.together);
    if (!first) first = std::move(attempt);
  }
  progress.clear();
  if (!first) return Error{ErrorCode::kLimit, "nothing was played: " + budget.reason()};
  if (const Status kept = keep(*first); !kept) return kept.error();
  first->undecided = undecided;
  // What the attempts that are left would have shown is not known.
  const std::string stopped = number < attempts_ ? budget.reason() : "";
  const std::string text =
      heading(numbering, *first) +
      (undecided.empty() ? not_reproduced_text(number, obstacles, stopped)
                         : "Not decided whether " + std::string(info(levels_[0]).name) +
                               " is violated: " + undecided + ".\n");
  if (undecided.empty()) first->undecided = stopped;
  const ExitCode code = first->undecided.empty() ? ExitCode::kSuccess : ExitCode::kUnknown;
  const Status told = tell(*first, text, budget);
  return told ? code : worse(code, report(told.error()));
}

ExitCode ReplayCommand::run() {
  if (format_.empty() && is_file_of_steps(in_)) return play_file_of_steps();
  if (const Status ready = prepare(); !ready) return report(ready.error());
  base::Budget budget(limits_.timeout_seconds, memory_bytes_);
  const InterruptGuard guard(budget);
  const base::MemoryGuard memory(budget);
  const Result<History> history = io::read_history(in_, format_, budget);
  if (!history) return failed(history.error());
  if (const Status can = replay::can_be_replayed(*history); !can) {
    return failed({can.error().code, in_ + ": " + can.error().message});
  }
  if (target_.given()) {
    const Status chosen = choose_level(*history, budget);
    if (!chosen) return failed(chosen.error());
  }
  const bool plays = target_.given();
  if (const Status found = find_target(*history, budget); !found) return failed(found.error());
  const replay::Numbering numbering(*history);
  if (for_ != kSteps && !numbering.lists().empty()) {
    const std::string no_lists = db::why_no_lists(target_.info(), target_.isolation());
    if (!no_lists.empty()) {
      return failed(usage_error(in_ + ": the history has lists, which " + no_lists +
                                ", or another database"));
    }
  }
  const bool by_key = for_ != kSteps && !target_.info().capabilities.deletes_selected;
  const replay::Interleaving order(
      *history, by_key ? replay::Deletions::kByKey : replay::Deletions::kSelected);
  if (!script_.empty()) {
    const Status written = write_script(numbering, order);
    if (!written) return failed(written.error());
  }
  if (!plays) return ExitCode::kSuccess;
  const Result<ExitCode> code = attempts(numbering, order, budget);
  target_.shut_down();
  return code ? *code : failed(code.error());
}

}  // namespace

std::unique_ptr<Command> make_replay_command() { return std::make_unique<ReplayCommand>(); }

}  // namespace isolde::cli
