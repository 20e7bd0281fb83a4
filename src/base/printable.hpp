// Makes text of unknown origin safe to show. Keys, values, names and paths may hold any bytes:
// terminal control sequences, line breaks that forge a line of ours, characters that are
// invisible or reverse the text around them. The output is valid UTF-8 without such characters.
// They become escapes: \x1b for a byte and \u202e or \U000e0041 for a character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace isolde::base {

/// Whether people cannot see the character: these are escaped here, blanks and line breaks only
/// where they would do harm.
bool is_unseen(std::uint32_t code);

/// A name or value, on one line. Different names stay different unless they are cut: a
/// backslash is doubled where it would look like the beginning of an escape. Blanks at the ends
/// and in a row are escaped too, because they would make columns. Names longer than some 200
/// bytes lose their middle: "begin...(812 bytes)...end".
std::string printable_name(std::string_view name);

/// The same, never cut: for paths, which people copy.
std::string printable_path(std::string_view path);

/// A sentence that may already contain names, on one line. Backslashes stay, so that the
/// function is idempotent.
std::string printable_line(std::string_view sentence);

/// Our own lines: line breaks and blanks also stay.
std::string printable_lines(std::string_view text);

/// The same JSON with such characters as JSON escapes: programs get the exact names back, and
/// it is safe to look at. REQUIRES: UTF-8.
std::string printable_json(std::string_view json);

/// The beginning of a text with at most `max_bytes`, with an ellipsis in place of the rest.
/// Cuts no character in two.
std::string shortened(std::string_view text, std::size_t max_bytes);

}  // namespace isolde::base
