#include "record/json_put.hpp"

namespace isolde::record {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

/// Bytes of the well-formed character of two or more bytes at the beginning of `text`, 0 when
/// there is none: overlong forms, surrogates and what lies beyond U+10FFFF are none (table 3-7
/// of the Unicode standard).
std::size_t character_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (text.size() < 2 || !is_continuation(text[1])) return 0;
  const auto second = static_cast<unsigned char>(text[1]);
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (text.size() < 3 || !is_continuation(text[2])) return 0;
  if (first == 0xe0) return second >= 0xa0 ? 3 : 0;
  if (first == 0xed) return second < 0xa0 ? 3 : 0;
  if (first >= 0xe1 && first <= 0xef) return 3;
  if (text.size() < 4 || !is_continuation(text[3])) return 0;
  if (first == 0xf0) return second >= 0x90 ? 4 : 0;
  if (first == 0xf4) return second < 0x90 ? 4 : 0;
  return first >= 0xf1 && first <= 0xf3 ? 4 : 0;
}

char* put_control(char* at, unsigned char byte) {
  at = put(at, "\\u00");
  *at++ = kHex[byte >> 4];
  *at++ = kHex[byte & 15U];
  return at;
}

}  // namespace

char* put_text(char* at, std::string_view text) {
  *at++ = '"';
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x80) {
      const std::size_t length = character_length(text.substr(i));
      if (length == 0) return nullptr;
      at = put(at, text.substr(i, length));
      i += length;
      continue;
    }
    if (byte < 0x20) {
      at = put_control(at, byte);
    } else {
      if (byte == '"' || byte == '\\') *at++ = '\\';
      *at++ = text[i];
    }
    ++i;
  }
  *at++ = '"';
  return at;
}

std::string readable_text(std::string_view text) {
  constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  std::string valid;
  for (std::size_t i = 0; i < text.size();) {
    const bool ascii = static_cast<unsigned char>(text[i]) < 0x80;
    const std::size_t length = ascii ? 1 : character_length(text.substr(i));
    valid += length == 0 ? kReplacement : text.substr(i, length);
    i += length == 0 ? 1 : length;
  }
  std::string json(text_room(valid), '\0');
  json.resize(static_cast<std::size_t>(put_text(json.data(), valid) - json.data()));
  return json;
}

}  // namespace isolde::record
