// Budget: the one place that says "stop". Long loops call spend() with the work just done;
// every few hundred thousand units it checks the clock and the memory that the process has
// allocated (base/memory.hpp). Once exhausted it stays so, and the caller answers `unknown`
// with what was decided so far.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

namespace isolde::base {

class BudgetShare;

class Budget {
 public:
  enum class Stop : std::uint8_t { kNone, kTime, kMemory, kCancelled, kAllowance, kShare };
  using Clock = std::chrono::steady_clock;

  /// While one lives, the budget is exhausted after this much work, for an attempt that may be
  /// given up. Nested ones count for both. Created and destroyed while no other thread works.
  /// Counts exactly what is spent during its lifetime.
  class Allowance {
   public:
    Allowance(Budget& budget, std::uint64_t ticks)
        : budget_(budget), is_nested_(budget.has_allowance_) {
      budget.look();
      outer_ = budget.allowance_;
      granted_ = is_nested_ ? std::min(ticks, outer_) : ticks;
      budget_.allowance_ = granted_;
      budget_.has_allowance_ = true;
    }
    ~Allowance() {
      budget_.look();
      const std::uint64_t spent = granted_ - budget_.allowance_;
      budget_.has_allowance_ = is_nested_;
      budget_.allowance_ = is_nested_ ? outer_ - spent : 0;
      const bool goes_on = !is_nested_ || budget_.allowance_ > 0;
      if (goes_on && budget_.stop() == Stop::kAllowance) budget_.stop_ = Stop::kNone;
    }
    Allowance(const Allowance&) = delete;
    Allowance& operator=(const Allowance&) = delete;

   private:
    Budget& budget_;
    bool is_nested_;
    std::uint64_t outer_ = 0;  // what was left of the enclosing one
    std::uint64_t granted_ = 0;
  };

  /// While one lives, the budget is exhausted after this many seconds, for work that must leave
  /// time for other work. No effect without a time limit, so that results then do not depend on
  /// the machine. A nested one ends no later than the enclosing one.
  class Share {
   public:
    Share(Budget& budget, double seconds) : budget_(budget), outer_(budget.share_end_) {
      if (budget.seconds_ <= 0) return;
      const std::chrono::duration<double> length(std::min(seconds, budget.seconds_));
      const auto end = budget.now() + std::chrono::duration_cast<Clock::duration>(length);
      budget.share_end_ = std::min(end, outer_);
    }
    ~Share() {
      budget_.share_end_ = outer_;
      const bool goes_on = budget_.stop() == Stop::kShare && budget_.now() <= outer_;
      if (goes_on) budget_.stop_ = Stop::kNone;
    }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

   private:
    Budget& budget_;
    Clock::time_point outer_;
  };

  /// No limits.
  Budget() = default;
  /// 0 means no limit. The clock starts now. Of the memory of the process, `bytes_before` does
  /// not count.
  Budget(double seconds, std::uint64_t bytes, std::uint64_t bytes_before = 0);

  /// Accounts for `ticks` units of work (about one memory access each) and returns false when
  /// the work must stop. COST: a counter; a system call every kTicksPerLook.
  bool spend(std::uint64_t ticks) {
    pending_ += ticks;
    if (pending_ < look_after_) return !exhausted();
    return look();
  }

  /// Checks clock and memory now.
  bool look();

  /// Whether this much more memory is within the limit. For work that can do with less.
  bool has_room(std::uint64_t bytes) const;
  /// The same for memory that is required, before allocating it: exhausts the budget when it
  /// does not fit. For any thread.
  bool admits(std::uint64_t bytes);

  bool exhausted() const { return stop() != Stop::kNone; }
  bool limits_time() const { return seconds_ > 0; }
  Stop stop() const { return stop_.load(std::memory_order_relaxed); }
  /// "time limit of 10 s reached", for the verdict's reason.
  std::string reason() const;
  /// The reason to report when memory was refused: the limit, if there is one.
  std::string memory_reason() const;

  /// Until the time limit or the end of the current share; without a limit a century.
  double seconds_left() const;
  /// After memory was freed: the budget is no longer exhausted for lack of it, if current use
  /// is below the limit.
  void look_again_at_memory();

  /// Asynchronous stop, safe to call from a signal handler or another thread.
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  /// Asked at each look, by one thread at a time, whether to stop as if by cancel(). Set before
  /// the work begins.
  void ask_at_looks(std::function<bool()> cancelled) { asks_ = std::move(cancelled); }
  /// Reads the time from `clock`, which starts anew, so that tests can say how long work took.
  /// Set before the work begins; asked by the threads that spend, several at a time.
  void keep_time_by(std::function<Clock::time_point()> clock);
  /// Like cancel() when this thread has spent more than `ticks`, so that tests can interrupt
  /// work at any point.
  void cancel_after(std::uint64_t ticks);

 private:
  friend class BudgetShare;
  static constexpr std::uint64_t kTicksPerLook = 1U << 18;
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  Clock::time_point now() const { return clock_ ? clock_() : Clock::now(); }
  /// look() for any thread, which has done `ticks` units of work since its last look.
  bool look_at_limits(std::uint64_t ticks);

  double seconds_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t bytes_before_ = 0;
  std::function<Clock::time_point()> clock_;  // empty: the system's
  Clock::time_point begin_ = Clock::now();
  std::uint64_t pending_ = 0;
  std::uint64_t look_after_ = kTicksPerLook;  // or less, when cancellation comes before
  std::uint64_t cancel_after_ = kNever;       // the ticks left until then
  std::uint64_t allowance_ = 0;               // what is left of it
  bool has_allowance_ = false;
  std::atomic<Stop> stop_{Stop::kNone};
  std::atomic<bool> cancelled_{false};
  std::function<bool()> asks_;  // empty: nobody to ask
  std::mutex mutex_;            // held by look_at_limits()
  Clock::time_point share_end_ = Clock::time_point::max();
};

/// What one of several concurrent threads spends of a budget. Each has its own share; the
/// budget itself belongs to the thread that waits for them.
class BudgetShare {
 public:
  /// `worker` 0 is the thread that the budget belongs to. The budget must outlive the share.
  BudgetShare(Budget& budget, unsigned worker) : budget_(budget), is_owner_(worker == 0) {}
  /// Also counts what was spent since the last look.
  ~BudgetShare() {
    if (pending_ > 0) budget_.look_at_limits(pending_);
  }
  BudgetShare(const BudgetShare&) = delete;
  BudgetShare& operator=(const BudgetShare&) = delete;

  /// As Budget::spend().
  bool spend(std::uint64_t ticks) {
    if (is_owner_) return budget_.spend(ticks);
    pending_ += ticks;
    if (pending_ < Budget::kTicksPerLook) return !budget_.exhausted();
    return budget_.look_at_limits(std::exchange(pending_, 0));
  }

 private:
  Budget& budget_;
  bool is_owner_;
  std::uint64_t pending_ = 0;
};

}  // namespace isolde::base
