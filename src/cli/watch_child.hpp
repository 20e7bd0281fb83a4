// isolde watch as a program of its own beside this one. A limit on memory is for a whole
// program, and what ends one of the two does not end the other.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "isolde/status.hpp"

namespace isolde::cli {

class WatchChild {
 public:
  /// This program with other arguments; standard error is the same. In a process group of its
  /// own, so that Ctrl-C is for this program alone. ERRORS: kEnvironment.
  static Result<WatchChild> start(const std::vector<std::string>& arguments);
  WatchChild(WatchChild&& other) noexcept;
  WatchChild& operator=(WatchChild&&) = delete;
  /// Kills it, if it still runs.
  ~WatchChild();

  /// How it ended: its exit code, or 4 where a signal ended it. Nothing: it still runs.
  std::optional<int> ended();
  /// Lets it end with what it knows.
  void interrupt() const;
  /// What it has printed. REQUIRES: it has ended.
  std::string output() const;

 private:
  WatchChild(pid_t pid, int output) : pid_(pid), output_(output) {}
  pid_t pid_ = -1;
  int output_ = -1;
  std::optional<int> code_;
};

}  // namespace isolde::cli
