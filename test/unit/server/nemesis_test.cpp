// Goal: descriptions of faults mean what they say; faults come, are told of, stay a minority,
// and none outlives stop(). Method: parsing by table; Redis and an etcd cluster under very
// frequent faults.
#include "server/nemesis.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "server/folder.hpp"
#include "support/seed.hpp"
#include "unit/server/test_processes.hpp"

namespace isolde::server {
namespace {

std::string parsed(std::string_view text) {
  const Result<std::vector<FaultSpec>> faults = parse_faults(text);
  if (!faults) return faults.error().message;
  std::string result;
  for (const FaultSpec& fault : *faults) result += fault_text(fault) + " ";
  return result;
}

TEST(ParseFaults, Accepts) {
  EXPECT_EQ(parsed("pause"), "pause:every=5s,for=2s ");
  EXPECT_EQ(parsed("pause,kill"), "pause:every=5s,for=2s kill:every=10s,for=1s ");
  EXPECT_EQ(parsed("pause:every=1s;kill:for=2.5s,every=1m;cut"),
            "pause:every=1s,for=2s kill:every=1m,for=2500ms cut:every=1s ");
  EXPECT_EQ(parsed("pause:every=3s,kill,cut:every=250us"),
            "pause:every=3s,for=2s kill:every=10s,for=1s cut:every=250us ");
  EXPECT_EQ(parsed("kill;kill:for=0s"), "kill:every=10s,for=1s kill:every=10s,for=0s ");
  EXPECT_EQ(parsed("failover"), "failover:every=20s,for=2s ");
  EXPECT_EQ(parsed("partition,clock"),
            "partition:every=10s,for=5s clock:every=5s,for=3s,by=30s ");
  EXPECT_EQ(parsed("clock:by=1h,every=1s,partition:for=1s"),
            "clock:every=1s,for=3s,by=1h partition:every=10s,for=1s ");
}

TEST(ParseFaults, Refuses) {
  EXPECT_EQ(parsed("flood"),
            "unknown fault 'flood'; expected pause, kill, cut, partition, failover or clock, "
            "for example pause:every=5s,for=2s;kill");
  EXPECT_TRUE(
      parsed("kill;Puase:every=5s")
          .starts_with("unknown fault 'Puase' (did you mean pause?); expected pause, "));
  EXPECT_TRUE(parsed("").starts_with("unknown fault ''"));
  EXPECT_TRUE(parsed("pause;").starts_with("unknown fault ''"));
  EXPECT_TRUE(parsed("pause;for=2s").starts_with("unknown fault 'for=2s'"));
  EXPECT_EQ(parsed("pause:often"),
            "fault 'pause:often': 'often' is not a parameter; expected "
            "every=TIME,for=TIME");
  EXPECT_EQ(parsed("cut:for=2s"),
            "fault 'cut:for=2s': 'for=2s' is not a parameter; expected every=TIME");
  EXPECT_EQ(parsed("partition:by=2s"),
            "fault 'partition:by=2s': 'by=2s' is not a parameter; expected "
            "every=TIME,for=TIME");
  EXPECT_EQ(parsed("clock:size=2s"),
            "fault 'clock:size=2s': 'size=2s' is not a parameter; expected "
            "every=TIME,for=TIME,by=TIME");
  EXPECT_EQ(parsed("clock:by=0s"), "fault 'clock:by=0s': by: 0s is not between 1us and 24h");
  for (const char* text : {"", "-1s", "2d"}) {
    EXPECT_EQ(parsed("pause:every=" + std::string(text)),
              "fault 'pause:every=" + std::string(text) + "': every: '" + std::string(text) +
                  "' is not a duration; write for example 500us, 10ms, 2s, 5m or 1h");
  }
  EXPECT_EQ(
      parsed("kill:for"),
      "fault 'kill:for': for: '' is not a duration; write for example 500us, 10ms, 2s, 5m "
      "or 1h");
  // Of several faults the one that is wrong, as far as it was read.
  EXPECT_TRUE(parsed("kill;pause:every=1s,for=5q,cut")
                  .starts_with("fault 'pause:every=1s,for=5q': for: '5q' is not"));
  EXPECT_EQ(parsed("cut:every=0"), "fault 'cut:every=0': every: 0 is not between 1us and 24h");
  EXPECT_EQ(parsed("kill:for=25h"), "fault 'kill:for=25h': for: 25h is not between 0s and 24h");
}

/// Events as they come.
class Events {
 public:
  Nemesis::Listener listener() {
    return [this](const FaultReport& fault) {
      const std::lock_guard lock(mutex_);
      events_.emplace_back(fault.what);
      expect_span(fault);
    };
  }
  std::vector<std::string> all() const {
    const std::lock_guard lock(mutex_);
    return events_;
  }

 private:
  /// What the words say, the names of nodes say too.
  static void expect_span(const FaultReport& fault) {
    const std::string_view verb = fault.what.substr(0, fault.what.find(' '));
    const std::string_view node = fault.what.substr(verb.size() + 1, 2);
    const bool is_done = fault.what.size() == verb.size() + 3;
    const bool is_clock = verb == "clock";
    const bool is_right = is_clock && fault.what.ends_with(" right");
    const bool begins = verb == "lost" || (is_clock && !is_right) ||
                        (is_done && (verb == "pause" || verb == "kill" || verb == "part"));
    const bool ends =
        is_right || (is_done && (verb == "resume" || verb == "restart" || verb == "join"));
    EXPECT_EQ(fault.begins, begins ? node : "") << fault.what;
    EXPECT_EQ(fault.ends, ends ? node : "") << fault.what;
  }

  mutable std::mutex mutex_;
  std::vector<std::string> events_;
};

/// The fault that such an event ends; empty: it begins one.
std::string ended_by(const std::string& event) {
  if (event.ends_with(" right")) return "clock";
  if (event.starts_with("resume ")) return "pause";
  if (event.starts_with("restart ")) return "kill";
  return event.starts_with("join ") ? "part" : "";
}

/// Replays events: each fault hits a healthy node and ends. Returns how many nodes were
/// affected at a time, at most.
std::size_t replay(const std::vector<std::string>& events) {
  std::map<std::string, std::string> affected;
  std::size_t most = 0;
  for (const std::string& event : events) {
    const std::string verb = event.substr(0, event.find(' '));
    const std::string node = event.substr(event.find(' ') + 1, 2);
    if (ended_by(event).empty()) {
      EXPECT_TRUE(affected.emplace(node, verb).second) << event;
    } else {
      EXPECT_EQ(affected[node], ended_by(event)) << event;
      affected.erase(node);
    }
    most = std::max(most, affected.size());
  }
  EXPECT_TRUE(affected.empty()) << "a fault outlived stop()";
  return most;
}

std::set<std::string> verbs(const std::vector<std::string>& events) {
  std::set<std::string> result;
  for (const std::string& event : events) result.insert(event.substr(0, event.find(' ')));
  return result;
}

/// Injects faults for that time, or, where it is `enough` to see each kind of them, until then.
void expect_faults_are_healed(std::string_view kind, std::string_view faults,
                              std::chrono::milliseconds time, const LaunchOptions& options = {},
                              bool enough = false) {
  Result<std::unique_ptr<Cluster>> cluster = Cluster::launch(kind, options);
  if (!cluster && cluster.error().message.find("install the package") != std::string::npos) {
    GTEST_SKIP() << cluster.error().message;
  }
  ASSERT_TRUE(cluster.ok()) << cluster.error().message;
  std::set<std::string> expected = {"kill", "pause", "restart", "resume"};
  if (options.can_part) expected.insert({"part", "join"});
  if (options.can_set_clock) expected.insert("clock");
  Events events;
  Nemesis nemesis(**cluster, parse_faults(faults).value(), support::run_seed(),
                  events.listener());
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end &&
         !(enough && verbs(events.all()) == expected)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const Status stopped = nemesis.stop();
  EXPECT_TRUE(stopped.ok()) << stopped.error().message;
  EXPECT_EQ(replay(events.all()), 1U);
  EXPECT_EQ(verbs(events.all()), expected);
  for (const Node& node : (*cluster)->nodes()) {
    EXPECT_EQ(node.state, NodeState::kRunning) << node.name;
  }
}

TEST(Nemesis, HealsAServer) {
  if (const Status there = check_installed("redis"); !there) {
    GTEST_SKIP() << there.error().message;
  }
  expect_faults_are_healed("redis", "pause:every=20ms,for=5ms;kill:every=40ms,for=5ms",
                           std::chrono::milliseconds(1500));
}

TEST(Nemesis, AffectsAMinorityOfACluster) {
  if (const Status there = check_installed("etcd-cluster"); !there) {
    GTEST_SKIP() << there.error().message;
  }
  LaunchOptions options;
  options.can_part = true;
  expect_faults_are_healed("etcd-cluster",
                           "pause:every=100ms,for=50ms;kill:every=200ms,for=20ms;"
                           "partition:every=100ms,for=50ms",
                           std::chrono::milliseconds(3000), options);
}

TEST(Nemesis, AGaleraClusterIsWholeAfterPartitions) {
  if (const Status there = check_installed("galera"); !there) {
    GTEST_SKIP() << there.error().message;
  }
  LaunchOptions options;
  options.can_part = true;
  expect_faults_are_healed("galera",
                           "partition:every=2s,for=3s;pause:every=2s,for=50ms;"
                           "kill:every=2s,for=50ms",
                           std::chrono::seconds(25), options, !support::is_full_run());
}

TEST(Nemesis, PutsClocksRight) {
  LaunchOptions options;
  options.can_set_clock = true;
  for (const char* kind : {"mariadb", "redis", "etcd-cluster"}) {
    SCOPED_TRACE(kind);
    if (!check_installed(kind)) continue;
    expect_faults_are_healed(kind,
                             "pause:every=100ms,for=50ms;kill:every=500ms,for=20ms;"
                             "clock:every=100ms,for=50ms",
                             std::chrono::milliseconds(2000), options);
  }
}

TEST(Nemesis, StopsPromptlyAndIgnoresCuts) {
  if (const Status there = check_installed("redis"); !there) {
    GTEST_SKIP() << there.error().message;
  }
  Result<std::unique_ptr<Cluster>> cluster = Cluster::launch("redis", {});
  ASSERT_TRUE(cluster.ok()) << cluster.error().message;
  for (const char* faults : {"pause:every=1ms,for=60m", "kill:every=1ms,for=60m", "pause"}) {
    Events events;
    Nemesis nemesis(**cluster, parse_faults(faults).value(), 1, events.listener());
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_TRUE(nemesis.stop().ok());
    EXPECT_TRUE(nemesis.stop().ok());
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
    EXPECT_EQ((*cluster)->nodes()[0].state, NodeState::kRunning);
  }
  Events events;
  Nemesis nemesis(**cluster, parse_faults("cut:every=1ms").value(), 1, events.listener());
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(nemesis.stop().ok());
  EXPECT_TRUE(events.all().empty());
}

/// A server's program that does what a test wants it to do, once there is the file `mark`.
class Nemesis_wrapped : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(mkdtemp(folder_.data()), nullptr); }
  void TearDown() override {
    if (cluster_ == nullptr) return remove_all(folder_);
    cluster_->stop();
    remove_all(cluster_->folder());
    remove_all(folder_);
  }

  void launch(std::string_view kind, const std::string& program, const std::string& deed) {
    const std::string path = folder_ + "/" + program;
    ASSERT_TRUE(write_file(path,
                           "#!/bin/sh\nif [ -e " + mark() + " ]; then " + deed +
                               "; fi\nexec /usr/bin/" + program + " \"$@\"\n",
                           std::nullopt)
                    .ok());
    ASSERT_EQ(chmod(path.c_str(), 0755), 0);
    LaunchOptions options;
    options.settings["bin"] = folder_;
    Result<std::unique_ptr<Cluster>> cluster = Cluster::launch(kind, options);
    ASSERT_TRUE(cluster.ok()) << cluster.error().message;
    cluster_ = std::move(cluster).value();
  }
  std::string mark() const { return folder_ + "/mark"; }
  void make_mark() { ASSERT_TRUE(write_file(mark(), "", std::nullopt).ok()); }

  /// Makes the mark at the first kill.
  Nemesis::Listener marking_listener() {
    return [this, tell = events_.listener()](const FaultReport& fault) {
      if (fault.what.starts_with("kill ")) make_mark();
      tell(fault);
    };
  }
  std::size_t count(std::string_view begin) const {
    std::size_t n = 0;
    for (const std::string& event : events_.all()) n += event.starts_with(begin) ? 1 : 0;
    return n;
  }
  std::size_t running() const {
    std::size_t n = 0;
    for (const Node& node : cluster_->nodes()) n += node.state == NodeState::kRunning ? 1 : 0;
    return n;
  }

  std::string folder_ = testing::TempDir() + "isolde-wrapped-XXXXXX";
  std::unique_ptr<Cluster> cluster_;
  Events events_;
};

#define SKIP_WITHOUT(kind)                                        \
  if (const Status installed = check_installed(kind); !installed) \
  GTEST_SKIP() << installed.error().message

// A cluster that lost a node for good has none to spare.
TEST_F(Nemesis_wrapped, NoMoreFaultsAfterANodeThatDoesNotComeBack) {
  SKIP_WITHOUT("etcd-cluster");
  launch("etcd-cluster", "etcd", "echo broken on purpose; exit 7");
  ASSERT_NE(cluster_, nullptr);
  Nemesis nemesis(*cluster_,
                  parse_faults("kill:every=50ms,for=10ms;pause:every=80ms,for=10ms").value(),
                  support::run_seed(), marking_listener());
  // The failure is there a moment before it is told.
  ASSERT_TRUE(becomes([&] { return !nemesis.failure().ok() && count("restart") > 0; }, 20));
  const std::size_t told = events_.all().size();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  EXPECT_EQ(events_.all().size(), told) << events_.all().back();
  EXPECT_EQ(running(), 2U);
  const Status stopped = nemesis.stop();
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().message, nemesis.failure().error().message);
  EXPECT_EQ(count("kill "), 1U);
  EXPECT_EQ(count("restart "), 1U);
  EXPECT_NE(stopped.error().message.find(
                "did not start (exit status 7): broken on purpose (log: " + cluster_->folder()),
            std::string::npos)
      << stopped.error().message;
  EXPECT_EQ(running(), 2U);
}

// Whoever reads the message finds the log, and only then is anything left.
TEST_F(Nemesis_wrapped, TheFolderOfAFailedServerStays) {
  SKIP_WITHOUT("redis");
  for (const bool fails : {true, false}) {
    launch("redis", "redis-server", "echo broken on purpose; exit 7");
    ASSERT_NE(cluster_, nullptr);
    const std::string folder = cluster_->folder();
    ASSERT_TRUE(cluster_->kill(0).ok());
    if (fails) make_mark();
    const Status restarted = cluster_->restart(0);
    EXPECT_EQ(restarted.ok(), !fails);
    EXPECT_EQ(cluster_->keeps_folder(), fails);
    cluster_->stop();
    EXPECT_EQ(std::filesystem::exists(folder + "/n1.log"), fails);
    EXPECT_EQ(std::filesystem::exists(folder), fails);
    remove_all(folder);
    remove_all(mark());
  }
}

TEST_F(Nemesis_wrapped, AProgramThatIsGoneHasALogAllTheSame) {
  SKIP_WITHOUT("redis");
  launch("redis", "redis-server", "true");
  ASSERT_NE(cluster_, nullptr);
  ASSERT_TRUE(cluster_->kill(0).ok());
  remove_all(folder_ + "/redis-server");
  const Status restarted = cluster_->restart(0);
  ASSERT_FALSE(restarted.ok());
  const std::string log = cluster_->folder() + "/n1.log";
  EXPECT_EQ(restarted.error().message,
            "cannot start " + folder_ +
                "/redis-server: No such file or directory (log: " + log + ")");
  cluster_->stop();
  EXPECT_TRUE(std::filesystem::exists(log));
}

// Whose restart takes long is waited for, but not beyond the end.
TEST_F(Nemesis_wrapped, ASlowRestartDoesNotHoldUpTheEnd) {
  SKIP_WITHOUT("redis");
  launch("redis", "redis-server", "exec sleep 50");
  ASSERT_NE(cluster_, nullptr);
  Nemesis nemesis(*cluster_, parse_faults("kill:every=1ms,for=1ms").value(), 1,
                  marking_listener(), 0.3);
  ASSERT_TRUE(becomes([&] { return count("kill ") == 1; }, 20));
  const auto begin = std::chrono::steady_clock::now();
  const Status stopped = nemesis.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_TRUE(stopped.ok()) << stopped.error().message;
  EXPECT_EQ(events_.all().back(), "restart n1 not awaited");
  EXPECT_FALSE(cluster_->keeps_folder());
}

// A fault that falls due while the end is waited for does not come.
TEST_F(Nemesis_wrapped, NoFaultBeginsAfterTheEnd) {
  SKIP_WITHOUT("redis");
  launch("redis", "redis-server", "sleep 0.5");
  ASSERT_NE(cluster_, nullptr);
  Nemesis nemesis(*cluster_, parse_faults("kill:every=1ms,for=1ms").value(), 1,
                  marking_listener());
  ASSERT_TRUE(becomes([&] { return count("kill ") == 1; }, 20));
  EXPECT_TRUE(nemesis.stop().ok());
  EXPECT_EQ(events_.all(), (std::vector<std::string>{"kill n1", "restart n1"}));
}

TEST(CheckFault, TellsWhatServersHave) {
  const auto refusal = [](const char* fault, std::string_view name) {
    for (const KindInfo& kind : all_kinds()) {
      if (kind.name != name) continue;
      const Status had = check_fault(parse_faults(fault).value()[0], kind);
      return had ? std::string() : had.error().message;
    }
    return std::string("no such kind");
  };
  for (const char* kind :
       {"galera", "etcd-cluster", "postgres-replica", "mariadb-replica", "redis-replica"}) {
    EXPECT_EQ(refusal("partition", kind), "");
  }
  EXPECT_EQ(refusal("partition", "redis"),
            "the fault partition parts the nodes of a cluster, and redis is one server");
  for (const KindInfo& kind : all_kinds()) EXPECT_EQ(refusal("clock", kind.name), "");
  EXPECT_EQ(refusal("kill", "redis"), "");
  EXPECT_EQ(refusal("failover", "redis-replica"), "");
  EXPECT_EQ(refusal("failover", "postgres-replica"), "");
  EXPECT_EQ(refusal("failover", "galera"),
            "the fault failover needs a primary and a replica that can take its place, as "
            "postgres-replica and redis-replica have them; galera does not");
}

// Fewer than half of two is none.
TEST(Nemesis, SparesAClusterOfTwo) {
  SKIP_WITHOUT("etcd-cluster");
  LaunchOptions options;
  options.settings["nodes"] = "2";
  Result<std::unique_ptr<Cluster>> cluster = Cluster::launch("etcd-cluster", options);
  ASSERT_TRUE(cluster.ok()) << cluster.error().message;
  Events events;
  Nemesis nemesis(**cluster, parse_faults("kill:every=1ms;pause:every=1ms").value(), 1,
                  events.listener());
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_TRUE(nemesis.stop().ok());
  EXPECT_TRUE(events.all().empty()) << events.all().front();
}

TEST(Nemesis, CountsANodeThatEndsByItself) {
  SKIP_WITHOUT("etcd-cluster");
  Result<std::unique_ptr<Cluster>> cluster = Cluster::launch("etcd-cluster", {});
  ASSERT_TRUE(cluster.ok()) << cluster.error().message;
  Events events;
  Nemesis nemesis(**cluster, parse_faults("kill:every=1s,for=10ms").value(), 1,
                  events.listener());
  ::kill((*cluster)->nodes()[1].pid, SIGKILL);
  std::this_thread::sleep_for(std::chrono::milliseconds(1700));
  const Status stopped = nemesis.stop();
  ASSERT_FALSE(stopped.ok());
  EXPECT_TRUE(
      stopped.error().message.starts_with("lost n2: etcd-cluster n2 exited (signal 9): "))
      << stopped.error().message;
  EXPECT_EQ(events.all(), std::vector<std::string>{stopped.error().message});
  EXPECT_TRUE((*cluster)->keeps_folder());
  (*cluster)->stop();
  remove_all((*cluster)->folder());
}

TEST(Nemesis, TellsOfAServerThatDoesNotComeBack) {
  if (const Status there = check_installed("redis"); !there) {
    GTEST_SKIP() << there.error().message;
  }
  Result<std::unique_ptr<Cluster>> cluster = Cluster::launch("redis", {});
  ASSERT_TRUE(cluster.ok()) << cluster.error().message;
  Events events;
  Nemesis nemesis(**cluster, parse_faults("kill:every=1ms,for=60m").value(), 1,
                  events.listener());
  ASSERT_TRUE(becomes([&] { return events.all().size() == 1; }, 20));
  (*cluster)->stop();
  EXPECT_FALSE(nemesis.stop().ok());
  EXPECT_FALSE((*cluster)->keeps_folder());
  ASSERT_EQ(events.all().size(), 2U);
  EXPECT_TRUE(events.all()[1].starts_with("restart n1 failed: ")) << events.all()[1];
}

}  // namespace
}  // namespace isolde::server
