// Goal: servers of each kind start, serve, can be paused, killed and restarted without losing
// what they acknowledged, and leave neither process nor folder behind, whatever ends. Method:
// the real servers, with the databases' own command-line clients; kinds whose packages are
// missing are skipped.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <regex>
#include <thread>

#include "server/folder.hpp"
#include "server/server.hpp"
#include "unit/server/test_processes.hpp"

namespace isolde::server {
namespace {

/// What a shell command prints, without the newline; "failed" when its exit code is not 0.
std::string output(const std::string& command) {
  FILE* pipe = popen(("timeout 10 " + command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return "failed";
  std::string text;
  char buffer[256];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) text += buffer;
  const bool good = pclose(pipe) == 0;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return good ? text : "failed";
}

/// The database's client as a shell command that one statement is added to.
std::string client(std::string_view kind, const Node& node) {
  if (kind.starts_with("postgres")) {
    return "psql -XqAt -U postgres -d postgres -h " + node.endpoint + " -c ";
  }
  if (kind == "redis") return "redis-cli -s " + node.endpoint + " ";
  if (kind == "redis-replica") {
    return "redis-cli --no-auth-warning -a $(sed -n 's/^requirepass //p' $(dirname " +
           node.endpoint + ")/redis.conf) -s " + node.endpoint + " ";
  }
  if (kind.starts_with("etcd")) {
    return "env ETCDCTL_API=3 etcdctl --command-timeout=3s --endpoints=unix://" +
           node.endpoint + " ";
  }
  return "mariadb --no-defaults -uroot --socket=" + node.endpoint + " isolde -Nse ";
}

/// Makes the key 1 hold 42.
std::string write_statement(std::string_view kind) {
  if (kind.starts_with("redis")) return "set 1 42";
  if (kind.starts_with("etcd")) return "put 1 42";
  return "'create table t (k int primary key, v int); insert into t values (1, 42)'";
}

std::string read_statement(std::string_view kind) {
  if (kind.starts_with("redis")) return "get 1";
  if (kind.starts_with("etcd")) return "get 1 --print-value-only";
  return "'select v from t where k = 1'";
}

/// nullptr after a failure, which has been reported.
std::unique_ptr<Cluster> launched(std::string_view kind, const LaunchOptions& options = {}) {
  Result<std::unique_ptr<Cluster>> cluster = Cluster::launch(kind, options);
  if (cluster) return std::move(cluster).value();
  ADD_FAILURE() << cluster.error().message;
  return nullptr;
}

#define SKIP_WITHOUT(kind)                                        \
  if (const Status installed = check_installed(kind); !installed) \
  GTEST_SKIP() << installed.error().message

class EachKind : public testing::TestWithParam<const char*> {};

TEST_P(EachKind, ServesThroughFaultsAndLeavesNothing) {
  const std::string kind = GetParam();
  SKIP_WITHOUT(kind);
  const auto cluster = launched(kind);
  ASSERT_NE(cluster, nullptr);
  const std::string folder = cluster->folder();
  const std::size_t last = cluster->size() - 1;
  const Node node = cluster->nodes()[last];
  const std::string read = client(kind, node) + read_statement(kind);
  ASSERT_NE(output(client(kind, cluster->nodes()[0]) + write_statement(kind)), "failed");
  ASSERT_TRUE(becomes([&] { return output(read) == "42"; }, 10)) << output(read);

  ASSERT_TRUE(cluster->pause(last).ok());
  EXPECT_EQ(cluster->nodes()[last].state, NodeState::kPaused);
  EXPECT_EQ(output("timeout 0.3 " + read), "failed");
  EXPECT_FALSE(cluster->pause(last).ok());
  ASSERT_TRUE(cluster->resume(last).ok());
  EXPECT_TRUE(becomes([&] { return output(read) == "42"; }, 10)) << output(read);

  ASSERT_TRUE(cluster->kill(last).ok());
  EXPECT_EQ(cluster->nodes()[last].state, NodeState::kKilled);
  EXPECT_EQ(cluster->nodes()[last].pid, 0);
  EXPECT_FALSE(exists(node.pid));
  EXPECT_FALSE(cluster->resume(last).ok());
  const Status restarted = cluster->restart(last);
  ASSERT_TRUE(restarted.ok()) << restarted.error().message;
  EXPECT_EQ(cluster->nodes()[last].endpoint, node.endpoint);
  EXPECT_EQ(output(read), "42");
  EXPECT_TRUE(cluster->check().ok());

  ASSERT_TRUE(cluster->pause(0).ok());
  cluster->stop();
  EXPECT_TRUE(processes_in(folder).empty());
  EXPECT_FALSE(std::filesystem::exists(folder));
  EXPECT_EQ(cluster->nodes()[0].pid, 0);
  EXPECT_FALSE(cluster->restart(0).ok());
}

// Nobody asks for a password, so nobody else may get as far as being asked.
TEST_P(EachKind, IsReachedByItsUserOnly) {
  const std::string kind = GetParam();
  SKIP_WITHOUT(kind);
  const auto cluster = launched(kind);
  ASSERT_NE(cluster, nullptr);
  const Node node = cluster->nodes()[0];
  const std::string listeners = output("ss -Hltnp");
  EXPECT_EQ(listeners.find("pid=" + std::to_string(node.pid) + ","), std::string::npos)
      << listeners;
  const std::string ask = client(kind, node) + write_statement(kind);
  if (geteuid() == 0) {
    EXPECT_EQ(output("setpriv --reuid=65534 --regid=65534 --clear-groups " + ask), "failed");
  }
  EXPECT_NE(output(ask), "failed");
}

TEST_P(EachKind, TellsWhyItDoesNotStart) {
  const std::string kind = GetParam();
  SKIP_WITHOUT(kind);
  LaunchOptions options;
  options.settings["nonsense"] = "1";
  Result<std::unique_ptr<Cluster>> cluster = Cluster::launch(kind, options);
  ASSERT_FALSE(cluster.ok());
  EXPECT_EQ(cluster.error().code, ErrorCode::kEnvironment);
  const std::string& message = cluster.error().message;
  EXPECT_NE(message.find("did not start (exit status "), std::string::npos) << message;
  EXPECT_NE(message.find("nonsense"), std::string::npos) << message;
  const std::size_t log = message.find("(log: ") + 6;
  const std::filesystem::path path = message.substr(log, message.size() - log - 1);
  EXPECT_TRUE(std::filesystem::exists(path)) << message;
  EXPECT_TRUE(processes_in(path.parent_path()).empty());
  remove_all(path.parent_path());
}

INSTANTIATE_TEST_SUITE_P(Cluster, EachKind,
                         testing::Values("postgres", "mariadb", "redis", "etcd"));

TEST(Etcd, AClusterComesBackFromTheLossOfAllNodes) {
  SKIP_WITHOUT("etcd-cluster");
  const auto cluster = launched("etcd-cluster");
  ASSERT_NE(cluster, nullptr);
  const auto run = [&](std::size_t node, const std::string& statement) {
    return output(client("etcd", cluster->nodes()[node]) + statement);
  };
  ASSERT_EQ(run(0, "put 1 42"), "OK");
  for (std::size_t i = 0; i < 3; ++i) ASSERT_TRUE(cluster->kill(i).ok());
  EXPECT_FALSE(cluster->crash().ok());
  for (std::size_t i = 0; i < 3; ++i) {
    const Status restarted = cluster->restart(i);
    ASSERT_TRUE(restarted.ok()) << restarted.error().message;
  }
  ASSERT_TRUE(cluster->pause(0).ok());
  const Status crashed = cluster->crash();
  ASSERT_TRUE(crashed.ok()) << crashed.error().message;
  EXPECT_EQ(run(2, "get 1 --print-value-only"), "42");
  ASSERT_TRUE(cluster->pause(1).ok());
  EXPECT_TRUE(becomes([&] { return run(0, "put 1 43") == "OK"; }, 10));
}

/// The ports on which the program listens.
std::string ports_of(const Node& node) {
  return output("ss -Hltnp | sed -n 's/.*127.0.0.1:\\([0-9]*\\) .*pid=" +
                std::to_string(node.pid) + ",.*/\\1/p'");
}

// Where a replica finds its primary, others do, too.
void expect_no_way_in(const std::string& kind, const Cluster& cluster) {
  EXPECT_EQ(ports_of(cluster.nodes()[1]), "");
  const std::string port = ports_of(cluster.nodes()[0]);
  EXPECT_EQ(port.empty(), kind == "postgres-replica") << port;
  if (kind == "mariadb-replica") {
    for (const char* user : {"root", "replica"}) {
      EXPECT_EQ(output("mariadb --no-defaults --protocol=tcp -h 127.0.0.1 -P " + port + " -u " +
                       user + " -e 'select 1'"),
                "failed");
    }
  } else if (kind == "redis-replica") {
    EXPECT_TRUE(output("redis-cli -p " + port + " get 1").starts_with("NOAUTH"));
  }
}

class EachReplica : public testing::TestWithParam<const char*> {};

TEST_P(EachReplica, FollowsItsPrimaryThroughFaults) {
  const std::string kind = GetParam();
  SKIP_WITHOUT(kind);
  LaunchOptions options;
  options.can_part = true;
  const auto cluster = launched(kind, options);
  ASSERT_NE(cluster, nullptr);
  EXPECT_EQ(cluster->nodes_to_spare(), 1U);
  expect_no_way_in(kind, *cluster);
  const std::string read = client(kind, cluster->nodes()[1]) + read_statement(kind);
  const auto update = [&](const std::string& value) {
    return kind == "redis-replica" ? "set 1 " + value : "'update t set v = " + value + "'";
  };
  const auto write = [&](const std::string& value) {
    EXPECT_NE(output(client(kind, cluster->nodes()[0]) + update(value)), "failed");
    EXPECT_TRUE(becomes([&] { return output(read) == value; }, 10)) << output(read);
  };
  ASSERT_NE(output(client(kind, cluster->nodes()[0]) + write_statement(kind)), "failed");
  write("1");
  for (const std::size_t away : {0U, 1U}) {
    ASSERT_TRUE(cluster->kill(away).ok());
    const Status restarted = cluster->restart(away);
    ASSERT_TRUE(restarted.ok()) << restarted.error().message;
    write(std::to_string(away + 10));
  }
  for (const std::size_t parted : {0U, 1U}) {
    ASSERT_TRUE(cluster->part(parted).ok());
    EXPECT_EQ(cluster->nodes()[parted].state, NodeState::kImpaired);
    EXPECT_FALSE(cluster->pause(parted).ok());
    ASSERT_NE(output(client(kind, cluster->nodes()[0]) + update("15")), "failed");
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_EQ(output(read), "11");
    ASSERT_TRUE(cluster->join(parted).ok());
    ASSERT_TRUE(cluster->await(parted).ok());
    EXPECT_TRUE(becomes([&] { return output(read) == "15"; }, 10)) << output(read);
    write("11");
  }
  ASSERT_TRUE(cluster->pause(1).ok());
  const Status crashed = cluster->crash();
  ASSERT_TRUE(crashed.ok()) << crashed.error().message;
  EXPECT_TRUE(becomes([&] { return output(read) == "11"; }, 10)) << output(read);
  write("20");
  EXPECT_FALSE(cluster->fail_over().ok());
  if (!cluster->kind().fails_over) return;
  // What the replica has not is lost.
  ASSERT_TRUE(cluster->part(0).ok());
  ASSERT_NE(output(client(kind, cluster->nodes()[0]) + update("21")), "failed");
  const Status moved = cluster->fail_over();
  ASSERT_TRUE(moved.ok()) << moved.error().message;
  EXPECT_EQ(output(client(kind, cluster->nodes()[0]) + read_statement(kind)), "20");
  write("22");
}

INSTANTIATE_TEST_SUITE_P(Cluster, EachReplica,
                         testing::Values("postgres-replica", "mariadb-replica",
                                         "redis-replica"));

// A copy of the primary that takes long to get into the replica's file.
TEST(RedisReplica, IsAwaitedUntilItsCopyIsInItsFile) {
  SKIP_WITHOUT("redis-replica");
  LaunchOptions options;
  options.can_part = true;
  options.settings = {{"rdb-key-save-delay", "1000000"}};
  const auto cluster = launched("redis-replica", options);
  ASSERT_NE(cluster, nullptr);
  const auto run = [&](std::size_t node, const std::string& statement) {
    return output(client("redis-replica", cluster->nodes()[node]) + statement);
  };
  ASSERT_EQ(run(0, "set 1 11"), "OK");
  const Status crashed = cluster->crash();
  ASSERT_TRUE(crashed.ok()) << crashed.error().message;
  ASSERT_EQ(run(0, "set 1 20"), "OK");
  ASSERT_TRUE(becomes([&] { return run(1, "get 1") == "20"; }, 10));
  ASSERT_TRUE(cluster->part(0).ok());
  const Status moved = cluster->fail_over();
  ASSERT_TRUE(moved.ok()) << moved.error().message;
  EXPECT_EQ(run(0, "get 1"), "20");
}

// A majority goes on without the one, and that one without them does not.
TEST(Etcd, APartedNodeIsNotServedUntilItIsJoined) {
  SKIP_WITHOUT("etcd-cluster");
  LaunchOptions options;
  options.can_part = true;
  const auto cluster = launched("etcd-cluster", options);
  ASSERT_NE(cluster, nullptr);
  const auto run = [&](std::size_t node, const std::string& statement) {
    return output(client("etcd", cluster->nodes()[node]) + statement);
  };
  const std::string read = "get 1 --print-value-only";
  ASSERT_EQ(run(0, "put 1 42"), "OK");
  for (const std::size_t parted : {0U, 2U}) {
    const std::size_t other = (parted + 1) % 3;
    const std::string value = std::to_string(43 + parted);
    const std::string before = run(parted, read);
    ASSERT_TRUE(cluster->part(parted).ok());
    ASSERT_TRUE(becomes([&] { return run(other, "put 1 " + value) == "OK"; }, 10));
    // Another key: what was sent before may arrive once the node is joined.
    EXPECT_EQ(run(parted, "--command-timeout=500ms put 2 0"), "failed");
    EXPECT_EQ(run(parted, read + " --consistency=s"), before);
    ASSERT_TRUE(cluster->join(parted).ok());
    ASSERT_TRUE(cluster->await(parted).ok());
    EXPECT_EQ(run(parted, read), value);
  }
}

/// The node's time as its server tells it, or -1: by a statement, or in a line that it logs for
/// it.
double time_at(std::string_view kind, const Cluster& cluster, std::size_t node) {
  const Node at = cluster.nodes()[node];
  const std::string ask = client(kind, at);
  if (kind.starts_with("redis")) {
    return std::atof(output(ask + "time | head -1").c_str());
  }
  if (!kind.starts_with("etcd")) {
    const std::string told =
        output(ask + (kind == "postgres" ? "'select extract(epoch from now())'"
                                         : "'select unix_timestamp(now(6))'"));
    return told == "failed" ? -1 : std::atof(told.c_str());
  }
  const std::string revision =
      output(ask + "put 1 42 -w json | sed 's/.*\"revision\":\\([0-9]*\\).*/\\1/'");
  const std::string log = cluster.folder() + "/" + at.name + ".log";
  const std::size_t seen = read_file(log).size();
  output(ask + "compact " + revision);
  // "2026-11-28 03:39:05.746423 I | mvcc: ..."; later versions have a T, and quotes around it.
  static const std::regex kTime("([0-9]{4}-[0-9]{2}-[0-9]{2})[ T]([0-9:]{8})");
  std::smatch found;
  std::string said;
  const auto has_told = [&] {
    said = read_file(log).substr(seen);
    return std::regex_search(said, found, kTime);
  };
  tm parts{};
  if (!becomes(has_told, 3) ||
      strptime((found.str(1) + " " + found.str(2)).c_str(), "%Y-%m-%d %T", &parts) == nullptr) {
    return -1;
  }
  parts.tm_isdst = -1;
  return static_cast<double>(mktime(&parts));
}

class EachClock : public testing::TestWithParam<const char*> {};

TEST_P(EachClock, CanBeSet) {
  const std::string kind = GetParam();
  SKIP_WITHOUT(kind);
  LaunchOptions options;
  options.can_set_clock = true;
  if (kind.starts_with("etcd")) options.settings["log-level"] = "info";
  Result<std::unique_ptr<Cluster>> launched = Cluster::launch(kind, options);
  if (!launched && launched.error().message.find("package libfaketime") != std::string::npos) {
    GTEST_SKIP() << launched.error().message;
  }
  ASSERT_TRUE(launched.ok()) << launched.error().message;
  Cluster& cluster = **launched;
  const auto ahead = [&](std::size_t node) {
    return time_at(kind, cluster, node) - static_cast<double>(time(nullptr));
  };
  const auto is_near = [&](std::size_t node, double seconds) {
    return becomes([&] { return std::abs(ahead(node) - seconds) < 5; }, 5);
  };
  const std::size_t last = cluster.size() - 1;
  EXPECT_TRUE(is_near(last, 0)) << ahead(last);
  constexpr std::int64_t kHour = 3'600'000'000'000;
  for (const std::int64_t hours : {-1, 1}) {
    ASSERT_TRUE(cluster.set_clock(last, hours * kHour).ok());
    EXPECT_EQ(cluster.nodes()[last].state, NodeState::kImpaired);
    EXPECT_TRUE(is_near(last, static_cast<double>(hours) * 3600)) << ahead(last);
    if (last > 0) {
      EXPECT_TRUE(is_near(0, 0)) << ahead(0);
    }
    ASSERT_TRUE(cluster.right_clock(last).ok());
    EXPECT_TRUE(is_near(last, 0)) << ahead(last);
    EXPECT_FALSE(cluster.right_clock(last).ok());
    const Status back = cluster.await(last);
    EXPECT_TRUE(back.ok()) << back.error().message;
  }
  // Once more, of a server that was started again.
  ASSERT_TRUE(cluster.kill(last).ok());
  ASSERT_TRUE(cluster.restart(last).ok());
  EXPECT_TRUE(is_near(last, 0)) << ahead(last);
  ASSERT_TRUE(cluster.set_clock(last, kHour).ok());
  EXPECT_TRUE(is_near(last, 3600)) << ahead(last);
}

INSTANTIATE_TEST_SUITE_P(Cluster, EachClock,
                         testing::Values("postgres", "mariadb", "redis", "redis-replica",
                                         "etcd", "etcd-cluster"));

TEST(Galera, ThreeNodesAreOne) {
  SKIP_WITHOUT("galera");
  const auto cluster = launched("galera");
  ASSERT_NE(cluster, nullptr);
  const std::string folder = cluster->folder();
  const std::vector<Node> nodes = cluster->nodes();
  ASSERT_EQ(nodes.size(), 3U);
  const std::string size = "\"show status like 'wsrep_cluster_size'\"";
  for (const Node& node : nodes) {
    EXPECT_EQ(output(client("galera", node) + size), "wsrep_cluster_size\t3");
  }
  const std::string read = "'set wsrep_sync_wait=1; select v from t where k = 1'";
  ASSERT_NE(output(client("galera", nodes[2]) + write_statement("galera")), "failed");
  EXPECT_EQ(output(client("galera", nodes[0]) + read), "42");

  ASSERT_TRUE(cluster->kill(0).ok());
  ASSERT_TRUE(becomes(
      [&] {
        return output(client("galera", nodes[1]) +
                      "'update t set v = 43 where k = 1; select v from t'") == "43";
      },
      20));
  const Status restarted = cluster->restart(0);
  ASSERT_TRUE(restarted.ok()) << restarted.error().message;
  EXPECT_EQ(output(client("galera", nodes[0]) + read), "43");
  EXPECT_EQ(output(client("galera", nodes[0]) + size), "wsrep_cluster_size\t3");

  // The second node goes further than the others, so it founds the cluster again.
  ASSERT_TRUE(cluster->kill(0).ok());
  ASSERT_TRUE(cluster->restart(0).ok());
  ASSERT_TRUE(cluster->pause(2).ok());
  const Status crashed = cluster->crash();
  ASSERT_TRUE(crashed.ok()) << crashed.error().message;
  for (const Node& node : nodes) {
    EXPECT_EQ(output(client("galera", node) + size), "wsrep_cluster_size\t3");
    EXPECT_EQ(output(client("galera", node) + read), "43");
  }
  cluster->stop();
  EXPECT_TRUE(processes_in(folder).empty());
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(Cluster, ADurableServerInAGivenFolderKeepsItsData) {
  SKIP_WITHOUT("redis");
  const Result<std::string> folder = make_cluster_folder("", std::nullopt);
  ASSERT_TRUE(folder.ok());
  LaunchOptions options;
  options.folder = *folder + "/kept";
  options.settings["durable"] = "1";
  const auto cluster = launched("redis", options);
  ASSERT_NE(cluster, nullptr);
  EXPECT_EQ(cluster->folder(), options.folder);
  EXPECT_EQ(output(client("redis", cluster->nodes()[0]) + "config get appendfsync"),
            "appendfsync\nalways");
  cluster->stop();
  cluster->stop();
  EXPECT_TRUE(processes_in(options.folder).empty());
  EXPECT_NE(read_file(options.folder + "/n1.log").find("bye bye"), std::string::npos)
      << "exited, not killed";
  EXPECT_FALSE(Cluster::launch("redis", options).ok()) << "the folder is not empty any more";
  remove_all(*folder);
}

TEST(Cluster, NoticesAServerThatDied) {
  SKIP_WITHOUT("redis");
  const auto cluster = launched("redis");
  ASSERT_NE(cluster, nullptr);
  ASSERT_TRUE(cluster->check().ok());
  ::kill(cluster->nodes()[0].pid, SIGTERM);
  ASSERT_TRUE(becomes([&] { return cluster->nodes()[0].state == NodeState::kDied; }, 20));
  const Status status = cluster->check();
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("redis exited (exit status 0): "), std::string::npos)
      << status.error().message;
  EXPECT_TRUE(cluster->restart(0).ok());
  EXPECT_TRUE(cluster->check().ok());
  cluster->stop();
  remove_all(cluster->folder());
}

// One that was shut out while it was paused has to join the others again.
TEST(Galera, APausedNodeIsAwaitedUntilTheOthersHaveItBack) {
  SKIP_WITHOUT("galera");
  const auto cluster = launched("galera");
  ASSERT_NE(cluster, nullptr);
  const auto size = [&](std::size_t node) {
    return output(client("galera", cluster->nodes()[node]) +
                  "\"show status like 'wsrep_cluster_size'\"");
  };
  ASSERT_TRUE(cluster->pause(2).ok());
  ASSERT_TRUE(becomes([&] { return size(0) == "wsrep_cluster_size\t2"; }, 20));
  ASSERT_TRUE(cluster->resume(2).ok());
  const Status back = cluster->await(2);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(size(0), "wsrep_cluster_size\t3");
  EXPECT_EQ(size(2), "wsrep_cluster_size\t3");
}

TEST(Cluster, AKilledNodeNeverLooksAsIfItHadDied) {
  SKIP_WITHOUT("redis");
  const auto cluster = launched("redis");
  ASSERT_NE(cluster, nullptr);
  for (int i = 0; i < 5; ++i) {
    std::atomic<bool> done = false;
    bool died = false;
    std::thread observer([&] {
      while (!done) {
        died = died || cluster->nodes()[0].state == NodeState::kDied;
        std::this_thread::yield();
      }
    });
    EXPECT_TRUE(cluster->kill(0).ok());
    EXPECT_TRUE(cluster->restart(0).ok());
    done = true;
    observer.join();
    EXPECT_FALSE(died) << i;
  }
}

TEST(Cluster, ALaunchCanBeCancelledOrTooSlow) {
  SKIP_WITHOUT("mariadb");
  LaunchOptions options;
  int questions = 0;
  options.cancelled = [&questions] { return ++questions > 5; };
  Result<std::unique_ptr<Cluster>> cluster = Cluster::launch("mariadb", options);
  ASSERT_FALSE(cluster.ok());
  EXPECT_EQ(cluster.error().code, ErrorCode::kLimit);
  EXPECT_EQ(cluster.error().message, "interrupted before the server was ready");

  options.cancelled = nullptr;
  options.timeout_seconds = 0.05;
  cluster = Cluster::launch("mariadb", options);
  ASSERT_FALSE(cluster.ok());
  const std::string& message = cluster.error().message;
  EXPECT_TRUE(message.starts_with("mariadb was not ready after 0.05 s: ")) << message;
  const std::size_t log = message.find("(log: ") + 6;
  remove_all(std::filesystem::path(message.substr(log)).parent_path());
}

/// What another program tells about the cluster that it launched.
struct Report {
  char folder[128];
};

/// Forks a program that launches a server and perhaps pauses it, and kills that program.
std::string folder_after_crash(const char* kind, bool paused) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const Result<std::unique_ptr<Cluster>> cluster = Cluster::launch(kind, {});
    Report report{};
    if (!cluster) std::fprintf(stderr, "%s\n", cluster.error().message.c_str());
    if (cluster) {
      (*cluster)->folder().copy(report.folder, sizeof report.folder - 1);
      if (paused) static_cast<void>((*cluster)->pause(0));
    }
    static_cast<void>(write(ends[1], &report, sizeof report));
    for (;;) ::pause();
  }
  Report report{};
  EXPECT_EQ(read(ends[0], &report, sizeof report), static_cast<ssize_t>(sizeof report));
  const std::string folder = report.folder;
  EXPECT_FALSE(folder.empty());
  EXPECT_FALSE(processes_in(folder).empty());
  ::kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
  return folder;
}

class OwnCrash : public testing::TestWithParam<const char*> {};

TEST_P(OwnCrash, EndsTheServer) {
  SKIP_WITHOUT(GetParam());
  for (const bool paused : {false, true}) {
    const std::string folder = folder_after_crash(GetParam(), paused);
    if (folder.empty()) continue;
    // PostgreSQL waits five seconds for children that are stopped, a busy machine longer.
    EXPECT_TRUE(becomes([&] { return processes_in(folder).empty(); }, 60))
        << (paused ? "paused\n" : "running\n") << describe(processes_in(folder));
    remove_all(folder);
  }
}

INSTANTIATE_TEST_SUITE_P(Cluster, OwnCrash,
                         testing::Values("redis", "postgres", "etcd", "mariadb"));

}  // namespace
}  // namespace isolde::server
