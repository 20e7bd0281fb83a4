#include "stream/open_window.hpp"

#include <algorithm>
#include <limits>

#include "base/duration.hpp"

namespace isolde::stream {
namespace {

/// At most what fits.
std::int64_t gap(std::int64_t from, std::int64_t to) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const std::uint64_t apart = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
  return static_cast<std::int64_t>(std::min(apart, kMost));
}

/// Whole milliseconds, from one on.
std::string text(std::int64_t duration_ns) {
  constexpr std::int64_t kMillisecond = 1'000'000;
  return base::duration_text(
      duration_ns < kMillisecond ? duration_ns : duration_ns / kMillisecond * kMillisecond);
}

}  // namespace

std::string open_for_too_long(const History& part, std::int64_t open_since,
                              std::optional<std::int64_t> first_start, std::int64_t window_ns) {
  std::int64_t latest = kNoTime;
  for (std::size_t t = 0; t < part.txn_count(); ++t) {
    latest = std::max(latest, part.times(TxnId::at(t)).start);
  }
  if (latest <= open_since) return {};
  const std::int64_t open_for = gap(open_since, latest);
  if (open_for <= window_ns) return {};
  const bool is_behind = first_start && open_since >= *first_start;
  return "a transaction " +
         (is_behind
              ? "that started at " + text(gap(*first_start, open_since)) + " of the history "
              : std::string("from before the history ")) +
         "is still open " + text(open_for) + " later, which is longer than the window of " +
         text(window_ns) + " that is allowed";
}

}  // namespace isolde::stream
