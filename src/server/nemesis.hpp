// Faults while a run goes on: nodes are paused or killed at random, and put right again.
//
// The name is Jepsen's. At any time fewer than half of a cluster's nodes are affected (of two
// nodes, or one, one), so that a cluster that needs a majority has one.
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
};

struct FaultSpec {
  FaultKind kind = FaultKind::kPause;
  /// Mean time from one such fault to the next; each gap is drawn from half to one and a half
  /// of it, so that faults do not keep step with the workload.
  std::int64_t every_ns = 0;
  /// How long the fault lasts; 0 for kCut.
  std::int64_t for_ns = 0;
};

/// "pause", "pause:every=5s,for=2s;kill:every=10s,for=1s", "pause,cut:every=500ms". Left out:
/// pause every=5s,for=2s; kill every=10s,for=1s; cut every=1s. ERRORS: kUsage.
Result<std::vector<FaultSpec>> parse_faults(std::string_view text);

/// As parse_faults() reads it, with all times.
std::string fault_text(const FaultSpec& spec);

class Nemesis {
 public:
  /// Is told of each fault when it has happened: "pause n2", "resume n2", "kill n1", "restart
  /// n1", "restart n1 failed: ...". Called from Nemesis's thread, or from stop().
  using Listener = std::function<void(std::string_view)>;

  /// Starts at once. `cluster` must outlive it. Faults of kind kCut are ignored. The seed
  /// determines which node is hit when, apart from the time that the operations take.
  Nemesis(Cluster& cluster, std::vector<FaultSpec> faults, std::uint64_t seed,
          Listener listener);
  /// stop().
  ~Nemesis();
  Nemesis(const Nemesis&) = delete;
  Nemesis& operator=(const Nemesis&) = delete;

  /// Ends faults that are under way: nothing stays paused or killed. Does not wait for any
  /// fault's time to pass; a restart takes as long as the server needs. ERRORS: the first
  /// operation that failed. Calls after the first do nothing and answer the same.
  Status stop();

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace isolde::server
