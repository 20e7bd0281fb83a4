// Text of unknown origin made fit for people. Keys, values, names and paths may hold any bytes:
// sequences that command a terminal, line breaks that forge a line of ours, characters that
// cannot be seen or turn the text around them. What comes out of here is valid UTF-8 without
// such characters. They become escapes: \x1b for a byte and \u202e or \U000e0041 for a
// character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace isolde::base {

/// Whether the character is none that people can see: these are what is escaped here, blanks
/// and line breaks where they would do harm.
bool is_unseen(std::uint32_t code);

/// A name or value, on one line. Different names stay different unless they are cut: a
/// backslash is doubled where it would look like the beginning of an escape. Blanks at the ends
/// and in a row are escaped too, for they would make columns. What is longer than some 200
/// bytes loses its middle: "begin...(812 bytes)...end".
std::string printable_name(std::string_view name);

/// The same, never cut: for paths, which people copy.
std::string printable_path(std::string_view path);

/// A sentence that may have names in it already, on one line. Backslashes stay, so that it can
/// be done again without harm.
std::string printable_line(std::string_view sentence);

/// Lines of our own: line breaks and blanks stay, too.
std::string printable_lines(std::string_view text);

/// The same JSON in which such characters stand as JSON's own escapes: programs get the exact
/// names back, and nothing happens where somebody looks at it. REQUIRES: UTF-8.
std::string printable_json(std::string_view json);

/// The beginning of a text with at most `max_bytes`, with an ellipsis in place of the rest.
/// Cuts no character in two.
std::string shortened(std::string_view text, std::size_t max_bytes);

}  // namespace isolde::base
