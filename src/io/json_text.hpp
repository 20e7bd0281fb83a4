// What the readers of JSON formats share: a file's text with the padding that simdjson wants,
// places in it as lines, and scalars as history values.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "io/reader.hpp"
#include "isolde/history_builder.hpp"
#include "isolde/status.hpp"

namespace isolde::io {

class JsonText {
 public:
  /// REQUIRES: file outlives this.
  explicit JsonText(const Input& file);
  JsonText(const JsonText&) = delete;
  JsonText& operator=(const JsonText&) = delete;

  std::string_view text() const { return text_; }

  /// A part of the text for simdjson. REQUIRES: part is a part of text().
  simdjson::padded_string_view padded(std::string_view part) const {
    return simdjson::padded_string_view(part.data(), part.size(),
                                        part.size() + simdjson::SIMDJSON_PADDING);
  }

  /// The line of a place in the text. COST: linear in the distance to the place asked for
  /// before, so cheap for places that go forward.
  std::uint64_t line_of(const char* where);

  /// "file:line: found <token at where>; expected <expected>", with simdjson's reason when the
  /// text is not JSON at all.
  Error expected(const char* where, simdjson::error_code reason, std::string_view expected);

  /// The same at the place where the iteration of `document`, made from `part`, stands.
  Error expected(simdjson::ondemand::document& document, std::string_view part,
                 simdjson::error_code reason, std::string_view expected);

 private:
  std::string_view file_;
  std::string copy_;  ///< only when the file came without padding
  std::string_view text_;
  std::size_t last_at_ = 0;
  std::uint64_t last_line_ = 1;
};

/// Where the iteration stands, or nullptr behind the end.
const char* json_place(simdjson::ondemand::document& document);

/// A null, number, boolean or string; INCORRECT_TYPE for anything else, NUMBER_ERROR for what
/// is not a JSON number.
simdjson::error_code json_scalar(HistoryBuilder& builder, simdjson::ondemand::value& json,
                                 Value& value);

/// The characters of a JSON string, for values without escapes; the raw token without quotes
/// and white space otherwise. Stays valid as long as the text.
std::string_view raw_word(simdjson::ondemand::value& json);

}  // namespace isolde::io
