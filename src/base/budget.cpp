#include "base/budget.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/memory.hpp"

namespace isolde::base {

Budget::Budget(double seconds, std::uint64_t bytes) : seconds_(seconds), bytes_(bytes) {}

bool Budget::look() { return look_at_limits(std::exchange(pending_, 0)); }

bool Budget::look_at_limits(std::uint64_t ticks) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (exhausted()) return false;
  Stop stop = Stop::kNone;
  if (cancelled_.load(std::memory_order_relaxed)) {
    stop = Stop::kCancelled;
  } else if (seconds_ > 0) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
    if (spent.count() > seconds_) stop = Stop::kTime;
  }
  if (stop == Stop::kNone && !has_room(0)) stop = Stop::kMemory;
  if (stop == Stop::kNone && has_allowance_) {
    if (ticks >= allowance_) stop = Stop::kAllowance;
    allowance_ -= std::min(ticks, allowance_);
  }
  // A refusal of admits() in another thread stays.
  Stop before = Stop::kNone;
  stop_.compare_exchange_strong(before, stop, std::memory_order_relaxed);
  return stop == Stop::kNone && before == Stop::kNone;
}

bool Budget::has_room(std::uint64_t bytes) const {
  return bytes_ == 0 || anonymous_bytes() + bytes <= bytes_;
}

// The little more than the limit is for work that looks at the budget by itself and comes to an
// orderly end.
bool Budget::admits(std::uint64_t bytes) {
  if (bytes_ == 0 || anonymous_bytes() + bytes <= bytes_ + bytes_ / 16) return true;
  Stop before = Stop::kNone;
  stop_.compare_exchange_strong(before, Stop::kMemory, std::memory_order_relaxed);
  return false;
}

std::string Budget::reason() const {
  char text[96];
  switch (stop()) {
    case Stop::kTime:
      std::snprintf(text, sizeof text, "time limit of %g s reached", seconds_);
      return text;
    case Stop::kMemory:
      std::snprintf(text, sizeof text, "memory limit of %llu MB reached",
                    static_cast<unsigned long long>(bytes_ >> 20));
      return text;
    case Stop::kCancelled:
      return "interrupted";
    case Stop::kAllowance:
    case Stop::kNone:
      break;
  }
  return {};
}

}  // namespace isolde::base
