#include "stream/session_times.hpp"

#include <xxhash.h>

#include <algorithm>

namespace isolde::stream {

bool SessionTimes::take(const History& part) {
  for (std::size_t s = 0; s < part.session_count(); ++s) {
    const SessionId session = SessionId::at(s);
    const auto name = part.session_name(session);
    const std::uint64_t hash = XXH3_64bits(name.data(), name.size());
    for (const TxnId txn : part.session_txns(session)) {
      if (part.status(txn) == TxnStatus::kAborted) continue;
      TxnTimes times = part.times(txn);
      // One whose outcome is not known may take effect later.
      if (part.status(txn) != TxnStatus::kCommitted) times.end = kNoTime;
      const auto [last, is_first] = last_ends_.try_emplace(hash, times.end);
      if (is_first) continue;
      if (last->second == kNoTime || times.start == kNoTime || last->second >= times.start) {
        return false;
      }
      const std::uint64_t gap =
          static_cast<std::uint64_t>(times.start) - static_cast<std::uint64_t>(last->second);
      if (gap <= static_cast<std::uint64_t>(clock_error_ns_)) return false;
      least_gap_ = std::min(least_gap_, gap);
      last->second = times.end;
    }
  }
  return true;
}

SessionTimes::Ends SessionTimes::ends() const {
  Ends ends(last_ends_.begin(), last_ends_.end());
  std::ranges::sort(ends);
  return ends;
}

}  // namespace isolde::stream
