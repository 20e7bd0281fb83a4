#include "base/budget.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

namespace isolde::base {

std::uint64_t resident_bytes() {
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Closer> file(std::fopen("/proc/self/statm", "r"));
  unsigned long long total = 0;
  unsigned long long resident = 0;
  if (!file || std::fscanf(file.get(), "%llu %llu", &total, &resident) != 2) return 0;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::uint64_t peak_resident_bytes() {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

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
  if (stop == Stop::kNone && bytes_ > 0 && resident_bytes() > bytes_) stop = Stop::kMemory;
  if (stop == Stop::kNone && has_allowance_) {
    if (ticks >= allowance_) stop = Stop::kAllowance;
    allowance_ -= std::min(ticks, allowance_);
  }
  stop_.store(stop, std::memory_order_relaxed);
  return stop == Stop::kNone;
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
