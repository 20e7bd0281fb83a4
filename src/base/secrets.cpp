// A password has no form of its own: it is recognised by what stands before it. Rather too much
// of a text is taken out than too little.
#include "base/secrets.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace isolde::base {
namespace {

constexpr std::string_view kShown = "***";
/// A password may hold any other sign, also those that part servers and parameters.
constexpr std::string_view kEnds = " \t\n'\"";
constexpr std::string_view kBlanks = " \t\n";
/// What may stand behind a quote that ends something, and behind no other.
constexpr std::string_view kBehindQuotes = " \t\n;,:)&|";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_of_name(char c) {
  const char small = lower(c);
  return (small >= 'a' && small <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

bool says_secret(std::string_view name) {
  // MYSQL_PWD and REDISCLI_AUTH are what the programs of MariaDB and Redis read.
  constexpr std::array<std::string_view, 7> kWords = {
      "password", "passwd", "passphrase", "secret", "token", "mysql_pwd", "rediscli_auth"};
  std::string small(name);
  std::ranges::transform(small, small.begin(), lower);
  // --password-file and TOKEN_FILE tell where it is.
  if (small.ends_with("-file") || small.ends_with("_file")) return false;
  return std::ranges::any_of(
      kWords, [&](std::string_view word) { return small.find(word) != std::string::npos; });
}

void hide_in_urls(std::string& text) {
  for (std::size_t at = text.find("://"); at != std::string::npos;
       at = text.find("://", at + 3)) {
    const std::size_t begin = at + 3;
    const std::size_t end = std::min(text.find_first_of(kEnds, begin), text.size());
    const std::size_t host = text.rfind('@', end);
    const std::size_t colon = text.find(':', begin);
    if (host == std::string::npos || host < begin || colon > host) continue;
    // In a message that says how to write one.
    if (std::string_view(text).substr(colon + 1, host - colon - 1) == "PASSWORD") continue;
    text.replace(colon + 1, host - colon - 1, kShown);
  }
}

/// Behind the quote that ends what begins with one.
std::size_t end_of_quoted(std::string_view text, std::size_t at) {
  const char quote = text[at++];
  while (at < text.size() && text[at] != quote) at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

bool is_one_of(std::string_view signs, std::string_view text, std::size_t at) {
  return at >= text.size() || signs.find(text[at]) != std::string_view::npos;
}

/// A quoted text, or all up to a blank or a quote, which may end what the name stands in, as in
/// 'a=b'. In a command quoted parts of a word belong to it.
std::size_t end_of_value(std::string_view text, std::size_t begin, bool in_command) {
  std::size_t at = begin;
  while (!is_one_of(kBlanks, text, at)) {
    if (text[at] == '\'' || text[at] == '"') {
      if (at != begin && (!in_command || is_one_of(kBehindQuotes, text, at + 1))) return at;
      at = end_of_quoted(text, at);
      if (!in_command) return at;
    } else {
      at += text[at] == '\\' ? 2 : 1;
    }
  }
  return std::min(at, text.size());
}

/// Where the value of the name that ends at `end` begins; npos: it has none.
std::size_t value_of_name(std::string_view text, std::size_t begin, std::size_t end,
                          bool in_command) {
  std::size_t at = text.find_first_not_of(kBlanks, end);
  if (at == std::string_view::npos) return at;
  if (text[at] == '=') return std::min(text.find_first_not_of(kBlanks, at + 1), text.size());
  const bool is_option = in_command && text[begin] == '-';
  return is_option && at > end && text[at] != '-' ? at : std::string_view::npos;
}

void hide_values(std::string& text, bool in_command) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (!is_of_name(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_of_name(text[end])) ++end;
    const std::string_view name(text.data() + at, end - at);
    const std::size_t begin =
        says_secret(name) ? value_of_name(text, at, end, in_command) : std::string::npos;
    at = end;
    if (begin == std::string::npos) continue;
    text.replace(begin, end_of_value(text, begin, in_command) - begin, kShown);
    at = begin + kShown.size();
  }
}

}  // namespace

std::string without_secrets(std::string text) {
  hide_in_urls(text);
  hide_values(text, false);
  return text;
}

std::string command_without_secrets(std::string command) {
  hide_in_urls(command);
  hide_values(command, true);
  return command;
}

}  // namespace isolde::base
