// Budget: the one place that says "stop". Long loops call spend() with the work just done;
// every few hundred thousand units it looks at the clock and at the process's memory. Once
// exhausted it stays so, and the caller answers `unknown` with what was decided so far.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace isolde::base {

/// Resident memory of this process in bytes; 0 where the system does not tell.
std::uint64_t resident_bytes();
/// Highest resident memory so far.
std::uint64_t peak_resident_bytes();

class Budget {
 public:
  enum class Stop : std::uint8_t { kNone, kTime, kMemory, kCancelled, kAllowance };

  /// While one lives, the budget is exhausted after so much work, for an attempt that may be
  /// given up. Not nested.
  class Allowance {
   public:
    Allowance(Budget& budget, std::uint64_t ticks) : budget_(budget) {
      budget_.allowance_ = ticks;
      budget_.has_allowance_ = true;
    }
    ~Allowance() {
      budget_.has_allowance_ = false;
      if (budget_.stop_ == Stop::kAllowance) budget_.stop_ = Stop::kNone;
    }
    Allowance(const Allowance&) = delete;
    Allowance& operator=(const Allowance&) = delete;

   private:
    Budget& budget_;
  };

  /// No limits.
  Budget() = default;
  /// 0 means no limit. The clock starts now.
  Budget(double seconds, std::uint64_t bytes);

  /// Accounts for `ticks` units of work (about one memory access each) and returns false when
  /// the work must stop. COST: a counter; a system call every kTicksPerLook.
  bool spend(std::uint64_t ticks) {
    pending_ += ticks;
    if (pending_ < kTicksPerLook) return stop_ == Stop::kNone;
    return look();
  }

  /// Looks at clock and memory now.
  bool look();

  bool exhausted() const { return stop_ != Stop::kNone; }
  Stop stop() const { return stop_; }
  /// "time limit of 10 s reached", for the verdict's reason.
  std::string reason() const;

  /// Asynchronous stop, safe to call from a signal handler or another thread.
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }

 private:
  static constexpr std::uint64_t kTicksPerLook = 1U << 18;

  double seconds_ = 0;
  std::uint64_t bytes_ = 0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::uint64_t pending_ = 0;
  std::uint64_t allowance_ = 0;  // what is left of it
  bool has_allowance_ = false;
  Stop stop_ = Stop::kNone;
  std::atomic<bool> cancelled_{false};
};

}  // namespace isolde::base
