#include "report/printable.hpp"

#include <cstdint>
#include <optional>

namespace isolde::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
};

/// The character that starts at `at`, or nothing when the bytes there are no UTF-8 (RFC 3629).
std::optional<Character> decode(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::uint32_t lead = byte(at);
  if (lead < 0x80) return Character{lead, 1};
  if (lead < 0xC2 || lead > 0xF4) return std::nullopt;
  const std::size_t bytes = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (text.size() - at < bytes) return std::nullopt;
  std::uint32_t code = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(at + i) & 0xC0U) != 0x80U) return std::nullopt;
    code = code << 6 | (byte(at + i) & 0x3FU);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (overlong || surrogate || code > 0x10FFFF) return std::nullopt;
  return Character{code, bytes};
}

/// Left-to-right marks, embeddings, overrides and isolates.
bool turns_text(std::uint32_t code) {
  return code == 0x200E || code == 0x200F || code == 0x061C ||
         (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

/// C1 controls, line and paragraph separators, and what is no character at all: some of these
/// are not allowed in XML.
bool has_no_shape(std::uint32_t code) {
  return (code >= 0x80 && code < 0xA0) || code == 0x2028 || code == 0x2029 ||
         (code & 0xFFFEU) == 0xFFFEU || (code >= 0xFDD0 && code <= 0xFDEF);
}

/// U+2400 + `control`, in UTF-8.
std::string picture(std::uint32_t control) {
  return {'\xE2', '\x90', static_cast<char>(0x80U + control)};
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::optional<Character> character = decode(text, at);
    if (!character || turns_text(character->code) || has_no_shape(character->code)) {
      out += kReplacement;
    } else if (character->code == 0x7F) {
      out += picture(0x21);
    } else if (character->code < 0x20 && character->code != '\n') {
      out += picture(character->code);
    } else {
      out += text.substr(at, character->bytes);
    }
    at += character ? character->bytes : 1;
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return printable(text);
  while (max_bytes > 0 && (static_cast<unsigned char>(text[max_bytes]) & 0xC0U) == 0x80U) {
    --max_bytes;
  }
  return printable(text.substr(0, max_bytes)) + "\xE2\x80\xA6";
}

}  // namespace isolde::report
