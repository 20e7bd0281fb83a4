// isolde gen: a synthetic history from a simulated database, of the level asked for or with one
// fault in it. The same options give the same bytes.
#include <CLI/CLI.hpp>
#include <utility>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/workload_options.hpp"
#include "io/writer.hpp"
#include "sim/simulate.hpp"

namespace isolde::cli {
namespace {

class GenCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& app) override;
  ExitCode run() override;

 private:
  void add_store_options(CLI::App& app);
  Status fill_store(sim::SimulationOptions& options) const;
  Status fill_durations(sim::SimulationOptions& options) const;

  std::string out_;
  std::string format_ = "native";
  WorkloadArguments workload_;
  std::string isolation_ = "strict-serializable";
  std::string staleness_ = "fresh";
  std::string fault_ = "none";
  double fault_rate_ = 0.01;
  double fault_after_ = 0;
  double fault_before_ = 1;
  double abort_rate_ = 0.01;
  double lost_reply_rate_ = 0;
  std::string clock_error_ = "0";
  std::string network_ = "50us";
  std::string service_ = "20us";
  std::string think_ = "50us";
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
  app.add_option("--fault-rate", fault_rate_, "Chance of the fault at each opportunity")
      ->type_name("P")
      ->capture_default_str();
  app.add_option("--fault-after", fault_after_,
                 "No fault before this share of the transactions has committed")
      ->type_name("P")
      ->capture_default_str();
  app.add_option("--fault-before", fault_before_, "No fault after this share has committed")
      ->type_name("P")
      ->capture_default_str();
  app.add_option("--abort-rate", abort_rate_, "Share of transactions that roll back")
      ->type_name("P")
      ->capture_default_str();
  app.add_option("--lost-reply-rate", lost_reply_rate_,
                 "Share of commits whose outcome the client never learns")
      ->type_name("P")
      ->capture_default_str();
  app.add_option("--clock-error", clock_error_, "Each clock is off by up to this much")
      ->type_name("DURATION")
      ->capture_default_str();
  app.add_option("--network", network_, "Mean time of a message")
      ->type_name("DURATION")
      ->capture_default_str();
  app.add_option("--service", service_, "Mean time of an operation in the database")
      ->type_name("DURATION")
      ->capture_default_str();
  app.add_option("--think", think_, "Mean pause between transactions of a session")
      ->type_name("DURATION")
      ->capture_default_str();
  app.add_flag("--no-times", no_times_, "Leave start and end times out");
}

CLI::App* GenCommand::add_to(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("gen", "Make a synthetic history, valid or with a fault");
  sub->add_option("--out", out_, "File to write; - is standard output; .gz and .zst compress")
      ->required()
      ->type_name("HISTORY");
  sub->add_option("--to", format_, "native (JSON Lines) or native-binary")
      ->type_name("F")
      ->capture_default_str();
  workload_.add_to(*sub);
  add_store_options(*sub);
  return sub;
}

Status GenCommand::fill_store(sim::SimulationOptions& options) const {
  const Result<sim::StoreLevel> level = sim::parse_store_level(isolation_);
  if (!level) return level.error();
  const Result<sim::Staleness> staleness = sim::parse_staleness(staleness_);
  if (!staleness) return staleness.error();
  const Result<sim::Fault> fault = sim::parse_fault(fault_);
  if (!fault) return fault.error();
  options.level = *level;
  options.staleness = *staleness;
  options.fault = *fault;
  options.fault_rate = fault_rate_;
  options.fault_after = fault_after_;
  options.fault_before = fault_before_;
  options.user_abort_rate = abort_rate_;
  options.lost_reply_rate = lost_reply_rate_;
  options.times = !no_times_;
  return ok_status();
}

Status GenCommand::fill_durations(sim::SimulationOptions& options) const {
  const std::pair<const std::string*, std::int64_t*> durations[] = {
      {&clock_error_, &options.clock_error_ns},
      {&network_, &options.network_ns},
      {&service_, &options.service_ns},
      {&think_, &options.think_ns},
  };
  for (const auto& [text, nanoseconds] : durations) {
    const Result<std::int64_t> parsed = parse_duration(*text);
    if (!parsed) return parsed.error();
    *nanoseconds = *parsed;
  }
  return ok_status();
}

ExitCode GenCommand::run() {
  const Result<gen::WorkloadOptions> workload = workload_.options();
  if (!workload) return report(workload.error());
  sim::SimulationOptions options;
  options.workload = *workload;
  if (const Status status = fill_store(options); !status) return report(status.error());
  if (const Status status = fill_durations(options); !status) return report(status.error());
  const Result<History> history = sim::simulate(options);
  if (!history) return report(history.error());
  const Status written = io::write_history(*history, format_, out_);
  return written ? ExitCode::kSuccess : report(written.error());
}

}  // namespace

std::unique_ptr<Command> make_gen_command() { return std::make_unique<GenCommand>(); }

}  // namespace isolde::cli
