#include "base/budget.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/memory.hpp"

namespace isolde::base {

namespace {

std::string size_text(std::uint64_t bytes) {
  const unsigned shift = bytes >= (1U << 20) ? 20 : bytes >= (1U << 10) ? 10 : 0;
  return std::to_string(bytes >> shift) + (shift == 20   ? " MB"
                                           : shift == 10 ? " KB"
                                           : bytes == 1  ? " byte"
                                                         : " bytes");
}

std::uint64_t used_since(std::uint64_t before) {
  const std::uint64_t now = anonymous_bytes();
  return now > before ? now - before : 0;
}

}  // namespace

Budget::Budget(double seconds, std::uint64_t bytes, std::uint64_t bytes_before)
    : seconds_(seconds), bytes_(bytes), bytes_before_(bytes_before) {}

bool Budget::look() {
  const std::uint64_t ticks = std::exchange(pending_, 0);
  if (cancel_after_ != kNever) {
    if (ticks > cancel_after_) cancel();
    cancel_after(cancel_after_ - std::min(ticks, cancel_after_));
  }
  return look_at_limits(ticks);
}

void Budget::cancel_after(std::uint64_t ticks) {
  cancel_after_ = ticks;
  look_after_ = std::min(ticks + 1, kTicksPerLook);
}

void Budget::keep_time_by(std::function<Clock::time_point()> clock) {
  clock_ = std::move(clock);
  begin_ = now();
}

bool Budget::look_at_limits(std::uint64_t ticks) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (exhausted()) return false;
  if (asks_ && asks_()) cancel();
  Stop stop = Stop::kNone;
  if (cancelled_.load(std::memory_order_relaxed)) {
    stop = Stop::kCancelled;
  } else if (seconds_ > 0) {
    const Clock::time_point now = this->now();
    const std::chrono::duration<double> spent = now - begin_;
    if (spent.count() > seconds_) {
      stop = Stop::kTime;
    } else if (now > share_end_) {
      stop = Stop::kShare;
    }
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
  return bytes_ == 0 || used_since(bytes_before_) + bytes <= bytes_;
}

// The slack beyond the limit lets work that checks the budget itself end in order.
bool Budget::admits(std::uint64_t bytes) {
  if (bytes_ == 0 || used_since(bytes_before_) + bytes <= bytes_ + bytes_ / 16) return true;
  Stop before = Stop::kNone;
  stop_.compare_exchange_strong(before, Stop::kMemory, std::memory_order_relaxed);
  return false;
}

double Budget::seconds_left() const {
  constexpr double kCentury = 100.0 * 365 * 24 * 3600;
  if (seconds_ <= 0) return kCentury;
  const Clock::time_point now = this->now();
  const std::chrono::duration<double> spent = now - begin_;
  double left = seconds_ - spent.count();
  if (share_end_ != Clock::time_point::max()) {
    const std::chrono::duration<double> share = share_end_ - now;
    left = std::min(left, share.count());
  }
  return std::max(left, 0.0);
}

void Budget::look_again_at_memory() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (stop() == Stop::kMemory && has_room(0)) stop_ = Stop::kNone;
}

std::string Budget::memory_reason() const {
  return bytes_ == 0 ? "out of memory" : "memory limit of " + size_text(bytes_) + " reached";
}

std::string Budget::reason() const {
  char text[96];
  switch (stop()) {
    case Stop::kTime:
      std::snprintf(text, sizeof text, "time limit of %g s reached", seconds_);
      return text;
    case Stop::kMemory:
      return memory_reason();
    case Stop::kCancelled:
      return "interrupted";
    case Stop::kShare:
      return "its share of the time limit was used";
    case Stop::kAllowance:
    case Stop::kNone:
      break;
  }
  return {};
}

}  // namespace isolde::base
