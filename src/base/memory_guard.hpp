// Memory limits hold for a single step too: a budget is checked now and then, and in between a
// vector may double or a reader may allocate a buffer of gigabytes. So the program's allocation
// function (cli/allocation.cpp) asks the guard before each large block, and after each megabyte
// of small ones. What does not fit is refused with std::bad_alloc, and the budget is exhausted.
//
// Work that checks no budget, such as writing explanations, is kept within its time limit in
// the same way: it allocates constantly, and after the limit every allocation is refused.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace isolde::base {

class Budget;

/// While it lives, a budget's memory limit holds for all allocations of all threads. One at a
/// time.
class MemoryGuard {
 public:
  enum class Refuses : std::uint8_t {
    kTooMuch,          ///< what exceeds the memory limit
    kTooMuchOrTooLate  ///< and everything once the time limit is reached; for one thread
  };

  explicit MemoryGuard(Budget& budget, Refuses what = Refuses::kTooMuch);
  ~MemoryGuard();
  MemoryGuard(const MemoryGuard&) = delete;
  MemoryGuard& operator=(const MemoryGuard&) = delete;

  /// Whether a block of `size` bytes may be allocated. COST: a counter; a system call every
  /// kStep bytes.
  static bool admits(std::size_t size) {
    unlooked_ += size;
    return unlooked_ < kStep || deferred_ || look(size);
  }

  /// While one lives that is on, this thread's allocations are admitted, and only ask()
  /// refuses. For JSON values, which allocate while they are destroyed: a refusal then ends the
  /// program. One that is off is nested in one that is on, around work that destroys none.
  class Deferral {
   public:
    explicit Deferral(bool on = true) : outer_(deferred_) { deferred_ = on; }
    ~Deferral() { deferred_ = outer_; }
    Deferral(const Deferral&) = delete;
    Deferral& operator=(const Deferral&) = delete;

   private:
    bool outer_;
  };

  /// Throws std::bad_alloc where an allocation would be refused. COST: as admits().
  static void ask();
  /// The same, for work that allocates little: `ticks` are memory accesses, as in a budget.
  static void spend(std::size_t ticks) {
    unlooked_ += kBytesPerTick * ticks;
    ask();
  }
  /// Throws std::bad_alloc unless `succeeded`, for libraries that return where memory is
  /// lacking.
  static void require(bool succeeded);

 private:
  static constexpr std::size_t kStep = std::size_t{1} << 20;
  static constexpr std::size_t kBytesPerTick =
      4;  // so that looks are as far apart as a budget's

  static bool look(std::size_t size);

  static std::atomic<Budget*> budget_;
  static bool looks_at_time_;
  static constinit thread_local std::size_t unlooked_;
  static constinit thread_local bool deferred_;
};

/// Does the work; false when memory ran out.
bool fits_memory(const std::function<void()>& work);

}  // namespace isolde::base
