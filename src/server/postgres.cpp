// PostgreSQL, any version: initdb, then the server in the foreground; or a primary and
// streaming replicas.
//
// A replica begins as a copy of the primary's data, made before the primary starts for the
// first time: what was shut down properly (initdb does) is a backup without further ado. It
// connects to the primary by the primary's socket, under the name of its node, by which
// synchronous_standby_names knows it. It asks for what it missed, so the primary keeps that.
//
// initdb and postgres refuse to run as root. After a SIGKILL of all processes the server finds
// and removes its old shared memory at the next start; if there is none, clean_up() does.
#include <sys/ipc.h>
#include <sys/shm.h>

#include <array>
#include <csignal>
#include <cstdlib>
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

constexpr std::array<std::string_view, 2> kSystemFolders = {"/bin", "/usr/bin"};
constexpr std::array<Program, 4> kReplicaPrograms = {
    Program{"postgres", "postgresql", kFolders}, Program{"initdb", "postgresql", kFolders},
    Program{"cp", "coreutils", kSystemFolders}, Program{"rm", "coreutils", kSystemFolders}};
/// wal_keep_size and the file standby.signal.
constexpr int kFirstVersionWithReplicas = 13;

/// Of clients that are not told another one.
constexpr int kPort = 5432;

std::string data_of(const Plan& plan, std::size_t node) {
  return plan.sites[node].folder + "/data";
}

/// A value in a connection string.
std::string quoted(const std::string& value) {
  std::string result = "'";
  for (const char c : value) result += (c == '\'' || c == '\\' ? "\\" : "") + std::string(1, c);
  return result + "'";
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
    const auto add = [&argv](const std::string& option) {
      argv.insert(argv.end(), {"-c", option});
    };
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
      add(option);
    }
    for (const std::string& option : more_options(plan, node)) add(option);
    for (const auto& [name, value] : plan.settings) add(name + "=" + value);
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

  std::string dsn(const Plan&, const std::string& endpoints) const override {
    return "postgres://postgres@" + endpoints + "/postgres";
  }

 protected:
  virtual std::vector<std::string> more_options(const Plan&, std::size_t) const { return {}; }
};

class PostgresReplica final : public Postgres {
 public:
  const KindInfo& info() const override {
    static constexpr KindInfo kInfo = {"postgres-replica",
                                       "PostgreSQL, a primary and streaming replicas",
                                       "postgresql",
                                       2,
                                       true,
                                       true,
                                       true,
                                       true};
    return kInfo;
  }
  std::span<const Program> programs() const override { return kReplicaPrograms; }
  std::span<const std::string_view> reserved() const override {
    static const std::vector<std::string_view> kAll = with_names(
        kReserved, {"primary-conninfo", "primary-slot-name", "hot-standby", "wal-keep-size"});
    return kAll;
  }
  bool one_by_one() const override { return true; }

  std::vector<Command> create(const Plan& plan, std::size_t node) const override {
    if (node == 0) return Postgres::create(plan, node);
    return {command(plan, node,
                    {plan.programs.at("cp"), "-R", data_of(plan, 0), data_of(plan, node)})};
  }

  Status arrange(const Plan& plan, std::size_t node) const override {
    const std::string version = read_file(data_of(plan, 0) + "/PG_VERSION");
    if (std::atoi(version.c_str()) < kFirstVersionWithReplicas) {
      return usage_error("postgres-replica needs PostgreSQL " +
                         std::to_string(kFirstVersionWithReplicas) + " or later; this is " +
                         version.substr(0, version.find('\n')));
    }
    if (node == 0) return ok_status();
    if (const Status made = make_folder(proxy_folder(plan, node), plan.owner); !made)
      return made;
    return write_file(data_of(plan, node) + "/standby.signal", "", plan.owner);
  }

  /// Without the file that makes it a replica, a server goes on where it has come to.
  std::vector<Command> take_over(const Plan& plan) const override {
    const std::string& rm = plan.programs.at("rm");
    return {
        command(plan, 0, {rm, "-rf", data_of(plan, 0)}),
        command(plan, 0, {plan.programs.at("cp"), "-R", data_of(plan, 1), data_of(plan, 0)}),
        command(plan, 0,
                {rm, "-f", data_of(plan, 0) + "/standby.signal",
                 data_of(plan, 0) + "/postmaster.pid"})};
  }

  std::vector<Link> links(const Plan& plan) const override {
    const std::string name = "/.s.PGSQL." + std::to_string(kPort);
    std::vector<Link> result;
    for (std::size_t i = 1; i < plan.sites.size(); ++i) {
      result.push_back({proxy_folder(plan, i) + name, endpoint(plan, 0) + name, 0, i});
    }
    return result;
  }

  /// A replica lets clients in before it has found the primary.
  bool serves(db::Session& session) const override {
    return session
        .statement(
            "SELECT 1 / (NOT pg_is_in_recovery() OR EXISTS (SELECT FROM pg_stat_wal_receiver "
            "WHERE status = 'streaming'))::int")
        .ok();
  }

 protected:
  std::vector<std::string> more_options(const Plan& plan, std::size_t node) const override {
    // Replicas that were away find what they missed, for any fault of our time.
    std::vector<std::string> options = {"wal_keep_size=512MB"};
    if (node == 0) return options;
    options.push_back("primary_conninfo=host=" +
                      quoted(plan.proxied ? proxy_folder(plan, node) : endpoint(plan, 0)) +
                      " port=" + std::to_string(kPort) +
                      " user=postgres application_name=" + plan.sites[node].name);
    // The primary comes back sooner than after the usual 5 s.
    options.emplace_back("wal_retrieve_retry_interval=100ms");
    return options;
  }

 private:
  /// Of the socket by which the replica finds the primary, if not by the primary's own.
  static std::string proxy_folder(const Plan& plan, std::size_t node) {
    return plan.sites[node].folder + "/primary";
  }
};

}  // namespace

const Kind& postgres_kind() {
  static const Postgres kKind;
  return kKind;
}

const Kind& postgres_replica_kind() {
  static const PostgresReplica kKind;
  return kKind;
}

}  // namespace isolde::server
