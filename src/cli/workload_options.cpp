#include "cli/workload_options.hpp"

#include <CLI/CLI.hpp>
#include <limits>
#include <utility>
#include <variant>

#include "cli/options.hpp"

namespace isolde::cli {
namespace {

using Options = gen::WorkloadOptions;

struct Parameter {
  std::string_view name;
  std::string help;
  std::variant<std::uint32_t Options::*, std::uint64_t Options::*, double Options::*> field;
};

std::vector<Parameter> make_parameters() {
  std::vector<Parameter> all = {
      {"sessions", "Number of sessions", &Options::sessions},
      {"txns", "Number of committed transactions", &Options::txns},
      {"ops", "Operations in a transaction", &Options::ops},
      {"keys", "Number of keys", &Options::keys},
      {"reads", "Share of reads, from 0 to 1; see isolde workloads W", &Options::reads},
  };
  for (const gen::ParameterOption& own : gen::own_parameters()) {
    std::visit(
        [&](const auto field) {
          all.push_back({own.name, own.help, field});
        },
        own.field);
  }
  all.push_back(
      {"fence-every",
       "Each session begins with a fence, a transaction that reads and writes the key "
       "\"fence\", and makes one after every so many others; 0: none",
       &Options::fence_every});
  all.push_back({"seed", "Another seed gives other transactions", &Options::seed});
  return all;
}

const std::vector<Parameter>& all_parameters() {
  static const std::vector<Parameter> kAll = make_parameters();
  return kAll;
}

Error not_taken(std::string_view workload, std::string_view parameter) {
  const std::string name(workload);
  return {ErrorCode::kUsage, "workload " + name + " takes no --" + std::string(parameter) +
                                 "; see isolde workloads " + name};
}

}  // namespace

void WorkloadArguments::add_to(CLI::App& app) {
  app.add_option("--workload", workload, "See isolde workloads")->type_name("W");
  for (const Parameter& row : all_parameters()) {
    CLI::Option* const option = std::visit(
        [&](const auto field) {
          return app.add_option("--" + std::string(row.name), values_.*field, row.help);
        },
        row.field);
    if (std::holds_alternative<double Options::*>(row.field)) {
      any_number(option);
    } else if (std::holds_alternative<std::uint32_t Options::*>(row.field)) {
      whole_number(option, 0, std::numeric_limits<std::uint32_t>::max());
    } else {
      whole_number(option);
    }
    parameters_.push_back(option);
  }
  app.get_option("--seed")->capture_default_str();  // the same for all workloads
  std::string syntax = "How keys are chosen:";
  for (const gen::DistributionInfo& row : gen::all_distributions()) {
    syntax += (syntax.back() == ':' ? " " : ", ") + std::string(row.syntax);
  }
  app.add_option("--distribution", distribution_, syntax)->type_name("D");
}

Result<gen::WorkloadOptions> WorkloadArguments::options() const {
  const Result<gen::Workload> chosen = gen::parse_workload(workload);
  if (!chosen) return chosen.error();
  gen::WorkloadOptions result = gen::default_options(*chosen);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i]->count() == 0) continue;
    if (!gen::takes(*chosen, all_parameters()[i].name)) {
      return not_taken(workload, all_parameters()[i].name);
    }
    std::visit([&](const auto field) { result.*field = values_.*field; },
               all_parameters()[i].field);
  }
  if (!distribution_) return result;
  if (!gen::takes(*chosen, "distribution")) return not_taken(workload, "distribution");
  const Result<gen::Distribution> parsed = gen::parse_distribution(*distribution_);
  if (!parsed) return parsed.error();
  result.distribution = *parsed;
  return result;
}

}  // namespace isolde::cli
