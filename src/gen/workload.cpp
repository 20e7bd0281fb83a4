// All workloads, and the parameters of each.
#include "gen/workload.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "base/text.hpp"
#include "gen/generator.hpp"

namespace isolde::gen {
namespace {

constexpr std::uint32_t kSessionsMax = 65'536;
constexpr std::uint32_t kOpsMax = 10'000;
constexpr std::uint64_t kKeysMax = std::uint64_t{1} << 26;
constexpr std::uint64_t kTxnsMax = 2'000'000'000;

// Fractions of at most two decimals, which is what the tables have.
std::string share_text(double share) {
  const auto hundredths = static_cast<int>(share * 100 + 0.5);
  if (hundredths == 0) return "0";
  std::string text = hundredths < 10 ? "0.0" : "0.";
  text += std::to_string(hundredths);
  if (text.back() == '0') text.pop_back();
  return text;
}

bool is_share(const OwnField& field) {
  return std::holds_alternative<double WorkloadOptions::*>(field);
}

// As parameters.def has it.
std::string_view name_of(const OwnField& field) {
  return std::ranges::find(own_parameters(), field, &ParameterOption::field)->name;
}

std::string number_text(const OwnParameter& parameter) {
  if (is_share(parameter.field)) return share_text(parameter.standard);
  return std::to_string(static_cast<std::uint32_t>(parameter.standard));
}

// Among how many the distribution chooses; 0 when the workload takes none.
std::uint64_t domain(const WorkloadOptions& options) {
  const WorkloadInfo& row = info(options.workload);
  if (row.users != nullptr) return options.*row.users;
  return row.keys_text.empty() ? 0 : options.keys;
}

Status validate_common(const WorkloadOptions& options) {
  const WorkloadInfo& row = info(options.workload);
  if (options.sessions < 1 || options.sessions > kSessionsMax) {
    return out_of_range("sessions", options.sessions, 1, kSessionsMax);
  }
  if (options.txns > kTxnsMax) return out_of_range("txns", options.txns, 0, kTxnsMax);
  if (!row.ops_text.empty() && (options.ops < 1 || options.ops > kOpsMax)) {
    return out_of_range("ops", options.ops, 1, kOpsMax);
  }
  if (!row.keys_text.empty() && (options.keys < 1 || options.keys > kKeysMax)) {
    return out_of_range("keys", options.keys, 1, kKeysMax);
  }
  if (!row.reads_text.empty() && !(options.reads >= 0 && options.reads <= 1)) {
    return usage_error("--reads must be a share between 0 and 1");
  }
  if (options.fence_every > 0 && !takes_fences(row.workload())) {
    return usage_error("workload " + std::string(row.name) +
                       " takes no --fence-every, which is for transactions of registers and "
                       "lists");
  }
  return ok_status();
}

Status validate_own(const WorkloadOptions& options) {
  for (const OwnParameter& parameter : info(options.workload).own) {
    const std::string_view name = name_of(parameter.field);
    if (const auto* const share = std::get_if<double WorkloadOptions::*>(&parameter.field)) {
      const double value = options.**share;
      if (value >= 0 && value <= 1) continue;
      return usage_error("--" + std::string(name) + " must be a share between 0 and 1");
    }
    const std::uint32_t value =
        options.*std::get<std::uint32_t WorkloadOptions::*>(parameter.field);
    if (value >= parameter.least && value <= parameter.most) continue;
    return out_of_range(name, value, parameter.least, parameter.most);
  }
  return ok_status();
}

std::vector<WorkloadInfo> collect_workloads() {
  std::vector<WorkloadInfo> all;
  for (const Workloads* file : workload_files()) {
    all.insert(all.end(), file->begin(), file->end());
  }
  return all;
}

std::vector<ParameterOption> collect_parameters() {
  std::vector<ParameterOption> all = {
#define PARAMETER(field, option, type, help) {option, help, &WorkloadOptions::field},
#include "gen/parameters.def"
#undef PARAMETER
  };
  for (ParameterOption& parameter : all) {
    std::string takers;
    for (const WorkloadInfo& row : all_workloads()) {
      if (std::ranges::find(row.own, parameter.field, &OwnParameter::field) == row.own.end()) {
        continue;
      }
      takers += (takers.empty() ? "" : ", ") + std::string(row.name);
    }
    parameter.help = takers + ": " + parameter.help;
  }
  return all;
}

}  // namespace

Status out_of_range(std::string_view name, std::uint64_t value, std::uint64_t least,
                    std::uint64_t most) {
  return usage_error("--" + std::string(name) + " " + std::to_string(value) +
                     " is not between " + std::to_string(least) + " and " +
                     std::to_string(most));
}

const std::vector<ParameterOption>& own_parameters() {
  static const std::vector<ParameterOption> kAll = collect_parameters();
  return kAll;
}

std::span<const WorkloadInfo> all_workloads() {
  static const std::vector<WorkloadInfo> kAll = collect_workloads();
  return kAll;
}

const WorkloadInfo& info(Workload workload) {
  const auto row = std::ranges::find(all_workloads(), workload.name(), &WorkloadInfo::name);
  ISOLDE_CHECK(row != all_workloads().end());
  return *row;
}

Result<Workload> parse_workload(std::string_view name) {
  std::vector<std::string_view> names;
  std::string list;
  for (const WorkloadInfo& known : all_workloads()) {
    if (known.name == base::plain_name(name)) return known.workload();
    names.push_back(known.name);
    list += (list.empty() ? "" : ", ") + std::string(known.name);
  }
  if (name.empty()) return usage_error("--workload is missing; use " + list);
  return usage_error("no workload '" + std::string(name) + "'" +
                     base::did_you_mean(base::plain_name(name), names) + "; use " + list);
}

WorkloadOptions default_options(Workload workload) {
  const WorkloadInfo& row = info(workload);
  WorkloadOptions options;
  options.workload = workload;
  options.txns = row.txns;
  options.ops = row.ops;
  options.keys = row.keys;
  options.reads = row.reads;
  options.distribution.kind = row.distribution;
  for (const OwnParameter& parameter : row.own) {
    std::visit(
        [&](const auto field) {
          using Type = std::decay_t<decltype(options.*field)>;
          options.*field = static_cast<Type>(parameter.standard);
        },
        parameter.field);
  }
  return options;
}

std::vector<ParameterInfo> parameters(Workload workload) {
  const WorkloadInfo& row = info(workload);
  const WorkloadOptions options = default_options(workload);
  std::vector<ParameterInfo> result = {
      {"sessions", "clients that work at the same time", std::to_string(options.sessions)},
      {"txns", "transactions to commit, all sessions together", std::to_string(options.txns)},
  };
  const auto add = [&result](std::string_view name, std::string_view text,
                             std::string standard) {
    if (!text.empty()) result.push_back({name, text, std::move(standard)});
  };
  add("ops", row.ops_text, std::to_string(options.ops));
  add("keys", row.keys_text, std::to_string(options.keys));
  add("reads", row.reads_text, share_text(options.reads));
  const bool users = row.users != nullptr;
  if (domain(options) > 0) {
    add("distribution",
        users ? "how accesses spread over the users" : "how accesses spread over the keys",
        to_text(options.distribution));
  }
  for (const OwnParameter& parameter : row.own) {
    add(name_of(parameter.field), parameter.summary, number_text(parameter));
  }
  if (takes_fences(workload)) {
    add("fence-every", "transactions of a session between two fences; 0: there are none", "0");
  }
  result.push_back({"seed",
                    "start of the random numbers; the same seed asks for the same transactions",
                    std::to_string(0)});
  return result;
}

bool takes(Workload workload, std::string_view parameter) {
  const std::vector<ParameterInfo> all = parameters(workload);
  return std::ranges::find(all, parameter, &ParameterInfo::name) != all.end();
}

bool takes_fences(Workload workload) {
  const WorkloadNeeds& needs = info(workload).needs;
  return !needs.compare_and_set && !needs.rows && !needs.tables && !needs.increments;
}

Status validate(const WorkloadOptions& options) {
  if (const Status status = validate_common(options); !status.ok()) return status;
  if (const Status status = validate_own(options); !status.ok()) return status;
  const WorkloadInfo& row = info(options.workload);
  if (row.validate != nullptr) {
    if (const Status status = row.validate(options); !status.ok()) return status;
  }
  const std::uint64_t spread = domain(options);
  return spread == 0 ? ok_status() : validate(options.distribution, spread);
}

}  // namespace isolde::gen
