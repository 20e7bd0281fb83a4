#include "explain/encode.hpp"

#include <cstddef>
#include <cstdint>

namespace isolde::explain {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

struct Character {
  std::uint32_t code = 0xfffd;
  std::size_t bytes = 1;  ///< of the input that it stands for
  bool valid = false;
};

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U; }

/// The character that `text` begins with; one byte that is none, where the bytes are overlong,
/// cut off, a surrogate or beyond Unicode. REQUIRES: text not empty.
Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return {};
  std::uint32_t code = lead & (0xffU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if (!is_continuation(text[i])) return {};
    code = (code << 6) | (static_cast<unsigned char>(text[i]) & 0x3fU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kLeast[size] || code > 0x10ffff || surrogate) return {};
  return {code, size, true};
}

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
    const Character next = first_character(text);
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

std::string_view xml_entity(std::uint32_t code) {
  switch (code) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '\r':
      return "&#13;";
    default:
      return {};
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
    default:
      return {};
  }
}

void append_hex(unsigned value, int digits, std::string& out) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
    out += "0123456789ABCDEF"[(value >> static_cast<unsigned>(shift)) & 0xfU];
  }
}

}  // namespace

std::string readable(std::string_view text) {
  return encoded(text, [](std::uint32_t) { return std::string_view(); });
}

std::string xml_text(std::string_view text) { return encoded(text, xml_entity); }

std::string xml_attribute(std::string_view text) {
  return encoded(text, [](std::uint32_t code) -> std::string_view {
    if (code == '"') return "&quot;";
    if (code == '\n') return "&#10;";
    if (code == '\t') return "&#9;";
    return xml_entity(code);
  });
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
    if (!is_unreadable(code)) return {};
    unicode = "\\u";
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
