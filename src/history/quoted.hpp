// A text as a JSON string.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace isolde::history {

inline void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  const auto is_plain = [](char c) {
    return c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20;
  };
  const auto plain =
      static_cast<std::size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
  out += text.substr(0, plain);
  for (const char c : text.substr(plain)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", byte);
      out += escape;
    } else {
      out += c;
    }
  }
  out += '"';
}

inline std::string quoted(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

}  // namespace isolde::history
