// Points in time in RFC 3339 format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace isolde::base {

/// "2026-11-20T14:03:22.5Z" or "...T15:03:22+01:00" in nanoseconds since 1970 in UTC; nothing
/// when it is anything else, or outside 1677 to 2262, which 64 bits do not hold. Digits beyond
/// nanoseconds are cut; a leap second counts as the second after it.
std::optional<std::int64_t> parse_moment(std::string_view text);

/// "2026-11-20T14:03:22.500000000Z".
std::string moment_text(std::int64_t nanoseconds);

/// A moment in UTC, in two parts.
struct DayAndTime {
  std::string day;   ///< "2026-11-20"
  std::string time;  ///< "14:03:22.500000000"
};
DayAndTime day_and_time(std::int64_t nanoseconds);

}  // namespace isolde::base
