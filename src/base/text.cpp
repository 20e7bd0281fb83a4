#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <utility>
#include <vector>

namespace isolde::base {
namespace {

/// How many letters to change, insert, leave out or swap with their neighbour (Damerau, CACM
/// 1964, each place once).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> last(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  std::vector<std::size_t> before = last;
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({change, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::exchange(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  if (number < 10'000) return text;
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

std::string plural(std::uint64_t count, std::string_view noun) {
  return grouped(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string fixed(double number, int digits) {
  std::array<char, 400> text;  // the largest number has 309 digits
  std::snprintf(text.data(), text.size(), "%.*f", digits, number);
  return text.data();
}

std::string padded(std::string_view text, std::size_t width) {
  std::string out(text);
  if (out.size() < width) out.append(width - out.size(), ' ');
  return out;
}

std::string wrapped(std::string_view text, std::size_t hanging) {
  constexpr std::size_t kColumns = 92;
  std::string out = "  ";
  std::size_t column = 2;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (column > 2 + hanging && column + 1 + word.size() > kColumns) {
      column = 2 + hanging;
      out += "\n" + std::string(column, ' ');
    } else if (out.back() != ' ') {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out + "\n";
}

std::string joined(std::span<const std::string> parts, std::string_view conjunction) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? " " + std::string(conjunction) + " " : ", ";
    text += parts[i];
  }
  return text;
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

std::string shell_word(std::string_view word) {
  const bool is_plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_./:=,+@%-").find(c) != std::string_view::npos;
  });
  if (is_plain) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string plain_name(std::string_view name) {
  std::string plain(name);
  for (char& c : plain) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '_' || c == ' ') c = '-';
  }
  return plain;
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates) {
  constexpr std::size_t kMost = 3;
  constexpr std::size_t kLongest = 64;  // of names that anybody has typed
  if (name.size() < 2 || name.size() > kLongest) return {};
  std::vector<std::pair<std::size_t, std::string_view>> close;
  for (const std::string_view each : candidates) {
    const bool is_part = name.size() > 2 && each.find(name) != std::string_view::npos;
    const std::size_t away = distance(name, each);
    if (is_part || away <= each.size() / 4) close.emplace_back(is_part ? 1 : away, each);
  }
  std::stable_sort(close.begin(), close.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first, a.second.size()) < std::pair(b.first, b.second.size());
  });
  if (close.size() > kMost) close.resize(kMost);
  if (close.empty()) return {};
  std::vector<std::string> names;
  for (const auto& [away, each] : close) names.emplace_back(each);
  return " (did you mean " + joined(names, "or") + "?)";
}

std::string ordinal(std::uint64_t number) {
  static constexpr std::array<const char*, 4> kEndings = {"th", "st", "nd", "rd"};
  const bool is_teen = number / 10 % 10 == 1;
  const std::uint64_t last = is_teen || number % 10 > 3 ? 0 : number % 10;
  return std::to_string(number) + kEndings[last];
}

}  // namespace isolde::base
