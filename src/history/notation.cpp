#include "history/notation.hpp"

#include <algorithm>
#include <charconv>

#include "history/tables.hpp"

namespace isolde::history {
namespace {

constexpr std::uint32_t kValueBits = 61;
constexpr std::int64_t kAmountMost = std::int64_t{1} << 40;  // sums of these do not overflow
constexpr std::uint64_t kKeysMost = 1'000'000;

/// What stands between separators, without blanks around it and without what is empty.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
    part = part.substr(0, part.find_last_not_of(' ') + 1);
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '-';
  });
}

template <typename Number>
bool read_number(std::string_view text, Number most, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end && number >= 0 && number <= most;
}

/// "balance@0+20".
bool read_field(std::string_view text, std::vector<ValueNotation::Field>& fields) {
  const std::size_t at = text.find('@');
  const std::size_t plus = text.find('+', at == std::string_view::npos ? 0 : at);
  if (at == std::string_view::npos || plus == std::string_view::npos) return false;
  ValueNotation::Field field;
  field.name = text.substr(0, at);
  if (!is_name(field.name) ||
      !read_number(text.substr(at + 1, plus - at - 1), kValueBits - 1, field.shift) ||
      !read_number(text.substr(plus + 1), kValueBits - field.shift, field.bits) ||
      field.bits == 0) {
    return false;
  }
  fields.push_back(std::move(field));
  return true;
}

bool read_value_notation(std::string_view text, ValueNotation& notation) {
  const std::vector<std::string_view> words = split(text, ' ');
  if (words.size() < 2 || !words.front().ends_with('*')) return false;
  notation.prefix = words.front().substr(0, words.front().size() - 1);
  for (const std::string_view word : std::span(words).subspan(1)) {
    const std::size_t equal = word.find('=');
    if (equal == std::string_view::npos) {
      if (!read_field(word, notation.fields)) return false;
      continue;
    }
    const std::string_view name = word.substr(0, equal);
    const std::string_view number = word.substr(equal + 1);
    if (name == "initial") {
      if (!read_number(number, kAmountMost, notation.initial.emplace())) return false;
    } else if (name == "keys") {
      if (!read_number(number, kKeysMost, notation.keys)) return false;
    } else if (name != "total" || !read_number(number, kAmountMost, notation.total)) {
      return false;
    }
  }
  return !notation.fields.empty();
}

std::int64_t low_bits(std::uint32_t count) { return (std::int64_t{1} << count) - 1; }

std::uint32_t by_shift(const ValueNotation::Field& field) { return field.shift; }

/// "group 3, on-call 1".
std::string fields_alone(const ValueNotation& notation, std::int64_t number) {
  std::string text;
  for (const ValueNotation::Field& field : notation.fields) {
    text += (text.empty() ? "" : ", ") + field.name + " " +
            std::to_string((number >> field.shift) & low_bits(field.bits));
  }
  return text;
}

}  // namespace

std::optional<std::vector<std::string>> parse_tables(std::string_view text) {
  const std::vector<std::string_view> names = split(text, ' ');
  if (!std::ranges::all_of(names, is_name) || names.size() > table::kTablesMost) return {};
  return std::vector<std::string>(names.begin(), names.end());
}

std::optional<std::vector<ValueNotation>> parse_values(std::string_view text) {
  std::vector<ValueNotation> all;
  for (const std::string_view part : split(text, ';')) {
    if (!read_value_notation(part, all.emplace_back())) return {};
  }
  return all;
}

std::string tables_text(std::span<const std::string> tables) {
  std::string text;
  for (const std::string& name : tables) text += (text.empty() ? "" : " ") + name;
  return text;
}

std::string values_text(std::span<const ValueNotation> values) {
  std::string text;
  for (const ValueNotation& each : values) {
    text += (text.empty() ? "" : "; ") + each.prefix + "*";
    for (const ValueNotation::Field& field : each.fields) {
      text += " " + field.name + "@" + std::to_string(field.shift) + "+" +
              std::to_string(field.bits);
    }
    if (each.initial) text += " initial=" + std::to_string(*each.initial);
    if (each.keys == 0) continue;
    text += " keys=" + std::to_string(each.keys) + " total=" + std::to_string(each.total);
  }
  return text;
}

const ValueNotation* notation_of(const History& history, KeyId key) {
  const std::vector<ValueNotation>& all = history.origin().notation.values;
  if (all.empty() || history.is_list(key)) return nullptr;
  const Value name = history.key_name(key);
  const std::string_view text =
      name.kind() == Value::Kind::kString ? history.pooled_text(name) : std::string_view();
  const auto fits = [&](const ValueNotation& each) { return text.starts_with(each.prefix); };
  const auto found = std::ranges::find_if(all, fits);
  return found == all.end() ? nullptr : &*found;
}

std::optional<std::int64_t> amount(const ValueNotation& notation, Value value) {
  if (value.is_null()) return notation.initial;
  if (value.kind() != Value::Kind::kInteger || value.as_integer() < 0) return {};
  const ValueNotation::Field& field = notation.fields.front();
  return (value.as_integer() >> field.shift) & low_bits(field.bits);
}

std::string fields_text(const ValueNotation& notation, std::int64_t number) {
  std::uint32_t begin = kValueBits;
  std::uint32_t end = 0;
  for (const ValueNotation::Field& field : notation.fields) {
    begin = std::min(begin, field.shift);
    end = std::max(end, field.shift + field.bits);
  }
  const std::int64_t below = number & low_bits(begin);
  return fields_alone(notation, number) + " (#" +
         std::to_string(((number >> end) << begin) | below) + ")";
}

std::string fields_text(const History& history, const Predicate::Bounds& values) {
  const std::vector<ValueNotation>& all = history.origin().notation.values;
  if (all.size() != 1 || !all.front().prefix.empty() || values.min < 0) return {};
  const std::vector<ValueNotation::Field>& fields = all.front().fields;
  const std::int64_t rest = low_bits(by_shift(*std::ranges::min_element(fields, {}, by_shift)));
  const bool whole = (values.min & rest) == 0 && values.min + rest == values.max;
  return whole ? fields_alone(all.front(), values.min) : "";
}

std::string row_name(const History& history, Value key) {
  const std::vector<std::string>& tables = history.origin().notation.tables;
  if (tables.empty() || key.kind() != Value::Kind::kInteger || key.as_integer() < 0) return {};
  const std::size_t number = table::table_of(key.as_integer());
  if (number >= tables.size()) return {};
  const std::int64_t id = key.as_integer() - table::key_of(number, 0);
  return tables[number] + "/" + std::to_string(id);
}

std::string rows_name(const History& history, const Predicate::Bounds& keys) {
  if (!keys.are_valid()) return {};
  const std::string first = row_name(history, Value::integer(keys.min));
  const std::string last = row_name(history, Value::integer(keys.max));
  const std::size_t number = table::table_of(keys.min);
  if (first.empty() || last.empty() || number != table::table_of(keys.max)) return {};
  if (keys == table::keys_of(number)) return history.origin().notation.tables[number];
  return keys.min == keys.max ? first : first + " to " + last;
}

}  // namespace isolde::history
