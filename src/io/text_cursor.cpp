#include "io/text_cursor.hpp"

#include <simdjson.h>

namespace isolde::io {

bool is_utf8(std::string_view text) {
  return simdjson::validate_utf8(text.data(), text.size());
}

Status check_utf8(std::string_view file, std::string_view text) {
  if (is_utf8(text)) return ok_status();
  std::uint64_t line = 1;
  while (true) {
    const std::string_view row = text.substr(0, text.find('\n'));
    if (!is_utf8(row) || row.size() == text.size()) break;
    text.remove_prefix(row.size() + 1);
    ++line;
  }
  return bad_line(file, line, "found bytes that are not UTF-8; expected text");
}

}  // namespace isolde::io
