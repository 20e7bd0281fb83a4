// How far a run is, in one line.
#pragma once

#include <cstdint>
#include <string>

#include "run/executor.hpp"

namespace isolde::cli {

/// "407/s".
std::string rate(std::uint64_t count, double seconds);

/// What has been done, and how long the rest takes. `server_faults`: those that hit servers so
/// far; connections that were cut are in the statistics.
std::string run_progress(const run::RunStatistics& statistics,
                         const run::ExecutorOptions& options, std::uint64_t server_faults);

}  // namespace isolde::cli
