// Options that say which workload to run: the same ones for a simulated database (gen) and for
// a real one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/cli11.hpp"
#include "gen/workload.hpp"
#include "isolde/status.hpp"

namespace isolde::cli {

struct WorkloadArguments {
  std::string workload;

  /// --workload and all of its parameters. The parser keeps references into this object.
  void add_to(CLI::App& app);
  bool given() const { return !workload.empty(); }

  /// The workload's defaults, changed by what was given. ERRORS: kUsage for an unknown name or
  /// a parameter that the workload does not take; not for values that do not fit, which
  /// gen::validate() names.
  Result<gen::WorkloadOptions> options() const;

 private:
  gen::WorkloadOptions values_;                 ///< of parameters that were given
  std::vector<const CLI::Option*> parameters_;  ///< in the order of the table
  std::optional<std::string> distribution_;
};

}  // namespace isolde::cli
