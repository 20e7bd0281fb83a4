// Text of unknown origin made fit to be shown: keys, values and names of sessions are any
// bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace isolde::report {

/// Valid UTF-8 without control characters: bytes that are no UTF-8, and characters that change
/// the direction of the text around them, become U+FFFD; control characters become their
/// pictures (U+2400 and up). Line breaks stay.
std::string printable(std::string_view text);

/// The same, cut behind `max_bytes` or a little earlier, with an ellipsis in place of the rest.
std::string shortened(std::string_view text, std::size_t max_bytes);

}  // namespace isolde::report
