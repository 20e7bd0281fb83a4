// A clock for a program that takes its time past the C library, as those in Go do.
//
// The kernel gives each process a small library, the vDSO, whose functions all others ask for
// the time. Here these functions are replaced before the program's first instruction, by code
// that makes the system call and adds an offset. The offset is in memory that we share with the
// program and its descendants, so it changes for all of them at once, and nobody is stopped.
//
// The kernel itself knows of no offset. A program that waits until a calendar time, as MariaDB
// does, would wait too long, or not at all; libfaketime corrects such calls. So this is for
// servers that libfaketime cannot serve, and they wait for durations only.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>

#include "isolde/status.hpp"

namespace isolde::server {

/// The offset of one or several programs' clocks; 0 at first. Programs keep theirs when this is
/// gone.
class KernelClock {
 public:
  /// ERRORS: kEnvironment, where this machine cannot do it.
  static Result<KernelClock> create();
  KernelClock(KernelClock&& other) noexcept;
  KernelClock& operator=(KernelClock&&) = delete;
  ~KernelClock();

  /// From now on they take for the time what is so much ahead of it.
  void set(std::int64_t ahead_ns);

  /// To be inherited by a program, which install() maps from there.
  int file() const { return file_; }

 private:
  KernelClock(int file, std::atomic<std::int64_t>* offset) : file_(file), offset_(offset) {}

  int file_;
  std::atomic<std::int64_t>* offset_;
};

/// Gives such a clock to a program that the calling thread traces, and that has run nothing
/// yet: it is stopped after exec(). `file`: of the clock, open in the program, where it is
/// closed. Returns nullptr, or what did not work.
const char* install_kernel_clock(pid_t pid, int file);

}  // namespace isolde::server
