#include "db/postgres_words.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include "db/sql.hpp"

namespace isolde::db {
namespace {

/// The part of `text` before its first line break, which `text` loses with it.
std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
  return line;
}

std::string_view without_ends(std::string_view line) {
  const auto is_blank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  while (!line.empty() && (is_blank(line.back()) || line.back() == '.')) line.remove_suffix(1);
  return line;
}

bool ends_sentence(const std::string& text) {
  return std::string_view(".?!;:,").find(text.back()) != std::string_view::npos;
}

}  // namespace

std::string libpq_line(std::string_view text) {
  std::string all;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    const std::string_view words = without_ends(line);
    if (words.empty()) continue;
    if (!all.empty()) {
      const bool goes_on = line.front() == '\t' || line.front() == ' ';
      const bool is_sentence = std::isupper(static_cast<unsigned char>(words.front())) != 0;
      if (!ends_sentence(all) && (!goes_on || is_sentence)) all += goes_on ? '.' : ';';
      all += ' ';
    }
    all += words;
  }
  return sql::one_line(all);
}

/// What the server says in the line, without its SQLSTATE, which `state` is; or else empty.
static std::string_view words_of_server(std::string_view line, std::string_view& state) {
  for (std::size_t at = line.find(":  "); at != std::string_view::npos;
       at = line.find(":  ", at + 1)) {
    const std::string_view rest = line.substr(at + 3);
    if (rest.size() < 7 || rest.substr(5, 2) != ": ") continue;
    state = rest.substr(0, 5);
    return rest.substr(7);
  }
  return {};
}

ConnectFailure connect_failure(std::string_view text, bool has_certificate) {
  ConnectFailure failure;
  std::vector<std::string_view> seen;
  std::string said;  // a line each
  for (std::string_view left = text; !left.empty();) {
    std::string_view state;
    const std::string_view words = words_of_server(next_line(left), state);
    if (words.empty() || std::ranges::find(seen, words) != seen.end()) continue;
    seen.push_back(words);
    (said += words) += '\n';
    if (state.starts_with("28") || state == "3D000" || state == "42501") failure.by_user = true;
  }
  failure.message = libpq_line(said.empty() ? text : said);
  // Unless the server speaks another language (lc_messages).
  const bool wants_certificate =
      failure.message.find("requires a valid client certificate") != std::string::npos;
  if (wants_certificate && !has_certificate) {
    failure.message += " (parameters sslcert and sslkey of the DSN give one)";
  }
  return failure;
}

}  // namespace isolde::db
