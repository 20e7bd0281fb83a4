// Counts, columns and paragraphs in texts for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace isolde::base {

/// "1 key", "2 keys".
std::string plural(std::uint64_t count, std::string_view noun);
/// For columns: the text, filled up with blanks.
std::string padded(std::string_view text, std::size_t width);
/// For paragraphs: lines of at most 92 columns, the first indented by two blanks, the others by
/// `hanging` more, each with its line break.
std::string wrapped(std::string_view text, std::size_t hanging = 0);

}  // namespace isolde::base
