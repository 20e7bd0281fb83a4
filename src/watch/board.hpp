// What a watch looks like from outside: the thread that reads and checks says it once a round,
// and whoever answers requests reads it, at any time.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "isolde/times.hpp"

namespace isolde::watch {

/// Of everything since the beginning. Times are on the clients' clock.
struct Figures {
  std::uint64_t transactions = 0;
  std::uint64_t committed = 0;
  std::uint64_t operations = 0;
  std::uint64_t settled = 0;
  std::uint64_t open = 0;
  std::uint64_t apart = 0;  ///< of unknown outcome, from which nobody has read
  std::uint64_t keys = 0;
  std::uint64_t groups = 0;
  std::uint64_t rounds = 0;
  std::int64_t newest_end = kNoTime;     ///< of a transaction that was read
  std::int64_t settled_until = kNoTime;  ///< what ended before that is settled
  double round_seconds = 0;              ///< what the last round took
  std::uint64_t incomplete_keys = 0;     ///< that somebody writes who is not recorded
  std::uint64_t unwritten_files = 0;     ///< that lack something, for it cannot be written
};

/// Something to see on a time line.
struct Mark {
  double time = 0;   ///< seconds since 1970, when it was noticed
  std::string kind;  ///< "cleared", "disk", "fault", "gap", "goes-on", "incomplete",
                     ///< "suspected", "violation"
  std::string text;
};

/// The same figures as they were at one moment.
struct Sample {
  double time = 0;                  ///< seconds since 1970
  double rate = 0;                  ///< transactions a second, over the last seconds
  std::optional<double> lag;        ///< seconds from the newest end to now
  std::optional<double> unsettled;  ///< seconds from what is settled to the newest end
  std::uint64_t memory = 0;         ///< resident bytes
};

struct Found {
  std::uint64_t transactions = 0;  ///< that the violation rests on
  std::string text;                ///< the report for people
  std::string page;                ///< the same as HTML; empty: this build cannot make any
};

/// All that there is to say, as it is now.
struct View {
  std::string source;
  std::string level;
  std::string verdict;    ///< of what is settled, and in the end of all
  std::string reason;     ///< of an unknown verdict
  std::string suspicion;  ///< that there will be a violation; empty: there is none
  bool ended = false;
  double started = 0;  ///< seconds since 1970
  Figures figures;
  Sample now;
  std::uint64_t gaps = 0;
  std::uint64_t faults = 0;
  double since_group = 0;  ///< seconds since something came
  std::vector<Mark> marks;
  std::uint64_t violations = 0;
  std::optional<Found> found;  ///< the last one, without its page
};

class Board {
 public:
  /// Nanoseconds since 1970.
  using Clock = std::function<std::int64_t()>;

  Board(std::string source, std::string level, Clock clock);

  void update(const Figures& figures);
  /// Something has come.
  void came();
  void mark(std::string kind, std::string text);
  /// Why a violation is suspected, which is no verdict yet; empty: it is not any more. end()
  /// decides, so nothing is suspected then.
  void suspect(std::string why);
  void end(std::string verdict, std::string reason);
  /// A violation: from now on the level is violated.
  void find(Found found);
  /// Of some transactions no order was found, for that reason: from now on the level does not
  /// hold.
  void lose(std::string reason);
  /// What an earlier process has found: so many violations, and why no order; or empty.
  void begin_behind(std::uint64_t violations, std::string lost);
  /// Keeps the figures as they are now. Once a second, and tells those who wait.
  void sample();
  /// Nobody waits any longer.
  void close();

  View view() const;
  std::vector<Sample> samples() const;
  /// The page about the last violation, or its text; nothing where there is none.
  std::optional<Found> found() const;
  /// How many samples there were.
  std::uint64_t sampled() const;
  /// Waits until there is a sample later than the `seen`-th, for some seconds at most; then
  /// that is `seen`. False: closed.
  bool wait(std::uint64_t& seen) const;

 private:
  View view_locked(double now) const;
  double seconds_now() const;

  /// Ten minutes, and events of a bad day.
  static constexpr std::size_t kMostSamples = 600;
  static constexpr std::size_t kMostMarks = 200;

  const Clock clock_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  View state_;
  std::string page_;
  double came_;
  std::deque<Sample> samples_;
  std::deque<std::uint64_t> counts_;  // transactions at each sample
  std::uint64_t sampled_ = 0;
  bool closed_ = false;
  bool is_lost_ = false;
};

}  // namespace isolde::watch
