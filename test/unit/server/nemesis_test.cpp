// Goal: descriptions of faults mean what they say; faults come, are told of, stay a minority,
// and none outlives stop(). Method: parsing by table; Redis and an etcd cluster under very
// frequent faults.
#include "server/nemesis.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <thread>

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
            "pause:every=1s,for=2s kill:every=60s,for=2500ms cut:every=1s ");
  EXPECT_EQ(parsed("pause:every=3s,kill,cut:every=250us"),
            "pause:every=3s,for=2s kill:every=10s,for=1s cut:every=250us ");
  EXPECT_EQ(parsed("kill;kill:for=0s"), "kill:every=10s,for=1s kill:every=10s,for=0s ");
}

TEST(ParseFaults, Refuses) {
  EXPECT_EQ(parsed("flood"),
            "unknown fault 'flood'; there are pause, kill and cut, for example "
            "pause:every=5s,for=2s;kill");
  EXPECT_TRUE(parsed("").starts_with("unknown fault ''"));
  EXPECT_TRUE(parsed("pause;").starts_with("unknown fault ''"));
  EXPECT_TRUE(parsed("pause;for=2s").starts_with("unknown fault 'for=2s'"));
  EXPECT_EQ(parsed("pause:often"),
            "fault 'pause:every=5s,for=2s': 'often' is no parameter; expected "
            "every=TIME,for=TIME");
  EXPECT_EQ(parsed("cut:for=2s"),
            "fault 'cut:every=1s': 'for=2s' is no parameter; expected every=TIME");
  for (const char* text : {"pause:every=", "pause:every", "pause:every=5", "pause:every=0s",
                           "pause:every=-1s", "pause:every=2d", "pause:every=9999999m"}) {
    EXPECT_NE(parsed(text).find("expected a time from 1us to a day, for example every=500ms"),
              std::string::npos)
        << text << ": " << parsed(text);
  }
}

/// Events as they come.
class Events {
 public:
  Nemesis::Listener listener() {
    return [this](std::string_view what) {
      const std::lock_guard lock(mutex_);
      events_.emplace_back(what);
    };
  }
  std::vector<std::string> all() const {
    const std::lock_guard lock(mutex_);
    return events_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> events_;
};

/// Replays events: each fault hits a healthy node and ends. Returns how many nodes were
/// affected at a time, at most.
std::size_t replay(const std::vector<std::string>& events) {
  std::map<std::string, std::string> affected;
  std::size_t most = 0;
  for (const std::string& event : events) {
    const std::string verb = event.substr(0, event.find(' '));
    const std::string node = event.substr(event.find(' ') + 1);
    if (verb == "pause" || verb == "kill") {
      EXPECT_TRUE(affected.emplace(node, verb).second) << event;
    } else {
      EXPECT_EQ(affected[node], verb == "resume" ? "pause" : "kill") << event;
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

void expect_faults_are_healed(std::string_view kind, std::string_view faults,
                              std::chrono::milliseconds time) {
  Result<std::unique_ptr<Cluster>> cluster = Cluster::launch(kind, {});
  ASSERT_TRUE(cluster.ok()) << cluster.error().message;
  Events events;
  Nemesis nemesis(**cluster, parse_faults(faults).value(), support::run_seed(),
                  events.listener());
  std::this_thread::sleep_for(time);
  const Status stopped = nemesis.stop();
  EXPECT_TRUE(stopped.ok()) << stopped.error().message;
  EXPECT_EQ(replay(events.all()), 1U);
  EXPECT_EQ(verbs(events.all()), (std::set<std::string>{"kill", "pause", "restart", "resume"}));
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
  expect_faults_are_healed("etcd-cluster",
                           "pause:every=100ms,for=50ms;kill:every=200ms,for=20ms",
                           std::chrono::milliseconds(3000));
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
  ASSERT_EQ(events.all().size(), 2U);
  EXPECT_TRUE(events.all()[1].starts_with("restart n1 failed: ")) << events.all()[1];
}

}  // namespace
}  // namespace isolde::server
