// UTF-8, one character after the other. Header only, so that the recorder's archive is
// self-contained.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace isolde::base {

struct Character {
  std::uint32_t code = 0xfffd;
  std::size_t bytes = 1;  ///< of the text that it stands for
  bool valid = false;
};

/// The first character of `text`; one invalid byte where the bytes are overlong, cut off, a
/// surrogate or beyond Unicode (RFC 3629). REQUIRES: text not empty.
inline Character first_character(std::string_view text) {
  const auto byte = [text](std::size_t at) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at]));
  };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return {};
  std::uint32_t code = lead & (0xffU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return {};
    code = (code << 6) | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kLeast[size] || code > 0x10ffff || surrogate) return {};
  return {code, size, true};
}

}  // namespace isolde::base
