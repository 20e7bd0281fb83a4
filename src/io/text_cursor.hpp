// A place in a text, with its line, for readers that go through it character by character.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/bad_input.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::io {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

class TextCursor {
 public:
  /// REQUIRES: both outlive the cursor.
  TextCursor(std::string_view file, std::string_view text) : file_(file), text_(text) {}

  bool at_end() const { return at_ == text_.size(); }
  /// The character here, or 0 at the end.
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  std::string_view rest() const { return text_.substr(at_); }
  std::size_t offset() const { return at_; }
  std::uint64_t line() const { return line_; }

  /// REQUIRES: !at_end().
  void advance() { line_ += text_[at_++] == '\n' ? 1 : 0; }

  bool accept(char c) {
    if (at_end() || text_[at_] != c) return false;
    advance();
    return true;
  }

  /// Skips spaces, tabs and carriage returns.
  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\r') ++at_;
  }

  /// Skips blanks and line ends.
  void skip_space() {
    while (!at_end() && is_space(text_[at_])) advance();
  }

  /// Skips to the end of the line, not beyond it.
  void skip_line() {
    const std::size_t end = text_.find('\n', at_);
    at_ = end == std::string_view::npos ? text_.size() : end;
  }

  /// The digits of a decimal integer with an optional minus, or nothing (and no move).
  std::optional<std::string_view> digits() {
    std::size_t end = at_;
    if (end < text_.size() && text_[end] == '-') ++end;
    const std::size_t first = end;
    while (end < text_.size() && is_digit(text_[end])) ++end;
    if (end == first) return std::nullopt;
    const std::string_view found = text_.substr(at_, end - at_);
    at_ = end;
    return found;
  }

  /// A decimal integer that fits 64 bits, or nothing (and no move).
  std::optional<std::int64_t> integer() {
    std::int64_t number = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), number);
    if (error != std::errc()) return std::nullopt;
    at_ += static_cast<std::size_t>(end - begin);
    return number;
  }

  /// A run of letters, digits and underscores; empty when there is none here.
  std::string_view word() {
    const std::size_t first = at_;
    while (!at_end() && is_word(text_[at_])) ++at_;
    return text_.substr(first, at_ - first);
  }

  /// "file:line: found <what is here>; expected <expected>".
  Error expected(std::string_view expected) const {
    return bad_line(file_, line_, "found " + here() + "; expected " + std::string(expected));
  }

  /// What is here, for messages.
  std::string here() const {
    if (at_end()) return "end of file";
    if (peek() == '\n' || peek() == '\r') return "end of line";
    std::size_t end = at_ + 1;
    while (end < text_.size() && !is_space(text_[end]) && end < at_ + 25) ++end;
    return shown(text_.substr(at_, end - at_));
  }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
  static bool is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           c == '_';
  }

  std::string_view file_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 1;
};

bool is_utf8(std::string_view text);

/// ERRORS: the first line that is not UTF-8. Strings of the input go into outputs as they are.
Status check_utf8(std::string_view file, std::string_view text);

/// The integer with these digits as a history value, whatever its size. Numbers beyond 64 bits
/// become literals without leading zeros, so that equal numbers stay equal.
/// REQUIRES: digits match -?[0-9]+.
inline Value integer_value(HistoryBuilder& builder, std::string_view digits) {
  std::int64_t number = 0;
  const char* end = digits.data() + digits.size();
  if (std::from_chars(digits.data(), end, number).ec == std::errc()) {
    return builder.integer(number);
  }
  const bool negative = digits.front() == '-';
  if (negative) digits.remove_prefix(1);
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  std::string text;
  if (negative) text += '-';
  text += digits;
  return builder.literal(text);
}

}  // namespace isolde::io
