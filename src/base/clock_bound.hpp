// By how much the times of a recording may differ from UTC, and which clock tells them.
//
// A recording counts its times on the machine's monotonic clock, from a moment (its origin)
// that it takes from the wall clock. Linux runs both clocks at one rate, also where NTP slews
// them: their difference changes only where the wall clock is set. So, at a moment at which the
// kernel tells that the wall clock is wrong by E at most, times of the recording are wrong by E
// at most plus by how much the wall clock was set since the origin.
//
// Between two such looks NTP may slew the clocks from the one to the other, and the oscillator
// drifts by what the kernel takes for the most that one does, 500 parts in a million, by which
// its own E grows, too. So in between they are wrong by no more than the larger of both and the
// drift from one look to the next.
//
// It is all in the header, so that the recorder's library stands alone.
#pragma once

#include <fcntl.h>
#include <sys/timex.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <ctime>
#include <limits>
#include <string>
#include <string_view>

#include "base/hash.hpp"
#include "isolde/times.hpp"

namespace isolde::base {

/// Both clocks at one moment.
struct ClockLook {
  std::int64_t wall_ns = 0;  ///< since 1970 in UTC
  std::int64_t monotonic_ns = 0;
  /// By which wall_ns differs from UTC at most, and from that moment; kNoTime: the kernel does
  /// not know, for nobody sets the clock right.
  std::int64_t error_ns = kNoTime;
};

/// In place of the kernel, for tests.
struct ClockSource {
  ClockLook (*look)();
  std::string (*host)();
};
inline std::atomic<const ClockSource*> clock_source = nullptr;

namespace clock_detail {

inline std::int64_t now_of(clockid_t clock) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * kSecond + now.tv_nsec;
}

/// The first bytes of a small file or of what a link says; empty: there is none.
inline std::string first_bytes(const char* path, bool is_link) {
  std::array<char, 128> bytes{};
  ssize_t count = -1;
  if (is_link) {
    count = readlink(path, bytes.data(), bytes.size());
  } else if (const int file = open(path, O_RDONLY | O_CLOEXEC); file >= 0) {
    count = read(file, bytes.data(), bytes.size());
    close(file);
  }
  return count <= 0 ? "" : std::string(bytes.data(), static_cast<std::size_t>(count));
}

}  // namespace clock_detail

/// COST: some system calls.
inline ClockLook look_at_clocks() {
  if (const ClockSource* const source = clock_source.load()) return source->look();
  ClockLook best;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  constexpr int kTries = 3;  // against being put to sleep between two of the calls
  for (int i = 0; i < kTries; ++i) {
    const std::int64_t before = clock_detail::now_of(CLOCK_MONOTONIC);
    const std::int64_t wall = clock_detail::now_of(CLOCK_REALTIME);
    const std::int64_t between = clock_detail::now_of(CLOCK_MONOTONIC) - before;
    if (between >= least) continue;
    least = between;
    best = {wall, before, kNoTime};
  }
  constexpr std::int64_t kMicrosecond = 1'000;
  timex kernel{};  // asks, and sets nothing
  const int state = adjtimex(&kernel);
  if (state < 0 || state == TIME_ERROR || (kernel.status & STA_UNSYNC) != 0) return best;
  best.error_ns = kernel.maxerror * kMicrosecond + least;
  return best;
}

/// Which monotonic clock look_at_clocks() tells, as 16 digits: a hash of the machine's id, of
/// its boot and of the namespace of time. Recordings with the same one have one clock. Empty:
/// not known.
inline std::string clock_host() {
  if (const ClockSource* const source = clock_source.load()) return source->host();
  const std::string boot =
      clock_detail::first_bytes("/proc/sys/kernel/random/boot_id", /*is_link=*/false);
  if (boot.empty()) return "";
  // Who copies a machine that runs copies its boot; its id may be another one.
  const std::string machine = clock_detail::first_bytes("/etc/machine-id", /*is_link=*/false);
  const std::string space = clock_detail::first_bytes("/proc/self/ns/time", /*is_link=*/true);
  std::uint64_t hash = 0;
  for (const std::string_view part :
       {std::string_view(boot), std::string_view(machine), std::string_view(space)}) {
    hash = mix2(hash, part.size());
    for (const char byte : part) hash = mix2(hash, static_cast<unsigned char>(byte));
  }
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) {
    digits += "0123456789abcdef"[(hash >> shift) & 15U];
  }
  return digits;
}

/// The bound of a recording's times, from its origin up to the last look. Threads: one at a
/// time.
class ClockBound {
 public:
  /// Beyond a day nothing is known.
  static constexpr std::int64_t kMost = std::int64_t{86'400} * 1'000'000'000;

  /// That bound, or kNoTime for what is none.
  static std::int64_t known(std::int64_t error_ns) {
    return error_ns < 0 || error_ns > kMost ? kNoTime : error_ns;
  }

  /// Nothing is known.
  ClockBound() = default;
  /// `origin`: the look that the origin was taken from.
  explicit ClockBound(const ClockLook& origin)
      : origin_(origin), last_ns_(origin.monotonic_ns), last_error_ns_(known(origin.error_ns)) {
    error_ns_ = last_error_ns_;
  }

  /// What was not known once stays unknown: times of then are in the recording.
  void look(const ClockLook& now) {
    if (error_ns_ == kNoTime) return;
    if (now.error_ns == kNoTime) {
      error_ns_ = kNoTime;
      return;
    }
    const std::int64_t set_by =
        (now.wall_ns - origin_.wall_ns) - (now.monotonic_ns - origin_.monotonic_ns);
    const std::int64_t error = known(now.error_ns + (set_by < 0 ? -set_by : set_by));
    constexpr std::int64_t kOneIn = 2'000;  // 500 parts in a million
    const std::int64_t drift = (now.monotonic_ns - last_ns_) / kOneIn + 1;
    error_ns_ = error == kNoTime
                    ? kNoTime
                    : known(std::max(error_ns_, std::max(last_error_ns_, error) + drift));
    last_ns_ = now.monotonic_ns;
    last_error_ns_ = error;
  }

  /// The most by which times up to the last look differ from UTC; kNoTime: not known.
  std::int64_t error_ns() const { return error_ns_; }

 private:
  ClockLook origin_;
  std::int64_t last_ns_ = 0;
  std::int64_t last_error_ns_ = kNoTime;
  std::int64_t error_ns_ = kNoTime;
};

}  // namespace isolde::base
