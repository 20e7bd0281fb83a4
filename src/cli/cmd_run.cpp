// isolde run: a workload on a real database, recorded, checked and reported.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "cli/checking.hpp"
#include "cli/command.hpp"
#include "cli/database_options.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/play_steps.hpp"
#include "cli/recipe_options.hpp"
#include "cli/run_progress.hpp"
#include "cli/run_watch.hpp"
#include "cli/scripted_run.hpp"
#include "cli/workload_options.hpp"
#include "db/driver.hpp"
#include "io/group_recording.hpp"
#include "run/executor.hpp"
#include "run/final_reads.hpp"
#include "server/nemesis.hpp"
#include "server/server.hpp"

namespace isolde::cli {
namespace {

// What is told to somebody who interrupts.
constexpr const char* kWaitsForTransactions =
    "isolde: interrupted: waiting for the transactions under way, whose requests may take "
    "--request-timeout each; who interrupts again ends it at once, with no report\n";
constexpr const char* kGoesOn =
    "isolde: the workload is over and its history will be checked; who interrupts again "
    "leaves the check out\n";
constexpr const char* kChecks =
    "isolde: interrupted: what was recorded is being checked; who interrupts again ends the "
    "check\n";

/// What was run and what came of it, before the verdicts.
std::string run_text(const explain::RunReport& run, const std::string& what,
                     bool asks_for_faults) {
  std::string text = base::printable_name(run.version) + " at isolation " +
                     base::printable_name(run.isolation) + what + "\n";
  const std::uint64_t attempts = run.committed + run.aborted + run.rolled_back + run.unknown;
  const double share =
      attempts > 0 ? 100.0 * static_cast<double>(run.aborted) / static_cast<double>(attempts)
                   : 0;
  text += plural(run.committed, "transaction") + " committed in " + fixed(run.seconds, 2) +
          " s (" + rate(run.committed, run.seconds) + "), " + base::grouped(run.aborted) +
          " aborted by the database (" + fixed(share, 1) + " %)";
  if (run.rolled_back > 0) {
    text += ", " + base::grouped(run.rolled_back) + " rolled back by the workload";
  }
  if (run.unknown > 0) text += ", " + base::grouped(run.unknown) + " with unknown outcome";
  if (run.given_up > 0) text += ", " + base::grouped(run.given_up) + " given up";
  if (run.reconnects > 0) text += ", " + plural(run.reconnects, "reconnect");
  if (run.faults > 0) text += ", " + plural(run.faults, "fault");
  text += "\n";
  if (asks_for_faults && run.faults == 0) {
    text +=
        "no fault of --nemesis came before the end of the run: make it longer, or faults "
        "more frequent (every=1s)\n";
  }
  constexpr std::size_t kReasonsShown = 4;
  for (std::size_t i = 0; i < std::min(run.reasons.size(), kReasonsShown); ++i) {
    text += "  " + plural(run.reasons[i].second, "time") + ": " +
            base::printable_line(run.reasons[i].first) + "\n";
  }
  if (!run.stopped.empty())
    text += "stopped early: " + base::printable_line(run.stopped) + "\n";
  return text;
}

/// What is violated stays violated, whatever went wrong beside it or later.
ExitCode with_trouble(ExitCode verdict, ExitCode trouble) {
  return verdict == ExitCode::kViolated ? verdict : worse(verdict, trouble);
}

/// A run that stopped early has not shown what it was to show.
ExitCode run_code(const explain::RunReport& run, ExitCode verdict) {
  return run.stopped.empty() ? verdict : with_trouble(verdict, ExitCode::kEnvironment);
}

class RunCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& app) override;
  ExitCode run() override;
  /// In place of add_to() and parsing.
  void take(StepsToPlay steps);

 private:
  Status prepare();
  Status prepare_watch();
  Status prepare_output();
  Status prepare_workload();
  Status open(base::Budget& whole);
  server::LaunchOptions wanted_of_servers() const;
  Status check_faults();
  Status find_readers();
  Status warm_up();
  Status check_workload() const;
  Status create_for_workload(const gen::Planner& planner);
  Result<explain::RunReport> execute(base::Budget& whole);
  Result<run::RunStatistics> drive(Recorder& recorder);
  Status crash(Recorder& recorder);
  Status finish(io::GroupRecording& groups) const;
  Result<run::RunStatistics> drive_workload(gen::Planner& planner, Recorder& recorder);
  void prepare_for_faults(const server::Cluster& cluster,
                          const std::optional<server::Nemesis>& nemesis);
  std::string work() const;
  bool in_groups() const { return format_ == "native-binary"; }
  RecorderOptions about() const;
  void go_on_after_work(bool was_stopped);
  explain::Promise promise() const;
  std::string heading(const explain::RunReport& run) const;
  std::string conclusion(const Outcome& outcome) const;
  std::string name_for_reports() const;
  ExitCode check(const explain::RunReport& run);
  ExitCode watched(const explain::RunReport& run);
  ExitCode failed(const Error& error);
  ExitCode not_begun(const Error& error);

  DatabaseArguments target_;
  std::string out_;
  std::string format_ = "native";
  bool force_ = false;
  bool record_versions_ = false;
  double duration_seconds_ = 0;
  std::vector<std::string> nemesis_texts_;
  bool keep_data_ = false;
  bool no_record_ = false;
  std::vector<const CLI::Option*> of_history_;   // mean nothing without one
  std::vector<const CLI::Option*> of_workload_;  // nor these
  const CLI::Option* of_steps_ = nullptr;
  const CLI::Option* to_ = nullptr;
  WorkloadArguments workload_;
  ScriptedRun scripted_;
  RecipeArgument recipe_;
  bool may_keep_nothing_ = false;
  TemporaryFolder folder_;  // of a history that nobody keeps
  Checking checking_;
  RunWatch watch_;

  run::ExecutorOptions options_;
  std::unique_ptr<db::Database> database_;
  std::optional<gen::Planner> planner_;
  bool made_data_ = false;
  std::atomic<std::uint64_t> faults_{0};
  base::Budget to_check_;  // cancelled: what was recorded is not checked
  std::optional<InterruptGuard> after_work_;
};

CLI::App* RunCommand::add_to(CLI::App& app) {
  CLI::App* sub = app.add_subcommand(
      "run", "Run a workload on a real database, record the history and check it");
  target_.add_to(*sub);
  sub->add_option("--out", out_, "File for the history, a new one unless --force is given")
      ->type_name("HISTORY");
  add_force(*sub, force_);
  sub->add_option("--to", format_,
                  "native (JSON Lines), or native-binary, which isolde watch can check while "
                  "the run goes on")
      ->type_name("F")
      ->capture_default_str();
  recipe_.add_to(*sub);
  of_workload_ = added_by(*sub, [&] { workload_.add_to(*sub); });
  of_workload_.erase(of_workload_.begin());  // --workload itself
  scripted_.add_to(*sub);
  of_steps_ = sub->get_option("--step-wait");
  sub->add_option("--duration", duration_seconds_,
                  "End after this time, for example 30s, instead of after --txns commits")
      ->type_name("DURATION")
      ->transform(seconds_text(1e-6, 1e9));
  sub->add_option("--nemesis", nemesis_texts_,
                  "Faults while the run goes on: pause, kill, partition, failover, clock (of "
                  "servers started by "
                  "--server), "
                  "cut (of connections), each with :every=5s,for=2s")
      ->type_name("SPEC")
      ->allow_extra_args(false);
  sub->add_flag("--keep-data", keep_data_, "Leave the data in the database at the end");
  sub->add_flag("--no-record", no_record_,
                "Neither record nor check, to measure what recording costs");
  sub->add_flag(
      "--record-versions", record_versions_,
      "Record which version of a register or row each read returned and each write made, as "
      "the database names them: PostgreSQL's xmin, etcd's revisions. They guide the "
      "check, and decide with --trust-versions");
  of_history_ = added_by(*sub, [&] { checking_.add_to(*sub, true); });
  std::erase(of_history_, sub->get_option("--progress"));
  for (const CLI::Option* const option : added_by(*sub, [&] { watch_.add_to(*sub); })) {
    of_history_.push_back(option);
  }
  of_history_.push_back(sub->get_option("--record-versions"));
  of_history_.push_back(sub->get_option("--out"));
  to_ = sub->get_option("--to");
  of_history_.push_back(to_);
  return sub;
}

void RunCommand::take(StepsToPlay steps) {
  target_ = std::move(steps.target);
  out_ = std::move(steps.out);
  force_ = steps.force;
  may_keep_nothing_ = true;
  scripted_.set_file(std::move(steps.file), steps.step_wait_ns);
  checking_.take(std::move(steps.levels), steps.limits, steps.progress, steps.outputs);
}

Status RunCommand::prepare() {
  if (const std::string given = given_of(of_history_); no_record_ && !given.empty()) {
    return usage_error("--no-record makes no history for " + given +
                       "; leave one or the other out");
  }
  // Those that a recipe brings fit.
  const std::string for_workload = given_of(of_workload_);
  const bool for_steps = of_steps_ != nullptr && of_steps_->count() > 0;
  if (recipe_.given()) {
    may_keep_nothing_ = true;
    if (const Status applied = recipe_.apply(); !applied) return applied.error();
    const recipe::Recipe& recipe = recipe_.recipe();
    if (!recipe.steps.empty()) scripted_.set(recipe.name, recipe.steps);
  }
  if (const Status given = target_.check(); !given) return given.error();
  if (const Status ready = prepare_watch(); !ready) return ready.error();
  if (const Status ready = prepare_output(); !ready) return ready.error();
  if (const Status ready = checking_.prepare(); !ready) return ready.error();
  if (watch_.given()) {
    if (const Status fits = RunWatch::check(checking_.levels()); !fits) return fits.error();
  }
  if (!scripted_.given()) {
    return for_steps ? usage_error("--step-wait is for steps; recipe " + recipe_.recipe().name +
                                   " has a workload")
                     : prepare_workload();
  }
  if (!for_workload.empty()) {
    return usage_error("steps are played as they are; for " + for_workload +
                       " there has to be a workload");
  }
  if (duration_seconds_ > 0 || !nemesis_texts_.empty()) {
    return usage_error("steps are played once; --duration and --nemesis are for workloads");
  }
  return scripted_.load();
}

Status RunCommand::prepare_watch() {
  const Status ready = watch_.prepare(of_history_, out_, checking_.watch_arguments());
  if (!ready || !watch_.given()) return ready;
  if (scripted_.given()) {
    return usage_error("steps are few, and checked at the end; leave out --watch");
  }
  if (std::exchange(format_, "native-binary") == "native-binary" || !to_->count()) {
    return ok_status();
  }
  return usage_error("--watch reads groups, which are native-binary; leave out --to");
}

/// Where the history goes.
Status RunCommand::prepare_output() {
  if (may_keep_nothing_ && out_.empty() && !no_record_) {
    if (const Status made = folder_.make(); !made) return made.error();
    const std::string name = recipe_.given() ? recipe_.recipe().name : scripted_.name();
    out_ = (folder_.path() / (name + ".jsonl")).string();
  }
  if (out_.empty() != no_record_) {
    return usage_error("say where the history goes: --out HISTORY, or --no-record");
  }
  if (format_ != "native" && format_ != "native-binary") {
    return usage_error("cannot record format '" + format_ +
                       "'; histories are recorded as native or native-binary");
  }
  if (out_.empty()) return ok_status();
  if (const Status free = check_new_history(out_, force_); !free) return free.error();
  return in_groups() ? check_new_history(io::text_of_recording(out_), force_) : ok_status();
}

Status RunCommand::prepare_workload() {
  if (!workload_.given()) {
    return usage_error("say what to run: --workload W, --steps FILE or --recipe NAME");
  }
  const Result<gen::WorkloadOptions> workload = workload_.options();
  if (!workload) return workload.error();
  if (const Status valid = gen::validate(*workload); !valid) return valid.error();
  options_.workload = *workload;
  options_.duration_seconds = duration_seconds_;
  options_.fruitless_seconds =
      std::max(options_.fruitless_seconds, 2 * target_.request_timeout_seconds());
  for (const std::string& text : nemesis_texts_) {
    Result<std::vector<server::FaultSpec>> specs = server::parse_faults(text);
    if (!specs) return specs.error();
    options_.faults.insert(options_.faults.end(), specs->begin(), specs->end());
  }
  for (const server::FaultSpec& spec : options_.faults) {
    if (spec.kind != server::FaultKind::kCut && !target_.has_server()) {
      return usage_error("faults other than cut hit only servers that --server has started");
    }
    // Other kinds are for launch() to refuse.
    for (const server::KindInfo& kind : server::all_kinds()) {
      if (kind.name != target_.server_kind()) continue;
      if (const Status has = server::check_fault(spec, kind); !has) return has;
    }
  }
  return ok_status();
}

/// What the servers must be started with for the sake of the faults.
server::LaunchOptions RunCommand::wanted_of_servers() const {
  server::LaunchOptions launch;
  for (const server::FaultSpec& spec : options_.faults) {
    launch.can_part = launch.can_part || spec.kind == server::FaultKind::kPartition ||
                      spec.kind == server::FaultKind::kFailover;
    launch.can_set_clock = launch.can_set_clock || spec.kind == server::FaultKind::kClock;
  }
  return launch;
}

Status RunCommand::open(base::Budget& whole) {
  if (const Status found = target_.find(whole); !found) return found.error();
  if (keep_data_ && target_.is_temporary()) {
    return usage_error("--keep-data: " + target_.display() +
                       " is temporary and goes with the run; name a database that stays");
  }
  if (const Status possible = check_faults(); !possible) return possible.error();
  if (record_versions_) {
    if (const Status can = target_.record_versions(); !can) return can.error();
  }
  const Status fits =
      scripted_.given()
          ? scripted_.check_fits(target_.info(), target_.isolation(), target_.has_server())
          : check_workload();
  if (!fits) return fits.error();
  Result<std::unique_ptr<db::Database>> database = target_.open(whole);
  if (!database) return database.error();
  database_ = std::move(database).value();
  const explain::Promise known = promise();
  const Status is_known = checking_.expect(known.level, known.why_none);
  if (!is_known || !watch_.given()) return is_known;
  return watch_.set_levels(checking_.asked_levels(known.level));
}

/// Whether the faults that are asked for can be had from this database.
Status RunCommand::check_faults() {
  for (const server::FaultSpec& spec : options_.faults) {
    if (spec.kind == server::FaultKind::kCut) {
      if (target_.info().capabilities.sockets) continue;
      return usage_error("connections to " + std::string(target_.info().name) +
                         " cannot be cut");
    }
    if (const Status had = check_fault(spec, *target_.cluster()); !had) return had;
  }
  return ok_status();
}

/// ERRORS: kUsage: the workload needs what this database does not have.
Status RunCommand::check_workload() const {
  struct Row {
    bool gen::WorkloadNeeds::*needs;
    bool db::Capabilities::*capability;
    std::string_view what;
    std::string_view lacks;
  };
  using Needs = gen::WorkloadNeeds;
  using Can = db::Capabilities;
  static constexpr std::array kRows = {
      Row{&Needs::compare_and_set, &Can::compare_and_set, "needs compare-and-set",
          "does not have"},
      Row{&Needs::increments, &Can::increments, "adds to numbers by one statement",
          "cannot do"},
      Row{&Needs::rows, &Can::rows, "selects and deletes rows", "cannot do"},
      Row{&Needs::tables, &Can::tables, "needs tables of rows with columns", "does not have"},
      Row{&Needs::aggregates, &Can::aggregates, "counts and sums rows", "cannot do"},
      Row{&Needs::savepoints, &Can::savepoints, "needs savepoints", "does not have"},
  };
  const gen::WorkloadInfo& workload = gen::info(options_.workload.workload);
  const db::DatabaseInfo& database = target_.info();
  const std::string begin = "workload " + std::string(workload.name) + " ";
  if (watch_.given()) {
    if (const Status can = RunWatch::check(workload); !can) return can;
  }
  if (in_groups() && workload.needs.tables) {
    return usage_error(begin +
                       "has rows with columns, which are not recorded as native-binary; "
                       "leave out --to, and convert the history");
  }
  const std::string no_lists = db::why_no_lists(database, target_.isolation());
  if (workload.needs.lists && !no_lists.empty()) {
    return usage_error(begin + "needs lists, which " + no_lists);
  }
  for (const Row& row : kRows) {
    if (!(workload.needs.*row.needs) || database.capabilities.*row.capability) continue;
    return usage_error(begin + std::string(row.what) + ", which " + db::called(database) + " " +
                       std::string(row.lacks));
  }
  // The default stands for none there.
  const double savepoints = options_.workload.savepoints;
  if (!database.capabilities.savepoints && savepoints > 0 &&
      savepoints != gen::default_options(options_.workload.workload).savepoints) {
    return usage_error("--savepoints needs savepoints, which " + db::called(database) +
                       " does not have");
  }
  return ok_status();
}

Status RunCommand::create_for_workload(const gen::Planner& planner) {
  const std::vector<std::int64_t> registers = planner.initial_keys();
  const std::vector<std::int64_t> lists = planner.initial_lists();
  if (!planner.tables().empty()) database_->use_tables(planner.tables());
  return database_->create(registers, lists);
}

/// What reports call that which was run.
std::string RunCommand::work() const {
  return scripted_.given() ? "steps of " + scripted_.name()
                           : std::string(gen::info(options_.workload.workload).name);
}

RecorderOptions RunCommand::about() const {
  RecorderOptions options;
  options.enabled = !no_record_;
  const gen::WorkloadNeeds needs = gen::info(options_.workload.workload).needs;
  options.deletes =
      scripted_.given() ? scripted_.deletes() : needs.rows || needs.tables || needs.increments;
  options.deletes = options.deletes || record_versions_ || database_->locks_reads();
  options.about = {{"database", database_->version()},
                   {"source", target_.display()},
                   {"isolation", target_.isolation()},
                   {"workload", work()}};
  if (record_versions_ &&
      target_.info().capabilities.versions == db::Capabilities::Versions::kOrder) {
    options.about.emplace_back("versions", "order");
  }
  add_promise(promise(), options);
  if (planner_) std::ranges::copy(planner_->notation(), std::back_inserter(options.about));
  if (!scripted_.given()) {
    options.about.emplace_back("seed", std::to_string(options_.workload.seed));
  }
  return options;
}

/// Sessions wait for a server that is meant to come back, and not for one that is lost.
void RunCommand::prepare_for_faults(const server::Cluster& cluster,
                                    const std::optional<server::Nemesis>& nemesis) {
  double longest_seconds = 0;
  for (const server::FaultSpec& fault : options_.faults) {
    longest_seconds = std::max(longest_seconds, static_cast<double>(fault.for_ns) * 1e-9);
  }
  if (longest_seconds > 0) {
    const double away = longest_seconds + server::LaunchOptions().timeout_seconds;
    options_.reconnect_seconds += away;
    options_.fruitless_seconds += away;
  }
  options_.trouble = [&cluster, &nemesis]() -> std::string {
    bool any = false;
    bool died = false;
    for (const server::Node& node : cluster.nodes()) {
      any = any || node.state == server::NodeState::kRunning;
      died = died || node.state == server::NodeState::kDied;
    }
    if (any || !(died || (nemesis && !nemesis->failure()))) return "";
    return "no server is left";
  };
}

/// The transactions, with faults on the side.
Result<run::RunStatistics> RunCommand::drive_workload(gen::Planner& planner,
                                                      Recorder& recorder) {
  base::Budget budget;
  const InterruptGuard guard(budget);
  const WaitingNotice waiting(kWaitsForTransactions);
  Progress progress(checking_.shows_progress());
  server::Cluster* const cluster = target_.cluster();
  std::optional<server::Nemesis> nemesis;
  const auto listen = [this, &recorder](const server::FaultReport& fault) {
    recorder.event("fault", fault.what, {fault.begins, fault.ends});
    if (fault.is_fault()) ++faults_;
  };
  // From the first report on, when all sessions are connected.
  const auto watch = [&](const run::RunStatistics& so_far) {
    if (cluster != nullptr && !options_.faults.empty() && !nemesis && !so_far.ending) {
      nemesis.emplace(*cluster, options_.faults, options_.workload.seed, listen);
    }
    // Who waits for a server that is paused could not end.
    if (nemesis && so_far.ending) nemesis->ask_to_stop();
    progress.show(run_progress(so_far, options_, faults_));
  };
  if (cluster != nullptr) prepare_for_faults(*cluster, nemesis);
  if (watch_.given()) {
    options_.trouble = [this, servers = std::move(options_.trouble)] {
      std::string why = watch_.trouble();
      return why.empty() && servers ? servers() : why;
    };
  }
  Result<run::RunStatistics> done =
      run::execute(*database_, planner, recorder, options_, budget, watch);
  options_.trouble = nullptr;
  Status servers = nemesis ? nemesis->stop() : ok_status();
  if (nemesis && done && servers && done->stopped.empty()) {
    run::read_finally(*database_, planner, recorder,
                      std::min<std::size_t>(cluster->size(), options_.workload.sessions));
  }
  if (servers && cluster != nullptr) servers = cluster->check();
  // The cause before its consequences.
  if (done && !servers) {
    done->stopped =
        servers.error().message + (done->stopped.empty() ? "" : "; " + done->stopped);
  }
  if (!done) return before_first_transaction(done.error(), budget);
  return done;
}

/// All servers, which serve again when it returns.
Status RunCommand::crash(Recorder& recorder) {
  recorder.event("fault", "kill all", {.begins = "all"});
  ++faults_;
  const Status back = target_.cluster()->crash();
  if (back) {
    recorder.event("fault", "restart all", {.ends = "all"});
  } else {
    recorder.event("fault", "restart all failed");
  }
  return back;
}

/// The database is made and driven, with everything on record.
Result<run::RunStatistics> RunCommand::drive(Recorder& recorder) {
  if (scripted_.given()) {
    return scripted_.play(*database_, recorder, [&] { return crash(recorder); });
  }
  return drive_workload(*planner_, recorder);
}

/// Sessions that lead to replicas.
Status RunCommand::find_readers() {
  bool any = false;
  for (std::uint32_t session = 0; session < options_.workload.sessions; ++session) {
    options_.workload.readers.push_back(database_->only_reads(session));
    any = any || options_.workload.readers.back();
  }
  return any ? gen::validate_readers(options_.workload) : ok_status();
}

Status RunCommand::warm_up() {
  if (scripted_.given()) return scripted_.create(*database_);
  options_.workload.deletes_selected = target_.info().capabilities.deletes_selected;
  if (!target_.info().capabilities.savepoints) options_.workload.savepoints = 0;
  if (const Status possible = find_readers(); !possible) return possible;
  planner_.emplace(options_.workload);
  return create_for_workload(*planner_);
}

/// Then the text has nothing that the groups do not have.
Status RunCommand::finish(io::GroupRecording& groups) const {
  if (const Status finished = groups.finish(); !finished) return finished.error();
  std::error_code error;
  std::filesystem::remove(io::text_of_recording(out_), error);
  if (!error) return ok_status();
  return Error{ErrorCode::kEnvironment,
               io::text_of_recording(out_) + ": cannot be removed: " + error.message()};
}

/// `whole` is of the run from its beginning to its end.
Result<explain::RunReport> RunCommand::execute(base::Budget& whole) {
  if (const Status ready = warm_up(); !ready)
    return before_first_transaction(ready.error(), whole);
  made_data_ = true;
  if (!whole.look()) return before_first_transaction({}, whole);
  run::RunStatistics statistics;
  {
    const std::string text = in_groups() ? io::text_of_recording(out_) : out_;
    for (const std::string& path : {out_, text}) {
      if (path.empty()) continue;
      if (const Status free = make_way(path, force_); !free) return free.error();
    }
    Result<std::unique_ptr<Recorder>> recorder = Recorder::open(text, about());
    if (!recorder) return recorder.error();
    std::optional<io::GroupRecording> groups;
    if (in_groups()) {
      Result<io::GroupRecording> begun = io::GroupRecording::begin(out_);
      if (!begun) return begun.error();
      groups = std::move(*begun);
    }
    if (watch_.given()) {
      if (const Status started = watch_.start(out_); !started) return started.error();
    }
    Result<run::RunStatistics> driven = drive(**recorder);
    if (driven) go_on_after_work(!driven->stopped.empty());
    if (driven) statistics = std::move(driven).value();
    // Whoever checks the history later is to know that it is not all that was asked for.
    if (!statistics.stopped.empty()) (*recorder)->event("stopped", statistics.stopped);
    Status closed = (*recorder)->close();
    if (groups && closed) closed = finish(*groups);
    if (!closed) watch_.give_up();
    if (!driven) return driven.error();
    // What is on record is checked all the same; the history says that it is not all.
    if (!closed && statistics.stopped.empty()) statistics.stopped = closed.error().message;
  }
  explain::RunReport report;
  report.database = target_.display();
  report.version = database_->version();
  report.isolation = target_.isolation();
  report.workload = work();
  report.seed = options_.workload.seed;
  report.committed = statistics.committed;
  report.aborted = statistics.aborted;
  report.rolled_back = statistics.rolled_back;
  report.unknown = statistics.unknown;
  report.given_up = statistics.given_up;
  report.reconnects = statistics.reconnects;
  report.faults = faults_ + statistics.cuts;
  report.seconds = statistics.seconds;
  report.reasons = statistics.reasons.counts();
  std::stable_sort(report.reasons.begin(), report.reasons.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  report.stopped = statistics.stopped;
  return report;
}

/// The workload is over, and what it has recorded is checked, which may take long.
void RunCommand::go_on_after_work(bool was_stopped) {
  if (no_record_) return;
  // While its last transactions ended, which has stopped nothing.
  const bool is_news = was_interrupted() && !was_stopped;
  if (is_news) std::fputs(kGoesOn, stderr);
  after_work_.emplace(to_check_, is_news ? nullptr : kGoesOn);
}

explain::Promise RunCommand::promise() const {
  explain::Promise known = target_.promise();
  if (!checking_.promise().given()) return known;
  known.level = checking_.promise().level();
  known.why_none = PromiseOption::why_none();
  known.is_asked = true;
  return known;
}

std::string RunCommand::heading(const explain::RunReport& run) const {
  if (!scripted_.given()) {
    return run_text(run, ", workload " + run.workload + ", seed " + std::to_string(run.seed),
                    !options_.faults.empty());
  }
  return run_text(run, ", " + run.workload, false) + "\n" + scripted_.text() + "\n";
}

/// What the verdicts mean for what the recipe expects, and what became of the history.
std::string RunCommand::conclusion(const Outcome& outcome) const {
  std::string text;
  if (recipe_.given()) text += recipe_.outcome(outcome.model().levels) + ".\n";
  if (!folder_.path().empty()) text += "The history was not kept; --out HISTORY keeps it.\n";
  return text;
}

/// What reports call the history: its file where it is kept, else a name that is the same in
/// each run, unlike that of the temporary folder.
std::string RunCommand::name_for_reports() const {
  return folder_.path().empty() ? out_ : std::filesystem::path(out_).filename().string();
}

ExitCode RunCommand::check(const explain::RunReport& run) {
  const std::string shown_as = folder_.path().empty() ? std::string() : name_for_reports();
  const WaitingNotice waiting(kChecks);
  Result<Outcome> checked = to_check_.look()
                                ? checking_.check(out_, format_, shown_as)
                                : checking_.leave_out(name_for_reports(), format_, kNotRead);
  if (!checked) return failed(checked.error());
  Outcome& outcome = *checked;
  outcome.model().run = run;
  outcome.model().promise = promise();
  std::string text;
  ExitCode trouble = checking_.tell_all(outcome, 1, text);
  const ExitCode verdict = checking_.verdict_code(outcome.model());
  if (!checking_.prints_text()) {
    print(text);
  } else {
    const std::string end = conclusion(outcome);
    print(heading(run) + text + (end.empty() ? "" : "\n" + end) +
          "\nTime: " + fixed(run.seconds, 2) + " s to generate the history, " +
          fixed(outcome.model().load_seconds, 3) + " s to load, " +
          fixed(outcome.model().check_seconds, 3) + " s to check\n");
  }
  trouble = checking_.finish(trouble);
  return with_trouble(run_code(run, verdict), trouble);
}

/// The same by isolde watch, which has seen it all.
ExitCode RunCommand::watched(const explain::RunReport& run) {
  const WaitingNotice waiting(kChecks);
  const ExitCode verdict = watch_.finish(to_check_);
  print(heading(run) + "\n" + watch_.report());
  return run_code(run, verdict);
}

/// There is no history to tell of, and the documents say so.
ExitCode RunCommand::failed(const Error& error) {
  if (no_record_) return report(error);
  const bool is_for_people = checking_.prints_text();  // one line on standard error says it all
  if (error.code == ErrorCode::kLimit && !is_for_people) return not_begun(error);
  return checking_.finish(checking_.report_failure(name_for_reports(), error));
}

/// Interrupted, say, which is no failure: every level is unknown, for that reason.
ExitCode RunCommand::not_begun(const Error& error) {
  Outcome outcome = checking_.leave_out(name_for_reports(), format_, error.message);
  std::string text;
  const ExitCode trouble = checking_.tell_all(outcome, 1, text);
  print(text);
  return checking_.finish(worse(trouble, report(error)));
}

ExitCode RunCommand::run() {
  if (const Status ready = prepare(); !ready) return report(ready.error());
  // Data and servers are removed whenever somebody interrupts.
  base::Budget whole;
  const InterruptGuard guard(whole);
  const Status launched = target_.launch(whole, wanted_of_servers());
  if (!launched) return failed(launched.error());
  if (const Status opened = open(whole); !opened) return failed(opened.error());
  Result<explain::RunReport> run = execute(whole);
  ExitCode trouble = ExitCode::kSuccess;
  if (!run) trouble = failed(run.error());
  // A private server's data goes with the server, which may have failed.
  if (made_data_ && !keep_data_ && !target_.has_server()) {
    const Status removed = database_->destroy();
    if (run && !removed) trouble = report(removed.error());
  }
  database_.reset();
  target_.shut_down();
  if (!run) return trouble;
  if (no_record_) {
    print(heading(*run));
    return run_code(*run, trouble);
  }
  return with_trouble(watch_.given() ? watched(*run) : check(*run), trouble);
}

}  // namespace

std::unique_ptr<Command> make_run_command() { return std::make_unique<RunCommand>(); }

ExitCode play_steps(StepsToPlay steps) {
  RunCommand command;
  command.take(std::move(steps));
  return command.run();
}

}  // namespace isolde::cli
