// Progress on stderr: one line that rewrites itself on a terminal, plain lines elsewhere.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace isolde::cli {

/// How long the rest of some work takes when it goes on as so far: ", 12s left". Empty while it
/// is too early to tell, and at the end. `share`: of it that is done, 0 to 1.
std::string rest_of_work(double seconds_so_far, double share);
/// The same for a time that is known.
std::string rest_of_time(double seconds);

class Progress {
 public:
  explicit Progress(bool enabled);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows `work`, at most a few times a second.
  void show(std::string_view work);
  /// Removes the line from the terminal.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool enabled_;
  bool terminal_;
  bool shown_ = false;
  std::string last_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point next_ = begin_;
};

}  // namespace isolde::cli
