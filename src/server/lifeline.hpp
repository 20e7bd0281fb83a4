// The thread that all servers of a cluster are children of.
//
// A server gets its death signal when the thread that forked it ends (see process.hpp). Without
// this thread, a server that was restarted by a short-lived thread, such as one that injects
// faults, would die with it.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "server/process.hpp"

namespace isolde::server {

/// Thread-safe. Processes that were started here die when it is destroyed.
class LifeLine {
 public:
  LifeLine();
  ~LifeLine();
  LifeLine(const LifeLine&) = delete;
  LifeLine& operator=(const LifeLine&) = delete;

  /// Process::start() by the thread.
  Result<Process> start(const Command& command);

 private:
  void serve();

  std::mutex callers_;  ///< one request at a time
  std::mutex mutex_;    ///< guards what follows
  std::condition_variable changed_;
  const Command* request_ = nullptr;
  std::optional<Result<Process>> answer_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace isolde::server
