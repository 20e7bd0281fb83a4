// Connections between nodes, handed on by a thread of ours that can stop doing so: partitions.
//
// A node that is parted from the others still has its connections to them, as over a network
// that loses all packets: nothing arrives, nothing is refused, and once the network is back,
// what was sent before arrives after all. So the thread reads nothing from either end
// meanwhile, not even that one has given up.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isolde/status.hpp"
#include "server/process.hpp"

namespace isolde::server {

/// A way to a node.
struct Link {
  /// Where others find the node: the path of a unix socket, or the number of a port on
  /// 127.0.0.1.
  std::string listen;
  /// Where it is, likewise.
  std::string target;
  std::size_t to = 0;
  /// The only node that takes this way. Nothing: any may, and is known by its process, which a
  /// unix socket tells.
  std::optional<std::size_t> from;
};

/// Thread-safe.
class Proxy {
  class Loop;
  class Passkey {};  // for std::make_unique in start()

 public:
  Proxy(Passkey, std::unique_ptr<Loop> loop);
  /// Which node a process belongs to. Called from the proxy's thread.
  using NodeOf = std::function<std::optional<std::size_t>(pid_t)>;

  /// Listens at all links; sockets belong to `owner`. ERRORS: kEnvironment, "in use" for a port
  /// that somebody has taken.
  static Result<std::unique_ptr<Proxy>> start(const std::vector<Link>& links,
                                              const std::optional<Owner>& owner,
                                              NodeOf node_of);
  /// Ends all connections.
  ~Proxy();
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  /// From here on nothing passes between the node and any other one. Returns at once; what was
  /// on its way may still arrive.
  void part(std::size_t node);
  /// The opposite.
  void join(std::size_t node);

 private:
  std::unique_ptr<Loop> loop_;
};

}  // namespace isolde::server
