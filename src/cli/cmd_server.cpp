// isolde server KIND: a private database server until Ctrl-C.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <utility>
#include <vector>

#include "base/printable.hpp"
#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "server/server.hpp"

namespace isolde::cli {
namespace {

/// Set when a thread that does not block them gets one: libraries of databases have threads.
volatile std::sig_atomic_t taken = 0;
extern "C" void isolde_take_stop_signal(int) { taken = 1; }

/// Signals that end the wait, held back so that none of them is lost or ends the program with
/// the folder left behind. Servers do not inherit this.
class StopSignals {
 public:
  StopSignals() {
    sigemptyset(&set_);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set_, number);
    sigprocmask(SIG_BLOCK, &set_, &before_);
    // Shells start programs in the background with SIGINT ignored.
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
      std::signal(number, isolde_take_stop_signal);
    }
  }
  ~StopSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Waits that long for one. Remembers that one came.
  bool came_within(long milliseconds) {
    const timespec time{milliseconds / 1000, milliseconds % 1000 * 1'000'000};
    came_ = came_ || taken != 0 || sigtimedwait(&set_, nullptr, &time) > 0 || taken != 0;
    return came_;
  }

 private:
  sigset_t set_{};
  sigset_t before_{};
  bool came_ = false;
};

class ServerCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& app) override;
  ExitCode run() override;

 private:
  static void list();
  Status read_settings(server::LaunchOptions& options) const;
  void describe(const server::Cluster& cluster) const;

  std::string kind_;
  std::vector<std::string> settings_;
  std::string folder_;
  double timeout_seconds_ = 60;
};

CLI::App* ServerCommand::add_to(CLI::App& app) {
  CLI::App* sub =
      app.add_subcommand("server", "Start a private database server, or list the kinds");
  sub->add_option("kind", kind_, "Which one; without it the kinds are listed")
      ->type_name("KIND");
  sub->add_option("--set", settings_,
                  "Setting of the server, or one of Isolde's: bin (folder of the programs), "
                  "user (to run as, for root), durable (1: fsync), nodes (of a cluster)")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  sub->add_option("--folder", folder_,
                  "Keep data and logs in this new or empty folder; by default they are "
                  "temporary")
      ->type_name("DIR");
  sub->add_option("--timeout", timeout_seconds_, "Give up when it is not ready by then")
      ->type_name("DURATION")
      ->transform(seconds_text(0.1, 1e6))
      ->default_str("60s");
  return sub;
}

void ServerCommand::list() {
  std::size_t name_width = 0;
  std::size_t summary_width = 0;
  for (const server::KindInfo& row : server::all_kinds()) {
    name_width = std::max(name_width, row.name.size());
    summary_width = std::max(summary_width, row.summary.size());
  }
  for (const server::KindInfo& row : server::all_kinds()) {
    const std::string nodes =
        std::to_string(row.nodes) + (row.nodes == 1 ? " node " : " nodes");
    print(padded(row.name, name_width + 2) + padded(row.summary, summary_width + 2) + nodes +
          "  " + std::string(row.packages) + "\n");
  }
}

Status ServerCommand::read_settings(server::LaunchOptions& options) const {
  for (const std::string& setting : settings_) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{ErrorCode::kUsage, "--set " + setting + ": expected NAME=VALUE"};
    }
    options.settings[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
  return ok_status();
}

void ServerCommand::describe(const server::Cluster& cluster) const {
  for (const server::Node& node : cluster.nodes()) {
    std::fprintf(stderr, "%s: %s, process %d\n", node.name.c_str(), node.endpoint.c_str(),
                 static_cast<int>(node.pid));
  }
  std::fprintf(stderr, "data and logs: %s%s\n", base::printable_path(cluster.folder()).c_str(),
               folder_.empty() ? ", removed at the end" : "");
  std::fprintf(stderr, "Ctrl-C or kill %d stops it\n", static_cast<int>(getpid()));
}

ExitCode ServerCommand::run() {
  if (kind_.empty()) {
    list();
    return ExitCode::kSuccess;
  }
  server::LaunchOptions options;
  if (const Status read = read_settings(options); !read) return report(read.error());
  options.folder = folder_;
  options.timeout_seconds = timeout_seconds_;
  StopSignals signals;
  options.cancelled = [&signals] { return signals.came_within(0); };
  const auto cluster = server::Cluster::launch(kind_, options);
  if (!cluster) return report(cluster.error());
  print(base::printable_line((*cluster)->dsn()) + "\n");
  describe(**cluster);
  while (!signals.came_within(200) && !was_interrupted()) {
    if (const Status alive = (*cluster)->check(); !alive) return report(alive.error());
  }
  (*cluster)->stop();
  return ExitCode::kSuccess;
}

}  // namespace

std::unique_ptr<Command> make_server_command() { return std::make_unique<ServerCommand>(); }

}  // namespace isolde::cli
