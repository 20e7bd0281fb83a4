#include "cli/run_progress.hpp"

#include "base/text.hpp"
#include "cli/progress.hpp"

namespace isolde::cli {
namespace {

/// A time that was given is known, that of a number of commits is estimated.
std::string rest(const run::RunStatistics& statistics, const run::ExecutorOptions& options) {
  if (options.duration_seconds > 0) {
    return rest_of_time(options.duration_seconds - statistics.seconds);
  }
  if (options.workload.txns == 0) return {};
  return rest_of_work(statistics.seconds, static_cast<double>(statistics.committed) /
                                              static_cast<double>(options.workload.txns));
}

}  // namespace

std::string rate(std::uint64_t count, double seconds) {
  return base::grouped(static_cast<std::uint64_t>(
             seconds > 0 ? static_cast<double>(count) / seconds : 0)) +
         "/s";
}

std::string run_progress(const run::RunStatistics& statistics,
                         const run::ExecutorOptions& options, std::uint64_t server_faults) {
  std::string text =
      statistics.ending ? std::string("ending") : "running" + rest(statistics, options);
  text += ": " + base::grouped(statistics.committed) + " committed (" +
          rate(statistics.committed, statistics.seconds) + "), " +
          base::grouped(statistics.aborted) + " aborted";
  const std::uint64_t faults = server_faults + statistics.cuts;
  if (faults > 0) text += ", " + base::plural(faults, "fault");
  if (statistics.unknown > 0) text += ", " + base::grouped(statistics.unknown) + " unknown";
  if (statistics.reconnects > 0) {
    text += ", " + base::plural(statistics.reconnects, "reconnect");
  }
  return text;
}

}  // namespace isolde::cli
