// Durations as people write them on a command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace isolde::base {

/// "10us", "2.5ms", "30s", "5m", "1h" in nanoseconds; a bare number counts seconds. None when
/// the text is something else, negative, or beyond 63 bits of nanoseconds.
std::optional<std::int64_t> parse_duration(std::string_view text);

/// The same length in the largest unit that divides it: "5s", "1500ms".
std::string duration_text(std::int64_t nanoseconds);

}  // namespace isolde::base
