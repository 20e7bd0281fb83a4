// What a recorder and its sessions share. A session writes the line of its transaction straight
// into its slot of FILE.inflight (record/inflight_folder.hpp) and appends it to the history
// when the outcome is known (record/line_file.hpp).
//
// Whatever instruction is the last one of the process, each transaction that began is then in
// exactly one of these states, and a reader can tell which:
//   - its text has begun in the slot: taken in as far as it has come, outcome unknown;
//   - its line is whole in the slot, and not or only in part in the history: taken in as it is;
//   - its line is in the history and the slot still holds it: the slot says which transaction
//     of its session it is, and the history has one of that number;
//   - its line is in the history, the slot is clear.
// A write is in the slot before it is sent, so that nobody can have read what is not on record.
//
// When something cannot be recorded, the ledger of the folder says so first; from then on
// nothing is recorded, because a history with a hole in the middle looks like a violation.
#pragma once

#include <sys/random.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock_bound.hpp"
#include "base/rng.hpp"
#include "isolde/recorder.hpp"
#include "isolde/status.hpp"
#include "record/companion.hpp"
#include "record/inflight_folder.hpp"
#include "record/json_put.hpp"
#include "record/line_file.hpp"

namespace isolde {
namespace record {

inline Error usage(std::string message) { return {ErrorCode::kUsage, std::move(message)}; }

/// In quotes, for a message of one line.
inline std::string shown(std::string_view text) { return readable_text(text.substr(0, 40)); }

inline std::int64_t monotonic_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// From 0 to 2^60 - 1.
inline std::int64_t random_number() {
  std::uint64_t bits = 0;
  const bool is_there = getrandom(&bits, sizeof bits, 0) == sizeof bits;
  if (!is_there) bits = base::Rng(static_cast<std::uint64_t>(monotonic_now())).next();
  return static_cast<std::int64_t>(bits >> 4);
}

}  // namespace record

struct Recorder::State {
  std::int64_t now() const { return record::monotonic_now() - origin; }
  /// Keeps the first problem and stops recording.
  void fail(Error error);
  /// A line of the history; false when recording has stopped.
  bool append(std::string_view line);
  /// A slot nobody uses; nullptr when recording has stopped.
  record::Slot* take_slot(std::string_view session);
  Status first_problem() const;
  bool is_ours() const { return owner == getpid(); }
  /// Once a second how far the clock may be off. `now`: what it tells.
  void heed_clock(std::int64_t now) {
    if (now >= next_look.load(std::memory_order_relaxed)) look_at_clock(now);
  }
  void look_at_clock(std::int64_t now);

  std::int64_t origin = 0;
  bool deletes = false;  // as the header says
  const std::int64_t first_fence = record::random_number();
  std::atomic<std::int64_t> fences = 0;    // so many values were given out
  pid_t owner = 0;                         // a forked child must leave everything alone
  std::unique_ptr<record::LineFile> file;  // none when recording is off
  std::unique_ptr<record::InflightFolder> folder;
  std::atomic<bool> active = false;  // neither off, nor stopped, nor closed
  std::atomic<std::int64_t> next_look = 0;

  mutable std::mutex mutex;  // for what follows, and for folder
  Status problem = ok_status();
  bool closed = false;
  base::ClockBound bound;
  std::set<std::string, std::less<>> names;
  std::vector<record::Slot*> free_slots;
  std::unique_ptr<Recorder::Companion> companion;
};

}  // namespace isolde
