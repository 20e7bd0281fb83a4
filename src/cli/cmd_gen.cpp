// isolde gen: a synthetic history from a simulated database, of the level asked for or with one
// fault in it. The same options give the same bytes.
#include <optional>
#include <utility>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "gen/workload.hpp"
#include "io/writer.hpp"
#include "sim/simulate.hpp"

namespace isolde::cli {
namespace {

class GenCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& app) override;
  ExitCode run() override;

 private:
  void add_workload_options(CLI::App& app);
  void add_store_options(CLI::App& app);
  Status fill_workload(gen::WorkloadOptions& options) const;
  Status fill_store(sim::SimulationOptions& options) const;
  Status fill_durations(sim::SimulationOptions& options) const;

  std::string out_;
  std::string format_ = "native";
  std::string workload_;
  std::optional<std::uint32_t> sessions_;
  std::optional<std::uint64_t> txns_;
  std::optional<std::uint32_t> ops_;
  std::optional<std::uint64_t> keys_;
  std::optional<double> reads_;
  std::string distribution_;
  std::optional<std::uint32_t> appends_per_key_;
  std::uint64_t seed_ = 0;
  std::string isolation_ = "strict-serializable";
  std::string staleness_ = "fresh";
  std::string fault_ = "none";
  double fault_rate_ = 0.01;
  double abort_rate_ = 0.01;
  double lost_reply_rate_ = 0;
  std::string clock_error_ = "0";
  std::string network_ = "50us";
  std::string service_ = "20us";
  std::string think_ = "50us";
  bool no_times_ = false;
};

void GenCommand::add_workload_options(CLI::App& app) {
  app.add_option("--workload", workload_, "See isolde workloads")->required()->type_name("W");
  app.add_option("--sessions", sessions_, "Number of sessions")->type_name("N");
  app.add_option("--txns", txns_, "Number of committed transactions")->type_name("N");
  app.add_option("--ops", ops_, "Operations in a transaction")->type_name("N");
  app.add_option("--keys", keys_, "Number of keys")->type_name("N");
  app.add_option("--reads", reads_, "Share of reads, from 0 to 1; see isolde workloads W")
      ->type_name("P");
  std::string syntax = "How keys are chosen:";
  for (const gen::DistributionInfo& row : gen::all_distributions()) {
    syntax += (syntax.back() == ':' ? " " : ", ") + std::string(row.syntax);
  }
  app.add_option("--distribution", distribution_, syntax)->type_name("D");
  app.add_option("--appends-per-key", appends_per_key_, "No list grows beyond this")
      ->type_name("N");
  app.add_option("--seed", seed_, "Another seed gives another history")
      ->type_name("N")
      ->capture_default_str();
}

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
  add_workload_options(*sub);
  add_store_options(*sub);
  return sub;
}

Status GenCommand::fill_workload(gen::WorkloadOptions& options) const {
  const Result<gen::Workload> workload = gen::parse_workload(workload_);
  if (!workload) return workload.error();
  options = gen::default_options(*workload);
  options.sessions = sessions_.value_or(options.sessions);
  options.txns = txns_.value_or(options.txns);
  options.ops = ops_.value_or(options.ops);
  options.keys = keys_.value_or(options.keys);
  options.reads = reads_.value_or(options.reads);
  options.appends_per_key = appends_per_key_.value_or(options.appends_per_key);
  options.seed = seed_;
  if (distribution_.empty()) return ok_status();
  const Result<gen::Distribution> distribution = gen::parse_distribution(distribution_);
  if (!distribution) return distribution.error();
  options.distribution = *distribution;
  return ok_status();
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
  sim::SimulationOptions options;
  if (const Status status = fill_workload(options.workload); !status) {
    return report(status.error());
  }
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
