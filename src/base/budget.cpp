#include "base/budget.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

namespace isolde::base {

namespace {

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Closer>;

File open_to_read(const char* path) { return File(std::fopen(path, "r")); }

}  // namespace

std::uint64_t resident_bytes() {
  const File file = open_to_read("/proc/self/statm");
  unsigned long long total = 0;
  unsigned long long resident = 0;
  if (!file || std::fscanf(file.get(), "%llu %llu", &total, &resident) != 2) return 0;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// Not the peak that getrusage() tells where it can be helped: that one begins with the peak of
// the program that started this one.
std::uint64_t peak_resident_bytes() {
  if (const File file = open_to_read("/proc/self/status")) {
    char line[256];
    unsigned long long kilobytes = 0;
    while (std::fgets(line, sizeof line, file.get()) != nullptr) {
      if (std::sscanf(line, "VmHWM: %llu", &kilobytes) == 1) return kilobytes * 1024;
    }
  }
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
