// JSON scalars as text, for the native readers and writers.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include "isolde/history.hpp"

namespace isolde::io {

/// Without JSON's white space behind it.
inline std::string_view trim_json(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  while (!text.empty() && kSpace.find(text.back()) != std::string_view::npos) {
    text.remove_suffix(1);
  }
  return text;
}

/// By the grammar of RFC 8259: -? int frac? exp?.
inline bool is_json_number(std::string_view text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t begin = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at - begin;
  };
  if (at < text.size() && text[at] == '-') ++at;
  const std::size_t first = at;
  const std::size_t count = digits();
  if (count == 0 || (count > 1 && text[first] == '0')) return false;
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (digits() == 0) return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (digits() == 0) return false;
  }
  return at == text.size();
}

/// What HistoryBuilder::literal holds: true, false, or a number that is no integer of Value.
inline bool is_json_literal(std::string_view text) {
  if (text == "true" || text == "false") return true;
  if (!is_json_number(text)) return false;
  std::int64_t number = 0;
  const std::from_chars_result end =
      std::from_chars(text.data(), text.data() + text.size(), number);
  const bool integer = end.ec == std::errc() && end.ptr == text.data() + text.size();
  return !integer || number < Value::kIntegerMin || number > Value::kIntegerMax;
}

/// Appends the text as a JSON string: quoted, with the escapes that RFC 8259 asks for.
inline void append_json_string(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20) {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  out += '"';
}

/// The beginning of foreign text, fit for an error message of one line.
inline std::string printable_excerpt(std::string_view text) {
  constexpr std::size_t kLength = 40;
  std::string out(text.substr(0, kLength));
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) c = '?';
  }
  return text.size() > kLength ? out + "..." : out;
}

}  // namespace isolde::io
