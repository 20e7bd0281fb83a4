// Faults while a run goes on: nodes are paused or killed at random, and put right again.
//
// The name is Jepsen's. At any time fewer than half of a cluster's nodes are affected, so that
// a cluster that needs a majority has one: of two nodes none. A server by itself is affected as
// a whole, which nobody can spare it; of a primary and its replicas, one node. A node is
// affected until it serves again. When one does not come back, or ends by itself, there are no
// more faults: it counts for ever, and others that are hit beside it could be too many.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "isolde/status.hpp"
#include "server/server.hpp"

namespace isolde::server {

enum class FaultKind : std::uint8_t {
  kPause,  ///< stops a node and lets it go on later
  kKill,   ///< kills a node and starts it again later
  kCut,    ///< cuts a client's connection; done by whoever runs the sessions, not by Nemesis
  kPartition,  ///< parts a node from the others and joins it again later
  kFailover,   ///< parts the primary from its replicas, until one takes its place
  kClock,      ///< sets a node's clock and puts it right later
};

struct FaultSpec {
  FaultKind kind = FaultKind::kPause;
  /// Mean time from one such fault to the next; each gap is drawn from half to one and a half
  /// of it, so that faults do not keep step with the workload.
  std::int64_t every_ns = 0;
  /// How long the fault lasts; 0 for kCut.
  std::int64_t for_ns = 0;
  /// By how much the clock is ahead or behind, one or the other at random; 0 but for kClock.
  std::int64_t by_ns = 0;
};

/// "pause", "pause:every=5s,for=2s;kill:every=10s,for=1s", "pause,cut:every=500ms". Left out:
/// pause every=5s,for=2s; kill every=10s,for=1s; cut every=1s; partition every=10s,for=5s;
/// failover every=20s,for=2s; clock every=5s,for=3s,by=30s. ERRORS: kUsage.
Result<std::vector<FaultSpec>> parse_faults(std::string_view text);

/// As parse_faults() reads it, with all times.
std::string fault_text(const FaultSpec& spec);

/// Whether servers of that kind have such faults. ERRORS: kUsage.
Status check_fault(const FaultSpec& spec, const KindInfo& kind);
/// The same of servers that run: how many there are. ERRORS: kUsage.
Status check_fault(const FaultSpec& spec, const Cluster& cluster);

struct FaultReport {
  std::string_view what;
  std::string_view begins;  ///< name of the node that is affected from here on; else empty
  std::string_view ends;    ///< likewise: that is well again
  /// One of those that are counted: neither an end nor what did not happen.
  bool is_fault() const { return !begins.empty(); }
};

class Nemesis {
 public:
  /// Is told of each fault when it has happened: "pause n2", "resume n2", "kill n1", "restart
  /// n1", "part n3", "join n3", "failover n1", "clock n2 +30s", "clock n2 right", "restart n1
  /// failed: ...", "lost n2: ..." (ended by itself, or does not serve after its fault),
  /// "restart n1 not awaited". Called from Nemesis's thread.
  using Listener = std::function<void(const FaultReport&)>;

  /// Starts at once. `cluster` must outlive it. Faults of kind kCut are ignored. The seed
  /// determines which node is hit when, apart from the time that the operations take.
  /// `heal_seconds`: for all nodes together to come back after ask_to_stop().
  Nemesis(Cluster& cluster, std::vector<FaultSpec> faults, std::uint64_t seed,
          Listener listener, double heal_seconds = kHealSeconds);
  /// stop().
  ~Nemesis();
  Nemesis(const Nemesis&) = delete;
  Nemesis& operator=(const Nemesis&) = delete;

  /// Begins to end the faults that are under way, whatever time they have left: nothing stays
  /// paused, and what was killed is started. Does not wait for that. No fault begins any more.
  void ask_to_stop();
  /// ask_to_stop(), and waits; a server that needs longer than heal_seconds to serve goes on
  /// starting, which is no error. ERRORS: as failure(). Calls after the first do nothing and
  /// answer the same.
  Status stop();
  /// The first thing that failed so far, which has ended the faults: kEnvironment, with the
  /// path of a log.
  Status failure() const;

  static constexpr double kHealSeconds = 10;

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace isolde::server
