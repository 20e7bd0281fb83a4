#include "io/json_text.hpp"

#include <algorithm>

#include "io/bad_input.hpp"
#include "io/text_cursor.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::io {
namespace {

static_assert(Input::kPadding >= simdjson::SIMDJSON_PADDING);

std::string_view without_trailing_space(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

/// Skips a run of digits; false when there is none.
bool skip_digits(std::string_view& text) {
  const std::size_t size = text.size();
  while (!text.empty() && is_digit(text.front())) text.remove_prefix(1);
  return text.size() < size;
}

/// Grammar of RFC 8259, section 6; `integer` tells whether there is no fraction or exponent.
bool is_number(std::string_view text, bool& integer) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const bool zero = text.starts_with('0');
  const std::size_t size = text.size();
  if (!skip_digits(text) || (zero && size - text.size() > 1)) return false;
  integer = text.empty();
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (!skip_digits(text)) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (!skip_digits(text)) return false;
  }
  return text.empty();
}

}  // namespace

JsonText::JsonText(const Input& file) : file_(file.name), text_(file.view()) {
  if (file.padding() >= simdjson::SIMDJSON_PADDING) return;
  copy_.reserve(text_.size() + simdjson::SIMDJSON_PADDING);
  copy_ = text_;
  text_ = copy_;
}

std::uint64_t JsonText::line_of(const char* where) {
  const auto at = std::min(static_cast<std::size_t>(where - text_.data()), text_.size());
  if (at < last_at_) {
    last_at_ = 0;
    last_line_ = 1;
  }
  last_line_ +=
      static_cast<std::uint64_t>(std::count(text_.data() + last_at_, text_.data() + at, '\n'));
  last_at_ = at;
  return last_line_;
}

Error JsonText::expected(const char* where, simdjson::error_code reason,
                         std::string_view expected) {
  if (reason == simdjson::MEMALLOC) {
    return {ErrorCode::kLimit,
            std::string(file_) + ": not enough memory while reading the input"};
  }
  const auto at = std::min(static_cast<std::size_t>(where - text_.data()), text_.size());
  std::string_view found = text_.substr(at);
  found = found.substr(0, found.find_first_of("\r\n"));
  std::string what = "found ";
  if (at == text_.size()) {
    what += "end of file";
  } else {
    what += found.empty() ? "end of line" : shown(found);
  }
  if (reason != simdjson::SUCCESS && reason != simdjson::INCORRECT_TYPE &&
      reason != simdjson::NO_SUCH_FIELD) {
    what += " (";
    what += simdjson::error_message(reason);
    what += ")";
  }
  what += "; expected ";
  what += expected;
  return bad_line(file_, line_of(where), what);
}

Error JsonText::expected(simdjson::ondemand::document& document, std::string_view part,
                         simdjson::error_code reason, std::string_view expected) {
  const char* where = json_place(document);
  if (where == nullptr) where = part.data() + part.size();
  return this->expected(where, reason, expected);
}

const char* json_place(simdjson::ondemand::document& document) {
  const char* where = nullptr;
  return document.current_location().get(where) == simdjson::SUCCESS ? where : nullptr;
}

simdjson::error_code json_scalar(HistoryBuilder& builder, simdjson::ondemand::value& json,
                                 Value& value) {
  simdjson::ondemand::json_type type{};
  simdjson::error_code error = json.type().get(type);
  if (error != simdjson::SUCCESS) return error;
  if (type == simdjson::ondemand::json_type::string) {
    std::string_view text;
    error = json.get_string().get(text);
    if (error == simdjson::SUCCESS) value = builder.string(text);
    return error;
  }
  if (type == simdjson::ondemand::json_type::array ||
      type == simdjson::ondemand::json_type::object) {
    return simdjson::INCORRECT_TYPE;
  }
  const std::string_view token = without_trailing_space(json.raw_json_token());
  if (token == "null") {
    value = Value::null();
    return simdjson::SUCCESS;
  }
  if (token == "true" || token == "false") {
    value = builder.literal(token);
    return simdjson::SUCCESS;
  }
  bool integer = false;
  if (!is_number(token, integer)) return simdjson::NUMBER_ERROR;
  value = integer ? integer_value(builder, token) : builder.literal(token);
  return simdjson::SUCCESS;
}

std::string_view raw_word(simdjson::ondemand::value& json) {
  std::string_view token = without_trailing_space(json.raw_json_token());
  if (token.size() >= 2 && token.front() == '"' && token.back() == '"') {
    token = token.substr(1, token.size() - 2);
  }
  return token;
}

}  // namespace isolde::io
