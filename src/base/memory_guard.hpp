// Memory limits hold for a single step too: a budget is looked at now and then, and in between
// a vector may double or a reader ask for a buffer of gigabytes. So the program's allocation
// function (cli/allocation.cpp) asks the guard before each large block, and after each megabyte
// of small ones. What does not fit is refused with std::bad_alloc, and the budget is exhausted.
#pragma once

#include <atomic>
#include <cstddef>

namespace isolde::base {

class Budget;

/// While it lives, the memory limit of a budget holds for all allocations, of all threads. One
/// at a time.
class MemoryGuard {
 public:
  explicit MemoryGuard(Budget& budget);
  ~MemoryGuard();
  MemoryGuard(const MemoryGuard&) = delete;
  MemoryGuard& operator=(const MemoryGuard&) = delete;

  /// Whether a block of so many bytes may be allocated. COST: a counter; a system call every
  /// kStep bytes.
  static bool admits(std::size_t size) {
    unlooked_ += size;
    return unlooked_ < kStep || look(size);
  }

 private:
  static constexpr std::size_t kStep = std::size_t{1} << 20;

  static bool look(std::size_t size);

  static std::atomic<Budget*> budget_;
  static constinit thread_local std::size_t unlooked_;
};

}  // namespace isolde::base
