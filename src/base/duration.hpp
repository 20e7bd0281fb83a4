// Durations as people write them on a command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "isolde/status.hpp"

namespace isolde::base {

/// "10us", "2.5ms", "30s", "5m", "1h" in nanoseconds; a bare number counts seconds. None when
/// the text is something else, negative, or beyond 63 bits of nanoseconds.
std::optional<std::int64_t> parse_duration(std::string_view text);

/// The same, from `least` to `most`. ERRORS: kUsage, with the text and what was expected.
Result<std::int64_t> duration_between(std::string_view text, std::int64_t least,
                                      std::int64_t most);

/// The same length in the largest unit that divides it: "5s", "1500ms".
std::string duration_text(std::int64_t nanoseconds);

}  // namespace isolde::base
