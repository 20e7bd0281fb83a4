// isolde workloads [W]: the workloads that gen knows, or one with its parameters.
#include <CLI/CLI.hpp>

#include "cli/command.hpp"
#include "gen/workload.hpp"

namespace isolde::cli {
namespace {

std::string describe(const gen::WorkloadInfo& row) {
  std::string text = std::string(row.name) + "\n  " + std::string(row.summary) + "\n  after " +
                     std::string(row.source) + "\n\n";
  for (const gen::ParameterInfo& parameter : gen::parameters(row.workload())) {
    text += "  --" + padded(parameter.name, 17) + padded(parameter.default_text, 12) +
            std::string(parameter.summary) + "\n";
  }
  return text;
}

class WorkloadsCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& app) override {
    CLI::App* sub = app.add_subcommand("workloads", "List the workloads, or describe one");
    sub->add_option("workload", workload_, "Name of a workload")->type_name("W");
    return sub;
  }

  ExitCode run() override {
    if (!workload_.empty()) {
      const Result<gen::Workload> workload = gen::parse_workload(workload_);
      if (!workload) return report(workload.error());
      print(describe(gen::info(*workload)));
      return ExitCode::kSuccess;
    }
    for (const gen::WorkloadInfo& row : gen::all_workloads()) {
      print(padded(row.name, 14) + std::string(row.summary) + "\n");
    }
    return ExitCode::kSuccess;
  }

 private:
  std::string workload_;
};

}  // namespace

std::unique_ptr<Command> make_workloads_command() {
  return std::make_unique<WorkloadsCommand>();
}

}  // namespace isolde::cli
