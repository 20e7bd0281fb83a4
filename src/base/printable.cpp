#include "base/printable.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "base/utf8.hpp"

namespace isolde::base {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

/// Controls, blanks other than the space, Unicode's Default_Ignorable_Code_Point (direction
/// marks, zero width, fillers, selectors, tags) and what has no agreed shape (private use,
/// noncharacters). Ascending.
constexpr Range kUnseen[] = {
    {0x0, 0x1f},      {0x7f, 0xa0},       {0xad, 0xad},       {0x34f, 0x34f},
    {0x61c, 0x61c},   {0x115f, 0x1160},   {0x1680, 0x1680},   {0x17b4, 0x17b5},
    {0x180b, 0x180f}, {0x2000, 0x200f},   {0x2028, 0x202f},   {0x205f, 0x206f},
    {0x2800, 0x2800}, {0x3000, 0x3000},   {0x3164, 0x3164},   {0xe000, 0xf8ff},
    {0xfdd0, 0xfdef}, {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
    {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0x10ffff},
};

std::string escape(char kind, std::uint32_t number, int digits) {
  std::string out = {'\\', kind};
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
    out += "0123456789abcdef"[(number >> static_cast<unsigned>(shift)) & 0xfU];
  }
  return out;
}

/// As \x1b where it is one byte, so that bytes that are not UTF-8 read the same.
std::string escaped(std::string_view bytes, const Character& character) {
  if (character.bytes == 1) return escape('x', static_cast<unsigned char>(bytes[0]), 2);
  return character.code > 0xffff ? escape('U', character.code, 8)
                                 : escape('u', character.code, 4);
}

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

/// Whether the text after a backslash would make it the beginning of an escape.
bool continues_escape(std::string_view behind) {
  if (behind.empty()) return false;
  if (behind[0] == '\\') return true;
  const std::size_t digits = behind[0] == 'x'   ? 2
                             : behind[0] == 'u' ? 4
                             : behind[0] == 'U' ? 8
                                                : 0;
  const std::string_view number = behind.substr(1, digits);
  return digits > 0 && number.size() == digits &&
         std::all_of(number.begin(), number.end(), is_hex);
}

struct How {
  bool keeps_breaks = false;
  bool keeps_blanks = false;
  bool is_exact = false;  ///< distinct texts stay distinct
};

class Printer {
 public:
  /// REQUIRES: a character begins at `at`, or the text ends.
  Printer(std::string_view text, const How& how, std::size_t at = 0)
      : text_(text), how_(how), at_(at) {}

  /// The output for the next character. REQUIRES: there is one.
  std::string next() {
    const std::string_view rest = text_.substr(at_);
    const Character character = first_character(rest);
    at_ += character.bytes;
    const std::string_view bytes = rest.substr(0, character.bytes);
    if (character.code == '\n' && how_.keeps_breaks) return "\n";
    const bool escapes = !character.valid || is_unseen(character.code) ||
                         (character.code == ' ' && !how_.keeps_blanks && makes_columns(rest));
    if (escapes) return escaped(bytes, character);
    const bool doubles = character.code == '\\' && how_.is_exact && is_taken_for_escape(rest);
    return (doubles ? "\\" : "") + std::string(bytes);
  }
  bool done() const { return at_ == text_.size(); }
  std::size_t at() const { return at_; }

 private:
  /// A blank at an end, or after another.
  bool makes_columns(std::string_view rest) const {
    const std::size_t at = text_.size() - rest.size();
    return at == 0 || rest.size() == 1 || text_[at - 1] == ' ';
  }
  /// Also before what becomes an escape itself.
  bool is_taken_for_escape(std::string_view rest) const {
    const std::string_view behind = rest.substr(1);
    if (behind.empty() || continues_escape(behind)) return !behind.empty();
    const Character second = first_character(behind);
    return !second.valid || is_unseen(second.code) || behind == " ";
  }

  std::string_view text_;
  How how_;
  std::size_t at_;
};

/// Most names.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c > ' ' && c < 0x7f && c != '\\'; });
}

std::string printed(std::string_view text, const How& how) {
  if (is_plain(text)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  for (Printer printer(text, how); !printer.done();) out += printer.next();
  return out;
}

/// The begin of a character, or of a byte that belongs to none, at `at` or up to three bytes
/// after it: four continuation bytes in a row cannot belong to one character.
std::size_t next_boundary(std::string_view text, std::size_t at) {
  const std::size_t last = std::min(at + 3, text.size());
  while (at < last && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) ++at;
  return at;
}

/// Without its middle, which is not read, because values may have any size. Cuts neither a
/// character nor an escape in two.
std::string without_middle(std::string_view name, const How& how) {
  constexpr std::size_t kBegin = 140;
  constexpr std::size_t kEnd = 40;
  std::string begin;
  std::size_t behind = 0;  // the beginning
  for (Printer printer(name, how); !printer.done(); behind = printer.at()) {
    const std::string piece = printer.next();
    if (begin.size() + piece.size() > kBegin) break;
    begin += piece;
  }
  // No character becomes shorter.
  const std::size_t tail = name.size() - std::min(name.size(), kEnd + 3);
  std::string end;
  std::vector<std::size_t> sizes;  // of the pieces of the end
  for (Printer printer(name, how, std::max(behind, next_boundary(name, tail)));
       !printer.done();) {
    const std::string piece = printer.next();
    end += piece;
    sizes.push_back(piece.size());
  }
  std::size_t dropped = 0;
  for (const std::size_t size : sizes) {
    if (end.size() - dropped <= kEnd) break;
    dropped += size;
  }
  return begin + "...(" + std::to_string(name.size()) + " bytes)..." + end.substr(dropped);
}

}  // namespace

bool is_unseen(std::uint32_t code) {
  const auto* const range =
      std::lower_bound(std::begin(kUnseen), std::end(kUnseen), code,
                       [](const Range& each, std::uint32_t c) { return each.last < c; });
  const bool no_character = (code & 0xfffeU) == 0xfffeU;  // the last two of each plane
  return no_character || (range != std::end(kUnseen) && range->first <= code);
}

std::string printable_name(std::string_view name) {
  constexpr std::size_t kLongest = 200;
  const How how{false, false, true};
  if (name.size() > kLongest) return without_middle(name, how);
  std::string whole = printed(name, how);
  return whole.size() > kLongest ? without_middle(name, how) : whole;
}

std::string printable_path(std::string_view path) {
  return printed(path, {false, false, true});
}

std::string printable_line(std::string_view sentence) {
  return printed(sentence, {false, false, false});
}

std::string printable_lines(std::string_view text) {
  return printed(text, {true, true, false});
}

std::string printable_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  while (!json.empty()) {
    const Character next = first_character(json);
    const std::uint32_t code = next.code;
    if (code == '\n' || !is_unseen(code)) {
      out += json.substr(0, next.bytes);
    } else if (code < 0x10000) {
      out += escape('u', code, 4);
    } else {
      out += escape('u', 0xd800 + ((code - 0x10000) >> 10), 4);
      out += escape('u', 0xdc00 + ((code - 0x10000) & 0x3ffU), 4);
    }
    json.remove_prefix(next.bytes);
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return printable_lines(text);
  while (max_bytes > 0 && (static_cast<unsigned char>(text[max_bytes]) & 0xC0U) == 0x80U) {
    --max_bytes;
  }
  return printable_lines(text.substr(0, max_bytes)) + "\xE2\x80\xA6";
}

}  // namespace isolde::base
