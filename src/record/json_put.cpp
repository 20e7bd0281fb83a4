#include "record/json_put.hpp"

#include "base/utf8.hpp"

namespace isolde::record {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

/// Bytes of the well-formed character of two or more bytes at the beginning of `text`, 0 when
/// there is none.
std::size_t character_length(std::string_view text) {
  const base::Character character = base::first_character(text);
  return character.valid ? character.bytes : 0;
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
