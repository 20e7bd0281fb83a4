#include "explain/encode.hpp"

#include <cstddef>
#include <cstdint>

#include "base/printable.hpp"
#include "base/utf8.hpp"

namespace isolde::explain {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

/// Not a character by XML 1.0, and nothing that a person could read.
bool is_unreadable(std::uint32_t code) {
  const bool blank = code == '\t' || code == '\n' || code == '\r';
  return (code < 0x20 && !blank) || code == 0x7f || code == 0xfffe || code == 0xffff;
}

/// Joins what `escape` makes of each character; where it returns nothing the character stands
/// for itself, or for U+FFFD when it must not.
template <typename Escape>
std::string encoded(std::string_view text, const Escape& escape) {
  std::string out;
  while (!text.empty()) {
    const base::Character next = base::first_character(text);
    const std::string_view instead = escape(next.code);
    if (!instead.empty()) {
      out += instead;
    } else if (!next.valid || is_unreadable(next.code)) {
      out += kReplacement;
    } else {
      out += text.substr(0, next.bytes);
    }
    text.remove_prefix(next.bytes);
  }
  return out;
}

void append_hex(unsigned value, int digits, std::string& out) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
    out += "0123456789ABCDEF"[(value >> static_cast<unsigned>(shift)) & 0xfU];
  }
}

std::string_view annotation_escape(std::uint32_t code) {
  switch (code) {
    case '%':
      return "%25";
    case '\r':
      return "%0D";
    case '\n':
      return "%0A";
    case ' ':
    case '\t':
      return {};
    default:
      return base::is_unseen(code) ? kReplacement : std::string_view();
  }
}

}  // namespace

std::string xml_characters(std::string_view text) {
  return encoded(text, [](std::uint32_t) { return std::string_view(); });
}

std::string edn_string(std::string_view text) {
  std::string unicode;
  const std::string inner = encoded(text, [&](std::uint32_t code) -> std::string_view {
    switch (code) {
      case '"':
        return "\\\"";
      case '\\':
        return "\\\\";
      case '\n':
        return "\\n";
      case '\t':
        return "\\t";
      case '\r':
        return "\\r";
      default:
        break;
    }
    if (code == ' ' || !base::is_unseen(code)) return {};
    unicode = "\\u";
    if (code > 0xffff) {  // as UTF-16 has it
      append_hex(0xd800 + ((code - 0x10000) >> 10U), 4, unicode);
      unicode += "\\u";
      code = 0xdc00 + ((code - 0x10000) & 0x3ffU);
    }
    append_hex(code, 4, unicode);
    return unicode;
  });
  return '"' + inner + '"';
}

std::string annotation_message(std::string_view text) {
  return encoded(text, annotation_escape);
}

std::string annotation_property(std::string_view text) {
  return encoded(text, [](std::uint32_t code) -> std::string_view {
    if (code == ':') return "%3A";
    if (code == ',') return "%2C";
    return annotation_escape(code);
  });
}

std::string fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) {
    digits += "0123456789abcdef"[(hash >> static_cast<unsigned>(shift)) & 0xfU];
  }
  return digits;
}

std::string uri_of_path(std::string_view path) {
  constexpr std::string_view kPlain = "-._~/!$&'()*+,;=@";
  std::string out = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter || (c >= '0' && c <= '9') || kPlain.find(c) != std::string_view::npos) {
      out += c;
      continue;
    }
    out += '%';
    append_hex(static_cast<unsigned char>(c), 2, out);
  }
  return out;
}

}  // namespace isolde::explain
