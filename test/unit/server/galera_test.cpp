// Goal: a Galera cluster is private: nobody joins it, nor reads or writes what its nodes copy,
// who does not have the launch's key or password, though its ports are open to the machine.
// Method: strangers at the ports of real clusters: bare sockets, OpenSSL's client, a node of
// another cluster, rsync. Each is tried with what lets one in, too.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <regex>
#include <sstream>
#include <thread>

#include "server/folder.hpp"
#include "server/process.hpp"
#include "server/server.hpp"
#include "support/seed.hpp"
#include "unit/server/test_processes.hpp"

namespace isolde::server {
namespace {

/// What a shell command prints, whatever its exit code.
std::string printed_by(const std::string& command) {
  FILE* pipe = popen(("exec 2>&1; " + command).c_str(), "r");
  if (pipe == nullptr) return "";
  std::string text;
  char buffer[256];
  while (const std::size_t size = std::fread(buffer, 1, sizeof buffer, pipe)) {
    text.append(buffer, size);
  }
  pclose(pipe);
  return text;
}

std::string reply_of(const Node& node, const std::string& statement) {
  return printed_by("timeout 10 mariadb --no-defaults -uroot --socket=" + node.endpoint +
                    " isolde -Nse \"" + statement + "\"");
}

/// The value of a variable of the server or of its status.
std::string value_at(const Node& node, const std::string& kind, const std::string& name) {
  const std::string line = reply_of(node, "show " + kind + " like '" + name + "'");
  return std::regex_replace(line, std::regex("^" + name + "\t|\n$"), "");
}

std::string members(const Node& node) { return value_at(node, "status", "wsrep_cluster_size"); }

std::uint16_t port_of(const Node& node, const std::string& variable) {
  const std::string address = value_at(node, "variables", variable);
  return static_cast<std::uint16_t>(std::stoi(address.substr(address.find(':') + 1)));
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

/// How many bytes come, within a second, for one who says nothing; -1: nobody is there.
int greeting_at(std::uint16_t port) {
  const int end = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = loopback(port);
  int size = -1;
  if (connect(end, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    pollfd entry{end, POLLIN, 0};
    char buffer[256];
    size = poll(&entry, 1, 1000) == 0 ? 0 : static_cast<int>(recv(end, buffer, 256, 0));
  }
  close(end);
  return size;
}

std::string said_by_tls(std::uint16_t port, const std::string& credentials) {
  return printed_by("sleep 1 | timeout 10 openssl s_client -quiet -connect 127.0.0.1:" +
                    std::to_string(port) + " " + credentials);
}

std::string credentials_in(const std::string& folder) {
  return "-cert " + folder + "/n1/group.pem -key " + folder + "/n1/group.key";
}

std::vector<std::string> arguments_of(pid_t pid) {
  const std::string text = read_file("/proc/" + std::to_string(pid) + "/cmdline");
  std::vector<std::string> result;
  for (std::size_t at = 0; at < text.size(); at = text.find('\0', at) + 1) {
    result.emplace_back(text.c_str() + at);
  }
  return result;
}

std::unique_ptr<Cluster> galera_of(const std::string& nodes) {
  LaunchOptions options;
  options.settings["nodes"] = nodes;
  Result<std::unique_ptr<Cluster>> cluster = Cluster::launch("galera", options);
  EXPECT_TRUE(cluster.ok()) << (cluster.ok() ? "" : cluster.error().message);
  return cluster.ok() ? std::move(cluster).value() : nullptr;
}

#define SKIP_WITHOUT_GALERA()                                         \
  if (const Status installed = check_installed("galera"); !installed) \
  GTEST_SKIP() << installed.error().message

/// A node that tries to join another cluster than its own.
class Stranger {
 public:
  /// Takes the only node of `home`, which it kills, to the one at `port`.
  Stranger(Cluster& home, std::uint16_t port) : folder_(home.folder()) {
    command_.argv = arguments_of(home.nodes()[0].pid);
    command_.folder = folder_ + "/n1";
    command_.programs = command_.folder + "/bin";
    command_.log = folder_ + "/stranger.log";
    struct stat status {};
    EXPECT_EQ(stat(command_.folder.c_str(), &status), 0);
    if (geteuid() == 0) command_.owner = Owner{"server", status.st_uid, status.st_gid};
    EXPECT_TRUE(home.kill(0).ok());
    std::erase(command_.argv, "--wsrep-new-cluster");
    for (std::string& argument : command_.argv) {
      const std::string there = "gcomm://127.0.0.1:" + std::to_string(port);
      argument = std::regex_replace(argument, std::regex("gcomm://.*"), there);
      if (argument.starts_with("--wsrep-provider-options=")) {
        argument += ";pc.wait_prim_timeout=PT4S";
      }
    }
  }

  /// Whether `other` has it as a member before it gives up. `options`, a pattern, in the
  /// options of the provider is replaced by `by`.
  bool joins(const Node& other, const std::string& options = "^$", const std::string& by = "") {
    Command command = command_;
    for (std::string& argument : command.argv) {
      argument = std::regex_replace(argument, std::regex(options), by);
    }
    remove_all(folder_ + "/n1/data/gvwstate.dat");
    remove_all(command.log);
    const Result<Process> process = Process::start(command);
    EXPECT_TRUE(process.ok());
    bool joined = false;
    EXPECT_TRUE(becomes(
        [&] {
          joined = joined || members(other) == "2";
          return joined || !process->running();
        },
        60));
    log_ = read_file(command.log);
    return joined || log_.find("= 1/2 (joined/total)") != std::string::npos;
  }

  const std::string& log() const { return log_; }

 private:
  std::string folder_;
  std::string log_;
  Command command_;
};

TEST(GaleraPrivacy, NobodyJoinsWithoutTheKey) {
  SKIP_WITHOUT_GALERA();
  const auto cluster = galera_of("1");
  const auto home = galera_of("1");
  ASSERT_TRUE(cluster != nullptr && home != nullptr);
  const Node node = cluster->nodes()[0];
  const std::uint16_t port = port_of(node, "wsrep_node_address");
  ASSERT_EQ(members(node), "1");

  // A node greets who connects. Nobody gets as far in plain text.
  EXPECT_EQ(greeting_at(port), 0);
  EXPECT_NE(said_by_tls(port, "").find("alert certificate required"), std::string::npos);
  EXPECT_NE(said_by_tls(port, credentials_in(home->folder())).find("alert unknown ca"),
            std::string::npos);
  const std::string welcome = said_by_tls(port, credentials_in(cluster->folder()));
  EXPECT_EQ(welcome.find("alert"), std::string::npos) << welcome;
  EXPECT_EQ(welcome.find("refused"), std::string::npos) << welcome;

  Stranger stranger(*home, port);
  EXPECT_FALSE(stranger.joins(node)) << "with another key";
  EXPECT_NE(stranger.log().find("certificate verify failed"), std::string::npos)
      << stranger.log();
  EXPECT_FALSE(stranger.joins(node, ";socket\\.ssl[^;]*|ssl(?=://)", "")) << "in plain text";
  EXPECT_EQ(members(node), "1");
  EXPECT_TRUE(stranger.joins(node, "\\.\\./\\.\\./n1(?=/group)", cluster->folder() + "/n1"))
      << stranger.log();
}

/// Asks whatever server of rsync a node has at the port, as long as there is none yet.
std::string refusal_of_rsync(std::uint16_t port, const std::atomic<bool>& stop) {
  const std::string at = "rsync://galera@127.0.0.1:" + std::to_string(port) + "/rsync_sst/";
  std::string said;
  while (!stop) {
    said = printed_by("RSYNC_PASSWORD=guessed timeout 10 rsync " + at);
    if (said.find("Connection refused") == std::string::npos) break;
  }
  return said;
}

// A node that joins has a server of rsync, even where it then gets only what it missed.
TEST(GaleraPrivacy, NodesAreNotCopiedWithoutThePassword) {
  SKIP_WITHOUT_GALERA();
  const auto cluster = galera_of("3");
  ASSERT_NE(cluster, nullptr);
  const std::uint16_t port = port_of(cluster->nodes()[2], "wsrep_sst_receive_address");
  ASSERT_TRUE(cluster->kill(2).ok());
  ASSERT_EQ(reply_of(cluster->nodes()[0], "create table missed (k int primary key)"), "");
  std::string said;
  std::atomic<bool> stop = false;
  std::thread stranger([&] { said = refusal_of_rsync(port, stop); });
  const Status restarted = cluster->restart(2);
  stop = true;
  stranger.join();
  EXPECT_TRUE(restarted.ok()) << restarted.error().message;
  EXPECT_NE(said.find("auth failed on module rsync_sst"), std::string::npos) << said;
  EXPECT_EQ(members(cluster->nodes()[0]), "3");
  const std::string log = read_file(cluster->folder() + "/n3.log");
  EXPECT_NE(log.find("IST receiver addr using ssl://"), std::string::npos);
  EXPECT_EQ(log.find("IST receiver addr using tcp://"), std::string::npos);
}

/// Takes the port at which the second node of a cluster in that folder is going to be copied,
/// once it can be seen.
bool takes_port_for_copies(const std::string& folder, int end) {
  for (const pid_t pid : processes_in(folder + "/n2")) {
    for (const std::string& argument : arguments_of(pid)) {
      constexpr std::string_view kOption = "--wsrep-sst-receive-address=127.0.0.1:";
      if (!argument.starts_with(kOption)) continue;
      const sockaddr_in address =
          loopback(static_cast<std::uint16_t>(std::stoi(argument.substr(kOption.size()))));
      return bind(end, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
             listen(end, 1) == 0;
    }
  }
  return false;
}

// The server of rsync binds its port seconds after it was drawn.
TEST(GaleraPorts, OthersAreTakenWhenThatForCopiesIsInUse) {
  SKIP_WITHOUT_GALERA();
  const Result<std::string> above = make_cluster_folder("", std::nullopt);
  ASSERT_TRUE(above.ok());
  ASSERT_EQ(chmod(above->c_str(), 0755), 0);
  LaunchOptions options;
  options.folder = *above + "/cluster";
  options.settings["nodes"] = "2";
  const int end = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool taken = false;
  options.cancelled = [&] {
    taken = taken || takes_port_for_copies(options.folder, end);
    return false;
  };
  const Result<std::unique_ptr<Cluster>> cluster = Cluster::launch("galera", options);
  EXPECT_TRUE(cluster.ok()) << cluster.error().message;
  EXPECT_TRUE(taken);
  if (cluster) (*cluster)->stop();
  close(end);
  remove_all(*above);
}

/// The other end of each established connection of a process over TCP.
std::vector<std::uint16_t> peers_of(pid_t pid) {
  const std::string text =
      printed_by("ss -Htnp state established | grep 'pid=" + std::to_string(pid) +
                 ",' | sed 's/.*:\\([0-9]*\\) *users.*/\\1/'");
  std::vector<std::uint16_t> result;
  std::istringstream lines(text);
  for (int port = 0; lines >> port;) result.push_back(static_cast<std::uint16_t>(port));
  return result;
}

TEST(GaleraPartition, ThePartedNodeIsNotPrimaryAndTheOthersAre) {
  SKIP_WITHOUT_GALERA();
  LaunchOptions options;
  options.can_part = true;
  const Result<std::unique_ptr<Cluster>> launched = Cluster::launch("galera", options);
  ASSERT_TRUE(launched.ok()) << launched.error().message;
  Cluster& cluster = **launched;
  const std::vector<Node> nodes = cluster.nodes();
  const auto status = [&](std::size_t node) {
    return value_at(nodes[node], "status", "wsrep_cluster_status") + " " + members(nodes[node]);
  };
  const auto rows_at = [&](std::size_t node) {
    return reply_of(nodes[node], "set wsrep_sync_wait=1; select count(*) from t");
  };
  // Whoever connects to a port of another node has come by a way that can be cut.
  for (const Node& node : nodes) {
    const std::vector<std::uint16_t> peers = peers_of(node.pid);
    EXPECT_FALSE(peers.empty());
    for (const Node& other : nodes) {
      EXPECT_EQ(std::count(peers.begin(), peers.end(), port_of(other, "wsrep_node_address")),
                0);
    }
  }
  EXPECT_EQ(reply_of(nodes[0], "create table t (k int primary key)"), "");
  // The first one was connected to by all others, the last one has connected to all of them;
  // the one between, of both kinds, is parted in the full tests.
  int rows = 0;
  for (const std::size_t parted : {0U, 1U, 2U}) {
    if (parted == 1 && !support::is_full_run()) continue;
    const std::size_t other = (parted + 1) % 3;
    ASSERT_TRUE(cluster.part(parted).ok());
    ASSERT_TRUE(becomes(
        [&] { return status(parted) == "non-Primary 1" && status(other) == "Primary 2"; }, 20))
        << parted << ": " << status(parted) << ", others: " << status(other);
    EXPECT_EQ(reply_of(nodes[other], "insert into t values (" + std::to_string(parted) + ")"),
              "");
    ++rows;
    EXPECT_EQ(rows_at(other), std::to_string(rows) + "\n");
    EXPECT_NE(reply_of(nodes[parted], "insert into t values (100)").find("ERROR 1047"),
              std::string::npos);
    ASSERT_TRUE(cluster.join(parted).ok());
    const Status back = cluster.await(parted);
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(status(parted), "Primary 3");
    EXPECT_EQ(rows_at(parted), std::to_string(rows) + "\n");
  }
}

TEST(GaleraPrivacy, WhatIsSecretIsOfTheServersUserOnly) {
  SKIP_WITHOUT_GALERA();
  const auto cluster = galera_of("1");
  ASSERT_NE(cluster, nullptr);
  const auto mode = [&](const std::string& name) {
    struct stat status {};
    EXPECT_EQ(stat((cluster->folder() + name).c_str(), &status), 0) << name;
    return status.st_mode & 0777U;
  };
  EXPECT_EQ(mode("") & 0007U, 0U);
  EXPECT_EQ(mode("/n1"), 0700U);
  EXPECT_EQ(mode("/n1.log"), 0600U);
  EXPECT_EQ(mode("/n1/group.key"), 0600U);
  EXPECT_EQ(mode("/n1/bin/rsync"), 0700U);
  EXPECT_EQ(mode("/n1/bin/secrets"), 0600U);
}

}  // namespace
}  // namespace isolde::server
