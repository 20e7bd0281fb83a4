#include "cli/progress.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "base/printable.hpp"
#include "cli/interrupt.hpp"

namespace isolde::cli {
namespace {

constexpr std::chrono::milliseconds kTerminalPause{100};
constexpr std::chrono::milliseconds kLinePause{2000};
constexpr std::size_t kColumns = 68;

}  // namespace

std::string rest_of_work(double seconds_so_far, double share) {
  constexpr double kFirstSeconds = 1;
  constexpr double kFirstShare = 0.02;
  if (seconds_so_far < kFirstSeconds || share < kFirstShare || share >= 1) return {};
  return rest_of_time(seconds_so_far * (1 - share) / share);
}

/// Two digits tell enough.
std::string rest_of_time(double seconds) {
  if (seconds <= 0) return {};
  constexpr double kMost = 100;
  double rest = seconds;
  const char* unit = "s";
  if (rest > kMost) {
    rest /= 60;
    unit = "m";
    if (rest > kMost) {
      rest /= 60;
      unit = "h";
    }
  }
  return ", " + std::to_string(std::llround(std::ceil(rest))) + unit + " left";
}

Progress::Progress(bool enabled) : enabled_(enabled), terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() { clear(); }

void Progress::show(std::string_view work) {
  if (!enabled_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_ && (terminal_ || work == last_)) return;
  next_ = now + (terminal_ ? kTerminalPause : kLinePause);
  last_ = work;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const std::string text = base::printable_line(work);
  if (terminal_) {
    // A line that wraps could not be written over.
    std::fprintf(stderr, "\r\x1b[K[%.1f s] %s", seconds,
                 base::shortened(text, kColumns).c_str());
    std::fflush(stderr);
    shown_ = true;
  } else if (std::fprintf(stderr, "[%.1f s] %s\n", seconds, text.c_str()) < 0) {
    heed_lost_reader(STDERR_FILENO);
  }
}

void Progress::clear() {
  if (!shown_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace isolde::cli
