// SessionTimes: whether the transactions of each session follow one another in real time, for
// then an order that keeps real time keeps that of the sessions, too.
#pragma once

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "isolde/history.hpp"

namespace isolde::stream {

/// Sessions are told apart by a hash of their names; should two be taken for one, they may seem
/// to overlap. Memory: two words for each session.
class SessionTimes {
 public:
  using Ends = std::vector<std::pair<std::uint64_t, std::int64_t>>;

  explicit SessionTimes(std::int64_t clock_error_ns) : clock_error_ns_(clock_error_ns) {}

  /// Those that come next, of each session in its order. False: one started before another of
  /// its session had ended, or so soon that clocks may be wrong about it. Aborted ones do not
  /// count.
  bool take(const History& part);

  /// From now on. False: some of those that came follow one another too soon for that.
  bool raise_clock_error(std::int64_t clock_error_ns) {
    clock_error_ns_ = clock_error_ns;
    return least_gap_ > static_cast<std::uint64_t>(clock_error_ns);
  }

  /// By hash, ascending.
  Ends ends() const;
  /// Between two transactions of a session, so far.
  std::uint64_t least_gap() const { return least_gap_; }
  void restore(const Ends& ends, std::uint64_t least_gap) {
    last_ends_ = {ends.begin(), ends.end()};
    least_gap_ = least_gap;
  }

 private:
  std::int64_t clock_error_ns_;
  std::uint64_t least_gap_ = std::numeric_limits<std::uint64_t>::max();
  std::unordered_map<std::uint64_t, std::int64_t> last_ends_;  // kNoTime: it is not known
};

}  // namespace isolde::stream
