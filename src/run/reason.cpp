#include "run/reason.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

namespace isolde::run {
namespace {

constexpr std::string_view kSqlState = "SQLSTATE";
constexpr std::size_t kSqlStateLength = 5;

/// What stands before a number that is a code. "error" has no colon between: "error: 17 rows".
struct CodeWord {
  std::string_view word;
  std::string_view between;
};
constexpr std::array<CodeWord, 7> kCodeWords = {{{"error", " #"},
                                                 {"errno", " =:#"},
                                                 {"errcode", " =:#"},
                                                 {"code", " =:#"},
                                                 {"gdscode", " =:#"},
                                                 {"status", " =:#"},
                                                 {"signal", " "}}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

bool same_word(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  });
}

/// The length of the digits that begin there.
std::size_t digits_at(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) -
                                  text.begin());
}

/// "SQLSTATE 40P01", "SQLSTATE[HY000]": how long it is; 0 when there is none.
std::size_t sqlstate_at(std::string_view text) {
  if (!text.starts_with(kSqlState)) return 0;
  const std::size_t begin = text.find_first_not_of(" :=[", kSqlState.size());
  if (begin == std::string_view::npos) return 0;
  const std::string_view state = text.substr(begin, kSqlStateLength);
  const bool whole = state.size() == kSqlStateLength &&
                     std::all_of(state.begin(), state.end(),
                                 [](char c) { return is_digit(c) || is_letter(c); });
  return whole ? begin + kSqlStateLength : 0;
}

/// "error 1213", "SQL error code = -104", "HTTP status 503".
bool follows_code_word(std::string_view before) {
  if (before.ends_with('-')) before.remove_suffix(1);
  return std::any_of(kCodeWords.begin(), kCodeWords.end(), [before](const CodeWord& row) {
    const std::size_t last = before.find_last_not_of(row.between);
    if (last == std::string_view::npos || last + 1 == before.size()) return false;
    std::size_t begin = last + 1;
    while (begin > 0 && is_letter(before[begin - 1])) --begin;
    return same_word(before.substr(begin, last + 1 - begin), row.word);
  });
}

/// " (517)": SQLite's and the system's way. Longer ones are no codes, and neither is a key in
/// "Key (k)=(17)".
bool in_parentheses(std::string_view before, std::size_t digits, std::string_view after) {
  constexpr std::size_t kLongest = 5;
  return digits <= kLongest && before.ends_with(" (") && after.starts_with(')');
}

}  // namespace

std::string reason_class(std::string_view message) {
  std::string out;
  std::size_t at = 0;
  while (at < message.size()) {
    const std::string_view rest = message.substr(at);
    const std::size_t quote_end = rest[0] == '"' ? rest.find('"', 1) : std::string_view::npos;
    if (const std::size_t state = sqlstate_at(rest); state > 0) {
      out += rest.substr(0, state);
      at += state;
    } else if (quote_end != std::string_view::npos) {
      out += "\"...\"";
      at += quote_end + 1;
    } else if (const std::size_t digits = digits_at(rest); digits > 0) {
      const std::string_view before = message.substr(0, at);
      if (follows_code_word(before) || in_parentheses(before, digits, rest.substr(digits))) {
        out += rest.substr(0, digits);
      } else if (!out.ends_with('#')) {
        out += '#';
      }
      at += digits;
    } else {
      out += rest[0] == '\n' ? ' ' : rest[0];
      ++at;
    }
  }
  return out;
}

void ReasonCounts::add(std::string_view message) {
  Row& row = rows_[reason_class(message)];
  if (row.count++ == 0) row.message = message;
  row.is_one = row.is_one && row.message == message;
}

void ReasonCounts::add(const ReasonCounts& other) {
  for (const auto& [reason, theirs] : other.rows_) {
    Row& row = rows_[reason];
    if (row.count == 0) row.message = theirs.message;
    row.is_one = row.is_one && theirs.is_one && row.message == theirs.message;
    row.count += theirs.count;
  }
}

std::vector<std::pair<std::string, std::uint64_t>> ReasonCounts::counts() const {
  std::vector<std::pair<std::string, std::uint64_t>> all;
  for (const auto& [reason, row] : rows_) {
    all.emplace_back(row.is_one ? row.message : reason, row.count);
    std::ranges::replace(all.back().first, '\n', ' ');
  }
  return all;
}

}  // namespace isolde::run
