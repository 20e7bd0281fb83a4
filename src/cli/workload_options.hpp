// Options that say which workload to run: the same ones for a simulated database (gen) and for
// a real one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/cli11.hpp"
#include "gen/workload.hpp"
#include "isolde/status.hpp"

namespace isolde::cli {

struct WorkloadArguments {
  std::string workload;
  std::optional<std::uint32_t> sessions;
  std::optional<std::uint64_t> txns;
  std::optional<std::uint32_t> ops;
  std::optional<std::uint64_t> keys;
  std::optional<double> reads;
  std::optional<std::string> distribution;
  std::optional<std::uint32_t> appends_per_key;
  std::optional<std::uint32_t> writes_per_key;
  std::optional<double> inserts;
  std::optional<std::uint32_t> values;
  std::optional<std::uint32_t> users;
  std::optional<std::uint32_t> items;
  std::optional<std::uint32_t> warehouses;
  std::optional<std::uint32_t> customers;
  std::uint64_t seed = 0;

  /// --workload and all of its parameters.
  void add_to(CLI::App& app);
  bool given() const { return !workload.empty(); }

  /// The workload's defaults, changed by what was given. ERRORS: kUsage for an unknown name or
  /// a parameter that the workload does not take; not for values that do not fit, which
  /// gen::validate() names.
  Result<gen::WorkloadOptions> options() const;

 private:
  Status refuse_foreign(gen::Workload chosen) const;
};

}  // namespace isolde::cli
