// When transactions ran: by the clients' clocks, and by the database's own.
#pragma once

#include <cstdint>
#include <limits>

namespace isolde {

/// "Not recorded" for times.
inline constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();

/// Client clock times in nanoseconds from any common origin: `start` just before the first
/// request was sent, `end` just after the outcome was received.
struct TxnTimes {
  std::int64_t start = kNoTime;
  std::int64_t end = kNoTime;
};

/// The database's own logical clock, in any unit, where known: `start` when the transaction was
/// admitted, `commit` its place in the commit order. Unrelated to client times.
struct DatabaseTimes {
  std::int64_t start = kNoTime;
  std::int64_t commit = kNoTime;
};

}  // namespace isolde
