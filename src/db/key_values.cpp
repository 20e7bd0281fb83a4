#include "db/key_values.hpp"

#include <charconv>

namespace isolde::db::kv {
namespace {

constexpr std::string_view kPrefix = "isolde";
constexpr std::string_view kRegister = "register";
constexpr std::string_view kList = "list";

std::string name(std::string_view kind, char separator) {
  std::string out(kPrefix);
  out += separator;
  out += kind;
  return out;
}

std::string numbered(std::string_view kind, Key key, char separator) {
  return name(kind, separator) + separator + std::to_string(key);
}

}  // namespace

std::string register_name(Key key, char separator) {
  return numbered(kRegister, key, separator);
}

std::string list_name(Key key, char separator) { return numbered(kList, key, separator); }

std::string owner_name(char separator) { return name("owner", separator); }

bool is_own_name(std::string_view text, char separator) {
  if (text == owner_name(separator)) return true;
  for (const std::string_view kind : {kRegister, kList}) {
    const std::string begin = name(kind, separator) + separator;
    if (text.starts_with(begin)) return parse_number(text.substr(begin.size())).has_value();
  }
  return false;
}

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string list_text(const std::vector<std::int64_t>& elements) {
  std::string out;
  for (const std::int64_t element : elements) {
    if (!out.empty()) out += ',';
    out += std::to_string(element);
  }
  return out;
}

bool parse_list(std::string_view text, std::vector<std::int64_t>& elements) {
  elements.clear();
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::optional<std::int64_t> element = parse_number(text.substr(0, comma));
    if (!element) return false;
    elements.push_back(*element);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
    if (text.empty()) return false;
  }
  return true;
}

Reply read_and_set(Session& session, Key key, std::optional<std::int64_t> expected,
                   std::int64_t value, CasResult& result) {
  result = {};
  std::optional<std::int64_t> found;
  if (Reply reply = session.read(key, found); !reply.ok()) return reply;
  result.applied = found == expected;
  if (!result.applied) result.seen = found;
  return result.applied ? session.write(key, value) : Reply{};
}

Reply not_a_value(const std::string& name, std::string_view text) {
  return failed("key " + name + " holds '" + std::string(text.substr(0, 40)) +
                "', which Isolde did not write");
}

}  // namespace isolde::db::kv
