// Counts, columns and paragraphs in texts for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace isolde::base {

/// For people: "2000", "132,514". Four digits are read at a glance and stay together.
std::string grouped(std::uint64_t number);
/// "1 key", "132,514 keys".
std::string plural(std::uint64_t count, std::string_view noun);
/// "12.50" with two digits behind the point.
std::string fixed(double number, int digits);
/// For columns: the text, filled up with blanks.
std::string padded(std::string_view text, std::size_t width);
/// For paragraphs: lines of at most 92 columns, the first indented by two blanks, the others by
/// `hanging` more, each with its line break.
std::string wrapped(std::string_view text, std::size_t hanging = 0);

/// "a, b and c" for the conjunction "and".
std::string joined(std::span<const std::string> parts, std::string_view conjunction);
/// "1st", "2nd", "11th", "23rd".
std::string ordinal(std::uint64_t number);
/// With its first letter, of ASCII, as a capital.
std::string capitalised(std::string text);

/// One word of a command line, in quotes where a shell would take it for something else.
std::string shell_word(std::string_view word);

/// In lower case, with hyphens for blanks and underscores.
std::string plain_name(std::string_view name);
/// " (did you mean a, b or c?)" for the candidates that come closest to a name in lower case,
/// or nothing where none is close.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace isolde::base
