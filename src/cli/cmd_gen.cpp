// isolde gen: a synthetic history from a simulated database, of the level asked for or with one
// fault in it. The same options give the same bytes.
#include <CLI/CLI.hpp>
#include <utility>

#include "base/duration.hpp"
#include "cli/command.hpp"
#include "cli/files.hpp"
#include "cli/options.hpp"
#include "cli/workload_options.hpp"
#include "io/writer.hpp"
#include "replay/steps.hpp"
#include "schedule/unlocked.hpp"
#include "sim/simulate.hpp"

namespace isolde::cli {
namespace {

/// Transactions of a group.
constexpr std::uint64_t kPart = std::uint64_t{1} << 17;

class GenCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& app) override;
  Status also_missing() const override;
  ExitCode run() override;

 private:
  void add_store_options(CLI::App& app);
  Status prepare();
  Result<History> make() const;
  Result<History> play_steps() const;
  bool comes_in_parts() const;
  Status write_in_parts() const;

  const CLI::App* app_ = nullptr;
  std::string steps_;
  std::string out_;
  bool force_ = false;
  std::string format_ = "native";
  WorkloadArguments workload_;
  std::string isolation_ = "strict-serializable";
  std::string staleness_ = "fresh";
  std::string fault_ = "none";
  sim::SimulationOptions options_;
  bool no_times_ = false;
};

template <typename Rows>
std::string names_of(const Rows& rows) {
  std::string text;
  for (const auto& row : rows) text += (text.empty() ? "" : ", ") + std::string(row.name);
  return text;
}

void GenCommand::add_store_options(CLI::App& app) {
  app.add_option("--isolation", isolation_,
                 "What the simulated database gives: " + names_of(sim::all_store_levels()))
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--staleness", staleness_,
                 "Which commits a snapshot may miss: " + names_of(sim::all_stalenesses()))
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--fault", fault_, "What goes wrong: " + names_of(sim::all_faults()))
      ->type_name("NAME")
      ->capture_default_str();
  any_number(app.add_option("--fault-rate", options_.fault_rate,
                            "Chance of the fault at each opportunity"))
      ->capture_default_str();
  any_number(app.add_option("--fault-after", options_.fault_after,
                            "No fault before this share of the transactions has committed"))
      ->capture_default_str();
  any_number(app.add_option("--fault-before", options_.fault_before,
                            "No fault after this share has committed"))
      ->capture_default_str();
  any_number(app.add_option("--abort-rate", options_.user_abort_rate,
                            "Share of transactions that roll back"))
      ->capture_default_str();
  any_number(app.add_option("--lost-reply-rate", options_.lost_reply_rate,
                            "Share of commits whose outcome the client never learns"))
      ->capture_default_str();
  const auto add_time = [&app](const char* name, std::int64_t& nanoseconds, const char* help) {
    add_duration(app, name, nanoseconds, help)->default_str(base::duration_text(nanoseconds));
  };
  add_time("--clock-error", options_.clock_error_ns, "Each clock is off by up to this much");
  add_time("--network", options_.network_ns, "Mean time of a message");
  add_time("--service", options_.service_ns, "Mean time of an operation in the database");
  add_time("--think", options_.think_ns, "Mean pause between transactions of a session");
  app.add_flag("--no-times", no_times_, "Leave start and end times out");
}

CLI::App* GenCommand::add_to(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("gen", "Make a synthetic history, valid or with a fault");
  app_ = sub;
  sub->add_option(
         "--out", out_,
         "File to write, a new one unless --force is given; - is standard output; .gz and "
         ".zst compress")
      ->required()
      ->type_name("HISTORY");
  add_force_whole(*sub, "--out", force_);
  sub->add_option("--to", format_, "native (JSON Lines) or native-binary")
      ->type_name("F")
      ->capture_default_str();
  sub->add_option(
         "--steps", steps_,
         "Play the steps of this file, or of standard input (-), on a store that takes "
         "no locks, instead of a workload; isolde schedules has some, isolde replay "
         "--help tells what steps there are")
      ->type_name("FILE");
  workload_.add_to(*sub);
  add_store_options(*sub);
  return sub;
}

/// Nobody has to know where to write before what can be made.
Status GenCommand::also_missing() const {
  if (!steps_.empty() || workload_.given()) return ok_status();
  return workload_.options().error();
}

Status GenCommand::prepare() {
  const Result<gen::WorkloadOptions> workload = workload_.options();
  if (!workload) return workload.error();
  const Result<sim::StoreLevel> level = sim::parse_store_level(isolation_);
  if (!level) return level.error();
  const Result<sim::Staleness> staleness = sim::parse_staleness(staleness_);
  if (!staleness) return staleness.error();
  const Result<sim::Fault> fault = sim::parse_fault(fault_);
  if (!fault) return fault.error();
  options_.workload = *workload;
  options_.level = *level;
  options_.staleness = *staleness;
  options_.fault = *fault;
  options_.times = !no_times_;
  return ok_status();
}

/// Nothing but the steps decides what comes of them.
Result<History> GenCommand::play_steps() const {
  for (const CLI::Option* option : app_->get_options()) {
    const std::string name = option->get_name();
    const bool fits = name == "--steps" || name == "--out" || name == "--force" ||
                      name == "--to" || name == "--help";
    if (!fits && option->count() > 0) {
      return usage_error(name + " is for workloads; --steps are played as they are written");
    }
  }
  const Result<std::string> text = read_text(steps_);
  if (!text) return text.error();
  const std::string where = steps_ == "-" ? "standard input" : steps_;
  const Result<replay::Steps> steps = replay::parse_steps(*text);
  if (!steps) return Error{steps.error().code, where + ": " + steps.error().message};
  Result<History> history = schedule::run_unlocked(*steps);
  if (!history) return Error{history.error().code, where + ": " + history.error().message};
  return history;
}

Result<History> GenCommand::make() const {
  return steps_.empty() ? sim::simulate(options_) : play_steps();
}

/// Then nothing that grows with the history is kept but the simulated store.
bool GenCommand::comes_in_parts() const {
  return steps_.empty() && format_ == "native-binary" && options_.workload.txns > kPart &&
         sim::can_be_taken_in_parts(options_);
}

Status GenCommand::write_in_parts() const {
  Result<io::GroupedFile> file = io::GroupedFile::create(out_);
  if (!file) return file.error();
  const Status made = sim::simulate_in_parts(
      options_, kPart, [&](const History& part, std::int64_t open_since, bool is_last) {
        return file->add(part, {open_since, is_last});
      });
  return made ? file->commit() : made;
}

ExitCode GenCommand::run() {
  if (const Status free = check_whole_history(out_, force_); !free) return report(free.error());
  if (steps_.empty()) {
    if (const Status ready = prepare(); !ready) return report(ready.error());
    if (comes_in_parts()) {
      const Status written = write_in_parts();
      return written ? ExitCode::kSuccess : report(written.error());
    }
  }
  const Result<History> history = make();
  if (!history) return report(history.error());
  const Status written = io::write_history(*history, format_, out_);
  return written ? ExitCode::kSuccess : report(written.error());
}

}  // namespace

std::unique_ptr<Command> make_gen_command() { return std::make_unique<GenCommand>(); }

}  // namespace isolde::cli
