// A password has no form of its own: it is recognised by what stands before it. Rather too much
// of a text is taken out than too little.
#include "base/secrets.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <mutex>
#include <string_view>
#include <vector>

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
  constexpr std::array<std::string_view, 8> kWords = {
      "password", "passwd", "passphrase", "secret", "token", "api-key", "apikey", "access-key"};
  // Shorter ones are parts of other words, as of --author, and stand at the end: MYSQL_PWD and
  // REDISCLI_AUTH are what the programs of MariaDB and Redis read.
  constexpr std::array<std::string_view, 3> kLastWords = {"pwd", "pass", "auth"};
  std::string small(name);
  std::ranges::transform(small, small.begin(), lower);
  std::ranges::replace(small, '_', '-');
  // --password-file and TOKEN_FILE tell where it is; --no-password asks for none.
  if (small.ends_with("-file") || small.starts_with("--no-")) return false;
  const auto is_last = [&](std::string_view word) {
    const std::size_t before = small.size() - std::min(small.size(), word.size());
    return small.ends_with(word) && (before == 0 || small[before - 1] == '-');
  };
  return std::ranges::any_of(kWords,
                             [&](auto word) { return small.find(word) != small.npos; }) ||
         std::ranges::any_of(kLastWords, is_last);
}

/// Called with each value that is taken out.
using Listener = std::function<void(std::string_view)>;

void hide(std::string& text, std::size_t begin, std::size_t size, const Listener& listen) {
  if (listen) listen(std::string_view(text).substr(begin, size));
  text.replace(begin, size, kShown);
}

void hide_in_urls(std::string& text, const Listener& listen) {
  for (std::size_t at = text.find("://"); at != std::string::npos;
       at = text.find("://", at + 3)) {
    const std::size_t begin = at + 3;
    const std::size_t end = std::min(text.find_first_of(kEnds, begin), text.size());
    const std::size_t host = text.rfind('@', end);
    const std::size_t colon = text.find(':', begin);
    if (host == std::string::npos || host < begin || colon > host) continue;
    // In a message that says how to write one.
    if (std::string_view(text).substr(colon + 1, host - colon - 1) == "PASSWORD") continue;
    hide(text, colon + 1, host - colon - 1, listen);
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

/// Where the value of the name that ends at `end` begins; npos: it has none. A name in quotes
/// has a colon before its value, as in JSON.
std::size_t value_of_name(std::string_view text, std::size_t begin, std::size_t end,
                          bool in_command) {
  std::size_t behind = end;
  if (behind + 1 < text.size() && text[behind] == '\\') ++behind;  // of a quoted quote
  const bool is_quoted = behind < text.size() && begin > 0 && text[behind] == text[begin - 1] &&
                         (text[behind] == '"' || text[behind] == '\'');
  behind = is_quoted ? behind + 1 : end;
  std::size_t at = text.find_first_not_of(kBlanks, behind);
  if (at == std::string_view::npos) return at;
  const bool has_value = is_quoted    ? text[at] == ':'
                         : in_command ? text[at] == '=' || (text[at] == ':' && at == end)
                                      : text[at] == '=';
  if (has_value) return std::min(text.find_first_not_of(kBlanks, at + 1), text.size());
  const bool is_option = in_command && text[begin] == '-';
  return is_option && at > end && text[at] != '-' ? at : std::string_view::npos;
}

bool is_number(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// "-u user:password", as curl has it. Numbers are a user and a group.
void hide_of_user(std::string& text, std::size_t begin, const Listener& listen) {
  const std::size_t end = end_of_value(text, begin, true);
  const std::string_view value = std::string_view(text).substr(begin, end - begin);
  const std::size_t colon = value.find(':');
  if (colon == std::string_view::npos || value.substr(colon).starts_with("://")) return;
  const char last = value.back();
  const std::size_t quote =
      value.size() > 1 && (last == '"' || last == '\'') && value.front() == last ? 1 : 0;
  const std::size_t size = value.size() - colon - 1 - quote;
  const bool are_numbers =
      is_number(value.substr(quote, colon - quote)) && is_number(value.substr(colon + 1, size));
  if (are_numbers) return;
  hide(text, begin + colon + 1, size, listen);
}

/// mysql's -pPASSWORD; npos: it is none. Other options of one dash and this letter, a port
/// and groups of letters are not.
std::size_t value_of_p(std::string_view text, std::size_t at) {
  constexpr std::array<std::string_view, 24> kOthers = {
      "path",   "port",     "print", "print0",  "pid",     "prefix",     "profile",  "proxy",
      "pretty", "parallel", "pipe",  "passive", "project", "process",    "package",  "plugin",
      "policy", "pool",     "poll",  "params",  "param",   "properties", "pedantic", "pthread"};
  if (!text.substr(at).starts_with("-p")) return std::string_view::npos;
  const std::size_t begin = at + 2;
  const std::size_t end = end_of_value(text, begin, true);
  const std::string_view word = text.substr(at + 1, end - at - 1);
  const std::string_view name = word.substr(0, word.find_first_of("=:"));
  const bool is_other = std::ranges::find(kOthers, name) != kOthers.end() || end - begin < 3 ||
                        is_number(text.substr(begin, end - begin)) || says_secret(name);
  return is_other ? std::string_view::npos : begin;
}

/// Options of one letter, which begin a word.
void hide_short_options(std::string& text, const Listener& listen) {
  for (std::size_t at = text.find('-'); at != std::string::npos; at = text.find('-', at + 1)) {
    if (at > 0 && std::string_view(" \t\n'\"").find(text[at - 1]) == std::string_view::npos) {
      continue;
    }
    const std::string_view rest = std::string_view(text).substr(at);
    for (const std::string_view option : {"-u", "--user"}) {
      if (!rest.starts_with(option) || rest.size() <= option.size()) continue;
      const std::size_t behind = at + option.size();
      const bool is_apart = text[behind] == ' ' || text[behind] == '=';
      const std::size_t begin = is_apart ? text.find_first_not_of(" =", behind) : behind;
      if ((is_apart || option == "-u") && begin != std::string::npos) {
        hide_of_user(text, begin, listen);
      }
    }
    const std::size_t begin = value_of_p(text, at);
    if (begin == std::string::npos) continue;
    hide(text, begin, end_of_value(text, begin, true) - begin, listen);
  }
}

void hide_values(std::string& text, bool in_command, const Listener& listen) {
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
    const std::string_view value = std::string_view(text).substr(begin);
    if (value.starts_with(kShown) && is_one_of(" \t\n,;}'\"", value, kShown.size())) continue;
    // Behind a colon a quoted text is the value, and more of the object follows it.
    const std::size_t colon = text.find_last_not_of(kBlanks, begin - 1);
    const bool is_whole_word = in_command && text[colon] != ':';
    hide(text, begin, end_of_value(text, begin, is_whole_word) - begin, listen);
    at = begin + kShown.size();
  }
}

/// A value that is kept may be one that somebody took out of a shorter text.
struct Kept {
  std::mutex mutex;
  std::vector<std::string> values;  // longer ones first
};

Kept& kept() {
  static Kept values;
  return values;
}

void hide_kept(std::string& text) {
  const std::lock_guard lock(kept().mutex);
  for (const std::string& value : kept().values) {
    for (std::size_t at = text.find(value); at != std::string::npos;
         at = text.find(value, at + kShown.size())) {
      text.replace(at, value.size(), kShown);
    }
  }
}

std::string hidden(std::string text, bool in_command, const Listener& listen) {
  hide_in_urls(text, listen);
  hide_values(text, in_command, listen);
  if (in_command) hide_short_options(text, listen);
  return text;
}

}  // namespace

std::string without_secrets(std::string text) {
  text = hidden(std::move(text), false, nullptr);
  hide_kept(text);
  return text;
}

std::string command_without_secrets(std::string command) {
  return hidden(std::move(command), true, nullptr);
}

void keep_secret(std::string_view value) {
  constexpr std::size_t kLeast = 4;
  const auto is_quote = [](char c) { return c == '"' || c == '\''; };
  if (value.size() > 2 && is_quote(value.front()) && value.back() == value.front()) {
    value = value.substr(1, value.size() - 2);
  }
  if (value.size() < kLeast) return;
  const std::lock_guard lock(kept().mutex);
  std::vector<std::string>& values = kept().values;
  if (std::ranges::find(values, value) != values.end()) return;
  values.emplace_back(value);
  std::ranges::sort(values, std::ranges::greater(), &std::string::size);
}

void keep_secrets_of(const std::string& command) { hidden(command, true, keep_secret); }

}  // namespace isolde::base
