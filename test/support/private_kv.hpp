// Servers of one test: started in a temporary folder, reachable on this machine only, and ended
// with the test whatever happens to it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace isolde::support {

/// A child process, killed when the object goes and when this process dies.
class Child {
 public:
  Child() = default;
  explicit Child(const std::vector<std::string>& command, const std::string& log);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { kill(); }

  bool running() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }
  /// Ends it at once (SIGKILL) and waits.
  void kill();
  /// Stops it from answering, and lets it go on.
  void pause();
  void resume();

 private:
  pid_t pid_ = -1;
};

/// Whether the program is in PATH.
bool have_program(const std::string& name);

/// A port of the loopback interface that was free a moment ago.
std::uint16_t free_port();

class PrivateRedis {
 public:
  /// Listens on a unix socket, and with `password` asks for it.
  explicit PrivateRedis(const std::string& password = "");
  ~PrivateRedis();

  bool ready() const { return ready_; }
  std::string socket() const { return folder_ + "/redis.sock"; }
  /// "redis://%2Ftmp%2F...sock"
  std::string dsn(const std::string& password = "", const std::string& user = "") const;
  /// Sends one line and returns the answer as it comes: "+OK\r\n".
  std::string talk(const std::string& line) const;
  Child& process() { return *child_; }

 private:
  std::string folder_;
  std::unique_ptr<Child> child_;
  bool ready_ = false;
};

/// One node, or several that form a cluster.
class PrivateEtcd {
 public:
  explicit PrivateEtcd(int nodes = 1);
  ~PrivateEtcd();

  bool ready() const { return ready_; }
  std::string dsn() const;
  std::uint16_t port(std::size_t node = 0) const { return ports_[node]; }
  Child& process(std::size_t node = 0) { return *children_[node]; }

 private:
  std::string folder_;
  std::vector<std::uint16_t> ports_;
  std::vector<std::unique_ptr<Child>> children_;
  bool ready_ = false;
};

}  // namespace isolde::support
