// MariaDB: one server, a primary and replicas, or several that Galera keeps in step.
//
// A replica begins as a copy of the primary's data, made before the primary starts for the
// first time. It connects by TCP, the only way that MariaDB has for it, so the primary listens
// on the loopback address, where it knows one user, whose password is the launch's own. What to
// follow is said at each start, by a file with statements; how far it came is in the replica's
// tables.
//
// Galera nodes join one after the other, since a donor serves one joiner at a time. Only the
// founder's data is made; a node that joins gets a copy (rsync on a port of its own). After a
// crash InnoDB knows how far its data goes, and a run with --wsrep-recover asks it; from there
// the node needs only what it missed, or it can found the cluster anew.
//
// Galera knows no sockets in the file system, so whoever is on this machine reaches its ports.
// Nodes talk by TLS and ask one another for a certificate that only the owner of the launch's
// key can have. MariaDB's script that copies by rsync encrypts by a program that is rarely
// installed, and without it takes files from everybody. So a script of ours makes it find an
// rsync of ours, which makes the real one ask for the launch's password, and tells it.
//
// Nodes tell one another where they listen, and from then on connect there. To be parted, each
// has a way of its own to each port of each other node, and a library that makes its
// connections, and those of the programs that it runs, take these ways (reroute.c).
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <tuple>
#include <utility>

#include "server/folder.hpp"
#include "server/key_pair.hpp"
#include "server/kind.hpp"
#include "server/reroute.hpp"

namespace isolde::server {
namespace {

constexpr std::array<std::string_view, 4> kFolders = {"/usr/sbin", "/usr/bin",
                                                      "/usr/local/sbin", "/usr/local/bin"};
constexpr std::array<std::string_view, 3> kLibraries = {"/usr/lib/galera", "/usr/lib/galera-4",
                                                        "/usr/lib64/galera-4"};
constexpr Program kServer = {"mariadbd", "mariadb-server", kFolders};
constexpr Program kInstaller = {"mariadb-install-db", "mariadb-server", kFolders};
constexpr std::array<Program, 2> kPrograms = {kServer, kInstaller};
constexpr std::array<Program, 4> kGaleraPrograms = {
    kServer, kInstaller, Program{"libgalera_smm.so", "galera-4", kLibraries},
    Program{"rsync", "rsync", kFolders}};
constexpr std::array<std::string_view, 16> kReserved = {"port",
                                                        "bind-address",
                                                        "socket",
                                                        "datadir",
                                                        "tmpdir",
                                                        "pid-file",
                                                        "user",
                                                        "log-error",
                                                        "skip-networking",
                                                        "wsrep-on",
                                                        "wsrep-provider",
                                                        "wsrep-cluster-address",
                                                        "wsrep-node-address",
                                                        "wsrep-node-name",
                                                        "wsrep-sst-receive-address",
                                                        "wsrep-sst-method"};

/// Beginnings of names of provider options that the launcher depends on.
constexpr std::array<std::string_view, 7> kReservedOfProvider = {
    "base_host", "base_port",      "gmcast.listen_addr", "gmcast.mcast_addr",
    "ist.recv_", "socket.dynamic", "socket.ssl"};

constexpr std::array<std::string_view, 2> kSystemFolders = {"/bin", "/usr/bin"};
constexpr std::array<Program, 3> kReplicaPrograms = {
    kServer, kInstaller, Program{"cp", "coreutils", kSystemFolders}};

/// Turns fsync into nothing; on a busy disk it is four fifths of the time to make a data
/// folder.
constexpr std::string_view kNoSync = "--debug-no-sync";

/// Places of a Galera node's ports.
enum Port : std::size_t { kGroup, kCopy, kCatchUp };
constexpr std::size_t kOwnPorts = 3;

std::string data_of(const Plan& plan, std::size_t node) {
  return plan.sites[node].folder + "/data";
}

std::string address(const Site& site, Port port) {
  return "127.0.0.1:" + std::to_string(site.ports[port]);
}

bool same_option(std::string_view a, std::string_view b) {
  const auto equal = [](unsigned char x, unsigned char y) {
    return (x == '_' ? '-' : std::tolower(x)) == (y == '_' ? '-' : std::tolower(y));
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), equal);
}

class MariaDb : public Kind {
 public:
  const KindInfo& info() const override {
    static constexpr KindInfo kInfo = {"mariadb", "MariaDB, one server", "mariadb-server", 1,
                                       false};
    return kInfo;
  }
  std::span<const Program> programs() const override { return kPrograms; }
  std::span<const std::string_view> reserved() const override { return kReserved; }
  std::string_view user() const override { return "mysql"; }

  std::vector<Command> create(const Plan& plan, std::size_t node) const override {
    std::vector<std::string> argv = {plan.programs.at("mariadb-install-db"),
                                     "--no-defaults",
                                     "--datadir=" + data_of(plan, node),
                                     "--skip-test-db",
                                     "--skip-log-bin",
                                     "--skip-name-resolve",
                                     "--auth-root-authentication-method=normal",
                                     "--innodb-log-file-size=32M"};
    if (!plan.durable) argv.emplace_back(kNoSync);
    return {command(plan, node, std::move(argv))};
  }

  /// A database is a folder; making it so needs no client.
  Status arrange(const Plan& plan, std::size_t node) const override {
    const std::string folder = data_of(plan, node) + "/isolde";
    const Status made = make_folder(folder, plan.owner);
    if (!made) return made;
    return write_file(folder + "/db.opt",
                      "default-character-set=utf8mb4\n"
                      "default-collation=utf8mb4_general_ci\n",
                      plan.owner);
  }

  Command start(const Plan& plan, std::size_t node, Role) const override {
    std::vector<std::string> argv = options(plan, node);
    argv.emplace_back("--skip-log-bin");
    for (const auto& [name, value] : plan.settings) argv.push_back("--" + name + "=" + value);
    return command(plan, node, std::move(argv));
  }

  /// It lets nobody in before.
  bool serves(db::Session&) const override { return true; }

  std::string endpoint(const Plan& plan, std::size_t node) const override {
    return plan.sites[node].folder + "/sql.sock";
  }

  std::string dsn(const Plan&, const std::string& endpoints) const override {
    // No password, and none of the user's option files.
    return "mariadb://root:@" + endpoints + "/isolde";
  }

 protected:
  std::vector<std::string> options(const Plan& plan, std::size_t node) const {
    const Site& site = plan.sites[node];
    // 2: written at commit. 0 would lose commits with the process.
    const std::string flush = plan.durable ? "1" : "2";
    std::vector<std::string> argv = {plan.programs.at("mariadbd"),
                                     "--no-defaults",
                                     "--datadir=" + data_of(plan, node),
                                     "--tmpdir=" + site.folder,
                                     "--socket=" + endpoint(plan, node),
                                     "--pid-file=" + site.folder + "/pid",
                                     "--skip-networking",
                                     "--skip-name-resolve",
                                     "--character-set-server=utf8mb4",
                                     "--innodb-flush-log-at-trx-commit=" + flush,
                                     "--innodb-buffer-pool-size=64M",
                                     "--innodb-log-file-size=32M",
                                     "--max-connections=500"};
    if (!plan.durable) argv.emplace_back(kNoSync);
    return argv;
  }
};

class MariaDbReplica final : public MariaDb {
 public:
  const KindInfo& info() const override {
    static constexpr KindInfo kInfo = {"mariadb-replica",
                                       "MariaDB, a primary and replicas",
                                       "mariadb-server",
                                       2,
                                       true,
                                       true,
                                       true};
    return kInfo;
  }
  std::span<const Program> programs() const override { return kReplicaPrograms; }
  std::span<const std::string_view> reserved() const override {
    static const std::vector<std::string_view> kAll =
        with_names(kReserved, {"server-id", "log-bin", "skip-log-bin", "relay-log", "read-only",
                               "init-file", "skip-slave-start", "binlog-format"});
    return kAll;
  }
  std::size_t ports(const Plan&) const override { return 1; }
  bool one_by_one() const override { return true; }

  std::vector<Command> create(const Plan& plan, std::size_t node) const override {
    if (node == 0) return MariaDb::create(plan, node);
    return {command(plan, node,
                    {plan.programs.at("cp"), "-R", data_of(plan, 0), data_of(plan, node)})};
  }

  Status arrange(const Plan& plan, std::size_t node) const override {
    if (node == 0) {
      if (const Status made = MariaDb::arrange(plan, node); !made) return made;
    }
    return write_file(statements_file(plan, node),
                      node == 0 ? statements_of_primary(plan)
                                : statements_of_replica(plan, plan.proxied ? node : 0),
                      plan.owner);
  }

  Command start(const Plan& plan, std::size_t node, Role) const override {
    std::vector<std::string> argv = options(plan, node);
    const auto add = [&argv](std::initializer_list<std::string> more) {
      argv.insert(argv.end(), more);
    };
    add({"--server-id=" + std::to_string(node + 1),
         "--init-file=" + statements_file(plan, node)});
    if (node == 0) {
      add({"--skip-networking=0", "--bind-address=127.0.0.1",
           "--port=" + std::to_string(plan.sites[0].ports[0]), "--log-bin=binlog",
           "--binlog-format=ROW", plan.durable ? "--sync-binlog=1" : "--sync-binlog=0"});
    } else {
      add({"--skip-log-bin", "--relay-log=relay", "--read-only=1", "--skip-slave-start"});
    }
    for (const auto& [name, value] : plan.settings) add({"--" + name + "=" + value});
    return command(plan, node, std::move(argv));
  }

  std::vector<Link> links(const Plan& plan) const override {
    std::vector<Link> result;
    for (std::size_t i = 1; i < plan.sites.size(); ++i) {
      result.push_back({std::to_string(plan.sites[i].ports[0]),
                        std::to_string(plan.sites[0].ports[0]), 0, i});
    }
    return result;
  }

  /// A replica lets clients in before it has found the primary.
  bool serves(db::Session& session) const override {
    // A subquery of two rows is an error.
    return session
        .statement(
            "SELECT IF(NOT @@global.read_only OR (SELECT VARIABLE_VALUE FROM "
            "information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'SLAVE_RUNNING') = 'ON', "
            "1, "
            "(SELECT 1 UNION SELECT 2))")
        .ok();
  }

 private:
  static std::string statements_file(const Plan& plan, std::size_t node) {
    return plan.sites[node].folder + "/start.sql";
  }

  /// Runs before anybody can connect. Names are not resolved, so users at "localhost" come by
  /// the socket.
  static std::string statements_of_primary(const Plan& plan) {
    return "SET sql_log_bin = 0;\n"
           "DROP USER IF EXISTS root@'127.0.0.1', root@'::1';\n"
           "CREATE USER IF NOT EXISTS replica@'127.0.0.1' IDENTIFIED BY '" +
           plan.secret +
           "';\n"
           "GRANT REPLICATION SLAVE ON *.* TO replica@'127.0.0.1';\n";
  }

  /// `site`: whose port leads to the primary.
  static std::string statements_of_replica(const Plan& plan, std::size_t site) {
    return "CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=" +
           std::to_string(plan.sites[site].ports[0]) +
           ", MASTER_USER='replica', MASTER_PASSWORD='" + plan.secret +
           "', MASTER_USE_GTID=slave_pos, MASTER_CONNECT_RETRY=1;\n"
           "START SLAVE;\n";
  }
};

class Galera : public MariaDb {
 public:
  const KindInfo& info() const override {
    static constexpr KindInfo kInfo = {
        "galera", "MariaDB, a Galera cluster", "mariadb-server galera-4 rsync", 3, true, false,
        true};
    return kInfo;
  }
  std::span<const Program> programs() const override { return kGaleraPrograms; }
  /// Its own, and one for each of each other node's, where that is for it.
  std::size_t ports(const Plan& plan) const override {
    return plan.proxied ? kOwnPorts * plan.sites.size() : kOwnPorts;
  }
  bool one_by_one() const override { return true; }

  Status check_setting(const std::string& name, const std::string& value) const override {
    if (!same_option(name, "wsrep-provider-options")) return ok_status();
    for (std::string_view rest = value; !rest.empty();) {
      const std::string_view option = rest.substr(0, rest.find(';'));
      rest.remove_prefix(std::min(option.size() + 1, rest.size()));
      const std::size_t begin = std::min(option.find_first_not_of(" \t"), option.size());
      const std::string_view own =
          option.substr(begin, option.find_first_of(" \t=", begin) - begin);
      for (const std::string_view reserved : kReservedOfProvider) {
        if (!own.starts_with(reserved)) continue;
        return Error{ErrorCode::kUsage, "the setting " + name + " of galera cannot set " +
                                            std::string(own) + ": Isolde sets it itself"};
      }
    }
    return ok_status();
  }

  std::vector<Command> create(const Plan& plan, std::size_t node) const override {
    if (node == 0) return MariaDb::create(plan, node);
    return {};
  }

  Status arrange(const Plan& plan, std::size_t node) const override {
    if (node == 0) {
      if (const Status written = write_key(plan); !written) return written;
    }
    Status made = write_programs(plan, node);
    if (made && plan.proxied) made = write_library(plan, node);
    if (!made) return made;
    if (node == 0) return MariaDb::arrange(plan, node);
    return make_folder(data_of(plan, node), plan.owner);
  }

  std::optional<Command> recover(const Plan& plan, std::size_t node) const override {
    Command result = start(plan, node, Role::kMember);
    result.argv.emplace_back("--wsrep-recover");
    result.log = recovery_log(plan, node);
    return result;
  }

  std::int64_t position(const Plan& plan, std::size_t node) const override {
    const std::string text = recovered_position(plan, node);
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos) return -1;
    std::int64_t number = -1;
    std::from_chars(text.data() + colon + 1, text.data() + text.size(), number);
    return number;
  }

  Status rearrange(const Plan& plan, std::size_t node, Role role) const override {
    // What the node remembers of its last group; it would wait for that group to come back, and
    // not find it when the others have agreed on a new one without it.
    const std::string data = data_of(plan, node);
    remove_all(data + "/gvwstate.dat");
    if (role == Role::kMember) return ok_status();
    const std::string position = recovered_position(plan, node);
    const std::size_t colon = position.rfind(':');
    if (colon == std::string::npos) return ok_status();
    return write_file(
        data + "/grastate.dat",
        "# GALERA saved state\nversion: 2.1\nuuid:    " + position.substr(0, colon) +
            "\nseqno:   " + position.substr(colon + 1) + "\nsafe_to_bootstrap: 1\n",
        plan.owner);
  }

  /// A port that somebody took: the copying script does not tell of it.
  std::string said_elsewhere(const Plan& plan, std::size_t node) const override {
    constexpr std::string_view kMark = "bind() failed";
    const std::string log = read_file(rsync_log(plan, node));
    const std::size_t at = log.rfind(kMark);
    return at == std::string::npos ? "" : "rsync: " + log.substr(at, log.find('\n', at) - at);
  }

  Command start(const Plan& plan, std::size_t node, Role role) const override {
    std::vector<std::string> argv = options(plan, node);
    for (std::string& option : cluster_options(plan, node)) argv.push_back(std::move(option));
    for (const auto& [name, value] : plan.settings) {
      if (same_option(name, "wsrep-provider-options")) continue;
      argv.push_back("--" + name + "=" + value);
    }
    if (role == Role::kFounder) argv.emplace_back("--wsrep-new-cluster");
    const std::string position = recovered_position(plan, node);
    if (!position.empty()) argv.push_back("--wsrep-start-position=" + position);
    Command server = command(plan, node, std::move(argv));
    server.programs = programs_of(plan, node);
    if (plan.proxied) {
      server.preloads.push_back(reroute_file(plan, node));
      server.variables.push_back(reroute_variable(ways_of(plan, node)));
    }
    return server;
  }

  std::vector<Link> links(const Plan& plan) const override {
    std::vector<Link> result;
    for (std::size_t from = 0; from < plan.sites.size(); ++from) {
      for (std::size_t to = 0; to < plan.sites.size(); ++to) {
        if (from == to) continue;
        for (const auto& [port, way] : ways_between(plan, from, to)) {
          result.push_back({std::to_string(way), std::to_string(port), to, from});
        }
      }
    }
    return result;
  }

  bool serves(db::Session& session) const override {
    // A subquery of two rows is an error.
    return session
               .statement(
                   "SELECT IF((SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS "
                   "WHERE VARIABLE_NAME = 'wsrep_local_state_comment') = 'Synced', 1, "
                   "(SELECT 1 UNION SELECT 2))")
               .ok() &&
           // A node that was paused still thinks so when the others have shut it out. This one
           // asks the group.
           session.statement("SET STATEMENT wsrep_sync_wait=1 FOR SELECT 1").ok();
  }

 private:
  // ---- ways that can be cut

  /// The ports of the node `to` -> those by which the node `from` reaches them.
  static std::map<std::uint16_t, std::uint16_t> ways_between(const Plan& plan, std::size_t from,
                                                             std::size_t to) {
    // A node has no way to itself.
    const std::size_t place = kOwnPorts * (to < from ? to + 1 : to);
    std::map<std::uint16_t, std::uint16_t> result;
    for (std::size_t i = 0; i < kOwnPorts; ++i) {
      result[plan.sites[to].ports[i]] = plan.sites[from].ports[place + i];
    }
    return result;
  }

  static std::map<std::uint16_t, std::uint16_t> ways_of(const Plan& plan, std::size_t node) {
    std::map<std::uint16_t, std::uint16_t> result;
    for (std::size_t to = 0; to < plan.sites.size(); ++to) {
      if (to != node) result.merge(ways_between(plan, node, to));
    }
    return result;
  }

  static std::string reroute_file(const Plan& plan, std::size_t node) {
    return programs_of(plan, node) + "/reroute.so";
  }

  static Status write_library(const Plan& plan, std::size_t node) {
    const std::string path = reroute_file(plan, node);
    // Both part the names of libraries that are to be preloaded.
    if (path.find_first_of(" :") != std::string::npos) {
      return Error{ErrorCode::kUsage,
                   "the nodes of a Galera cluster cannot be parted in " + plan.folder +
                       ", since its path has a blank or a colon; choose another folder"};
    }
    return write_file(path, reroute_library(), plan.owner, FileKind::kProgram);
  }

  static std::string recovery_log(const Plan& plan, std::size_t node) {
    return plan.sites[node].folder + ".recovery.log";
  }

  /// "uuid:number", from the last recovery; empty when there was none.
  static std::string recovered_position(const Plan& plan, std::size_t node) {
    constexpr std::string_view kMark = "Recovered position: ";
    const std::string log = read_file(recovery_log(plan, node));
    const std::size_t at = log.rfind(kMark);
    if (at == std::string::npos) return {};
    const std::size_t begin = at + kMark.size();
    return log.substr(begin, log.find_first_of(" \r\n", begin) - begin);
  }

  // ---- what keeps others out

  static constexpr std::string_view kKey = "group.key";
  static constexpr std::string_view kCertificate = "group.pem";
  static constexpr std::string_view kCopying = "isolde";

  static std::string rsync_log(const Plan& plan, std::size_t node) {
    return plan.sites[node].folder + "/rsync.log";
  }
  static std::string programs_of(const Plan& plan, std::size_t node) {
    return plan.sites[node].folder + "/bin";
  }

  static Status write_key(const Plan& plan) {
    const Result<KeyPair> pair = make_key_pair();
    if (!pair) return pair.error();
    const std::string folder = plan.sites.front().folder + "/";
    const Status written = write_file(folder + std::string(kKey), pair->key, plan.owner);
    if (!written) return written;
    return write_file(folder + std::string(kCertificate), pair->certificate, plan.owner);
  }

  /// The script that a server runs to copy, and the rsync which that finds. The server looks
  /// for programs beside its own first, so the script has a name of its own: without it nothing
  /// is copied.
  static Status write_programs(const Plan& plan, std::size_t node) {
    const std::string folder = programs_of(plan, node);
    const std::string script = folder + "/wsrep_sst_" + std::string(kCopying);
    const std::string secrets = folder + "/secrets";
    const std::string real = in_shell(plan.programs.at("rsync"));
    const std::string in_folder = in_shell(folder);
    const std::vector<std::tuple<std::string, std::string, FileKind>> files = {
        {secrets, "galera:" + plan.secret + "\n", FileKind::kData},
        {script, "#!/bin/sh\nPATH=" + in_folder + ":$PATH exec wsrep_sst_rsync \"$@\"\n",
         FileKind::kProgram},
        {folder + "/rsync",
         "#!/bin/sh\n"
         "USER=galera RSYNC_PASSWORD=" +
             plan.secret +
             "\n"
             "export USER RSYNC_PASSWORD\n"
             "case $1 in --daemon)\n"
             "  set -- \"$@\" --dparam='auth users=galera' --dparam=" +
             in_shell("secrets file=" + secrets) +
             " --log-file=" + in_shell(rsync_log(plan, node)) +
             " ;;\n"
             "esac\n"
             "exec " +
             real + " \"$@\"\n",
         FileKind::kProgram}};
    Status done = make_folder(folder, plan.owner);
    for (const auto& [path, content, kind] : files) {
      if (done) done = write_file(path, content, plan.owner, kind);
    }
    if (done && access(script.c_str(), X_OK) != 0) {
      done = Error{ErrorCode::kEnvironment,
                   "no programs can be run in " + folder +
                       ", as the nodes of a Galera cluster must; choose a folder of another "
                       "file system"};
    }
    return done;
  }

  static std::string in_shell(const std::string& text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? "'\\''" : std::string(1, c);
    return result + "'";
  }

  // ---- options

  static std::vector<std::string> cluster_options(const Plan& plan, std::size_t node) {
    const Site& site = plan.sites[node];
    std::string members;
    for (const Site& member : plan.sites) {
      members += (members.empty() ? "" : ",") + address(member, kGroup);
    }
    return {"--binlog-format=ROW", "--default-storage-engine=InnoDB",
            "--innodb-autoinc-lock-mode=2",
            // With the usual 50 s, SERIALIZABLE on several nodes stalls for as long: the thread
            // that applies other nodes' writes waits for readers' locks.
            "--innodb-lock-wait-timeout=1", "--wsrep-on=ON",
            "--wsrep-provider=" + plan.programs.at("libgalera_smm.so"),
            "--wsrep-cluster-name=isolde", "--wsrep-cluster-address=gcomm://" + members,
            "--wsrep-node-name=" + site.name, "--wsrep-node-address=" + address(site, kGroup),
            "--wsrep-sst-method=" + std::string(kCopying),
            "--wsrep-sst-receive-address=" + address(site, kCopy),
            "--wsrep-provider-options=" + provider_options(plan, site)};
  }

  /// As a server names it, which works in its data folder. A whole path may have = in it, for
  /// which provider options know no way.
  static std::string in_founder(const Plan& plan, std::string_view file) {
    return "../../" + plan.sites.front().name + "/" + std::string(file);
  }

  static std::string provider_options(const Plan& plan, const Site& site) {
    // A lost node is missed after 2 s in place of 5: runs are short and the network is fast.
    std::string options =
        "base_host=127.0.0.1;base_port=" + std::to_string(site.ports[kGroup]) +
        ";gmcast.listen_addr=ssl://" + address(site, kGroup) +
        ";ist.recv_addr=" + address(site, kCatchUp) +
        ";socket.ssl=YES;socket.ssl_key=" + in_founder(plan, kKey) +
        ";socket.ssl_cert=" + in_founder(plan, kCertificate) +
        ";socket.ssl_ca=" + in_founder(plan, kCertificate) +
        ";gcache.size=32M;evs.keepalive_period=PT0.3S"
        ";evs.inactive_check_period=PT0.3S;evs.join_retrans_period=PT0.3S"
        ";evs.suspect_timeout=PT2S;evs.inactive_timeout=PT6S";
    for (const auto& [name, value] : plan.settings) {
      if (same_option(name, "wsrep-provider-options")) options += ";" + value;
    }
    return options;
  }
};

}  // namespace

const Kind& mariadb_kind() {
  static const MariaDb kKind;
  return kKind;
}

const Kind& mariadb_replica_kind() {
  static const MariaDbReplica kKind;
  return kKind;
}

const Kind& galera_kind() {
  static const Galera kKind;
  return kKind;
}

}  // namespace isolde::server
