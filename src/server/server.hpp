// Private database servers: started from the programs of Debian's packages in a folder of their
// own, reachable from this machine only, gone when we are gone. `isolde server`, `isolde run
// --server` and tests use them, and so do faults (nemesis.hpp).
//
// Servers ask for no password and take clients by a unix socket only, in a folder that belongs
// to the user they run as and that nobody else can enter. Where servers reach one another on
// 127.0.0.1, they ask for a password or certificate of the launch's own. By default they skip
// fsync, so what they acknowledged survives kill() but not a crash of the machine; the setting
// durable=1 makes them sync as in production.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isolde/status.hpp"

namespace isolde::server {

struct KindInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view packages;  ///< of Debian, separated by blanks
  std::size_t nodes = 1;      ///< unless the setting nodes says otherwise
  bool sizable = false;       ///< takes the setting nodes
  /// The first node is a primary; the others copy what it commits and take no writes.
  bool replicas = false;
  /// Its nodes, where there are several, find one another by ways that can be cut.
  bool has_ways = false;
  /// A replica can take the primary's place: fail_over().
  bool fails_over = false;
  /// Its clock is set at the kernel's functions (kernel_clock.hpp), since libfaketime cannot do
  /// it: its program does not ask the C library for the time (those in Go), or allocates memory
  /// by jemalloc, which asks before libfaketime is ready.
  bool has_kernel_clock = false;
};

/// All kinds, in the order for lists.
std::span<const KindInfo> all_kinds();

/// Whether the programs of a kind are there. ERRORS: kUsage for an unknown kind; kEnvironment,
/// naming what is missing and its package.
Status check_installed(std::string_view kind);

enum class NodeState : std::uint8_t {
  kRunning,
  kPaused,
  kImpaired,  ///< runs, parted from the others or with a wrong clock
  kKilled,    ///< by kill()
  kDied,      ///< by itself
};

struct Node {
  std::string name;      ///< "n1"
  std::string endpoint;  ///< as Kind::endpoint(): the path of a unix socket, or its folder
  pid_t pid = 0;         ///< 0 when it does not run
  NodeState state = NodeState::kKilled;
};

struct LaunchOptions {
  /// Where data and logs go: a new or empty folder, which is kept. Empty: a fresh temporary
  /// one, removed by stop().
  std::string folder;
  /// For the whole launch, and again for each restart() and await().
  double timeout_seconds = 60;
  /// `bin` (folder of the programs), `user` (to run as, when we are root), `durable` (1: sync
  /// as in production), `nodes` (of clusters); everything else is an option of the server.
  std::map<std::string, std::string> settings;
  /// Let part() and set_clock() work, which costs a little.
  bool can_part = false;
  bool can_set_clock = false;
  /// Asked now and then during the launch; true gives up. May be empty.
  std::function<bool()> cancelled;
};

/// One server, or several that form a cluster. Thread-safe.
class Cluster {
  class Impl;
  class Passkey {};  // for std::make_unique in launch()

 public:
  Cluster(Passkey, std::unique_ptr<Impl> impl);
  /// Returns when all nodes serve. ERRORS: kUsage for unknown kinds and bad settings;
  /// kEnvironment when a program is missing, or with the telling line of the log of a server
  /// that did not start, in which case its folder is kept; kLimit when cancelled.
  static Result<std::unique_ptr<Cluster>> launch(std::string_view kind,
                                                 const LaunchOptions& options);
  /// stop().
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  /// "postgres://postgres@%2Ftmp%2Fisolde-server-4fIgyq%2Fn1/postgres"
  std::string dsn() const;
  std::string folder() const;
  /// Whether the folder stays after stop(): it was asked for, or a server failed and its log is
  /// there.
  bool keeps_folder() const;
  /// How things are now; does not wait for an operation that is under way.
  std::vector<Node> nodes() const;
  std::size_t size() const;
  const KindInfo& kind() const;
  /// How many nodes faults may affect at a time: fewer than half of those that vote, and of a
  /// primary and its replicas, which do not, one.
  std::size_t nodes_to_spare() const;

  /// ERRORS: kEnvironment when a node has ended by itself, with the telling line of its log;
  /// the folder is kept from then on. Faults under way are no reason.
  Status check();

  // Faults. Nodes are numbered from 0. ERRORS: kUsage when the node's state does not allow it
  // (a paused node can be killed); kEnvironment.

  /// SIGSTOP to the server and its descendants: it keeps its connections and does not answer.
  Status pause(std::size_t node);
  Status resume(std::size_t node);
  /// SIGKILL to the server and its descendants; returns when they are gone.
  Status kill(std::size_t node);
  /// Starts a node that was killed or died, and waits until it serves again. In a cluster it
  /// joins the nodes that run. Without any, a Galera node founds the cluster anew from its own
  /// data, so after the loss of all nodes begin with the one that was killed last; an etcd node
  /// is not waited for until more than half of all nodes run. `give_up`, which may be empty, is
  /// asked now and then; after true the node goes on starting, and stays NodeState::kKilled.
  /// ERRORS: also kLimit when it gave up. After kEnvironment the folder is kept, and the
  /// message has the path of the log.
  Status restart(std::size_t node, const std::function<bool()>& give_up = {});
  /// Kills all nodes at once (SIGKILL, so the operating system survives) and restarts them;
  /// returns when all serve. A Galera cluster is founded anew by the node whose data goes
  /// furthest, as its manual advises. ERRORS: as restart(); kUsage when a node neither runs nor
  /// is paused.
  Status crash();
  /// Nothing passes between the node and the others any more, in either direction, though their
  /// connections stay. Clients still reach it. Needs LaunchOptions::can_part.
  Status part(std::size_t node);
  Status join(std::size_t node);
  /// The first replica takes the place of the primary, which is parted: all are killed, and
  /// what the primary has is replaced by what the replica has. Then it serves where the primary
  /// did, as to clients whose address for the primary is moved to the new one. ERRORS: as
  /// restart().
  Status fail_over();
  /// What the node takes for the time is so much ahead, or behind, within a second from now on.
  /// Needs LaunchOptions::can_set_clock.
  Status set_clock(std::size_t node, std::int64_t ahead_ns);
  Status right_clock(std::size_t node);
  /// Waits until a node that runs serves: one that was paused for long may have been shut out
  /// by the others and has to join them again. ERRORS: as restart().
  Status await(std::size_t node, const std::function<bool()>& give_up = {});

  /// Ends all nodes and removes a temporary folder unless a server failed. Calls after the
  /// first do nothing.
  void stop();

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace isolde::server
