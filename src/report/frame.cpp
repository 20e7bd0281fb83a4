#include "report/frame.hpp"

#include <algorithm>

namespace isolde::report {

std::string framed(const Frame& frame, std::string_view json) {
  constexpr std::string_view kEscape = "\\u003c";
  const auto escapes = static_cast<std::size_t>(std::ranges::count(json, '<'));
  std::string page;
  page.reserve(frame.before.size() + json.size() + escapes * kEscape.size() +
               frame.behind.size());
  page += frame.before;
  for (const char c : json) {
    if (c == '<') {
      page += kEscape;
    } else {
      page += c;
    }
  }
  page += frame.behind;
  return page;
}

}  // namespace isolde::report
