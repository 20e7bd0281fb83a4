#include "base/text.hpp"

#include <algorithm>

namespace isolde::base {

std::string plural(std::uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
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

}  // namespace isolde::base
