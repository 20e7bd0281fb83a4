// SessionTimes: whether the transactions of each session follow one another in real time, for
// then an order that keeps real time keeps that of the sessions, too.
#pragma once

#include <cstdint>
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

  /// By hash, ascending.
  Ends ends() const;
  void restore(const Ends& ends) { last_ends_ = {ends.begin(), ends.end()}; }

 private:
  std::int64_t clock_error_ns_;
  std::unordered_map<std::uint64_t, std::int64_t> last_ends_;  // kNoTime: it is not known
};

}  // namespace isolde::stream
