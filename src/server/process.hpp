// One program that we started, and whatever it starts itself.
//
// A server must not outlive the program that launched it, nor may a signal ever reach a process
// that is not ours. Both are properties of how processes are started and signalled here:
//
// - The child asks the kernel for a signal at its parent's death (PR_SET_PDEATHSIG). The kernel
//   counts the death of the *thread* that forked, so start() must be called by a thread that
//   lives as long as the server should (LifeLine does). The wish is forgotten when a process
//   changes its user, so the child makes it after setuid; and it is not inherited, so
//   descendants rely on noticing that their parent has gone, which all our servers' do.
// - A process that has ended stays a zombie until Process is destroyed or finish() is called,
//   so that its number, and its process group's, is not given to somebody else meanwhile.
// - Descendants (PostgreSQL's backends, Galera's copying scripts) are found top down after
//   their parent was stopped: a stopped parent neither starts children nor reaps them, so the
//   numbers found are still theirs when they are signalled.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "isolde/status.hpp"

namespace isolde::server {

using Clock = std::chrono::steady_clock;

/// A user of this system.
struct Owner {
  std::string name;
  uid_t uid = 0;
  gid_t gid = 0;
};

/// ERRORS: kEnvironment when there is no such user.
Result<Owner> find_owner(const std::string& name);

struct Command {
  std::vector<std::string> argv;  ///< argv[0] is a path
  std::string folder;             ///< working directory
  std::string log;                ///< stdout and stderr are appended to this file
  std::optional<Owner> owner;     ///< whom to run as; needs root
  int death_signal = 0;           ///< what it gets when the starting thread ends; 0: SIGKILL
  std::vector<std::string> variables = {};  ///< of its environment, NAME=VALUE, more of them
  std::vector<std::string> preloads = {};   ///< libraries that it loads before its own
  int clock = -1;             ///< a KernelClock's file that it gets its time from; -1: as usual
  std::string programs = {};  ///< a folder where it looks for programs first; may be empty
};

class Process {
 public:
  Process() = default;
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  /// Kills what still runs.
  ~Process();

  /// Returns once the program runs. ERRORS: kEnvironment, naming step and reason.
  static Result<Process> start(const Command& command);

  pid_t pid() const { return pid_; }
  bool started() const { return pid_ > 0; }
  /// False as well when it has ended.
  bool running() const;
  /// "exit status 1", "signal 9"; empty while it runs.
  std::string ending() const;

  /// To the program alone, not to its descendants.
  void signal(int number) const;
  /// Stops it and all descendants (SIGSTOP).
  void freeze() const;
  /// The opposite (SIGCONT).
  void thaw() const;
  /// Kills it and all descendants (SIGKILL) and waits until they are gone.
  void kill_tree() const;
  /// Waits until the program has ended or the time is over. Returns whether it has ended.
  bool wait_until(Clock::time_point deadline) const;
  /// Kills what is left of it and its group, and forgets it.
  void finish();

 private:
  pid_t pid_ = 0;
};

}  // namespace isolde::server
