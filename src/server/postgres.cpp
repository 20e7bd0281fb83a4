// PostgreSQL, any version: initdb, then the server in the foreground.
//
// initdb and postgres refuse to run as root. After a SIGKILL of all processes the server finds
// and removes its old shared memory at the next start; if there is none, clean_up() does.
#include <sys/ipc.h>
#include <sys/shm.h>

#include <array>
#include <csignal>
#include <sstream>

#include "server/folder.hpp"
#include "server/kind.hpp"

namespace isolde::server {
namespace {

constexpr std::array<std::string_view, 2> kFolders = {"/usr/lib/postgresql/*/bin",
                                                      "/usr/local/pgsql/bin"};
constexpr std::array<Program, 2> kPrograms = {Program{"postgres", "postgresql", kFolders},
                                              Program{"initdb", "postgresql", kFolders}};
constexpr std::array<std::string_view, 9> kReserved = {
    "port",        "listen-addresses",  "unix-socket-directories",
    "config-file", "data-directory",    "hba-file",
    "ident-file",  "external-pid-file", "dynamic-shared-memory-type"};

/// Of clients that are not told another one.
constexpr int kPort = 5432;

std::string data_of(const Plan& plan, std::size_t node) {
  return plan.sites[node].folder + "/data";
}

class Postgres : public Kind {
 public:
  const KindInfo& info() const override {
    static constexpr KindInfo kInfo = {"postgres", "PostgreSQL", "postgresql", 1, false};
    return kInfo;
  }
  std::span<const Program> programs() const override { return kPrograms; }
  std::span<const std::string_view> reserved() const override { return kReserved; }
  std::string_view user() const override { return "postgres"; }
  // "Immediate shutdown": takes backends and shared memory along, unlike SIGKILL.
  int quick_stop() const override { return SIGQUIT; }
  // "Fast shutdown": does not wait for clients to leave.
  int clean_stop() const override { return SIGINT; }

  std::vector<Command> create(const Plan& plan, std::size_t node) const override {
    return {command(plan, node,
                    {plan.programs.at("initdb"), "-D", data_of(plan, node), "--no-sync",
                     "--auth-local=trust", "--auth-host=reject", "-U", "postgres", "-E", "UTF8",
                     "--locale=C"})};
  }

  Command start(const Plan& plan, std::size_t node, Role) const override {
    std::vector<std::string> argv = {plan.programs.at("postgres"), "-D", data_of(plan, node)};
    // With fsync off, a commit is still written before it is acknowledged. So would not
    // synchronous_commit=off, which loses commits with the process.
    const std::string sync = plan.durable ? "on" : "off";
    for (const std::string& option :
         {"port=" + std::to_string(kPort), std::string("listen_addresses="),
          "unix_socket_directories=" + endpoint(plan, node),
          // In files of the data folder, since /dev/shm would keep them after a SIGKILL.
          std::string("dynamic_shared_memory_type=mmap"), "fsync=" + sync,
          "full_page_writes=" + sync,
          // Workloads with few keys deadlock often, and wait a second each time by default.
          std::string("deadlock_timeout=20ms")}) {
      argv.insert(argv.end(), {"-c", option});
    }
    for (const auto& [name, value] : plan.settings) {
      argv.insert(argv.end(), {"-c", name + "=" + value});
    }
    Command server = command(plan, node, std::move(argv));
    server.death_signal = quick_stop();
    return server;
  }

  /// It lets nobody in before.
  bool serves(db::Session&) const override { return true; }

  /// A segment of a few bytes tells starting servers that old processes still run. Its number
  /// is in the seventh line of the pid file.
  void clean_up(const Plan& plan, std::size_t node, pid_t pid) const override {
    std::istringstream lines(read_file(data_of(plan, node) + "/postmaster.pid"));
    std::string line;
    for (int i = 0; i < 7; ++i) std::getline(lines, line);
    std::istringstream numbers(line);
    unsigned long key = 0;
    int segment = -1;
    if (!(numbers >> key >> segment)) return;
    shmid_ds status{};
    if (shmctl(segment, IPC_STAT, &status) != 0) return;
    if (status.shm_cpid == pid && status.shm_nattch == 0) shmctl(segment, IPC_RMID, nullptr);
  }

  /// The folder of the socket, whose name has the port in it.
  std::string endpoint(const Plan& plan, std::size_t node) const override {
    return plan.sites[node].folder;
  }

  std::string dsn(const std::string& endpoints) const override {
    return "postgres://postgres@" + endpoints + "/postgres";
  }
};

}  // namespace

const Kind& postgres_kind() {
  static const Postgres kKind;
  return kKind;
}

}  // namespace isolde::server
